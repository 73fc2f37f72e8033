"""The end of the search in exact arithmetic: integers of any size, linear systems solved by FLINT.

A column may be moved and stretched without changing which classes can be separated, so each column is put on its own
grid of integers first. Then either the weights of a common point of the two hulls are the only solution of a linear
system, or Wolfe's algorithm, the one the search runs in floats, is run once more in fractions, where it cannot go
wrong: every step shortens p, so it ends, with p = 0 or with a normal p that separates.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points import Number, Points, exactly
from rosenblatt.records import Csr

_PRIME = 2**61 - 1
Stop = Callable[[], bool]


@dataclass(frozen=True)
class Grid:
    """Some rows as integers: column j holds (x - centre_j) * stretch_j; columns that are constant are left out."""

    rows: list[list[int]]
    columns: list[int]
    centre: list[Number]
    stretch: list[Number]
    signs: list[int]


def grid_of(points: Points, rows: NDArray[Any]) -> Grid:
    """The rows on the coarsest grid of integers that holds them."""
    part, known = points.rows(rows), np.arange(points.features)
    if isinstance(part, Csr):
        known, part = _dense(part)
    dense = part
    if dense.dtype.kind == "f" and (np.rint(dense) == dense).all() and np.abs(dense).max() < 2**53:
        dense = dense.astype(np.int64)
    columns, centre, stretch, integers = [], [], [], []
    for j in range(dense.shape[1]):
        column = dense[:, j]
        if (column == column[0]).all():
            continue
        numbers, unit = _on_grid(column)
        middle = min(numbers) if min(numbers) > 0 else max(numbers) if max(numbers) < 0 else 0
        columns.append(int(known[j]))
        integers.append([number - middle for number in numbers] if middle else numbers)
        centre.append(middle / Fraction(unit) if middle else 0)
        stretch.append(unit)
    by_row = [list(row) for row in zip(*integers, strict=True)] if integers else [[] for _ in rows]
    return Grid(by_row, columns, centre, stretch, points.signs[rows].tolist())


def even(grid: Grid) -> Grid:
    """The same rows with one stretch for all columns, so that lengths are those of the user's units."""
    units = [Fraction(unit) for unit in grid.stretch]
    common = Fraction(math.lcm(*(u.numerator for u in units)), math.gcd(*(u.denominator for u in units)))
    factors = [int(common / unit) for unit in units]
    rows = [[x * factor for x, factor in zip(row, factors, strict=True)] for row in grid.rows]
    return Grid(rows, grid.columns, grid.centre, [common] * len(units), grid.signs)


def _dense(part: Csr) -> tuple[NDArray[Any], NDArray[Any]]:
    """The columns that hold something, and the rows in them."""
    columns, indices = np.unique(part.indices, return_inverse=True)
    filled = np.zeros((part.shape[0], len(columns)), dtype=part.values.dtype)
    filled[np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), indices] = part.values
    return columns, filled


