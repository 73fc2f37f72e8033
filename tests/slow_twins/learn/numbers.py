"""Units that predict numbers, as the oracle learns them: of reference.py, with targets in place of classes."""

import math
from dataclasses import dataclass
from typing import Any, Self

from tests.reference import Reference, Rows, Unit
from tests.slow_twins.learn.arithmetic import Vector, each, exp, score, times


def loss_and_pull(loss: str, missing: float, level: float, width: float) -> tuple[float, float]:
    """Of a score that lacks so much of the target: what it costs, and minus the slope of that."""
    sign, size = math.copysign(1.0, missing) if missing else 0.0, abs(missing)
    if loss == "absolute":
        return size, sign
    if loss == "quantile":
        pull = {1.0: level, -1.0: level - 1.0, 0.0: 0.0}[sign]
        return pull * missing, pull
    if loss == "huber":
        bent = min(size, width)
        return bent * (size - 0.5 * bent), sign * bent
    return 0.5 * (missing * missing), missing


def approach(z: float) -> float:
    """1 - e^-z."""
    if z >= 0.03125:
        return 1.0 - exp(-z)
    total = 1.0
    for k in range(8, 1, -1):
        total = 1.0 - total * (z / k)
    return z * total


def invariant_factor(loss: str, missing: float, pull: float, norm: float, time: float, width: float) -> float:
    """Karampatziakis and Langford (2011): the factor of x after infinitely many small steps of `time` in all."""
    size = abs(missing)
    if not norm:
        return 0.0
    if loss in ("absolute", "quantile"):
        return math.copysign(min(abs(pull) * time, size / norm), missing)
    if loss == "squared" or size <= width:
        return missing * (approach(time * norm) / norm)
    straight = (size - width) / (width * norm)
    if time <= straight:
        return math.copysign(width * time, missing)
    return math.copysign((size - width + width * approach((time - straight) * norm)) / norm, missing)


@dataclass
class NumberReference(Reference):
    """`loss` is squared, absolute, quantile or huber; a unit for each level of a quantile."""

    loss: str = "squared"
    levels: tuple[float, ...] = (0.5,)
    width: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.losses = [0.0] * len(self.levels)  # summed, of each unit
        self.squared_error = self.absolute_error = self.pinball_error = self.weighed = 0.0

    def begin(self, classes: list[Any], d: int) -> None:
        if not self.units:
            self.joint = False
            self.units = [Unit(self.first_weights(k, d)) for k in range(len(self.levels))]
            self.keepers = []

    def fit(self, X: Rows, y: list[Any], sample_weight: Vector | None = None, epochs: int = 1) -> Self:
        self.begin([], len(X[0]))
        self.rows = self.examples(X, y, sample_weight)
        for _ in range(epochs):
            self.epoch(self.visiting_order(len(X)))
        self.status = "budget"
        return self

    def examples(self, X: Rows, y: list[Any], sample_weight: Vector | None) -> list[Any]:
        weights = sample_weight or [1.0] * len(X)
        constant = float(self.fit_intercept)
        return [([*x, constant], target, c) for x, target, c in zip(X, y, weights, strict=True)]

    def visit(self, row: int, x: Vector, target: Any, c: float) -> None:
        if c == 0:
            return
        scores = self.scores(x)
        self.count_error(x, scores, target, c)
        for k, (level, s) in enumerate(zip(self.levels, scores, strict=True)):
            missing = target - s
            cost, pull = loss_and_pull(self.loss, missing, level, self.width)
            self.losses[k] += c * cost
            if pull:
                self.move(row, x, k, c, missing, pull)
        self.t += 1
        self.waiting += 1
        if self.waiting == self.batch:
            self.end_batch()
        if self.batch == 1 and self.t % 64 == 0:
            self.shrink(64)
        if self.forget:
            self.recent = self.decay * self.recent + 1.0
            for unit in self.units:
                unit.fade(self.decay, weights=self.learning_rate not in ("adagrad", "arow"))

    def move(self, row: int, x: Vector, k: int, c: float, missing: float, pull: float) -> None:
        unit = self.units[k]
        if self.learning_rate == "arow":
            beta = 1 / (score(each(unit.variances(), x), x) + self.r / c)
            self.change(row, k, missing * beta, unit.arow(missing * beta, beta, x))
        elif self.learning_rate == "invariant":
            a = invariant_factor(self.loss, missing, pull, score(x, x), self.eta0 * c, self.width)
            self.change(row, k, a, times(a / unit.unit, x))
        else:
            self.descend(row, x, k, c * pull)

    def change(self, row: int, k: int, coefficient: float, d: Vector) -> None:
        self.log.append((self.t, row, k, coefficient))
        self.units[k].change(d, self.t)

    def count_error(self, x: Vector, scores: Vector, target: float, c: float) -> None:
        """The progressive error of the answers; of the average weights where these are kept."""
        answers = scores
        if self.keep == "average" and self.t > 0:
            answers = [
                s - (score(unit.late, x) * unit.unit) / self.t for s, unit in zip(scores, self.units, strict=True)
            ]
        median = min(range(len(answers)), key=lambda k: abs(self.levels[k] - 0.5))
        missing = target - answers[median]
        pinball = 0.0
        for level, answer in zip(self.levels, answers, strict=True):
            off = target - answer
            pinball += level * off if off > 0 else (level - 1.0) * off
        self.weighed += c
        self.squared_error += c * (missing * missing)
        self.absolute_error += c * abs(missing)
        self.pinball_error += c * (pinball / len(self.levels))

    def epoch(self, order: list[int]) -> None:
        for i in order:
            self.visit(i, *self.rows[i])
        self.end_batch()
        self.mistakes.append(0)

    def rate(self) -> float:
        return self.eta0 if self.learning_rate == "invariant" else super().rate()
