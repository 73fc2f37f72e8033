"""Rows as users have them (a DataFrame, an Arrow stream, texts, a matrix) -> the source that is learned or read."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import issparse

from rosenblatt.errors import DataError
from rosenblatt.estimators.common import check_input
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.readers.formats.registry import FeatureKind, feature_kind
from rosenblatt.readers.in_memory.arrow import is_table, to_arrow
from rosenblatt.readers.in_memory.lines import text_source, vw_source
from rosenblatt.readers.in_memory.matrix import MemoryMatrix
from rosenblatt.readers.in_memory.table import MemoryTable
from rosenblatt.readers.in_memory.targets import Targets
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace, Values

Texts: TypeAlias = list[str]
Rows: TypeAlias = pa.Table | Texts | Values


def is_path(X: Any) -> bool:
    """Whether X names files: a path, a folder, a pattern, or a list of Path objects; a list of strings is texts."""
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(isinstance(path, os.PathLike) for path in X)
    return isinstance(X, str | os.PathLike)


def rows_to_learn(estimator: Any, X: Any) -> Rows:
    """The rows of a fit; how many columns they have, and their names, become attributes of the estimator."""
    texts = _texts(X)
    if texts is not None:
        set_columns(estimator, 1)
        return texts
    if is_table(X):
        table = to_arrow(X)
        set_columns(estimator, table.num_columns, table.column_names)
        return table
    return check_input.check_values(estimator, X, reset=True, any_number=True)


def set_columns(estimator: Any, count: int, names: Any = ()) -> None:
    vars(estimator).pop("feature_names_in_", None)
    estimator.n_features_in_ = count
    if len(names):
        estimator.feature_names_in_ = np.array(names, dtype=object)


def columns_of_table(space: FeatureSpace) -> list[str]:
    """The columns of the table that a model was learned from, without its label; none if it was no table."""
    settings = space.settings
    kinds = [name for kind in ("numbers", "words", "texts", "dates") for name in settings.get(kind, ())]
    order = settings.get("columns", {}).get("order") or kinds
    return [name for name in order if name != settings.get("label")]


def source_to_learn(rows: Rows, reading: ReadOptions, targets: Targets) -> Source:
    if isinstance(rows, list):
        return text_source(rows, reading, None, targets)
    if isinstance(rows, pa.Table):
        return MemoryTable(rows, reading, None, targets)
    return MemoryMatrix(rows, reading, None, targets)


def n_rows(rows: Rows) -> int:
    return len(rows) if isinstance(rows, list) else int(rows.shape[0])


def chosen_rows(rows: Rows, chosen: NDArray[np.intp]) -> Rows:
    """A copy of some of the rows."""
    if isinstance(rows, list):
        return [rows[i] for i in chosen.tolist()]
    return rows.take(chosen) if isinstance(rows, pa.Table) else take_rows(rows, chosen)


# -- reading new rows as the model read its training rows -----------------------------------------------------------


def source_to_read(estimator: Any, X: Any, model: LinearModel, targets: Targets | None = None) -> Source:
    """The rows in the space of the model.

    A matrix is taken as encoded features where it cannot be raw rows: if the model was learned from texts, or if the
    matrix is sparse and the model was learned from a table.
    """
    space = model.space
    if is_path(X):
        return open_source(X, ReadOptions(), space)
    kind, texts = feature_kind(space), _texts(X)
    if texts is not None:
        return _source_of_texts(texts, kind, space, targets)
    if kind == "numbered features":
        values = check_input.check_values(estimator, X, reset=False, any_number=True)
        return MemoryMatrix(values, ReadOptions(), space, targets)
    if kind == "table" and not issparse(X):
        table = to_arrow(X) if is_table(X) else _named(estimator, X)
        return MemoryTable(table, ReadOptions(), space, targets)
    if is_table(X):
        raise DataError(f"X is a table, and this model reads {_expected_rows(kind)}.")
    features = columns_of(model.features, model.settings.degree)
    encoded = FeatureSpace("index", settings={"features": features})
    return MemoryMatrix(check_input.check_features(X), ReadOptions(), encoded, targets)


def _source_of_texts(texts: Texts, kind: FeatureKind, space: FeatureSpace, targets: Targets | None) -> Source:
    if kind == "text":
        return text_source(texts, ReadOptions(), space, targets)
    if kind == "vw" and targets is None:
        return vw_source(texts, ReadOptions(), space)
    raise DataError(f"X holds texts, and this model reads {_expected_rows(kind)}.")


def _expected_rows(kind: FeatureKind) -> str:
    return {
        "numbered features": "a matrix: give it one",
        "table": "a table: give it a DataFrame, or anything with named columns",
        "text": "texts: give it a list of strings",
        "vw": "lines of VW text: give it a list of strings",
    }[kind]


def _texts(X: Any) -> Texts | None:
    """The strings, if X is a list, an array or a Series of strings only; otherwise None."""
    if not isinstance(X, list | tuple) and len(getattr(X, "shape", ())) != 1:
        return None
    texts = list(X) if isinstance(X, list | tuple) else np.asarray(X, dtype=object).tolist()
    return texts if texts and all(isinstance(text, str) for text in texts) else None


def _named(estimator: Any, X: Any) -> pa.Table:
    """A matrix as a table with the columns of the model, in their order."""
    names: list[str] = estimator.feature_names_in_.tolist()
    try:
        matrix = np.asarray(X)
    except ValueError as error:
        raise DataError(f"X is neither a table nor a matrix: {error}.") from None
    if matrix.ndim == 0:
        raise DataError(
            f"X is of the type {type(X).__name__}, which has no rows of {len(names)} columns: give it a DataFrame, "
            "a matrix with the columns of the model in their order, or the path of a file."
        )
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        raise DataError(
            f"X has the shape {matrix.shape}, and the model was learned from {len(names)} columns: "
            "give it a DataFrame, or a matrix with these columns in their order."
        )
    return to_arrow({name: matrix[:, j] for j, name in enumerate(names)})
