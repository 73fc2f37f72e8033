"""A linear unit on a few points the slow way: fractions, one row at a time, as in the lecture."""

from collections.abc import Iterable
from fractions import Fraction

Point = tuple[Fraction, Fraction]
Line = tuple[Fraction, Fraction]


def squared_error(line: Line, points: Iterable[Point]) -> Fraction:
    """Half the area of the squares between the line and the points."""
    bias, weight = line
    total = Fraction(0)
    for x, y in points:
        total += (y - (bias + weight * x)) ** 2
    return total / 2


def after_step(line: Line, rate: Fraction, points: Iterable[Point]) -> Line:
    """The delta rule: every input times what is missing to its target, added up over the points."""
    bias, weight = line
    more_bias = more_weight = Fraction(0)
    for x, y in points:
        missing = y - (bias + weight * x)
        more_bias += missing
        more_weight += missing * x
    return bias + rate * more_bias, weight + rate * more_weight


def best_line(points: list[Point]) -> Line:
    """By the normal equations, n·b + Σx·w = Σy and Σx·b + Σx²·w = Σxy, and Cramer's rule."""
    n, sum_x, sum_y = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    sum_xx, sum_xy = sum(x * x for x, _ in points), sum(x * y for x, y in points)
    determinant = n * sum_xx - sum_x * sum_x
    return (sum_y * sum_xx - sum_x * sum_xy) / determinant, (n * sum_xy - sum_x * sum_y) / determinant
