"""What the user hands in -> two classes of points: the numbers as they are, and as floats that a search can use.

Nothing is rounded on the way in: integers beyond 2^53, Python's big ints, Fractions and Decimals stay what they are.
`conditioned` gives all rows as floats, moved and scaled by powers of two.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Rational
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError
from rosenblatt.records import Csr, Floats

Number: TypeAlias = int | Fraction
_FLOAT_IS_EXACT = 2**53
_SINGLE_IS_EXACT = 2**24
_SAMPLE = 64  # rows that the fingerprint reads


@dataclass(frozen=True)
class Points:
    """Rows of two classes; the sign is +1 for the larger label."""

    values: NDArray[Any] | Csr
    signs: NDArray[np.int8]
    labels: tuple[Any, Any]  # the label of the sign -1, and that of +1

    @property
    def count(self) -> int:
        return int(self.values.shape[0])

    @property
    def features(self) -> int:
        return int(self.values.shape[1])

    @property
    def sparse(self) -> bool:
        return isinstance(self.values, Csr)

    @cached_property
    def _numbers(self) -> NDArray[Any]:
        return self.values.values if isinstance(self.values, Csr) else self.values

    @cached_property
    def is_float(self) -> bool:
        """Can every number be held by a float64 as it is?"""
        numbers = self._numbers
        if numbers.dtype.kind == "f" or numbers.dtype.itemsize < 8 or not numbers.size:
            return numbers.dtype.kind != "O"
        return numbers.dtype.kind != "O" and self.largest <= _FLOAT_IS_EXACT

    @cached_property
    def largest(self) -> Any:
        """The largest size of a number."""
        numbers = self._numbers
        if not numbers.size:
            return 0
        low, high = numbers.min(), numbers.max()
        if numbers.dtype.kind in "iu":
            return max(abs(int(low)), abs(int(high)))
        return max(abs(low), abs(high))

    @cached_property
    def most_entries(self) -> int:
        """The most numbers that are stored in a row."""
        return int(np.diff(self.values.indptr).max()) if isinstance(self.values, Csr) else self.features

    @cached_property
    def longest(self) -> float:
        """A little more than the length of the longest row."""
        numbers = self._numbers
        with np.errstate(all="ignore"):
            if isinstance(self.values, Csr):
                which = np.repeat(np.arange(self.count), np.diff(self.values.indptr))
                square = float(np.bincount(which, _floats(numbers) ** 2, self.count).max())
            else:
                step = max(1, 100_000 // self.features)
                parts = (_floats(numbers[start : start + step]) for start in range(0, self.count, step))
                square = max(float(np.einsum("ij,ij->i", part, part).max()) for part in parts)
        if 1e-280 < square < 1e300:
            return math.sqrt(square) * (1 + (self.most_entries + 8) * 2.0**-52)
        return 2 * _float(self.largest) * math.sqrt(self.most_entries) + 1e-300

    def rows(self, rows: NDArray[Any] | slice) -> NDArray[Any] | Csr:
        """Some of the rows, as they are stored."""
        if not isinstance(self.values, Csr):
            return self.values[rows]
        picked = np.arange(self.count)[rows]
        starts, ends = self.values.indptr[picked], self.values.indptr[picked + 1]
        entries = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)] or [np.arange(0)])
        indptr = np.concatenate([[0], np.cumsum(ends - starts)])
        return Csr(indptr, self.values.indices[entries], self.values.values[entries], self.features)

    def row(self, index: int) -> dict[int, Number]:
        """The numbers of one row that are not zero, exactly, by column."""
        if isinstance(self.values, Csr):
            part = slice(int(self.values.indptr[index]), int(self.values.indptr[index + 1]))
            columns, numbers = self.values.indices[part].tolist(), self.values.values[part].tolist()
            return {j: exactly(x) for j, x in zip(columns, numbers, strict=True) if x}
        return {j: exactly(x) for j, x in enumerate(self.values[index].tolist()) if x}

    @cached_property
    def digest(self) -> str:
        """A fingerprint: every sign, and the numbers of a sample of rows; the same for every layout."""
        seal = hashlib.sha256(f"{self.count} {self.features} ".encode())
        seal.update(self.signs.tobytes())
        sample = np.arange(0, self.count, max(1, self.count // _SAMPLE))
        if not self.is_float:
            seal.update(repr([sorted(self.row(int(i)).items()) for i in sample]).encode())
            return seal.hexdigest()
        part = self.rows(sample)
        if isinstance(part, Csr):
            kept = part.values != 0
            row = np.repeat(np.arange(len(sample)), np.diff(part.indptr))[kept]
            column, numbers = part.indices[kept], part.values[kept]
        else:
            row, column = np.nonzero(part)
            numbers = part[row, column]
        for piece in (row.astype(np.int64), column.astype(np.int64), numbers.astype(np.float64)):
            seal.update(piece.tobytes())
        return seal.hexdigest()


def _float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _floats(values: NDArray[Any]) -> Floats:
    if values.dtype.kind == "O":
        return np.array([_float(x) for x in values.reshape(-1).tolist()]).reshape(values.shape)
    return values.astype(np.float64, copy=False)


def exactly(number: Any) -> Number:
    """The number itself: an int, or a Fraction; a float is a fraction whose denominator is a power of two."""
    if isinstance(number, int):
        return number
    top, bottom = number.as_integer_ratio()
    return int(top) if bottom == 1 else Fraction(int(top), int(bottom))


# -- reading what the user handed in --------------------------------------------------------------------------------


def points_of(X: Any, y: Any) -> Points:
    """Check X and y and take them as they are; what cannot be used raises DataError."""
    values = values_of(X)
    labels = labels_of(y, values.shape[0])
    classes = _distinct(labels)
    if len(classes) != 2:
        raise DataError(
            f"y has {len(classes)} {'class' if len(classes) == 1 else 'classes'}, and separability is about two. "
            + (
                "Add examples of another class."
                if len(classes) < 2
                else "Use certify_classes, or --pairs of the command line, for more."
            )
        )
    signs = np.where(labels == classes[1], 1, -1).astype(np.int8)
    return Points(values, signs, (classes[0], classes[1]))


def _distinct(labels: NDArray[Any]) -> list[Any]:
    try:
        return sorted(set(labels.tolist()))
    except TypeError:
        raise DataError("The labels in y cannot be put in order: use numbers or strings, not both.") from None


def labels_of(y: Any, rows: int) -> NDArray[Any]:
    """One label a row, none of them missing."""
    labels = y if isinstance(y, np.ndarray) else np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"y must be one row of labels. Got an array of shape {labels.shape} instead.")
    if len(labels) != rows:
        raise DataError(f"X has {rows} rows but y has {len(labels)} labels: they must be the same number.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels)))
        raise DataError(f"The label of row {row} is {labels[row]}. Drop rows without a label first.")
    if labels.dtype.kind == "O" and any(label is None or label != label for label in labels.tolist()):
        raise DataError("Some labels in y are missing. Drop rows without a label first.")
    return labels


def values_of(X: Any) -> NDArray[Any] | Csr:
    """The matrix as numbers, none of them rounded: an array or CSR."""
    if hasattr(X, "tocsr"):
        return _csr(X)
    values = _array(X)
    if values.ndim != 2:
        raise DataError(f"X must be a table of rows and columns. Got an array of shape {values.shape} instead.")
    if 0 in values.shape:
        raise DataError(f"X has {values.shape[0]} rows and {values.shape[1]} columns: there is nothing to separate.")
    return _numeric(values)


def _csr(X: Any) -> Csr:
    matrix = X.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if 0 in matrix.shape:
        raise DataError(f"X has {matrix.shape[0]} rows and {matrix.shape[1]} columns: there is nothing to separate.")
    entries = _numeric(matrix.data.reshape(-1, 1), matrix).reshape(-1)
    return Csr(matrix.indptr.astype(np.int64), matrix.indices, entries, matrix.shape[1])


def _array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray) and X.mask.any():
        raise DataError("Some values in X are masked. Fill in or drop missing values first.")
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    if hasattr(X, "dtypes") and hasattr(X, "columns"):  # a table whose columns have types of their own
        return _table(X)
    try:
        array = np.asarray(X)
        if array.dtype.kind == "f" and array.size and not np.abs(array).max() < _FLOAT_IS_EXACT:
            return np.asarray(X, dtype=object)  # large ints among floats: numpy has rounded them
        return array
    except (TypeError, ValueError) as error:
        raise DataError(f"X must be a table of numbers: {error}.") from None


def _table(X: Any) -> NDArray[Any]:
    columns = [(X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]).to_numpy() for j in range(X.shape[1])]
    if not columns:
        return np.empty((X.shape[0], 0))
    kinds = {column.dtype.kind for column in columns}
    wide = any(c.dtype.kind in "iu" and c.dtype.itemsize == 8 and c.size and np.abs(c).max() > 2**53 for c in columns)
    if "O" in kinds or (wide and len({column.dtype for column in columns}) > 1):
        return np.stack([column.astype(object) for column in columns], axis=1)
    return np.stack(columns, axis=1)


def _numeric(values: NDArray[Any], sparse: Any = None) -> NDArray[Any]:
    """Numbers only, all finite; small floats become float32 or float64, objects stay exact."""
    kind = values.dtype.kind
    if kind == "b":
        return values.astype(np.uint8)
    if kind in "iu":
        return values
    if kind == "f" and values.dtype.itemsize <= 8:
        values = values.astype(np.float32) if values.dtype.itemsize < 4 else values
        total = values.sum()
        if not np.isfinite(total) and not np.isfinite(values).all():
            _refuse(values, ~np.isfinite(values), sparse)
        return values
    if kind in "Of":
        return _objects(values, sparse)
    raise DataError(f"X must hold numbers. Got {values.dtype} instead; encode words as numbers first.")


def _objects(values: NDArray[Any], sparse: Any) -> NDArray[Any]:
    flat = values.reshape(-1).tolist() if values.dtype.kind == "O" else list(values.reshape(-1))
    known: list[Any] = []
    for at, number in enumerate(flat):
        if isinstance(number, np.generic) and not isinstance(number, np.floating):
            number = number.item()
        if isinstance(number, str | bytes | complex) or not hasattr(number, "as_integer_ratio"):
            raise DataError(f"X must hold numbers. Got {number!r} in row {at // values.shape[1]} instead.")
        if not isinstance(number, Rational) and not math.isfinite(number):
            wrong = np.zeros(values.shape, dtype=bool)
            wrong.reshape(-1)[at] = True
            _refuse(np.where(wrong, np.float64(number), 0.0), wrong, sparse)
        known.append(number)
    if all(type(number) is float for number in known):
        return np.array(known, dtype=np.float64).reshape(values.shape)
    if all(type(number) is int and -(2**63) <= number < 2**63 for number in known):
        return np.array(known, dtype=np.int64).reshape(values.shape)
    exact = np.empty(len(known), dtype=object)
    exact[:] = [exactly(number) for number in known]
    return exact.reshape(values.shape)


def _refuse(values: NDArray[Any], wrong: NDArray[np.bool_], sparse: Any) -> None:
    row, column = (int(k) for k in np.argwhere(wrong)[0])
    name = "NaN" if np.isnan(values[row, column]) else "infinity"
    if sparse is not None:
        row, column = int(np.searchsorted(sparse.indptr, row, side="right")) - 1, int(sparse.indices[row])
    advice = "Fill in or drop missing values first." if name == "NaN" else "Every value must be finite."
    raise DataError(f"Input X contains {name} at row {row}, column {column}. {advice}")


# -- floats for the search ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Conditioned:
    """The points as floats: column j holds (x - centre_j) * 2^power_j, rounded; a constant column holds zeros.

    Of sparse rows only the columns that hold something are kept: `columns` are their numbers, of `features` in all.
    """

    values: NDArray[Any] | Csr
    centre: Sequence[Number] | None
    power: NDArray[np.int64]
    columns: NDArray[np.intp] | None = None
    features: int = 0

    def normal(self, w: Floats) -> Floats:
        """A normal found here, in the units and columns of the user."""
        scaled: Floats = np.ldexp(w, self.power)
        if self.columns is None:
            return scaled
        whole = np.zeros(self.features)
        whole[self.columns] = scaled
        return whole


def conditioned(points: Points, *, by_column: bool, shift: bool = True) -> Conditioned:
    """Move and scale so that arithmetic in floats loses little: all columns alike, or each one on its own."""
    if points.sparse:
        return _conditioned_sparse(points, by_column)
    if not points.is_float:
        return _conditioned_exactly(points)
    values = points.values
    assert isinstance(values, np.ndarray)
    low, high = values.min(axis=0).astype(np.float64), values.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore"):
        width, middle = high - low, low / 2 + high / 2
    shift = shift and bool((np.abs(middle) > 4 * width).any())
    size = width if shift or by_column else np.maximum(np.abs(low), np.abs(high))
    power = _powers(np.where(np.isfinite(size), size, np.maximum(np.abs(low), np.abs(high))), by_column)
    single = values.dtype != np.float64 and (values.dtype == np.float32 or points.largest <= _SINGLE_IS_EXACT)
    narrow = single and not shift and values.size > 4096
    floats = values.astype(np.float32 if narrow else np.float64, order="C", copy=False)
    centre = None
    if shift:
        floats = floats - middle
        centre = [exactly(x) for x in middle.tolist()]
    if power.any():
        floats = np.ldexp(floats, power.astype(np.int32)).astype(floats.dtype)
    return Conditioned(floats, centre, power)


def _powers(size: Floats, by_column: bool) -> NDArray[np.int64]:
    """Powers of two that bring sizes near 1; 0 where a column is constant, or all of them where it matters little."""
    exponent = np.frexp(size)[1].astype(np.int64)
    if not by_column:
        top = int(exponent.max()) if size.any() else 0
        return np.full(len(size), -top if abs(top) > 30 else 0)
    return np.where(size > 0, -exponent, 0)


def _conditioned_sparse(points: Points, by_column: bool) -> Conditioned:
    values = points.values
    assert isinstance(values, Csr)
    numbers = _floats(values.values)
    columns, indices = np.unique(values.indices, return_inverse=True)
    if not len(columns):
        columns, indices = np.zeros(1, dtype=np.intp), np.zeros(0, dtype=np.intp)
    size = np.zeros(len(columns))
    np.maximum.at(size, indices, np.abs(numbers))
    power = _powers(size, by_column)
    with np.errstate(all="ignore"):
        scaled = np.ldexp(numbers, power[indices].astype(np.int32))
    held = Csr(values.indptr, indices.astype(np.int32), scaled, len(columns))
    return Conditioned(held, None, power, columns.astype(np.intp), points.features)


def _conditioned_exactly(points: Points) -> Conditioned:
    """Numbers beyond floats: the middle of each column is taken away exactly, then what is left is rounded."""
    values = points.values
    assert isinstance(values, np.ndarray)
    floats, centre, power = np.zeros(values.shape), [], np.zeros(points.features, dtype=np.int64)
    for j in range(points.features):
        column = [exactly(x) for x in values[:, j].tolist()]
        middle = Fraction(min(column) + max(column)) / 2
        centre.append(middle)
        width = max(column) - min(column)
        if width:
            step = Fraction(width)
            power[j] = step.denominator.bit_length() - step.numerator.bit_length()
            scale = Fraction(2) ** int(power[j])
            floats[:, j] = [float((x - middle) * scale) for x in column]
    return Conditioned(floats, centre, power)
