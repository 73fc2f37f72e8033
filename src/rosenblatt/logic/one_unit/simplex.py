"""The simplex algorithm in integers: exact, for small programs, and it always ends.

    maximise sum(lambda)  subject to  A lambda <= c,  lambda >= 0,  with c >= 0

so lambda = 0 is feasible. The tableau holds integers over one common denominator, the last pivot: the division after
each pivot leaves no remainder (Edmonds 1967, Bareiss 1968). Bland's rule (1977) picks the pivots, so no basis returns.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Optimum:
    """The best value is finite; `prices` is the optimal solution of the dual: A' prices >= 1, prices >= 0."""

    prices: tuple[Fraction, ...]


@dataclass(frozen=True)
class Ray:
    """The objective is unbounded along this direction: A direction <= 0, direction >= 0."""

    direction: tuple[Fraction, ...]


def maximise(A: NDArray[Any], c: NDArray[Any]) -> Optimum | Ray:
    """Solve the program for integer A and c."""
    m, n = A.shape
    tableau: NDArray[Any] = np.zeros((m + 1, n + m + 1), dtype=np.int64)
    tableau[:m, :n] = A
    tableau[range(m), range(n, n + m)] = 1
    tableau[:m, -1] = c
    tableau[m, :n] = 1  # the reduced costs
    basis, denominator = list(range(n, n + m)), 1
    while True:
        gains = np.flatnonzero(tableau[m, :-1] > 0)
        if not len(gains):
            return Optimum(tuple(Fraction(-int(price), denominator) for price in tableau[m, n : n + m]))
        entering = int(gains[0])
        leaving = _leaving(tableau, basis, entering)
        if leaving is None:
            direction = [Fraction(0)] * (n + m)
            direction[entering] = Fraction(1)
            for row, variable in enumerate(basis):
                direction[variable] = Fraction(-int(tableau[row, entering]), denominator)
            return Ray(tuple(direction[:n]))
        tableau = _with_room_for_a_pivot(tableau)
        denominator = _pivot(tableau, leaving, entering, denominator)
        basis[leaving] = entering


def _with_room_for_a_pivot(tableau: NDArray[Any]) -> NDArray[Any]:
    """The tableau in 64-bit integers while no product of a pivot can overflow, then in Python integers."""
    if tableau.dtype == np.int64 and max(-int(tableau.min()), int(tableau.max())) >= 2**31 - 1:
        return tableau.astype(object)
    return tableau


def _leaving(tableau: NDArray[Any], basis: list[int], entering: int) -> int | None:
    """The row that limits the entering variable first; of equals, the one with the lowest variable."""
    limits = [
        (Fraction(int(tableau[row, -1]), int(tableau[row, entering])), variable, row)
        for row, variable in enumerate(basis)
        if tableau[row, entering] > 0
    ]
    return min(limits)[2] if limits else None


def _pivot(tableau: NDArray[Any], row: int, column: int, denominator: int) -> int:
    """Eliminate a column from every other row; the pivot becomes the common denominator."""
    pivot = int(tableau[row, column])
    pivot_row = tableau[row].copy()
    factors = tableau[:, column].copy()
    tableau *= pivot
    tableau -= factors[:, None] * pivot_row
    tableau //= denominator
    tableau[row] = pivot_row
    return pivot
