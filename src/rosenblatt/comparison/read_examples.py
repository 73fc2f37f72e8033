"""A file as the matrix and the labels that `compare` takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.learn.replay.trace_from_file import Gathered, gather
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr, FeatureSpace


@dataclass(frozen=True)
class FileTable:
    """All the rows of a file in memory; `number_columns` are the columns of numbers, which come first.

    `compare` scales those by the training part of each fold, which undoes the scaling over all rows by the reader.
    """

    X: Any
    y: Any
    space: FeatureSpace
    number_columns: list[int]


def read_table(path: str, reading: ReadOptions, *, all_columns: bool = True) -> FileTable:
    """Read a file whole. Unless `all_columns`, hashed columns that no row uses are left out: nearly all of them."""
    source = open_source(path, reading)
    rows = gather(list(source.blocks()), source.labels, path)
    space, X = source.space, _matrix(rows)
    if space.bits and not all_columns and hasattr(X, "indices"):
        X = X[:, np.unique(X.indices)]
    numbers = len(space.settings.get("numbers", range(X.shape[1])))
    return FileTable(X, _labels(rows), space, list(range(numbers)))


def _matrix(rows: Gathered) -> Any:
    values = rows.block.values
    if isinstance(values, Csr):
        from scipy.sparse import csr_array

        return csr_array((values.values, values.indices, values.indptr), shape=values.shape)
    return values


def _labels(rows: Gathered) -> Any:
    """The labels; if they are of several types, all as text."""
    classes = rows.classes.tolist()
    one_type = len({type(label) for label in classes}) == 1
    return np.array(classes if one_type else list(map(str, classes)))[rows.block.labels]
