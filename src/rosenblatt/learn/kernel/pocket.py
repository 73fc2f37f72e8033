"""The pocket of a kernel run (Gallant 1990): the coefficients with the fewest errors on the training rows."""

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
    """The best coefficients seen, and the state of Gallant's ratchet, for each decider.

    A decider is a unit, or all units together if they decide jointly.
    """

    def __init__(self, units: int, *, joint: bool) -> None:
        deciders = 1 if joint else units
        self.joint, self.units = joint, units
        # Model files contain these five arrays under these names.
        self.run = np.zeros(deciders, dtype=np.uint64)  # how many rows in a row were right
        self.best_run = np.zeros(deciders, dtype=np.uint64)  # the longest run of the weights in the pocket
        self.judged = np.zeros(deciders, dtype=np.uint8)  # whether the errors of the present weights were counted
        self.held = np.zeros(deciders, dtype=np.uint8)  # whether the present weights are those in the pocket
        self.fewest = np.full(deciders, np.inf)  # errors of the weights in the pocket
        self.coefficient: dict[int, Floats] = {}

    @property
    def ratchet(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint8]]:
        return self.run, self.best_run, self.judged, self.held

    def judge(self, decider: int, scores: Floats, targets: Targets, support: Support) -> None:
        """Count the errors of weights that outlived those in the pocket; they replace them if they make fewer."""
        errors = self._errors(decider, scores, targets)
        if errors < self.fewest[decider]:
            self._put(decider, errors, support)

    def judge_clean(self, mistakes: NDArray[np.int64], scores: Floats, targets: Targets, support: Support) -> None:
        """Weights that made no mistake in a whole epoch win a tie: on separable data they are the separator."""
        for decider in np.flatnonzero(mistakes == 0).tolist():
            errors = self._errors(decider, scores, targets)
            if errors <= self.fewest[decider]:
                self._put(decider, errors, support)

    def _errors(self, decider: int, scores: Floats, targets: Targets) -> float:
        if self.joint:
            wrong = scores.argmax(axis=0) != targets.labels
        else:
            y = targets.signs[targets.labels, decider]
            wrong = (y != 0) & ((scores[decider] > 0) != (y > 0))
        return float(wrong.sum() if targets.weights is None else targets.weights[wrong].sum())

    def _put(self, decider: int, errors: float, support: Support) -> None:
        self.fewest[decider] = errors
        self.judged[decider] = self.held[decider] = 1
        self.best_run[decider] = max(self.run[decider], self.best_run[decider])
        for unit in range(self.units) if self.joint else [decider]:
            self.coefficient[unit] = support.coefficient[:, unit].copy()

    def answer(self, last: Floats) -> Floats:
        """The coefficients in the pocket; for a unit whose pocket is empty, the last ones."""
        coefficients = last.copy()
        for unit, coefficient in self.coefficient.items():
            coefficients[:, unit] = 0.0
            coefficients[: len(coefficient), unit] = coefficient
        return coefficients
