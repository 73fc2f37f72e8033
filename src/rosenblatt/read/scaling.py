"""The mean and the spread of columns of numbers, gathered batch by batch."""

from __future__ import annotations

from rosenblatt.later import np
from rosenblatt.records import Floats


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

    def add(self, values: Floats) -> None:
        present = ~np.isnan(values)
        count = present.sum(axis=0)
        safe = np.maximum(count, 1)
        mean = np.where(present, values, 0.0).sum(axis=0) / safe
        squares = np.where(present, (values - mean) ** 2, 0.0).sum(axis=0)
        both = np.maximum(self._count + count, 1)
        apart = mean - self._mean
        self._mean = self._mean + apart * (count / both)
        self._squares = self._squares + squares + apart**2 * (self._count * count / both)
        self._count = self._count + count

    def shift_and_scale(self) -> tuple[Floats, Floats]:
        """What makes each column mean 0 and variance 1; a constant column becomes 0."""
        spread = np.sqrt(self._squares / np.maximum(self._count, 1))
        return self._mean, 1.0 / np.where(spread > 0, spread, 1.0)
