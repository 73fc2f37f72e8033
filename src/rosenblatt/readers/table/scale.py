"""The mean and the spread of columns of numbers, gathered batch by batch."""

from __future__ import annotations

from sys import float_info
from typing import Any

from rosenblatt.lazy import np
from rosenblatt.records import Floats

_FAR = 400  # binary places: squares of numbers that are further from 1 are not to be had


class Moments:
    """Means and variances of columns, NaN left out; batches are joined as Chan, Golub and LeVeque (1983) do.

    >>> moments = Moments(1)
    >>> moments.add(np.array([[1.0], [2.0]]))
    >>> moments.add(np.array([[3.0], [np.nan]]))
    >>> [value.round(3).tolist() for value in moments.shift_and_scale()]
    [[2.0], [1.225]]
    """

    def __init__(self, columns: int) -> None:
        self._count, self._mean, self._squares = np.zeros(columns), np.zeros(columns), np.zeros(columns)
        self._unit = np.full(columns, np.inf)

    def add(self, values: Floats) -> None:
        present = ~np.isnan(values)
        values = values * self._units(np.where(present, np.abs(values), 0.0).max(axis=0, initial=0.0), values.dtype)
        count = present.sum(axis=0)
        safe = np.maximum(count, 1)
        mean = np.where(present, values, 0.0).sum(axis=0) / safe
        squares = np.where(present, (values - mean) ** 2, 0.0).sum(axis=0)
        both = np.maximum(self._count + count, 1)
        apart = mean - self._mean
        self._mean = self._mean + apart * (count / both)
        self._squares = self._squares + squares + apart**2 * (self._count * count / both)
        self._count = self._count + count

    def _units(self, largest: Floats, dtype: np.dtype[Any]) -> Floats:
        """What numbers are multiplied by, so that no square of one overflows or vanishes: a power of two, which rounds
        nothing, and 1 but for numbers that are very large or very small."""
        exponent = np.frexp(largest)[1]
        wanted = np.where(np.abs(exponent) > _FAR, np.ldexp(1.0, -np.maximum(exponent, -1000)), 1.0)
        unit = np.minimum(self._unit, wanted)
        change = np.where(self._count > 0, unit / self._unit, 1.0)
        self._mean, self._squares, self._unit = self._mean * change, self._squares * change * change, unit
        units: Floats = unit.astype(dtype)
        return units

    def shift_and_scale(self) -> tuple[Floats, Floats]:
        """What makes each column mean 0 and variance 1; a constant column becomes 0."""
        unit = np.where(np.isinf(self._unit), 1.0, self._unit)
        spread = np.sqrt(self._squares / np.maximum(self._count, 1))
        with np.errstate(over="ignore"):
            scale = np.where(spread > 0, unit / np.where(spread > 0, spread, 1.0), 1.0)
        return self._mean / unit, np.minimum(scale, float_info.max)


def scaled(values: Floats, shift: Floats, scale: Floats) -> Floats:
    """The columns as they are learned; a number that is beyond the largest then, is infinite, and refused as such."""
    with np.errstate(over="ignore"):
        found: Floats = (values - shift) * scale
    return found