def _on_grid(column: NDArray[Any]) -> tuple[list[int], Number]:
    """A column as integers, and what it was multiplied by."""
    if column.dtype.kind in "iu":
        return column.tolist(), 1
    if column.dtype.kind == "O":
        fractions = [Fraction(exactly(x)) for x in column.tolist()]
        unit = flint.fmpz(1)
        for fraction in fractions:
            unit = unit.lcm(fraction.denominator)
        common = int(unit)
        return [fraction.numerator * (common // fraction.denominator) for fraction in fractions], common
    mantissa, exponent = np.frexp(column.astype(np.float64))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    last = whole & -whole  # the lowest bit that is set
    lowest = exponent - 53 + np.where(whole != 0, np.frexp(last.astype(np.float64))[1] - 1, 0)
    least = int(lowest[whole != 0].min())
    odd = np.where(whole != 0, whole // np.where(whole != 0, last, 1), 0)
    shift = np.where(whole != 0, lowest - least, 0)
    numbers = [top << by for top, by in zip(odd.tolist(), shift.tolist(), strict=True)]
    return numbers, Fraction(2) ** -least


# -- a common point as the only solution of a linear system ---------------------------------------------------------


def meeting(grid: Grid) -> dict[int, Fraction] | None:
    """Positive weights with sum weight * y * (x, 1) = 0, if these rows have one such combination up to a factor."""
    count = len(grid.rows)
    matrix = flint.fmpz_mat([[y * x for x in row] + [y] for row, y in zip(grid.rows, grid.signs, strict=True)])
    free = _pivots(_modulo(matrix.transpose()))
    if len(free) != count - 1:
        return None
    equations = _pivots(_modulo(matrix))
    last = next(k for k in range(count) if k not in set(free))
    entries = matrix.tolist()
    system = flint.fmpz_mat([[entries[k][e] for k in free] for e in equations])
    side = flint.fmpz_mat([[-entries[last][e]] for e in equations])
    solution = system.solve(side)
    weights = {k: solution[at, 0] for at, k in enumerate(free)} | {last: flint.fmpq(1)}
    if any(weight < 0 for weight in weights.values()):
        return None
    return _balanced({k: weight for k, weight in weights.items() if weight > 0}, grid.signs)


def _modulo(matrix: Any) -> Any:
    """The reduced row echelon form modulo a large prime: its rank is never above the true one."""
    return flint.nmod_mat(matrix, _PRIME).rref()


def _pivots(echelon: tuple[Any, int]) -> list[int]:
    reduced, rank = echelon
    rows, found, at = reduced.tolist(), [], 0
    for row in rows[:rank]:
        while int(row[at]) == 0:
            at += 1
        found.append(at)
    return found


def _balanced(weights: dict[int, Any], signs: Sequence[int]) -> dict[int, Fraction]:
    """The weights of each class made to sum to 1."""
    total = sum((weight for k, weight in weights.items() if signs[k] > 0), flint.fmpq(0))
    shares = {k: weight / total for k, weight in weights.items()}
    return {k: Fraction(int(share.p), int(share.q)) for k, share in shares.items()}


# -- Wolfe's algorithm in fractions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nearest:
    """The nearest points of two hulls: the weights of the rows in them, and the normal between them, in integers."""

    weights: dict[int, Fraction]
    normal: list[int]
    levels: tuple[int, int]  # least y x.normal of each class, on the grid

    @property
    def touching(self) -> bool:
        return not any(self.normal)


def nearest(grid: Grid, corral: Sequence[int], stop: Stop = lambda: False) -> Nearest | None:
    """The nearest points of the two hulls, exactly, starting from a few rows; None if told to stop."""
    z = flint.fmpz_mat([[y * x for x in row] or [0] for row, y in zip(grid.rows, grid.signs, strict=True)])
    hulls = [0 if y > 0 else 1 for y in grid.signs]
    inside = _independent(z, hulls, corral)
    weights = [flint.fmpq(1, sum(hulls[k] == hulls[i] for k in inside)) for i in inside]
    while not stop():
        inside, weights = _settled(z, hulls, inside, weights)
        point = _point(z, inside, weights)
        products = (z * point.transpose()).tolist()
        levels = [next(int(products[k][0]) for k in inside if hulls[k] == h) for h in (0, 1)]
        short = [(int(products[i][0]) - levels[hulls[i]], i) for i in range(len(hulls))]
        worst, entering = min(short)
        if worst >= 0 or levels[0] + levels[1] == 0:
            found = {k: Fraction(int(w.p), int(w.q)) for k, w in zip(inside, weights, strict=True)}
            return Nearest(found, [int(x) for x in point.tolist()[0]], (levels[0], levels[1]))
        inside, weights = [*inside, entering], [*weights, flint.fmpq(0)]
    return None


def _independent(z: Any, hulls: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Rows, among those wanted, whose lifted vectors (z, hull) are independent; each hull has one."""
    listed = list(dict.fromkeys([*(hulls.index(h) for h in (0, 1) if all(hulls[k] != h for k in wanted)), *wanted]))
    entries = z.tolist()
    lifted = flint.fmpz_mat([[*entries[k], 1 - hulls[k], hulls[k]] for k in listed])
    kept = [listed[at] for at in _pivots(_modulo(lifted.transpose()))]
    missing = [next(k for k in listed if hulls[k] == h) for h in (0, 1) if all(hulls[k] != h for k in kept)]
    return kept if not missing else [next(k for k in listed if hulls[k] == h) for h in (0, 1)]


def _settled(z: Any, hulls: Sequence[int], inside: list[int], weights: list[Any]) -> tuple[list[int], list[Any]]:
    """Walk to the nearest point of the flat through these rows; rows whose weight falls to zero are let go."""
    while True:
        goal = _flat(z, hulls, inside)
        if all(v > 0 for v in goal):
            return inside, goal
        part = min(w / (w - v) for w, v in zip(weights, goal, strict=True) if v <= 0)
        moved = [w + part * (v - w) for w, v in zip(weights, goal, strict=True)]
        kept = [at for at, w in enumerate(moved) if w > 0]
        inside, weights = [inside[at] for at in kept], [moved[at] for at in kept]


def _flat(z: Any, hulls: Sequence[int], inside: Sequence[int]) -> list[Any]:
    """The weights of the nearest point of the flat: G v = E^T m, E v = (1, 1)."""
    entries = z.tolist()
    corral = flint.fmpz_mat([entries[k] for k in inside])
    gram = (corral * corral.transpose()).tolist()
    edge = [[int(hulls[k] == h) for k in inside] for h in (0, 1)]
    bordered: list[list[Any]] = [[*gram[at], edge[0][at], edge[1][at]] for at in range(len(inside))]
    bordered += [[*edge[h], 0, 0] for h in (0, 1)]
    side = flint.fmpz_mat([[0]] * len(inside) + [[1], [1]])
    solution = flint.fmpz_mat(bordered).solve(side)
    return [solution[at, 0] for at in range(len(inside))]


def _point(z: Any, inside: Sequence[int], weights: Sequence[Any]) -> Any:
    """sum weight * z, multiplied by the weights' common denominator so that it is whole."""
    common = flint.fmpz(1)
    for weight in weights:
        common = common.lcm(weight.q)
    entries = z.tolist()
    row: list[Any] = [weight.p * (common // weight.q) for weight in weights]
    return flint.fmpz_mat([row]) * flint.fmpz_mat([entries[k] for k in inside])


def hyperplane(grid: Grid, found: Nearest, features: int) -> tuple[list[Fraction], Fraction]:
    """The normal and the bias halfway between the hulls, in the units of the user."""
    w = [Fraction(0)] * features
    bias = Fraction(found.levels[1] - found.levels[0], 2)
    for j, x, centre, stretch in zip(grid.columns, found.normal, grid.centre, grid.stretch, strict=True):
        w[j] = Fraction(x) * Fraction(stretch)
        bias -= w[j] * Fraction(centre)
    return w, bias
