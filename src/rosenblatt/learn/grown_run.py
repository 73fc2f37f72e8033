"""A run with more columns than it began with: what it has learned stays, and what is new begins as in a new run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
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


def _rebuilt(run: Run, parts: dict[str, _Entries], features: int, counts: dict[str, Any]) -> Run:
    """A run with these weights and counts; it has compact columns where the old one has."""
    twin = object.__new__(Run)
    n_units = len(parts["weights"].bias)
    columns = native.Columns() if run.learner.is_compact and n_units * features < 2**32 else None
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
