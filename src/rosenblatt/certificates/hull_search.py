"""The search in floats: the nearest points of the hulls of two classes, and the hyperplane halfway between them.

First dual coordinate ascent visits all the rows a few times and finds those that are hard; then Wolfe's algorithm works
on them, and looks at all the rows only when it is done with these. Both are native. What they find is a proposal.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.certificates.points import Conditioned, Points
from rosenblatt.certificates.verify import summed
from rosenblatt.records import Csr, Floats

Outcome: TypeAlias = Literal["nearest", "touching", "stalled", "time"]
_SMALL = 400  # rows that need no ascent
_STEPS = 200  # between two looks at the clock
_BATCH = 300  # rows that join when all have been looked at


@dataclass(frozen=True)
class Progress:
    """Where a search is: its stage, the steps done, the rows in hand, and no margin can be wider than `upper`."""

    stage: str
    steps: int
    rows: int
    upper: float


Report: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True)
class Clock:
    """When to stop, and whom to tell on the way."""

    deadline: float = float("inf")
    report: Report | None = None

    @classmethod
    def of(cls, time_limit: float | None, report: Report | None) -> "Clock":
        return cls(float("inf") if time_limit is None else time.monotonic() + time_limit, report)

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.deadline

    def tell(self, stage: str, steps: int, rows: int, upper: float = float("inf")) -> None:
        if self.report is not None:
            self.report(Progress(stage, steps, rows, upper))


@dataclass(frozen=True)
class Start:
    """Rows to begin with, and their weights; those of each class sum to 1."""

    rows: NDArray[np.uint32]
    weights: Floats


@dataclass(frozen=True)
class Found:
    """Where the search ended: the rows with weight, the vector between the nearest points, and the levels on it."""

    outcome: Outcome
    rows: NDArray[np.intp]
    weights: Floats
    normal: Floats  # in the units of the conditioned rows
    constant: float
    levels: tuple[float, float]
    pool: NDArray[np.intp]


class Scene:
    """Points as the native core reads them."""

    def __init__(self, points: Points, floats: Conditioned) -> None:
        self.signs = points.signs
        self.floats = floats
        self.rows = native.rows_of(floats.values)
        values = floats.values
        if isinstance(values, Csr):
            which = np.repeat(np.arange(points.count), np.diff(values.indptr))
            self.squares = summed(which, values.values**2, points.count)
        else:
            self.squares = np.einsum("ij,ij->i", values, values).astype(np.float64)
        self.mean_square = float(self.squares.mean()) or 1.0

    def start(self, clock: Clock) -> Start:
        """A few rows to begin with: of many, those that ascent finds hard."""
        if len(self.signs) <= _SMALL:
            weights = np.zeros(len(self.signs))
            weights[[int(np.argmax(self.signs)), int(np.argmin(self.signs))]] = 1.0
            return Start(np.arange(len(self.signs), dtype=np.uint32), weights)
        return self._ascended(clock)

    def _ascended(self, clock: Clock, epochs: int = 20) -> Start:
        count, features = len(self.signs), self.rows.features
        constant = self.mean_square**0.5
        a, w, b = np.zeros(count), np.zeros((features + 7) // 8 * 8), np.zeros(1)
        squares, state, clean = self.squares + constant**2, 0, 0
        visited = np.arange(count, dtype=np.uint32)
        for epoch in range(epochs):
            order, state = native.order(state, len(visited), False)
            order = visited[order]
            mistakes, score = native.ascend(self.rows, self.signs, constant, 1e300, a, squares, w, b, order)
            clean = clean + 1 if mistakes == 0 else 0
            if epoch >= 2:  # rows far on their own side are not visited again
                visited = order[(a[order] > 0) | (score < 2)]
            clock.tell("ascent", epoch + 1, len(visited))
            if clean == 3 or clock.is_over:
                break
        return self._hardest(a)

    def _hardest(self, a: Floats) -> Start:
        most = min(3000, max(500, 3 * self.rows.features))
        rows = np.argsort(-a, kind="stable")[:most]
        for sign in (1, -1):
            if not (a[rows] * (self.signs[rows] == sign)).any():
                a[int(np.argmax(self.signs == sign))] = 1.0
                return self._hardest(a)
        weights = a[rows]
        for sign in (1, -1):
            weights[self.signs[rows] == sign] /= weights[self.signs[rows] == sign].sum()
        return Start(rows.astype(np.uint32), weights)

    def nearest(self, start: Start, tolerance: float, clock: Clock, augmented: float | None = None) -> Found:
        """The nearest points of the hulls; `augmented` is what the 1 of (x, 1) is in these units."""
        constant = 1.0 if augmented is None else augmented
        hulls = native.Hulls(self.rows, self.signs, augmented is not None, constant)
        hulls.start(start.rows, start.weights, self.mean_square + (constant**2 if augmented is not None else 0.0))
        now = hulls.run(_STEPS, tolerance, _BATCH)
        while now == "going" and not clock.is_over:
            clock.tell("hulls", hulls.steps, hulls.pool_size, hulls.distance2**0.5)
            now = hulls.run(_STEPS, tolerance, _BATCH)
        return Found(
            "time" if now == "going" else now,
            hulls.corral().astype(np.intp),
            hulls.weights(),
            hulls.point(),
            hulls.point_constant,
            hulls.levels,
            hulls.pool().astype(np.intp),
        )
