"""y with several labels per row: an indicator matrix, or a list of the labels of each row -> the set of each row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rosenblatt.errors import DataError

_EXPECTED = "give an indicator matrix of 0 and 1, with a column for each label, or a list of the labels of each row"


class LabelMatrix(NamedTuple):
    """The labels, and which of them each row has."""

    labels: NDArray[Any]  # in the order of the columns
    indicators: NDArray[np.bool_]

    def sets(self) -> tuple[list[tuple[int, ...]], NDArray[np.int32]]:
        """Every non-empty set of labels that occurs, and the number of each row's set, from 1; 0 means no label."""
        packed = np.packbits(self.indicators, axis=1)
        rows, first, inverse = np.unique(
            packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        set_number = np.zeros(len(rows), dtype=np.int32)
        sets: list[tuple[int, ...]] = []
        for k in order.tolist():
            labels = tuple(np.flatnonzero(self.indicators[first[k]]).tolist())
            if labels:
                sets.append(labels)
                set_number[k] = len(sets)
        return sets, set_number[inverse]


def label_matrix(y: Any, n_rows: int) -> LabelMatrix:
    """The labels of y; those of a matrix are the names of its columns, or their numbers."""
    if issparse(y):
        matrix = _matrix(y.toarray(), np.arange(y.shape[1]))
    elif hasattr(y, "columns") and hasattr(y, "to_numpy"):
        matrix = _matrix(y.to_numpy(), np.asarray(list(map(str, y.columns))))
    elif isinstance(y, np.ndarray) and y.ndim == 2:
        matrix = _matrix(y, np.arange(y.shape[1]))
    elif isinstance(y, Iterable) and not isinstance(y, str | bytes):
        matrix = _of_lists(list(y))
    else:
        raise DataError(f"y is a single value of type {type(y).__name__}: {_EXPECTED}.")
    if len(matrix.indicators) != n_rows:
        raise DataError(f"X has {n_rows} rows, and y has {len(matrix.indicators)}: give the labels of every row.")
    return matrix


def _matrix(values: NDArray[Any], labels: NDArray[Any]) -> LabelMatrix:
    if values.shape[1] == 0 or not np.isin(values, (0, 1)).all():
        raise DataError(f"y is a matrix with values other than 0 and 1: {_EXPECTED}.")
    return LabelMatrix(labels, values.astype(bool))


def _of_lists(rows: list[Any]) -> LabelMatrix:
    if rows and all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        widths = {len(row) for row in rows}
        if (
            len(widths) == 1
            and widths != {0}
            and all(type(item) in (int, bool) and item in (0, 1) for row in rows for item in row)
        ):
            return _matrix(np.array(rows), np.arange(widths.pop()))
    if not all(isinstance(row, list | tuple | set | frozenset | np.ndarray) for row in rows):
        raise DataError(f"y holds one value per row: {_EXPECTED}, or leave multi_label out.")
    distinct = {label for row in rows for label in row}
    try:
        labels = sorted(distinct)
    except TypeError:
        raise DataError("y has labels of several types: give numbers alone, or words alone.") from None
    if not labels:
        raise DataError("y has no label at all: there is nothing to learn.")
    position = {label: k for k, label in enumerate(labels)}
    indicators = np.zeros((len(rows), len(labels)), dtype=bool)
    for i, row in enumerate(rows):
        indicators[i, [position[label] for label in row]] = True
    return LabelMatrix(np.asarray(labels), indicators)
