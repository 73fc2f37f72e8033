"""A matrix -> rows as the native core reads them, without copying, and checked once."""

from __future__ import annotations

from math import comb

from rosenblatt.errors import DataError
from rosenblatt.input_checks import not_finite
from rosenblatt.lazy import np
from rosenblatt.native import _native
from rosenblatt.records import Csr, ParsedCsr, Values

_MAX_ROWS, _MAX_COLUMNS = 2**32 - 1, 2**31


def rows_of(values: Values, name: str = "X", degree: int = 1) -> _native.Rows:
    """The rows of a matrix, without copying; a matrix that cannot be learned from raises DataError.

    With a degree above 1 they are read as if the matrix held all products of up to that many columns.
    """
    if degree > 1:
        rows = _products(values, name, degree)
    elif isinstance(values, ParsedCsr) and isinstance(values.checked_rows, _native.Rows):
        return values.checked_rows
    elif isinstance(values, Csr):
        rows = _csr(values, name)
    else:
        rows = _native.Rows.dense(np.require(values, requirements="A"))
    if rows.count > _MAX_ROWS:
        raise DataError(f"{name} has {rows.count} rows; one call takes at most {_MAX_ROWS}, so pass it in parts.")
    if rows.features > _MAX_COLUMNS:
        raise DataError(
            f"{name} has {rows.features} columns; at most {_MAX_COLUMNS} can be learned, so hash them first."
        )
    fault = rows.check()
    if fault is not None:
        raise _fault_error(name, *fault, rows.features)
    if degree > 1 and not isinstance(values, Csr) and rows.largest > np.finfo(values.dtype).max:
        raise DataError(
            f"Products of {degree} values of {name} overflow: scale the features down, or lower the degree."
        )
    return rows


def contiguous_rows(values: Values) -> _native.Rows:
    """The rows of a matrix, contiguous in memory, not checked."""
    return (
        _csr(values, "X")
        if isinstance(values, Csr)
        else _native.Rows.dense(np.require(values, requirements=["C", "A"]))
    )


def _products(values: Values, name: str, degree: int) -> _native.Rows:
    if isinstance(values, Csr):
        raise DataError(
            f"Products of columns (degree={degree}) need dense rows, and {name} is sparse: call "
            f"{name}.toarray() if it is narrow, or use KernelPerceptron(kernel='poly')."
        )
    return _native.Rows.products(
        np.require(values, requirements="A"), degree, comb(values.shape[1] + degree, degree) - 1
    )


def _csr(values: Csr, name: str) -> _native.Rows:
    if isinstance(values, ParsedCsr):
        return _native.Rows.csr(*values.buffers, values.features)
    if values.indptr.ndim != 1 or len(values.indptr) == 0 or len(values.indices) != len(values.values):
        raise DataError(f"{name} is not a CSR matrix: indptr is empty, or indices and data differ in length.")
    return _native.Rows.csr(
        np.ascontiguousarray(values.indptr, dtype=np.int64),
        np.ascontiguousarray(values.indices, dtype=None if values.indices.dtype in (np.int32, np.int64) else np.int64),
        np.ascontiguousarray(values.values),
        values.features,
    )


def _fault_error(name: str, kind: str, row: int, column: int, features: int) -> DataError:
    match kind:
        case "nan" | "infinity":
            return not_finite(name, "NaN" if kind == "nan" else kind, row, column)
        case "negative column":
            message = f"Row {row} of the sparse {name} has the negative column index {column}."
        case "column beyond":
            message = f"Row {row} of the sparse {name} has column index {column}, but {name} has {features} columns."
        case "starts backwards":
            message = f"Row {row} of the sparse {name} ends before it begins: its indptr runs backwards."
        case _:
            message = f"The indptr of the sparse {name} points outside its entries (row {row}, position {column})."
    return DataError(message)
