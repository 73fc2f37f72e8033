"""Slow twin of ridge regression at its minimum: the equations solved in fractions, without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def squared_minimum(
    X: Sequence[Sequence[float]], y: Sequence[float], weights: Sequence[float], alpha: float
) -> list[float]:
    """The weights and the bias of the least sum of v (w.x + b - y)^2 / (2 sum of v) + alpha / 2 |w|^2."""
    rows = [[*map(Fraction, row), Fraction(1)] for row in X]
    v = [Fraction(weight) for weight in weights]
    n, total = len(rows[0]), sum(v)
    matrix = [
        [sum(w * row[i] * row[j] for w, row in zip(v, rows, strict=True)) / total for j in range(n)] for i in range(n)
    ]
    for j in range(n - 1):
        matrix[j][j] += Fraction(alpha)
    right = [
        sum(w * row[i] * Fraction(target) for w, row, target in zip(v, rows, y, strict=True)) / total for i in range(n)
    ]
    return [float(part) for part in _solved(matrix, right)]


def _solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan."""
    n = len(right)
    rows = [[*row, last] for row, last in zip(matrix, right, strict=True)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [part / rows[k][k] for part in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [part - factor * other for part, other in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]
