"""Means and standard deviations of columns of numbers, batch by batch, and scaling by them."""

from __future__ import annotations

from sys import float_info
from typing import Any

from rosenblatt.lazy import np
from rosenblatt.records import Floats

_MAX_EXPONENT = 400  # numbers beyond 2**400 or below 2**-400 are brought nearer to 1 before they are squared


class Moments:
    """Means and variances of columns, NaN left out; batches are merged as in Chan, Golub and LeVeque (1983).

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
        largest = np.where(present, np.abs(values), 0.0).max(axis=0, initial=0.0)
        values = values * self._change_units(largest, values.dtype)
        count = present.sum(axis=0)
        safe = np.maximum(count, 1)
        mean = np.where(present, values, 0.0).sum(axis=0) / safe
        squares = np.where(present, (values - mean) ** 2, 0.0).sum(axis=0)
        total = np.maximum(self._count + count, 1)
        difference = mean - self._mean
        self._mean = self._mean + difference * (count / total)
        self._squares = self._squares + squares + difference**2 * (self._count * count / total)
        self._count = self._count + count

    def _change_units(self, largest: Floats, dtype: np.dtype[Any]) -> Floats:
        """The factor of each column that keeps squares from overflow and underflow, applied to the sums so far as well.

        It is a power of two, which rounds nothing, and 1 except for very large or very small numbers.
        """
        exponent = np.frexp(largest)[1]
        needed = np.where(np.abs(exponent) > _MAX_EXPONENT, np.ldexp(1.0, -np.maximum(exponent, -1000)), 1.0)
        unit = np.minimum(self._unit, needed)
        change = np.where(self._count > 0, unit / self._unit, 1.0)
        self._mean, self._squares, self._unit = self._mean * change, self._squares * change * change, unit
        units: Floats = unit.astype(dtype)
        return units

    def shift_and_scale(self) -> tuple[Floats, Floats]:
        """What gives each column mean 0 and variance 1; a constant column becomes 0."""
        unit = np.where(np.isinf(self._unit), 1.0, self._unit)
        deviation = np.sqrt(self._squares / np.maximum(self._count, 1))
        with np.errstate(over="ignore"):
            scale = np.where(deviation > 0, unit / np.where(deviation > 0, deviation, 1.0), 1.0)
        return self._mean / unit, np.minimum(scale, float_info.max)


def scaled(values: Floats, shift: Floats, scale: Floats) -> Floats:
    """The columns as they are learned; a number that overflows becomes infinite, which is refused later."""
    with np.errstate(over="ignore"):
        result: Floats = (values - shift) * scale
    return result
