"""The search in floats: the nearest points of the convex hulls of two classes.

Dual coordinate ascent visits all the rows a few times to find the hard ones. Wolfe's algorithm (1976) then works on a
pool of these, and adds other rows only when it has finished with the pool. Both are native. What they return is a
candidate; `verify` proves or refutes it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.certificates.points.points import Points
from rosenblatt.certificates.search.conditioning import Conditioned
from rosenblatt.certificates.verify import sum_by_index
from rosenblatt.records import Csr, Floats

Outcome: TypeAlias = Literal["nearest", "touching", "stalled", "time"]
_SMALL = 400  # up to this many rows, all are in the pool from the beginning
_STEPS = 200  # between two checks of the time limit
_BATCH = 300  # rows added to the pool at a time


@dataclass(frozen=True)
class SearchProgress:
    """The stage of a search, its steps, the rows in its pool, and an upper bound on every margin."""

    stage: str
    steps: int
    rows: int
    upper: float


ProgressCallback: TypeAlias = Callable[[SearchProgress], None]


@dataclass(frozen=True)
class SearchMonitor:
    """The deadline of a search and the callback that receives its progress."""

    deadline: float = float("inf")
    on_progress: ProgressCallback | None = None

    @classmethod
    def start(cls, time_limit: float | None, on_progress: ProgressCallback | None = None) -> "SearchMonitor":
        return cls(float("inf") if time_limit is None else time.monotonic() + time_limit, on_progress)

    @property
    def time_is_up(self) -> bool:
        return self.seconds_left <= 0

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def report(self, stage: str, steps: int, rows: int, upper: float = float("inf")) -> None:
        if self.on_progress is not None:
            self.on_progress(SearchProgress(stage, steps, rows, upper))


@dataclass(frozen=True)
class ConvexWeights:
    """Rows and their weights: one point in the hull of each class, because the weights of each class sum to 1."""

    rows: NDArray[np.uint32]
    weights: Floats


@dataclass(frozen=True)
class HullSearchResult:
    """Where the search ended: the rows with weight (Wolfe's corral), and the normal between the nearest points.

    `levels` are the least y x.normal of each class; `pool` are the rows that the search worked on.
    """

    outcome: Outcome
    rows: NDArray[np.intp]
    weights: Floats
    normal: Floats  # in the units of the conditioned rows
    constant: float  # its component along the 1 of (x, 1), in the augmented search
    levels: tuple[float, float]
    pool: NDArray[np.intp]

    @property
    def pool_weights(self) -> ConvexWeights:
        """The weights on the whole pool, zero outside the corral."""
        weights = np.zeros(len(self.pool))
        position = {int(row): k for k, row in enumerate(self.pool)}
        weights[[position[int(row)] for row in self.rows]] = self.weights
        return ConvexWeights(self.pool.astype(np.uint32), weights)


def random_scores(rows: native.Rows) -> Floats:
    """A random linear score of each row: identical rows have identical bits, so it serves as a hash."""
    weights, _ = native.random_uniform(1, rows.features)
    return native.scores(rows, None, weights.reshape(1, -1), np.zeros(1))[:, 0]


class HullSearch:
    """Searches for the nearest points of the two hulls, on conditioned floats."""

    def __init__(self, points: Points, floats: Conditioned) -> None:
        self.signs = points.signs
        self.floats = floats
        self.rows = native.rows_of(floats.values)
        values = floats.values
        if isinstance(values, Csr):
            row_of_entry = np.repeat(np.arange(points.n_rows), np.diff(values.indptr))
            self.squared_norms = sum_by_index(row_of_entry, values.values**2, points.n_rows)
        else:
            self.squared_norms = np.einsum("ij,ij->i", values, values).astype(np.float64)
        self.mean_squared_norm = float(self.squared_norms.mean()) or 1.0

    def starting_weights(self, monitor: SearchMonitor) -> ConvexWeights:
        """A pool to start from: all rows if they are few, else those that coordinate ascent finds hard."""
        if len(self.signs) <= _SMALL:
            weights = np.zeros(len(self.signs))
            weights[[int(np.argmax(self.signs)), int(np.argmin(self.signs))]] = 1.0
            return ConvexWeights(np.arange(len(self.signs), dtype=np.uint32), weights)
        return self._heaviest(self._coordinate_ascent(monitor))

    def _coordinate_ascent(self, monitor: SearchMonitor, epochs: int = 20) -> Floats:
        """The dual variables of the rows after a few epochs."""
        n_rows, n_features = len(self.signs), self.rows.features
        constant = self.mean_squared_norm**0.5
        alpha, w, b = np.zeros(n_rows), np.zeros((n_features + 7) // 8 * 8), np.zeros(1)
        squared_norms, state, clean_epochs = self.squared_norms + constant**2, 0, 0
        active = np.arange(n_rows, dtype=np.uint32)
        for epoch in range(epochs):
            order, state = native.random_order(state, len(active), False)
            order = active[order]
            mistakes, score = native.dual_ascent(
                self.rows, self.signs, constant, 1e300, alpha, squared_norms, w, b, order
            )
            clean_epochs = clean_epochs + 1 if mistakes == 0 else 0
            if epoch >= 2:  # rows far on their own side are not visited again
                active = order[(alpha[order] > 0) | (score < 2)]
            monitor.report("ascent", epoch + 1, len(active))
            if clean_epochs == 3 or monitor.time_is_up:
                break
        return alpha

    def _heaviest(self, alpha: Floats) -> ConvexWeights:
        """The rows with the largest dual variables, both classes among them."""
        pool_size = min(3000, max(500, 3 * self.rows.features))
        rows = np.argsort(-alpha, kind="stable")[:pool_size]
        for sign in (1, -1):
            if not (alpha[rows] * (self.signs[rows] == sign)).any():
                alpha[int(np.argmax(self.signs == sign))] = 1.0
                return self._heaviest(alpha)
        weights = alpha[rows]
        for sign in (1, -1):
            weights[self.signs[rows] == sign] /= weights[self.signs[rows] == sign].sum()
        return ConvexWeights(rows.astype(np.uint32), weights)

    def nearest_points(
        self, start: ConvexWeights, tolerance: float, monitor: SearchMonitor, augmented: float | None = None
    ) -> HullSearchResult:
        """The nearest points of the two hulls; in the space of (x, 1) if `augmented` gives that 1 in these units."""
        constant = 1.0 if augmented is None else augmented
        hulls = native.Hulls(self.rows, self.signs, augmented is not None, constant)
        mean = self.mean_squared_norm + (constant**2 if augmented is not None else 0.0)
        hulls.start(start.rows, start.weights, mean)
        outcome = hulls.run(_STEPS, tolerance, _BATCH)
        while outcome == "going" and not monitor.time_is_up:
            monitor.report("hulls", hulls.steps, hulls.pool_size, hulls.distance2**0.5)
            outcome = hulls.run(_STEPS, tolerance, _BATCH)
        return HullSearchResult(
            "time" if outcome == "going" else outcome,
            hulls.corral().astype(np.intp),
            hulls.weights(),
            hulls.point(),
            hulls.point_constant,
            hulls.levels,
            hulls.pool().astype(np.intp),
        )
