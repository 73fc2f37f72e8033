"""The search in exact arithmetic, where floats could not decide: integers of any size, linear systems solved by FLINT.

Shifting or scaling a column does not change whether the classes are separable, so each column is first scaled to
integers. Then there are two ways. The weights of a common point of the two hulls may be the only solution of a linear
system. Otherwise Wolfe's algorithm, which `hull_search` runs in floats, is run in fractions. There it terminates: every
step shortens the vector p between the nearest points, until p = 0 or p is the normal of a separating hyperplane.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.points import ExactNumber, Points, to_exact
from rosenblatt.records import Csr

_PRIME = 2**61 - 1
ShouldStop: TypeAlias = Callable[[], bool]


@dataclass(frozen=True)
class IntegerRows:
    """Some rows as integers: column j holds (x - centre_j) * scale_j; constant columns are left out."""

    rows: list[list[int]]
    columns: list[int]
    centre: list[ExactNumber]
    scale: list[ExactNumber]
    signs: list[int]


def integer_rows(points: Points, rows: NDArray[Any]) -> IntegerRows:
    """The rows with every column scaled to the smallest integers."""
    values, feature_of_column = points.take(rows), np.arange(points.n_features)
    if isinstance(values, Csr):
        feature_of_column, values = _nonempty_columns(values)
    dense = values
    if dense.dtype.kind == "f" and (np.rint(dense) == dense).all() and np.abs(dense).max() < 2**53:
        dense = dense.astype(np.int64)
    columns, centre, scale, integers = [], [], [], []
    for j in range(dense.shape[1]):
        column = dense[:, j]
        if (column == column[0]).all():
            continue
        numbers, factor = _to_integers(column)
        middle = min(numbers) if min(numbers) > 0 else max(numbers) if max(numbers) < 0 else 0
        columns.append(int(feature_of_column[j]))
        integers.append([number - middle for number in numbers] if middle else numbers)
        centre.append(middle / Fraction(factor) if middle else 0)
        scale.append(factor)
    by_row = [list(row) for row in zip(*integers, strict=True)] if integers else [[] for _ in rows]
    return IntegerRows(by_row, columns, centre, scale, points.signs[rows].tolist())


def with_one_scale(integers: IntegerRows) -> IntegerRows:
    """The same rows with one scale for all columns, so that distances are proportional to those of the user's units."""
    scales = [Fraction(scale) for scale in integers.scale]
    common = Fraction(math.lcm(*(s.numerator for s in scales)), math.gcd(*(s.denominator for s in scales)))
    factors = [int(common / scale) for scale in scales]
    rows = [[x * factor for x, factor in zip(row, factors, strict=True)] for row in integers.rows]
    return IntegerRows(rows, integers.columns, integers.centre, [common] * len(scales), integers.signs)


def _nonempty_columns(rows: Csr) -> tuple[NDArray[Any], NDArray[Any]]:
    """The columns that are not empty, and the rows as a dense matrix of these columns."""
    columns, indices = np.unique(rows.indices, return_inverse=True)
    dense = np.zeros((rows.shape[0], len(columns)), dtype=rows.values.dtype)
    dense[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), indices] = rows.values
    return columns, dense


