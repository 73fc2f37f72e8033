"""The arithmetic of the oracle: doubles added in a fixed order, so that native code can be compared to the last bit."""

import math
from collections.abc import Sequence

Vector = list[float]
WORD = 2**64


def dot(w: Vector, x: Vector) -> float:
    """w·x in eight lanes keyed by feature index: a feature that is zero changes no bit, stored or not."""
    lane = [0.0] * 8
    for j, (wj, xj) in enumerate(zip(w, x, strict=True)):
        lane[j % 8] += wj * xj
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))


def score(w: Vector, x: Vector) -> float:
    """The constant feature comes last, outside the lanes."""
    return dot(w[:-1], x[:-1]) + w[-1] * x[-1]


def exp(x: float) -> float:
    """e^x = 2^n·e^r with |r| <= ln(2)/2, ln(2) in two parts, e^r by its Taylor polynomial."""
    x = min(max(x, -708.0), 708.0)
    n = math.floor(x * 1.4426950408889634 + 0.5)
    r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10
    p = 0.0
    for k in range(13, -1, -1):
        p = p * r + 1.0 / math.factorial(k)
    return math.ldexp(p, n)


def plus(u: Vector, v: Vector) -> Vector:
    return [uj + vj for uj, vj in zip(u, v, strict=True)]


def times(a: float, x: Vector) -> Vector:
    return [a * xj for xj in x]


def each(u: Vector, v: Vector) -> Vector:
    return [uj * vj for uj, vj in zip(u, v, strict=True)]


def argmax(values: Sequence[float]) -> int:
    """The lowest index on ties."""
    return max(range(len(values)), key=values.__getitem__)


class SplitMix64:
    """Steele, Lea and Flood (2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed % WORD

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % WORD
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
        return z ^ z >> 31

    def below(self, n: int) -> int:
        """Without bias, by multiplication: Lemire (2019)."""
        m = self.next() * n
        while m % WORD < (WORD - n) % n:
            m = self.next() * n
        return m >> 64

    def shuffled(self, n: int) -> list[int]:
        """Fisher and Yates, from the top."""
        rows = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            rows[i], rows[j] = rows[j], rows[i]
        return rows

    def small(self) -> float:
        """A weight to start from, uniform in (-0.01, 0.01)."""
        return (2 * ((self.next() >> 11) * 2.0**-53) - 1) * 0.01
