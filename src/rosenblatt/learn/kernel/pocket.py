"""The pocket of a kernel run (Gallant 1990): the coefficients that erred least over the training rows."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.kernel.support import Support
from rosenblatt.records import Floats


@dataclass(frozen=True)
class Targets:
    """The targets of rows: their classes, y by class and unit, and the weight of each."""

    labels: NDArray[np.int32]
    signs: Floats
    weights: Floats | None


class Pocket:
    """For each unit, or for all units that decide jointly: the best coefficients seen, and Gallant's ratchet."""

    def __init__(self, units: int, *, joint: bool) -> None:
        keepers = 1 if joint else units
        self.joint, self.units = joint, units
        self.run = np.zeros(keepers, dtype=np.uint64)
        self.best_run = np.zeros(keepers, dtype=np.uint64)
        self.judged = np.zeros(keepers, dtype=np.uint8)
        self.held = np.zeros(keepers, dtype=np.uint8)
        self.fewest = np.full(keepers, np.inf)
        self.coefficient: dict[int, Floats] = {}

    @property
    def ratchet(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint8]]:
        return self.run, self.best_run, self.judged, self.held

    def judge(self, keeper: int, scores: Floats, targets: Targets, support: Support) -> None:
        """Weights that outlived the pocket's are counted over all the rows, and replace them if they err less."""
        errors = self._errors(keeper, scores, targets)
        if errors < self.fewest[keeper]:
            self._put(keeper, errors, support)

    def judge_clean(self, mistakes: NDArray[np.int64], scores: Floats, targets: Targets, support: Support) -> None:
        """Weights that came through a whole epoch win a tie: on separable data they are the separator."""
        for keeper in np.flatnonzero(mistakes == 0).tolist():
            errors = self._errors(keeper, scores, targets)
            if errors <= self.fewest[keeper]:
                self._put(keeper, errors, support)

    def _errors(self, keeper: int, scores: Floats, targets: Targets) -> float:
        if self.joint:
            wrong = scores.argmax(axis=0) != targets.labels
        else:
            y = targets.signs[targets.labels, keeper]
            wrong = (y != 0) & ((scores[keeper] > 0) != (y > 0))
        return float(wrong.sum() if targets.weights is None else targets.weights[wrong].sum())

    def _put(self, keeper: int, errors: float, support: Support) -> None:
        self.fewest[keeper] = errors
        self.judged[keeper] = self.held[keeper] = 1
        self.best_run[keeper] = max(self.run[keeper], self.best_run[keeper])
        for unit in range(self.units) if self.joint else [keeper]:
            self.coefficient[unit] = support.coefficient[:, unit].copy()

    def answer(self, last: Floats) -> Floats:
        """The coefficients in the pocket; for a unit whose pocket is empty, the last ones."""
        coefficients = last.copy()
        for unit, coefficient in self.coefficient.items():
            coefficients[:, unit] = 0.0
            coefficients[: len(coefficient), unit] = coefficient
        return coefficients
