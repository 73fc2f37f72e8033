"""Confidence intervals by the bootstrap, for statistics of sums over examples, whatever the number of examples.

Examples are dealt in turn to a fixed number of groups, of which only the sums are kept. Up to that many examples each
is a group of its own, and this is the textbook bootstrap: as many examples are drawn, with replacement, again and
again. With more examples, groups are drawn instead. If examples are independent, so are the sums of groups, so the
spread is the same, and neither memory nor time grows with the examples.

The interval is the bias-corrected and accelerated one (BCa, Efron 1987): the same for a statistic and for its square.
Few groups make it too narrow; Student's t in place of the normal quantile makes up for that (Hesterberg 2015).
"""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from rosenblatt.evaluate.confidence_intervals import Estimate
from rosenblatt.model.probabilities.normal_quantile import Z
from rosenblatt.records import Floats

GROUPS = 1021  # a prime, so that it shares no period with the rows, such as hours or weekdays
DRAWS = 1000
_AT_ONCE = 100  # draws held in memory
_NORMAL = NormalDist()


def bootstrap(sums: Floats, statistics: Callable[[Floats], Floats]) -> list[Estimate]:
    """The statistics of all examples, each with its interval; `sums` has a row for each group that has examples.

    `statistics` maps sums, along the last axis, to statistics, along the last axis. One that is not finite, in a draw
    that leaves too little to compute it from, is left out. One group says nothing about the spread.
    """
    total = sums.sum(axis=0)
    with np.errstate(all="ignore"):
        values, others, drawn = statistics(total), statistics(total - sums), statistics(_draw(sums))
    if len(sums) < 2:
        return [Estimate(value, -np.inf, np.inf) for value in values.tolist()]
    return [_interval(value, others[:, k], drawn[:, k]) for k, value in enumerate(values.tolist())]


def _draw(sums: Floats) -> Floats:
    """The sums over DRAWS bootstrap samples, each of as many groups as there are; the seed is fixed."""
    random, n = np.random.default_rng(0), len(sums)
    drawn = np.empty((DRAWS, sums.shape[1]))
    for start in range(0, DRAWS, _AT_ONCE):
        groups = random.integers(0, n, (min(_AT_ONCE, DRAWS - start), n), dtype=np.int32)
        for k, column in enumerate(np.ascontiguousarray(sums.T)):
            drawn[start : start + _AT_ONCE, k] = column[groups].sum(axis=1)
    return drawn


def _interval(value: float, others: Floats, drawn: Floats) -> Estimate:
    """BCa from the statistic without each group in turn, and from those of the draws."""
    drawn, others = drawn[np.isfinite(drawn)], others[np.isfinite(others)]
    if not len(drawn) or not len(others) or not np.isfinite(value):
        return Estimate(value, -np.inf, np.inf)
    below = (np.count_nonzero(drawn < value) + 0.5 * np.count_nonzero(drawn == value)) / len(drawn)
    bias = _NORMAL.inv_cdf(min(max(below, 0.5 / len(drawn)), 1 - 0.5 / len(drawn)))
    away = others.mean() - others
    largest = float(np.abs(away).max())
    away = away / largest if largest > 0 else away  # so that no cube underflows
    squares = float(away @ away)
    skew = float((away**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    z = _student(len(others) - 1) * math.sqrt(len(others) / max(len(others) - 1, 1))
    low, high = _level(bias, skew, -z), _level(bias, skew, z)
    lowest, highest = (float(bound) for bound in np.quantile(drawn, [low, high]))
    return Estimate(value, min(lowest, value), max(highest, value))


def _student(freedom: int) -> float:
    """The 97.5% quantile of Student's t, by the first terms of Fisher's expansion."""
    v = max(freedom, 1)
    return Z + (Z**3 + Z) / (4 * v) + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * v * v)


def _level(bias: float, skew: float, z: float) -> float:
    """The share of the draws that lies below a bound of the interval."""
    stretch = 1 - skew * (bias + z)
    if stretch <= 0:  # so skewed that the bound lies beyond every draw
        return 0.0 if z < 0 else 1.0
    return _NORMAL.cdf(bias + (bias + z) / stretch)
