"""What a linear model has learned, by name: the features of each class, and what they add to one decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.multiclass_schemes import class_pairs
from rosenblatt.learn.polynomial import products_of
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model import Model
from rosenblatt.model.predict import PredictedBlock
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr, Floats, Label, Values


@dataclass(frozen=True)
class Weight:
    """A feature and its weight for a class."""

    feature: str
    weight: float


@dataclass(frozen=True)
class Contribution:
    """A feature of an example, and what it adds to the score of a class: its value times its weight."""

    feature: str
    value: float
    weight: float
    contribution: float


def direction(model: LinearModel, k: int) -> Floats:
    """The weights for class k: with two classes those of the unit or their negative, for one-vs-one the sum over its
    units."""
    if model.scheme == "ovo":
        return _sum_over_pairs(model.coef, k, len(model.classes))
    row: Floats = model.coef[0 if model.scheme == "binary" else k]
    return -row if model.scheme == "binary" and k == 0 else row


class ClassWeights:
    """The weights for class k by column; for hashed words, only those of words that were learned are in memory."""

    def __init__(self, model: LinearModel, k: int) -> None:
        self._columns: Any = None  # None: all of them
        if model.scheme == "ovo":
            self._weights = direction(model, k)
            return
        columns, weights, _ = model.run.unit(0 if model.scheme == "binary" else k)
        self._weights = np.asarray(weights)
        self._weights = -self._weights if model.scheme == "binary" and k == 0 else self._weights
        if columns is not None:
            self._columns = np.asarray(columns)

    def at(self, columns: NDArray[np.integer[Any]]) -> Floats:
        """The weights of these columns; 0 for columns that the model does not have."""
        if self._columns is None:
            places, known = columns, columns < len(self._weights)
        else:
            places = np.searchsorted(self._columns, columns)
            known = np.isin(columns, self._columns)
        weights: Floats = np.zeros(len(columns))
        weights[known] = self._weights[places[known]] + 0.0  # never -0
        return weights


def bias(model: LinearModel, k: int) -> float:
    """The bias of the score of class k."""
    if model.scheme == "ovo":
        return float(_sum_over_pairs(np.asarray(model.intercept)[:, None], k, len(model.classes))[0])
    if model.scheme == "binary":
        intercept = model.run.unit(0)[2]
        return intercept if k == 1 else 0.0 - intercept  # never -0
    return model.run.unit(k)[2]


def _sum_over_pairs(units: Floats, k: int, n_classes: int) -> Floats:
    total: Floats = np.zeros(units.shape[1])
    for unit, (i, j) in enumerate(class_pairs(n_classes)):
        total += (float(j == k) - float(i == k)) * units[unit]
    return total


def top_features(model: LinearModel, k: int, count: int) -> list[Weight]:
    """The features with the largest positive weights for class k, the largest first."""
    if model.scheme == "ovo":
        best = native.largest_weights(direction(model, k), False, max(count, 0))
    else:
        two = model.scheme == "binary"
        best = model.run.largest_of_unit(0 if two else k, below=two and k == 0, most=max(count, 0))
    return [Weight(model.name(j), weight) for j, weight in best]


def telling_features(model: LinearModel, k: int, count: int) -> list[Weight]:
    """The features that count most for class k: like `top_features`, except for words of table columns.

    Nearly every row has one word of each such column, so that only the differences between their weights matter: their
    mean is subtracted from each, as if it were part of the bias.
    """
    if not _word_columns(model):
        return top_features(model, k, count)
    weights = without_means_of_words(model, direction(model, k).copy())
    return [Weight(model.name(j), weight) for j, weight in native.largest_weights(weights, False, max(count, 0))]


def _word_columns(model: LinearModel) -> list[str]:
    """The columns of a table whose words have weights of their own."""
    settings = model.space.settings if model.space.kind == "columns" else {}
    of_dates = [f"{column} {part}" for column in settings.get("dates", ()) for part in ("weekday", "hour")]
    return [] if model.space.bits or model.settings.degree > 1 else [*settings.get("words", ()), *of_dates]


def without_means_of_words(model: LinearModel, weights: Floats) -> Floats:
    """The weights, with the mean over the words of each column subtracted from these."""
    for words, mean in means_of_words(model, weights):
        weights[words] -= mean
    return weights


def means_of_words(model: LinearModel, weights: Floats) -> Iterator[tuple[list[int], float]]:
    """For each column of words the positions of their weights, and the mean of these."""
    for column in _word_columns(model):
        words = [j for j, name in enumerate(model.space.columns[: len(weights)]) if name.startswith(f"{column}=")]
        if len(words) > 1:
            yield words, float(weights[words].mean())


def contributions(
    model: LinearModel, values: Values, row: int, weights: ClassWeights, names: Mapping[int, str] | None = None
) -> list[Contribution]:
    """What each feature of one row adds to the score of the class with these weights, the largest first.

    `names` are those of the hashed columns in this row, as the model may know another word with the same hash.
    """
    names = names or {}
    if isinstance(values, Csr):
        entries = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
        columns, numbers = values.indices[entries], values.values[entries]
    else:
        degree = model.settings.degree
        features = products_of(values[row], degree) if degree > 1 else values[row]
        columns = np.flatnonzero(features)
        numbers = features[columns]
    known = (columns < model.features) & (numbers != 0)
    columns, numbers = columns[known], numbers[known]
    parts = [
        Contribution(names.get(j) or model.name(j), x, weight, weight * x)
        for j, x, weight in zip(columns.tolist(), numbers.tolist(), weights.at(columns).tolist(), strict=True)
    ]
    return sorted(parts, key=lambda part: (-abs(part.contribution), part.feature))


class Reasons:
    """The features that decided about each example: those that add most to the score of what is predicted."""

    def __init__(self, model: Model, count: int) -> None:
        assert isinstance(model, LinearModel)
        self._model, self._count = model, count
        self._weights: dict[int, ClassWeights] = {}  # of the classes predicted so far

    def of_classes(self, block: PredictedBlock) -> Iterator[list[Contribution]]:
        """For each example, of its predicted class."""
        for row, k in enumerate(block.buffers[0].tolist()):
            yield self._of_class(block, row, k)

    def of_labels(self, block: PredictedBlock) -> Iterator[dict[Label, list[Contribution]]]:
        """For each example, of each label that applies."""
        for row, decided in enumerate(block.buffers[0].tolist()):
            yield {
                self._model.classes[k]: self._of_class(block, row, k) for k, applies in enumerate(decided) if applies
            }

    def _of_class(self, block: PredictedBlock, row: int, k: int) -> list[Contribution]:
        if k not in self._weights:
            self._weights[k] = ClassWeights(self._model, k)
        parts = contributions(self._model, block.block.values, row, self._weights[k], block.block.names)
        return [part for part in parts if part.contribution > 0][: self._count]


def distinctive_features(model: LinearModel, path: str, count: int) -> list[list[str]]:
    """For each class its most characteristic features: those with large weights that are not rare in a file."""
    totals = _feature_totals(model, path)
    return [_distinctive(model, totals, k, count) for k in range(len(model.classes))]


def _distinctive(model: LinearModel, totals: Floats, k: int, count: int) -> list[str]:
    """The features with the largest weight times the fourth root of their total. The weight alone would find only rare
    words, weight times total only words like 'you'."""
    strength = direction(model, k)[: len(totals)] * totals[: model.features] ** 0.25
    best = np.argsort(-strength, kind="stable")[:count]
    return [model.name(int(j)) for j in best if strength[j] > 0]


def _feature_totals(model: LinearModel, path: str) -> Floats:
    """The sum of each feature over the examples of a file of sparse rows."""
    totals: Floats = np.zeros(model.features)
    for block in open_source(path, ReadOptions(), model.space).blocks():
        assert isinstance(block.values, Csr)
        np.add.at(totals, block.values.indices, block.values.values)
    return totals


def classes_shown(model: LinearModel) -> list[tuple[int, Label]]:
    """The classes with their positions, in the order to show them: of two classes the positive one first."""
    numbered = list(enumerate(model.classes))
    return numbered[::-1] if len(numbered) == 2 and model.scheme != "multi-label" else numbered
