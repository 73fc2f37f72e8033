"""DataFrames and everything else that supports Arrow -> an Arrow table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from rosenblatt.errors import DataError
from rosenblatt.readers.in_memory.targets import NAME


def is_table(X: Any) -> bool:
    """Whether X has columns with names: a DataFrame, an Arrow stream, a dict of columns, or a list of dicts."""
    return hasattr(X, "__arrow_c_stream__") or _is_pandas(X) or _is_columns(X) or _is_records(X)


def _is_columns(X: Any) -> bool:
    return isinstance(X, Mapping) and not hasattr(X, "shape")  # a sparse matrix of scipy may be a dict, too


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns")


def _is_records(X: Any) -> bool:
    return isinstance(X, Sequence) and len(X) > 0 and all(isinstance(row, Mapping) for row in X)


def to_arrow(X: Any) -> pa.Table:
    """The table of what `is_table` recognises, without a copy where its owner needs none."""
    try:
        if isinstance(X, pa.Table):
            table = X
        elif _is_pandas(X):
            table = _from_pandas(X)
        elif hasattr(X, "__arrow_c_stream__"):
            table = pa.table(X)
        else:
            columns = X if isinstance(X, Mapping) else _columns_of(X)
            table = pa.table({str(name): column for name, column in columns.items()})
    except (pa.ArrowException, TypeError) as error:
        why = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"{NAME} cannot be read as a table: {why}.") from error
    if table.num_rows == 0 or table.num_columns == 0:
        raise DataError(
            f"{NAME} has {table.num_rows} rows and {table.num_columns} columns: it needs at least one of each."
        )
    for name in table.column_names:
        if table.column_names.count(name) > 1:
            raise DataError(f"Two columns of {NAME} are named {name!r}: give them different names.")
    return table


def _columns_of(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _from_pandas(frame: Any) -> pa.Table:
    """The columns without the index, which names rows and is not a measurement."""
    return pa.table(
        [_pandas_column(frame.iloc[:, i]) for i in range(frame.shape[1])], names=[str(name) for name in frame.columns]
    )


def _pandas_column(column: Any) -> pa.Array:
    try:
        return pa.Array.from_pandas(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # numbers and words in one column are words, as in a CSV file
        return pa.array([None if missing else str(cell) for cell, missing in zip(column, column.isna(), strict=True)])
