"""X and y as the user passed them -> Points, without rounding; anything unusable raises DataError."""

import math
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.points import FLOAT64_EXACT, Points, to_exact
from rosenblatt.errors import DataError
from rosenblatt.input_checks import check_labels_complete, not_finite
from rosenblatt.records import Csr


def check_points(X: Any, y: Any) -> Points:
    """The points of two classes."""
    values = check_values(X)
    labels = check_labels(y, values.shape[0])
    classes = two_classes(labels)
    return Points(values, signs_of(labels, classes), classes)


def two_classes(labels: NDArray[Any]) -> tuple[Any, Any]:
    """The smaller and the larger label; DataError unless there are two."""
    try:
        classes = sorted(set(labels.tolist()))
    except TypeError:
        raise DataError("The labels in y cannot be sorted: use either numbers or strings, not both.") from None
    if len(classes) < 2:
        raise DataError("y has 1 class, and separability is about two. Add examples of another class.")
    if len(classes) > 2:
        raise DataError(
            f"y has {len(classes)} classes, and separability is about two. Use certify_classes to certify every pair."
        )
    return classes[0], classes[1]


def signs_of(labels: NDArray[Any], classes: tuple[Any, Any]) -> NDArray[np.int8]:
    return np.where(labels == classes[1], 1, -1).astype(np.int8)


def check_labels(y: Any, n_rows: int) -> NDArray[Any]:
    """y as one label per row, none of them missing."""
    labels = y if isinstance(y, np.ndarray) else np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"y must have one dimension, a label for each row. Got an array of shape {labels.shape}.")
    check_labels_complete(labels, n_rows)
    return labels


def check_values(X: Any) -> NDArray[Any] | Csr:
    """X as an array or CSR matrix of finite numbers, none of them rounded."""
    if hasattr(X, "tocsr"):
        return _check_csr(X)
    values = _to_array(X)
    if values.ndim != 2:
        raise DataError(f"X must be a table of rows and columns. Got an array of shape {values.shape}.")
    _refuse_empty(values.shape)
    return _check_numbers(values)


def _refuse_empty(shape: tuple[int, int]) -> None:
    if 0 in shape:
        raise DataError(f"X has {shape[0]} rows and {shape[1]} columns: there is nothing to separate.")


def _check_csr(X: Any) -> Csr:
    matrix = X.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    _refuse_empty(matrix.shape)
    entries = _check_numbers(matrix.data.reshape(-1, 1), matrix).reshape(-1)
    return Csr(matrix.indptr.astype(np.int64), matrix.indices, entries, matrix.shape[1])


def _to_array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray) and X.mask.any():
        raise DataError("Some values in X are masked. Fill in or drop missing values first.")
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return _dataframe_to_array(X)
    try:
        array = np.asarray(X)
        if array.dtype.kind == "f" and array.size and not np.abs(array).max() < FLOAT64_EXACT:
            return np.asarray(X, dtype=object)  # numpy has rounded large ints among floats: take them unrounded
        return array
    except (TypeError, ValueError) as error:
        raise DataError(f"X must be a table of numbers: {error}.") from None


def _dataframe_to_array(X: Any) -> NDArray[Any]:
    columns = [(X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]).to_numpy() for j in range(X.shape[1])]
    if not columns:
        return np.empty((X.shape[0], 0))
    has_large_ints = any(
        c.dtype.kind in "iu" and c.dtype.itemsize == 8 and c.size and np.abs(c).max() > FLOAT64_EXACT for c in columns
    )
    has_objects = any(column.dtype.kind == "O" for column in columns)
    if has_objects or (has_large_ints and len({column.dtype for column in columns}) > 1):
        return np.stack([column.astype(object) for column in columns], axis=1)
    return np.stack(columns, axis=1)


def _check_numbers(values: NDArray[Any], csr: Any = None) -> NDArray[Any]:
    """Finite numbers only; float16 becomes float32, objects become exact numbers. `csr` is the matrix they are from."""
    kind = values.dtype.kind
    if kind == "b":
        return values.astype(np.uint8)
    if kind in "iu":
        return values
    if kind == "f" and values.dtype.itemsize <= 8:
        values = values.astype(np.float32) if values.dtype.itemsize < 4 else values
        if not np.isfinite(values.sum()) and not np.isfinite(values).all():  # the sum is a cheap first test
            row, column = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
            raise _not_finite(values[row, column], row, column, csr)
        return values
    if kind in "Of":
        return _check_objects(values, csr)
    raise DataError(f"X must hold numbers. Got {values.dtype} instead; encode text as numbers first.")


def _check_objects(values: NDArray[Any], csr: Any) -> NDArray[Any]:
    flat = values.reshape(-1).tolist() if values.dtype.kind == "O" else list(values.reshape(-1))
    numbers: list[Any] = []
    for position, number in enumerate(flat):
        row, column = divmod(position, values.shape[1])
        if isinstance(number, np.generic) and not isinstance(number, np.floating):
            number = number.item()
        if isinstance(number, str | bytes | complex) or not hasattr(number, "as_integer_ratio"):
            raise DataError(f"X must hold numbers. Got {number!r} in row {row} instead.")
        if not isinstance(number, Rational) and not math.isfinite(number):
            raise _not_finite(number, row, column, csr)
        numbers.append(number)
    if all(type(number) is float for number in numbers):
        return np.array(numbers, dtype=np.float64).reshape(values.shape)
    if all(type(number) is int and -(2**63) <= number < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64).reshape(values.shape)
    exact = np.empty(len(numbers), dtype=object)
    exact[:] = [to_exact(number) for number in numbers]
    return exact.reshape(values.shape)


def _not_finite(number: Any, row: int, column: int, csr: Any) -> DataError:
    if csr is not None:  # its entries are checked as one column: `row` is the position of the entry
        row, column = int(np.searchsorted(csr.indptr, row, side="right")) - 1, int(csr.indices[row])
    return not_finite("X", "NaN" if math.isnan(number) else "infinity", row, column)
