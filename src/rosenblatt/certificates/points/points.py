"""Two classes of points, with every number kept exactly as the user passed it.

Integers beyond 2^53, Python's big ints, Fractions and Decimals are never rounded.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.readers.block_rows import take_rows
from rosenblatt.records import Csr, Floats

ExactNumber: TypeAlias = int | Fraction
FLOAT64_EXACT = 2**53  # float64 holds every integer up to this size
_FINGERPRINT_ROWS = 64


@dataclass(frozen=True)
class Points:
    """Rows of two classes; the sign is +1 for the larger label."""

    values: NDArray[Any] | Csr
    signs: NDArray[np.int8]
    labels: tuple[Any, ...]  # the labels of sign -1 and of sign +1

    @property
    def n_rows(self) -> int:
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.values.shape[1])

    @property
    def sparse(self) -> bool:
        return isinstance(self.values, Csr)

    @cached_property
    def _numbers(self) -> NDArray[Any]:
        return self.values.values if isinstance(self.values, Csr) else self.values

    @cached_property
    def fits_float64(self) -> bool:
        """Whether float64 holds every number without rounding."""
        numbers = self._numbers
        if numbers.dtype.kind == "O":
            return False
        if numbers.dtype.kind == "f" or numbers.dtype.itemsize < 8 or not numbers.size:
            return True
        return bool(self.max_abs <= FLOAT64_EXACT)

    @cached_property
    def max_abs(self) -> Any:
        """The largest absolute value of a number."""
        numbers = self._numbers
        if not numbers.size:
            return 0
        low, high = numbers.min(), numbers.max()
        if numbers.dtype.kind in "iu":
            return max(abs(int(low)), abs(int(high)))
        return max(abs(low), abs(high))

    @cached_property
    def max_row_entries(self) -> int:
        """The most numbers stored in one row."""
        return int(np.diff(self.values.indptr).max()) if isinstance(self.values, Csr) else self.n_features

    @cached_property
    def max_norm(self) -> float:
        """An upper bound on the length of the longest row, tight up to rounding."""
        numbers = self._numbers
        with np.errstate(all="ignore"):
            if isinstance(self.values, Csr):
                row_of_entry = np.repeat(np.arange(self.n_rows), np.diff(self.values.indptr))
                square = float(np.bincount(row_of_entry, to_floats(numbers) ** 2, self.n_rows).max())
            else:
                step = max(1, 100_000 // self.n_features)
                chunks = (to_floats(numbers[start : start + step]) for start in range(0, self.n_rows, step))
                square = max(float(np.einsum("ij,ij->i", chunk, chunk).max()) for chunk in chunks)
        if 1e-280 < square < 1e300:
            return math.sqrt(square) * (1 + (self.max_row_entries + 8) * 2.0**-52)
        return 2 * _to_float(self.max_abs) * math.sqrt(self.max_row_entries) + 1e-300

    def take(self, rows: NDArray[np.intp]) -> NDArray[Any] | Csr:
        """The values of some rows, in the layout and type they are stored in."""
        return take_rows(self.values, rows)

    def subset(self, rows: NDArray[np.intp]) -> "Points":
        return Points(self.take(rows), self.signs[rows], self.labels)

    def parts(self) -> Iterator[tuple[int, "Points"]]:
        """All the points, part by part, each in memory: the number of rows before the part, and its points."""
        yield 0, self

    def exact_rows(self, rows: Sequence[int]) -> Iterator[dict[int, ExactNumber]]:
        return map(self.exact_row, rows)

    def identical_rows_that_differ(self, key: NDArray[Any], values: NDArray[Any]) -> tuple[int, int] | None:
        """Two identical rows with different `values`, if any; `key` is equal for identical rows, rarely for others."""
        order = np.argsort(key, kind="stable")
        equal = np.flatnonzero(key[order[1:]] == key[order[:-1]])
        first, second = order[equal], order[equal + 1]
        differ = values[first] != values[second]
        for i, j in zip(first[differ].tolist(), second[differ].tolist(), strict=True):
            if self.exact_row(i) == self.exact_row(j):
                return i, j
        return None

    def exact_row(self, index: int) -> dict[int, ExactNumber]:
        """The nonzero numbers of one row, exactly, by column."""
        if isinstance(self.values, Csr):
            part = slice(int(self.values.indptr[index]), int(self.values.indptr[index + 1]))
            columns, numbers = self.values.indices[part].tolist(), self.values.values[part].tolist()
            return {j: to_exact(x) for j, x in zip(columns, numbers, strict=True) if x}
        return {j: to_exact(x) for j, x in enumerate(self.values[index].tolist()) if x}

    @cached_property
    def digest(self) -> str:
        """A fingerprint of all signs and of the numbers in a sample of rows; the same for every layout."""
        digest = hashlib.sha256(f"{self.n_rows} {self.n_features} ".encode())
        digest.update(self.signs.tobytes())
        sample = np.arange(0, self.n_rows, max(1, self.n_rows // _FINGERPRINT_ROWS))
        if not self.fits_float64:
            digest.update(repr([sorted(self.exact_row(int(i)).items()) for i in sample]).encode())
            return digest.hexdigest()
        values = self.take(sample)
        if isinstance(values, Csr):
            nonzero = values.values != 0
            row = np.repeat(np.arange(len(sample)), np.diff(values.indptr))[nonzero]
            column, numbers = values.indices[nonzero], values.values[nonzero]
        else:
            row, column = np.nonzero(values)
            numbers = values[row, column]
        for array in (row.astype(np.int64), column.astype(np.int64), numbers.astype(np.float64)):
            digest.update(array.tobytes())
        return digest.hexdigest()


def to_exact(number: Any) -> ExactNumber:
    """The number as an int or a Fraction; a float is a fraction whose denominator is a power of two."""
    if isinstance(number, int):
        return number
    numerator, denominator = number.as_integer_ratio()
    return int(numerator) if denominator == 1 else Fraction(int(numerator), int(denominator))


def to_floats(values: NDArray[Any]) -> Floats:
    """Each number rounded to the nearest float64; infinity where it is too large."""
    if values.dtype.kind == "O":
        return np.array([_to_float(x) for x in values.reshape(-1).tolist()]).reshape(values.shape)
    return values.astype(np.float64, copy=False)


def _to_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
