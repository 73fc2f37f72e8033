"""Examples in memory: small tables made by the tool's own numbers, and every layout they can be given in."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from tools.golden.data.numbers import Stream

Table = tuple[Any, Any]


@cache
def binary(rows: int = 60, columns: int = 7, *, kind: str = "real", noise: int = 10) -> Table:
    """Two classes along a random direction; one label in `noise` is drawn by chance (0: none, so it is separable)."""
    stream = Stream(f"binary {rows} {columns} {kind}")
    X = stream.grid(rows, columns) if kind == "grid" else stream.real(rows, columns) * 3.0
    direction = stream.grid(columns)
    score = (X * direction).sum(axis=1) + 0.375
    y = (score > 0).astype(np.int64)
    if noise:
        wrong = stream.below(noise, rows) == 0
        y = np.where(wrong, 1 - y, y)
    else:
        X = X[np.abs(score) > 0.5]
        y = y[np.abs(score) > 0.5]
    return X, y


@cache
def many(rows: int = 72, columns: int = 6, classes: int = 4, *, kind: str = "real") -> Table:
    """Several classes, named by letters: the highest of as many random scores, some labels drawn by chance."""
    stream = Stream(f"many {rows} {columns} {classes} {kind}")
    X = stream.grid(rows, columns) if kind == "grid" else stream.real(rows, columns) * 2.0
    directions = stream.grid(columns, classes)
    index = np.argmax((X[:, :, None] * directions[None]).sum(axis=1), axis=1)
    wrong = stream.below(12, rows) == 0
    index = np.where(wrong, stream.below(classes, rows), index)
    index[:classes] = np.arange(classes)
    return X, np.array(list("abcdefgh"))[index]


@cache
def holey(rows: int = 64, columns: int = 300, classes: int = 2) -> Table:
    """Mostly zeros, as words are: about ten values a row."""
    stream = Stream(f"holey {rows} {columns} {classes}")
    X = np.zeros((rows, columns))
    for row in range(rows):
        X[row, stream.below(columns, 10)] = stream.real(10)
    directions = stream.real(columns, classes)
    index = np.argmax((X[:, :, None] * directions[None]).sum(axis=1), axis=1)
    index[:classes] = np.arange(classes)
    return X, index


@cache
def boolean(rows: int = 24, columns: int = 5) -> Table:
    """Rows of 0 and 1, no two of them equal, with labels by chance."""
    stream = Stream(f"boolean {rows} {columns}")
    order = np.argsort(stream.words(2**columns), kind="stable")[:rows]
    X = ((order[:, None] >> np.arange(columns)) & 1).astype(np.float64)
    return X, stream.below(2, rows)


def _frame(X: Any) -> Any:
    import pandas

    return pandas.DataFrame(X, columns=[f"f{column}" for column in range(X.shape[1])])


def _strided(X: Any) -> Any:
    wide = np.zeros((X.shape[0] * 2, X.shape[1] * 3))
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _csr(X: Any, index: type, values: type = np.float64) -> Any:
    matrix = sparse.csr_array(X.astype(values))
    arrays = (matrix.data, matrix.indices.astype(index), matrix.indptr.astype(index))
    return sparse.csr_array(arrays, shape=matrix.shape)


def _unsorted(X: Any) -> Any:
    """The entries of each row from the last to the first."""
    matrix = sparse.csr_array(X)
    order = np.concatenate(
        [np.arange(end - 1, start - 1, -1) for start, end in zip(matrix.indptr, matrix.indptr[1:], strict=False)]
    )
    return sparse.csr_array((matrix.data[order], matrix.indices[order], matrix.indptr), shape=matrix.shape)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "c64": lambda X: np.ascontiguousarray(X),
    "f64": lambda X: np.asfortranarray(X),
    "strided": _strided,
    "reversed": lambda X: np.ascontiguousarray(X[:, ::-1])[:, ::-1],
    "c32": lambda X: X.astype(np.float32),
    "f32": lambda X: np.asfortranarray(X.astype(np.float32)),
    "int64": lambda X: np.rint(X * 8).astype(np.int64),
    "int8": lambda X: np.rint(X * 8).astype(np.int8),
    "csr32": lambda X: _csr(X, np.int32),
    "csr64": lambda X: _csr(X, np.int64),
    "csr-float32": lambda X: _csr(X, np.int32, np.float32),
    "csr-unsorted": _unsorted,
    "csc": lambda X: sparse.csc_array(X),
    "coo": lambda X: sparse.coo_array(X),
    "lists": lambda X: X.tolist(),
    "frame": _frame,
}