def _to_integers(column: NDArray[Any]) -> tuple[list[int], ExactNumber]:
    """A column as integers, and the factor it was multiplied by."""
    if column.dtype.kind in "iu":
        return column.tolist(), 1
    if column.dtype.kind == "O":
        fractions = [Fraction(to_exact(x)) for x in column.tolist()]
        multiple = flint.fmpz(1)
        for fraction in fractions:
            multiple = multiple.lcm(fraction.denominator)
        common = int(multiple)
        return [fraction.numerator * (common // fraction.denominator) for fraction in fractions], common
    # A float is an odd integer times a power of two; the least of these powers becomes the unit.
    mantissa, exponent = np.frexp(column.astype(np.float64))
    scaled_mantissa = np.ldexp(mantissa, 53).astype(np.int64)
    nonzero = scaled_mantissa != 0
    lowest_bit = scaled_mantissa & -scaled_mantissa
    power = exponent - 53 + np.where(nonzero, np.frexp(lowest_bit.astype(np.float64))[1] - 1, 0)
    least = int(power[nonzero].min())
    odd = np.where(nonzero, scaled_mantissa // np.where(nonzero, lowest_bit, 1), 0)
    shift = np.where(nonzero, power - least, 0)
    return [x << bits for x, bits in zip(odd.tolist(), shift.tolist(), strict=True)], Fraction(2) ** -least


# -- a common point as the only solution of a linear system ---------------------------------------------------------


def common_point_weights(integers: IntegerRows) -> dict[int, Fraction] | None:
    """Positive weights with sum weight * y * (x, 1) = 0, if the rows have exactly one such combination up to scale."""
    n_rows = len(integers.rows)
    rows = [[y * x for x in row] + [y] for row, y in zip(integers.rows, integers.signs, strict=True)]
    matrix = flint.fmpz_mat(rows)
    independent = _pivot_columns(matrix.transpose())
    if len(independent) != n_rows - 1:
        return None
    equations = _pivot_columns(matrix)
    last = next(k for k in range(n_rows) if k not in set(independent))
    system = flint.fmpz_mat([[rows[k][e] for k in independent] for e in equations])
    right_side = flint.fmpz_mat([[-rows[last][e]] for e in equations])
    solution = system.solve(right_side)
    weights = {k: solution[i, 0] for i, k in enumerate(independent)} | {last: flint.fmpq(1)}
    if any(weight < 0 for weight in weights.values()):
        return None
    return _normalised({k: weight for k, weight in weights.items() if weight > 0}, integers.signs)


def _pivot_columns(matrix: Any) -> list[int]:
    """The pivots of the row echelon form modulo a large prime, whose rank is never above the true one."""
    echelon, rank = flint.nmod_mat(matrix, _PRIME).rref()
    pivots, column = [], 0
    for row in echelon.tolist()[:rank]:
        while int(row[column]) == 0:
            column += 1
        pivots.append(column)
    return pivots


def _normalised(weights: dict[int, Any], signs: Sequence[int]) -> dict[int, Fraction]:
    """The weights scaled so that those of each class sum to 1."""
    total = sum((weight for k, weight in weights.items() if signs[k] > 0), flint.fmpq(0))
    shares = {k: weight / total for k, weight in weights.items()}
    return {k: Fraction(int(share.p), int(share.q)) for k, share in shares.items()}


# -- Wolfe's algorithm in fractions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExactNearestPoints:
    """The nearest points of two hulls: the weights of the rows in them, and the normal between them, in integers."""

    weights: dict[int, Fraction]
    normal: list[int]
    levels: tuple[int, int]  # the least y x.normal of each class

    @property
    def touching(self) -> bool:
        return not any(self.normal)


def nearest_points(
    integers: IntegerRows, start: Sequence[int], should_stop: ShouldStop = lambda: False
) -> ExactNearestPoints | None:
    """The nearest points of the two hulls, exactly, starting from a few rows; None if `should_stop` said so."""
    z = flint.fmpz_mat([[y * x for x in row] or [0] for row, y in zip(integers.rows, integers.signs, strict=True)])
    hulls = [0 if y > 0 else 1 for y in integers.signs]
    corral = _affinely_independent(z, hulls, start)
    weights = [flint.fmpq(1, sum(hulls[k] == hulls[i] for k in corral)) for i in corral]
    while not should_stop():
        corral, weights = _minor_cycles(z, hulls, corral, weights)
        point = _integer_point(z, corral, weights)
        products = (z * point.transpose()).tolist()
        levels = [next(int(products[k][0]) for k in corral if hulls[k] == h) for h in (0, 1)]
        shortfalls = [(int(products[i][0]) - levels[hulls[i]], i) for i in range(len(hulls))]
        worst, entering = min(shortfalls)
        if worst >= 0 or levels[0] + levels[1] == 0:
            fractions = {k: Fraction(int(w.p), int(w.q)) for k, w in zip(corral, weights, strict=True)}
            return ExactNearestPoints(fractions, [int(x) for x in point.tolist()[0]], (levels[0], levels[1]))
        corral, weights = [*corral, entering], [*weights, flint.fmpq(0)]
    return None


def _affinely_independent(z: Any, hulls: Sequence[int], start: Sequence[int]) -> list[int]:
    """Rows of `start` that are affinely independent within their hulls; at least one of each hull."""
    absent = [hulls.index(h) for h in (0, 1) if all(hulls[k] != h for k in start)]
    candidates = list(dict.fromkeys([*absent, *start]))
    entries = z.tolist()
    lifted = flint.fmpz_mat([[*entries[k], 1 - hulls[k], hulls[k]] for k in candidates])
    independent = [candidates[i] for i in _pivot_columns(lifted.transpose())]
    if {hulls[k] for k in independent} == {0, 1}:
        return independent
    return [next(k for k in candidates if hulls[k] == h) for h in (0, 1)]


def _minor_cycles(z: Any, hulls: Sequence[int], corral: list[int], weights: list[Any]) -> tuple[list[int], list[Any]]:
    """Wolfe's minor cycles: move to the affine minimizer of the corral, dropping rows whose weight reaches zero."""
    while True:
        minimizer = _affine_minimizer(z, hulls, corral)
        if all(v > 0 for v in minimizer):
            return corral, minimizer
        step = min(w / (w - v) for w, v in zip(weights, minimizer, strict=True) if v <= 0)
        moved = [w + step * (v - w) for w, v in zip(weights, minimizer, strict=True)]
        positive = [i for i, w in enumerate(moved) if w > 0]
        corral, weights = [corral[i] for i in positive], [moved[i] for i in positive]


def _affine_minimizer(z: Any, hulls: Sequence[int], corral: Sequence[int]) -> list[Any]:
    """The weights v of the nearest point of the affine hull of the corral: G v = E^T m, E v = (1, 1)."""
    entries = z.tolist()
    rows = flint.fmpz_mat([entries[k] for k in corral])
    gram = (rows * rows.transpose()).tolist()
    membership = [[int(hulls[k] == h) for k in corral] for h in (0, 1)]
    bordered: list[list[Any]] = [[*gram[i], membership[0][i], membership[1][i]] for i in range(len(corral))]
    bordered += [[*membership[h], 0, 0] for h in (0, 1)]
    right_side = flint.fmpz_mat([[0]] * len(corral) + [[1], [1]])
    solution = flint.fmpz_mat(bordered).solve(right_side)
    return [solution[i, 0] for i in range(len(corral))]


def _integer_point(z: Any, corral: Sequence[int], weights: Sequence[Any]) -> Any:
    """sum weight * z, multiplied by the common denominator of the weights so that it is integer."""
    common = flint.fmpz(1)
    for weight in weights:
        common = common.lcm(weight.q)
    entries = z.tolist()
    row: list[Any] = [weight.p * (common // weight.q) for weight in weights]
    return flint.fmpz_mat([row]) * flint.fmpz_mat([entries[k] for k in corral])


def hyperplane_between(
    integers: IntegerRows, nearest: ExactNearestPoints, n_features: int
) -> tuple[list[Fraction], Fraction]:
    """The normal, and the bias halfway between the hulls, in the units of the user."""
    w = [Fraction(0)] * n_features
    bias = Fraction(nearest.levels[1] - nearest.levels[0], 2)
    columns = zip(integers.columns, nearest.normal, integers.centre, integers.scale, strict=True)
    for j, x, centre, scale in columns:
        w[j] = Fraction(x) * Fraction(scale)
        bias -= w[j] * Fraction(centre)
    return w, bias
