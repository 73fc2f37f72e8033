"""What a model has learned, by name: the features that speak for each class, and what they say of one example."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.learn.polynomial import products_of
from rosenblatt.learn.schemes import class_pairs
from rosenblatt.model.linear import LinearModel
from rosenblatt.records import Csr, Floats, Label, Values


@dataclass(frozen=True)
class Weight:
    """One feature and how strongly it speaks for a class."""

    feature: str
    weight: float


@dataclass(frozen=True)
class Contribution:
    """One feature of one example: its value times its weight is what it adds to the score of a class."""

    feature: str
    value: float
    weight: float
    contribution: float


def direction(model: LinearModel, k: int) -> Floats:
    """The weights that speak for class k: of two classes, the one unit's or its opposite; of one-vs-one, their sum."""
    if model.scheme == "ovo":
        return _of_pairs(model.coef, k, len(model.classes))
    row: Floats = model.coef[0 if model.scheme == "binary" else k]
    return -row if model.scheme == "binary" and k == 0 else row


def bias(model: LinearModel, k: int) -> float:
    """What speaks for class k before any feature is seen."""
    if model.scheme == "ovo":
        return float(_of_pairs(np.asarray(model.intercept)[:, None], k, len(model.classes))[0])
    if model.scheme == "binary":
        own = model.run.unit(0)[2]
        return own if k == 1 else 0.0 - own  # never -0
    return model.run.unit(k)[2]


def _of_pairs(units: Floats, k: int, classes: int) -> Floats:
    total: Floats = np.zeros(units.shape[1])
    for unit, (i, j) in enumerate(class_pairs(classes)):
        total += (float(j == k) - float(i == k)) * units[unit]
    return total


def top(model: LinearModel, k: int, count: int) -> list[Weight]:
    """The features with the largest weights for class k, the strongest first; only those that speak for it."""
    if model.scheme == "ovo":
        best = native.strongest(direction(model, k), False, max(count, 0))
    else:
        columns, weights, _ = model.run.unit(0 if model.scheme == "binary" else k)
        best = native.strongest(weights, model.scheme == "binary" and k == 0, max(count, 0))
        best = best if columns is None else [(columns[j], weight) for j, weight in best]
    return [Weight(model.name(j), weight) for j, weight in best]


def contributions(model: LinearModel, values: Values, row: int, k: int) -> list[Contribution]:
    """What each feature of one row adds to the score of class k, the largest in size first."""
    along = direction(model, k)
    if isinstance(values, Csr):
        at = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
        columns, numbers = values.indices[at], values.values[at]
    else:
        degree = model.settings.degree
        whole = products_of(values[row], degree) if degree > 1 else values[row]
        columns = np.flatnonzero(whole)
        numbers = whole[columns]
    parts = [
        Contribution(model.name(int(j)), float(x), float(along[j]), float(along[j] * x))
        for j, x in zip(columns, numbers, strict=True)
        if j < len(along) and x != 0
    ]
    return sorted(parts, key=lambda part: (-abs(part.contribution), part.feature))


def telling(model: LinearModel, totals: Floats, k: int, count: int) -> list[str]:
    """The features that tell class k best: strong, and not rare in examples whose values sum to `totals`.

    Weight times total finds only words like 'you', the weight alone only what is rare; its fourth root lies between.
    """
    said = direction(model, k)[: len(totals)] * totals[: model.features] ** 0.25
    best = np.argsort(-said, kind="stable")[:count]
    return [model.name(int(j)) for j in best if said[j] > 0]


def classes_shown(model: LinearModel) -> list[tuple[int, Label]]:
    """The classes in the order they are explained: the positive one of two first."""
    numbered = list(enumerate(model.classes))
    return numbered[::-1] if len(numbered) == 2 else numbered
