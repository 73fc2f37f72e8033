"""Points -> floats that a search can work with: shifted, and scaled by powers of two, so that little is lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.points import ExactNumber, Points, to_exact, to_floats
from rosenblatt.records import Csr, Floats

_FLOAT32_EXACT = 2**24  # float32 holds every integer up to this size


@dataclass(frozen=True)
class Conditioned:
    """The points as floats: column j holds (x - centre_j) * 2^power_j, rounded; a constant column holds zeros.

    Sparse rows keep only their nonempty columns: `columns` has their positions among the `n_features` columns.
    """

    values: NDArray[Any] | Csr
    centre: Sequence[ExactNumber] | None
    power: NDArray[np.int64]
    columns: NDArray[np.intp] | None = None
    n_features: int = 0

    @property
    def scaled_by_column(self) -> bool:
        return len(set(self.power.tolist())) > 1

    def original_normal(self, w: Floats) -> Floats:
        """A normal of these floats, in the units and columns of the user."""
        scaled: Floats = np.ldexp(w, self.power)
        if self.columns is None:
            return scaled
        normal = np.zeros(self.n_features)
        normal[self.columns] = scaled
        return normal


def conditioned(points: Points, *, by_column: bool, shift: bool = True) -> Conditioned:
    """Shift and scale the points for arithmetic in floats: all columns by one power of two, or each by its own."""
    if points.sparse:
        return _conditioned_sparse(points, by_column)
    if not points.fits_float64:
        return _conditioned_exactly(points)
    values = points.values
    assert isinstance(values, np.ndarray)
    low, high = values.min(axis=0).astype(np.float64), values.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore"):
        width, middle = high - low, low / 2 + high / 2
    shift = shift and bool((np.abs(middle) > 4 * width).any())
    largest = np.maximum(np.abs(low), np.abs(high))
    size = width if shift or by_column else largest
    power = _powers(np.where(np.isfinite(size), size, largest), by_column)
    fits_float32 = values.dtype != np.float64 and (values.dtype == np.float32 or points.max_abs <= _FLOAT32_EXACT)
    use_float32 = fits_float32 and not shift and values.size > 4096
    floats = values.astype(np.float32 if use_float32 else np.float64, order="C", copy=False)
    centre = None
    if shift:
        floats = floats - middle
        centre = [to_exact(x) for x in middle.tolist()]
    if power.any():
        floats = np.ldexp(floats, power.astype(np.int32)).astype(floats.dtype)
    return Conditioned(floats, centre, power)


def _powers(size: Floats, by_column: bool) -> NDArray[np.int64]:
    """Powers of two that bring sizes near 1; 0 for a constant column, and for all columns if they are near 1 anyway."""
    exponent = np.frexp(size)[1].astype(np.int64)
    if not by_column:
        top = int(exponent.max()) if size.any() else 0
        return np.full(len(size), -top if abs(top) > 30 else 0)
    return np.where(size > 0, -exponent, 0)


def _conditioned_sparse(points: Points, by_column: bool) -> Conditioned:
    values = points.values
    assert isinstance(values, Csr)
    numbers = to_floats(values.values)
    columns, indices = np.unique(values.indices, return_inverse=True)
    if not len(columns):
        columns, indices = np.zeros(1, dtype=np.intp), np.zeros(0, dtype=np.intp)
    size = np.zeros(len(columns))
    np.maximum.at(size, indices, np.abs(numbers))
    power = _powers(size, by_column)
    with np.errstate(all="ignore"):
        scaled = np.ldexp(numbers, power[indices].astype(np.int32))
    floats = Csr(values.indptr, indices.astype(np.int32), scaled, len(columns))
    return Conditioned(floats, None, power, columns.astype(np.intp), points.n_features)


def _conditioned_exactly(points: Points) -> Conditioned:
    """For numbers that float64 cannot hold: the middle of each column is subtracted exactly, and only then rounded."""
    values = points.values
    assert isinstance(values, np.ndarray)
    floats, centre, power = np.zeros(values.shape), [], np.zeros(points.n_features, dtype=np.int64)
    for j in range(points.n_features):
        column = [to_exact(x) for x in values[:, j].tolist()]
        middle = Fraction(min(column) + max(column)) / 2
        centre.append(middle)
        width = Fraction(max(column) - min(column))
        if width:
            power[j] = width.denominator.bit_length() - width.numerator.bit_length()
            scale = Fraction(2) ** int(power[j])
            floats[:, j] = [float((x - middle) * scale) for x in column]
    return Conditioned(floats, centre, power)
