"""A run that can be played back: at every moment its scores are coefficients times a basis.

    LinearRun   the weights, times [1, x] or [1, the products of x]
    KernelRun   the coefficients of the mistakes so far, times k(x_i, x) + 1

So errors, losses and boundaries are computed in the same way for both. A *moment* is a dict that the page reads.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.multiclass_schemes import class_pairs, scheme_of, unit_targets
from rosenblatt.records import Floats, RunSummary
from rosenblatt.studio.request import Points

MAX_MOMENTS = 600  # of a longer mistake log, evenly spaced updates are shown

Moment = dict[str, Any]


class PlayedRun(ABC):
    """What the page can ask of the run of any learner. A time t is a number of visits: 0 is before the first."""

    learner: str
    chosen: dict[str, Any]
    points: Points
    keep: str
    multi_class: str
    summary: RunSummary
    curved: bool
    # One entry per update of the mistake log: the visit (from 0), the row, the unit.
    update_visits: NDArray[np.int64]
    update_rows: NDArray[np.int64]
    update_units: NDArray[np.int64]

    @cached_property
    def scheme(self) -> str:
        return scheme_of(self.multi_class, len(self.points.present))

    @cached_property
    def unit_names(self) -> list[list[str]]:
        """What the targets -1 and +1 of each unit stand for."""
        classes = [str(self.points.classes[k]) for k in self.points.present]
        if self.scheme in ("ovr", "joint"):
            return [["the rest", name] for name in classes]
        return [[classes[i], classes[j]] for i, j in class_pairs(len(classes))]

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """The class of each point, among those that are present."""
        return np.searchsorted(self.points.present, self.points.index)

    @cached_property
    def targets(self) -> NDArray[np.int8]:
        """The target of each point (row) for each unit (column): +1, -1, or 0 where a pair of classes leaves it out."""
        targets: NDArray[np.int8] = unit_targets(self.scheme, len(self.points.present))[self.labels]
        return targets

    @property
    def nbytes(self) -> int:
        """The memory that the run takes, approximately: that of its mistake log."""
        return 64 * len(self.update_visits)

    def n_updates(self, t: int) -> int:
        """Updates made in the first t visits."""
        return int(np.searchsorted(self.update_visits, t))

    @cached_property
    def moving_visits(self) -> NDArray[np.int64]:
        """The visits that made an update, each once."""
        return np.unique(self.update_visits)

    def sampled_visits(self) -> NDArray[np.int64]:
        """At most `MAX_MOMENTS` of the visits that made an update, evenly spaced, the first and the last included."""
        n_visits = len(self.moving_visits)
        picked = np.linspace(0, n_visits - 1, min(MAX_MOMENTS, n_visits)).round().astype(np.intp)
        return self.moving_visits[np.unique(picked)]

    def next_updates(self, since: int, count: int) -> list[Moment]:
        """The next updates from visit `since` on, without gaps."""
        first = int(np.searchsorted(self.moving_visits, since))
        return self.updates(self.moving_visits[first : first + count])

    def scores(self, times: Sequence[int]) -> Iterator[Floats]:
        """Scores of the points at these times, in rising order: one row per unit."""
        basis = self.basis(self.points.X)
        for weights in self.coefficients(times):
            yield weights @ basis

    def weights_for_page(self, weights: Floats) -> list[list[float]] | None:
        """The weights [b, w1, ...] of each unit, if they are few enough to be read."""
        return None

    @property
    @abstractmethod
    def model(self) -> Any:
        """The fitted estimator of this run."""

    @abstractmethod
    def errors(self) -> int:
        """Training errors of the weights that `keep` chose."""

    @abstractmethod
    def basis(self, X: Floats) -> Floats:
        """The functions that the coefficients multiply, at each row of X: one row per function."""

    @abstractmethod
    def coefficients(self, times: Sequence[int]) -> Floats:
        """The coefficients, indexed by time, unit and function of the basis; times in rising order."""

    @abstractmethod
    def moments(self) -> list[Moment]:
        """The moments of the slider: where the weights changed, or samples of a long run."""

    @abstractmethod
    def updates(self, visits: NDArray[np.int64]) -> list[Moment]:
        """The moments of these visits, each of which made an update."""

    @abstractmethod
    def visits(self, since: int, count: int) -> list[Moment]:
        """Every visit from number `since` on, up to `count` of them."""
