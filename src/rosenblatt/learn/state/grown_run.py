"""A run gets more columns or classes and keeps what it has learned.

A new column begins as in a new run. A new class is not predicted for any example before its first one is learned:

- with one unit per class (ovr, joint), its unit is the mean of the others, with a bias that is 1 less: no mean is above
  the highest of its scores;
- one-vs-one, each pair of an old and the new class decides for the old one, by a bias of 1;
- where an example may have several labels, a new label gets a unit without weights, with a bias of -1;
- a single unit for two classes becomes two opposite ones, w and -w (joint: half of each, whose difference is w), which
  decide as it did.

All of these are sums of old units and a constant: so are their averages, and the scores they would have given.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.multiclass_schemes import class_pairs
from rosenblatt.learn.run import PARTS, Run
from rosenblatt.records import Floats


@dataclass(frozen=True)
class _Entries:
    """One part of a learner: its numbers that differ from the usual one, by unit and column, and its biases."""

    unit: NDArray[np.int64]
    column: NDArray[np.int64]
    value: Floats
    bias: Floats
    usual: float


def with_inserted_columns(run: Run, at: int, count: int) -> Run:
    """The run with so many new columns before column `at`."""
    parts = _parts(run)
    for name, part in parts.items():
        column = np.where(part.column >= at, part.column + count, part.column)
        parts[name] = _Entries(part.unit, column, part.value, part.bias, part.usual)
    return _rebuilt(run, parts, run.learner.features + count, run.counts())


def with_hashed_columns(run: Run, place: Sequence[int], features: int) -> Run:
    """The run with column j moved to place[j] of so many hashed columns, few of which occur.

    Two columns may share a place: then their weights are added, and the rate that has changed more is kept.
    """
    parts, to = _parts(run), np.asarray(place, dtype=np.int64)
    for name, part in parts.items():
        shared, at = np.unique(part.unit * features + to[part.column], return_inverse=True)
        if name == "scale":
            further = np.lexsort((np.abs(part.value - part.usual), at))  # the last of each place
            value = np.empty(len(shared))
            value[at[further]] = part.value[further]
        else:
            value = np.bincount(at, part.value, len(shared)).astype(float)
        unit, column = np.divmod(shared, features)
        parts[name] = _Entries(unit, column, value, part.bias, part.usual)
    return _rebuilt(run, parts, features, run.counts() | {"dense": False}, compact=True)


def with_forgetting(run: Run, half_life: float) -> Run:
    """The run, in which all that it has learned or will learn fades with this half-life from now on."""
    return _rebuilt(
        run, _parts(run), run.learner.features, run.counts() | {"settings": run.settings._replace(forget=half_life)}
    )


@dataclass(frozen=True)
class UnitMap:
    """New units as sums of old ones: `factors` [new, old], and what is added to the bias of each."""

    factors: Floats
    bias: Floats

    def scores(self, scores: Any) -> Floats:
        """The scores of the new units, from those of the old ones."""
        mapped: Floats = np.asarray(scores) @ self.factors.T + self.bias
        return mapped


def units_for_one_more(multi_class: str, n_classes: int, threshold: float = 0.0) -> UnitMap:
    """The units of n + 1 classes from those of n; of two classes, the second was predicted above this threshold."""
    if multi_class == "ovo":
        before, after = class_pairs(n_classes), class_pairs(n_classes + 1)
        factors = np.array([[float(pair == old) for old in before] for pair in after])
        bias = np.array([-1.0 if n_classes in pair else 0.0 for pair in after])
        return UnitMap(factors, bias - threshold * factors[:, 0] if n_classes == 2 else bias)
    if n_classes == 2:
        size = 0.5 if multi_class == "joint" else 1.0
        return UnitMap(np.array([[-size], [size], [0.0]]), np.array([size * threshold, -size * threshold, -1.0]))
    factors = np.vstack([np.eye(n_classes), np.full((1, n_classes), 1 / n_classes)])
    return UnitMap(factors, np.array([0.0] * n_classes + [-1.0]))


def units_for_one_more_label(n_labels: int) -> UnitMap:
    """The units of n + 1 labels, each decided by itself, from those of n."""
    return UnitMap(np.eye(n_labels + 1, n_labels), np.array([0.0] * n_labels + [-1.0]))


def units_in_order(multi_class: str, order: Sequence[int]) -> UnitMap:
    """The units of three or more classes in another order: class k was class order[k]."""
    n_classes = len(order)
    if multi_class != "ovo":
        return UnitMap(np.eye(n_classes)[list(order)], np.zeros(n_classes))
    pairs = class_pairs(n_classes)
    factors = np.zeros((len(pairs), len(pairs)))
    for unit, (i, j) in enumerate(pairs):
        old = order[i], order[j]
        factors[unit, pairs.index((min(old), max(old)))] = 1.0 if old[0] < old[1] else -1.0
    return UnitMap(factors, np.zeros(len(pairs)))


def with_units(run: Run, units: UnitMap, n_classes: int) -> Run:
    """The run with these units, for so many classes."""
    parts = {name: _mapped(part, units, name, run.learner.features) for name, part in _parts(run).items()}
    n_units = len(units.factors)
    counts = run.counts()
    counters = dict(counts["counters"])
    n_new = n_units - len(counters["mistakes"])
    largest = max(counters["bound"]) + float(np.abs(units.bias).max())
    for name, new in (("mistakes", 0), ("loss", 0.0), ("pockets", (0, 0, math.inf, False, False))):
        counters[name] = [*counters[name], *[new] * n_new]  # joint classes share those of the first unit
    counters["bound"] = [largest] * n_units
    counts |= {
        "counters": counters,
        "weight_of_class": array("d", [*run.weight_of_class, *[1.0] * (n_classes - run.classes)]),
        "before_epoch": [*counts["before_epoch"], *[0] * n_new] if counts["before_epoch"] else [],
    }
    grown = _rebuilt(run, parts, run.learner.features, counts)
    grown.learner.restore_sample(*_mapped_sample(run, units, grown.learner.sample_capacity))
    return grown


def _mapped(part: _Entries, units: UnitMap, name: str, features: int) -> _Entries:
    """A part of the learner for the new units. A unit that is made from one old unit has its rates; the rates of one
    that is made from several, or none, start again."""
    factors = units.factors
    if name == "scale":
        single = (np.count_nonzero(factors, axis=1) == 1)[:, None]
        factors = np.where(single, (factors != 0).astype(float), 0.0)
    of_unit = [part.unit == old for old in range(factors.shape[1])]
    columns, values = [], []
    for row in factors:
        entries = [(part.column[of_unit[old]], row[old] * part.value[of_unit[old]]) for old in np.flatnonzero(row)]
        column, value = _added(entries, features)
        columns.append(column)
        values.append(value)
    unit = np.repeat(np.arange(len(factors)), [len(column) for column in columns])
    bias = factors @ part.bias
    if name == "scale":
        bias[~factors.any(axis=1)] = part.usual
    elif name == "weights":
        bias += units.bias
    return _Entries(unit, np.concatenate(columns), np.concatenate(values), bias, part.usual)


def _added(entries: list[tuple[NDArray[np.int64], Floats]], features: int) -> tuple[NDArray[np.int64], Floats]:
    """The sum of sparse rows."""
    if not entries:
        return np.empty(0, dtype=np.int64), np.empty(0)
    if len(entries) == 1:
        return entries[0]
    column, place = np.unique(np.concatenate([row for row, _ in entries]), return_inverse=True)
    total: Floats = np.bincount(place, np.concatenate([values for _, values in entries]), len(column)).astype(float)
    return column, total


def _mapped_sample(
    run: Run, units: UnitMap, capacity: int
) -> tuple[Floats, NDArray[np.int32], NDArray[np.uint64], int]:
    """The sample of scores for the new units: with more units there is room for fewer examples."""
    *arrays, stride = run.learner.score_sample()
    scores, labels, t = (np.asarray(numbers) for numbers in arrays)
    mapped = units.scores(scores)
    while len(t) > capacity:
        stride *= 2
        rows = t % stride == 0
        mapped, labels, t = mapped[rows], labels[rows], t[rows]
    return np.ascontiguousarray(mapped), np.ascontiguousarray(labels), np.ascontiguousarray(t), stride


def _parts(run: Run) -> dict[str, _Entries]:
    learner, parts = run.learner, {}
    for name in PARTS:
        usual = run.settings.rate.per_feature_start if name == "scale" else 0.0
        entries = learner.entries_other_than(name, usual)
        if entries is not None:
            index, value, bias = (np.asarray(array) for array in entries)
        else:
            part = learner.get(name)
            if part is None:
                continue
            numbers, bias = np.asarray(part[0]).ravel(), np.asarray(part[1])
            index = np.flatnonzero(numbers != usual)
            value = numbers[index]
        unit, column = np.divmod(index.astype(np.int64), max(learner.features, 1))
        parts[name] = _Entries(unit, column, value, bias, usual)
    return parts


def _rebuilt(
    run: Run, parts: dict[str, _Entries], features: int, counts: dict[str, Any], *, compact: bool = False
) -> Run:
    """A run with these weights and counts; it has compact columns if the old run has them, or if `compact`."""
    twin = object.__new__(Run)
    n_units = len(parts["weights"].bias)
    columns = native.Columns() if (compact or run.learner.is_compact) and n_units * features < 2**32 else None
    packed: dict[str, Any] = {}
    for name, part in parts.items():
        index = part.unit * features + part.column
        order = np.argsort(index)
        if columns is None:
            matrix = np.full(n_units * features, part.usual)
            matrix[index] = part.value
            packed[name] = matrix.reshape(n_units, features), part.bias
        else:
            ascending = index[order].astype(np.uint32)
            columns.add_entries(ascending, features)
            packed[name] = ascending, np.ascontiguousarray(part.value[order]), part.usual, part.bias
    twin.restore({**counts, "features": features, "parts": packed}, columns)
    return twin
