"""Slow twins of `evaluate`: each score by its definition, pair by pair and example by example."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np


def area(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """The fraction of (positive, negative) pairs in the right order; ties count half."""
    above = [s for s, p in zip(scores, positive, strict=True) if p]
    below = [s for s, p in zip(scores, positive, strict=True) if not p]
    return float(np.mean([(a > b) + 0.5 * (a == b) for a in above for b in below]))


def delong_variance(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """The variance of the area by DeLong, DeLong and Clarke-Pearson (1988), from their two kinds of components."""
    above = [s for s, p in zip(scores, positive, strict=True) if p]
    below = [s for s, p in zip(scores, positive, strict=True) if not p]
    of_positive = [np.mean([(a > b) + 0.5 * (a == b) for b in below]) for a in above]
    of_negative = [np.mean([(a > b) + 0.5 * (a == b) for a in above]) for b in below]
    return float(np.var(of_positive, ddof=1) / len(above) + np.var(of_negative, ddof=1) / len(below))


def macro_variance(table: np.ndarray, measure: int, step: float = 1e-7) -> float:
    """The delta method by difference quotients: measure 0 is precision, 1 recall, 2 F1, the mean over classes."""

    def mean_of(share: np.ndarray) -> float:
        hits, real, decided = np.diagonal(share), share.sum(axis=1), share.sum(axis=0)
        return float(np.mean([hits / decided, hits / real, 2 * hits / (real + decided)][measure]))

    n, share = table.sum(), table / table.sum()
    slopes = np.zeros_like(share)
    for cell in np.ndindex(share.shape):
        moved = share.copy()
        moved[cell] += step
        slopes[cell] = (mean_of(moved) - mean_of(share)) / step
    return float(((share * slopes**2).sum() - (share * slopes).sum() ** 2) / n)


def wrong_guesses(column: Sequence[float], labels: Sequence[int]) -> int:
    """Guesses of the class of each row by one column: the commonest class of its value, else that of its neighbour."""
    order = sorted(range(len(column)), key=lambda row: column[row])
    wrong = 0
    for value in set(column):
        of_value = [labels[row] for row in order if column[row] == value]
        if len(of_value) > 1:
            wrong += len(of_value) - max(of_value.count(label) for label in set(of_value))
    for before, row in pairwise(order):
        wrong += list(column).count(column[row]) == 1 and labels[row] != labels[before]
    return wrong


def number_scores(
    truth: Sequence[float], predicted: Sequence[float], weights: Sequence[float], levels: Sequence[float] = ()
) -> list[float]:
    """RMSE, MAE, mean error, R² and the pinball loss of the prediction at each level, in fractions to the end."""
    rows = [tuple(map(Fraction, row)) for row in zip(truth, predicted, weights, strict=True)]
    weight = sum(w for _, _, w in rows)
    mean = sum(w * y for y, _, w in rows) / weight
    squares = sum(w * (p - y) ** 2 for y, p, w in rows)
    pinballs = [
        sum(w * (Fraction(level) * (y - p) if p < y else (1 - Fraction(level)) * (p - y)) for y, p, w in rows) / weight
        for level in levels
    ]
    return [
        math.sqrt(squares / weight),
        float(sum(w * abs(p - y) for y, p, w in rows) / weight),
        float(sum(w * (p - y) for y, p, w in rows) / weight),
        float(1 - squares / sum(w * (y - mean) ** 2 for y, _, w in rows)),
        *map(float, pinballs),
    ]


def conformal_rank(distances: Sequence[float], confidence: Fraction) -> float:
    """The least distance that at least confidence * (n + 1) of the n distances do not exceed; infinite if none."""
    enough = [d for d in distances if sum(other <= d for other in distances) >= confidence * (len(distances) + 1)]
    return min(enough, default=math.inf)
