"""A number measured on a sample, and the 95% confidence interval it came with."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rosenblatt.lazy import np
from rosenblatt.model.probabilities.normal_quantile import Z
from rosenblatt.records import Floats


@dataclass(frozen=True)
class Estimate:
    """A measured value and the bounds of its 95% confidence interval.

    >>> f"{Estimate(0.977, 0.968, 0.983):.1%}"
    '97.7% [96.8%, 98.3%]'
    """

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


def wilson(share: float, count: float) -> Estimate:
    """A share of `count` independent trials with Wilson's score interval (Wilson 1927), which never leaves [0, 1].

    >>> f"{wilson(0.5, 100):.3f}"
    '0.500 [0.404, 0.596]'
    >>> wilson(1.0, 10).high
    1.0
    """
    if count <= 0:
        return Estimate(share, 0.0, 1.0)
    squeeze = 1 + Z * Z / count
    centre = (share + Z * Z / (2 * count)) / squeeze
    half = Z / squeeze * math.sqrt(max(share * (1 - share), 0.0) / count + Z * Z / (4 * count * count))
    return Estimate(share, min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)))


def clopper_pearson(share: float, count: float) -> Estimate:
    """A share of `count` independent trials with the exact interval (Clopper and Pearson 1934).

    Its ends are the true shares that give so many hits, or more, and so many, or fewer, in 2.5% of all samples. So it
    contains the true share at least 95% of the time, whatever that is.

    >>> f"{clopper_pearson(0.9, 50):.3f}"
    '0.900 [0.782, 0.967]'
    """
    if count <= 0:
        return Estimate(share, 0.0, 1.0)
    hits = min(max(share, 0.0), 1.0) * count
    low = _beta_quantile(0.025, hits, count - hits + 1) if share > 0 else 0.0
    high = _beta_quantile(0.975, hits + 1, count - hits) if share < 1 else 1.0
    return Estimate(share, min(low, share), max(high, share))


def _beta_quantile(share: float, a: float, b: float) -> float:
    """Where the distribution function of Beta(a, b) reaches a share, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _beta_below(middle, a, b) < share else (low, middle)
    return (low + high) / 2


def _beta_below(x: float, a: float, b: float) -> float:
    """The distribution function of Beta(a, b), by its continued fraction (DLMF 8.17.22, by Lentz's method)."""
    if x <= 0:
        return 0.0
    if x > (a + 1) / (a + b + 2):  # where the other tail's fraction converges quickly
        return 1 - _beta_below(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    fraction, c, d, m = 1.0, 1.0, 0.0, 0
    while True:
        for term in (
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
            (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2)),
        ):
            c, d = 1 + term / c, 1 / (1 + term * d)
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            return math.exp(log_front) / (a * fraction)
        m += 1


def normal(value: float, deviation: float, low: float = 0.0, high: float = 1.0) -> Estimate:
    """A value that is normal for a large sample; its interval is clipped to the range of the value."""
    return Estimate(value, max(low, value - Z * deviation), min(high, value + Z * deviation))


def logit_normal(value: float, deviation: float, count: float) -> Estimate:
    """A share whose log odds are normal for a large sample; at 0 and 1, which have no log odds, Wilson's."""
    if not 0 < value < 1 or deviation == 0:
        return wilson(value, count)
    odds, spread = math.log(value / (1 - value)), Z * deviation / (value * (1 - value))
    return Estimate(value, 1 / (1 + math.exp(-(odds - spread))), 1 / (1 + math.exp(-(odds + spread))))


def effective(weights: Floats) -> float:
    """The effective sample size of weighted examples (Kish 1965): (sum of w) squared over the sum of w squared."""
    squares = float(np.square(weights).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0
