"""The oracle of certify: linear separability by the textbook simplex method, in fractions, with Bland's rule.

The classes cannot be separated exactly if some lambda >= 0 with sum lambda = 1 has sum lambda_i y_i (x_i, 1) = 0. The
first phase of the simplex method decides it: from artificial variables, drive their sum down, see if it reaches 0.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any


def is_separable(X: Sequence[Sequence[Any]], signs: Sequence[int]) -> bool:
    """Whether some hyperplane has y (w.x + b) > 0 on every row."""
    columns = [
        [sign * Fraction(x) for x in row] + [Fraction(sign), Fraction(1)] for row, sign in zip(X, signs, strict=True)
    ]
    height = len(columns[0])
    table = [[column[i] for column in columns] for i in range(height)]
    side = [Fraction(0)] * (height - 1) + [Fraction(1)]
    for i in range(height):
        table[i] += [Fraction(int(i == k)) for k in range(height)]
    return first_phase(table, side, len(columns)) > 0


def first_phase(table: list[list[Fraction]], side: list[Fraction], real: int) -> Fraction:
    """The least sum of the artificial variables: the columns from `real` on, which are the initial basis."""
    basis = list(range(real, real + len(table)))
    while True:
        price = [
            sum((row[j] for row, b in zip(table, basis, strict=True) if b >= real), Fraction(0)) for j in range(real)
        ]
        entering = next((j for j in range(real) if price[j] > 0 and j not in basis), None)
        if entering is None:
            return sum((s for s, b in zip(side, basis, strict=True) if b >= real), Fraction(0))
        steps = [(side[i] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        _, _, leaving = min(steps)
        basis[leaving] = entering
        pivot = table[leaving][entering]
        table[leaving] = [x / pivot for x in table[leaving]]
        side[leaving] /= pivot
        for i in range(len(table)):
            factor = table[i][entering]
            if i != leaving and factor:
                table[i] = [x - factor * p for x, p in zip(table[i], table[leaving], strict=True)]
                side[i] -= factor * side[leaving]


def fewest_errors(X: Sequence[Sequence[Any]], signs: Sequence[int]) -> int:
    """The fewest rows to leave out so that the rest is separable (one class alone always is), by trying all subsets."""
    best = min(sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs))
    for mask in product((True, False), repeat=len(signs)):
        errors = len(signs) - sum(mask)
        if errors >= best:
            continue
        rows = [row for row, keep in zip(X, mask, strict=True) if keep]
        ys = [sign for sign, keep in zip(signs, mask, strict=True) if keep]
        if len(set(ys)) < 2 or is_separable(rows, ys):
            best = errors
    return best


def separates(w: Sequence[Any], b: Any, X: Sequence[Sequence[Any]], signs: Sequence[int]) -> bool:
    """y (w.x + b) > 0 on every row, in fractions."""
    exact = [Fraction(x) for x in w]
    return all(
        sign * (sum((p * Fraction(x) for p, x in zip(exact, row, strict=True)), Fraction(b))) > 0
        for row, sign in zip(X, signs, strict=True)
    )


def meets(rows: Sequence[int], weights: Sequence[Fraction], X: Sequence[Sequence[Any]], signs: Sequence[int]) -> bool:
    """Positive weights, and sum weight y (x, 1) = 0, in fractions."""
    width = len(X[0])
    total = [
        sum(weight * signs[i] * Fraction(X[i][j]) for i, weight in zip(rows, weights, strict=True))
        for j in range(width)
    ]
    balance = sum(weight * signs[i] for i, weight in zip(rows, weights, strict=True))
    return all(weight > 0 for weight in weights) and balance == 0 and not any(total)


def fits_exactly(X: Sequence[Sequence[Any]], y: Sequence[Any]) -> tuple[bool, int]:
    """Whether some linear function meets every target, and the rank of the rows (x, 1): Gauss's elimination."""
    rows = [[*map(Fraction, row), Fraction(1), Fraction(target)] for row, target in zip(X, y, strict=True)]
    rank = 0
    for column in range(len(rows[0]) - 1):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][column] / rows[rank][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return not any(row[-1] for row in rows[rank:]), rank
