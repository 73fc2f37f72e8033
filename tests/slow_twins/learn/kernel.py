"""The dual perceptron and the Forgetron in plain Python: every score is a new sum over the mistake log."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.slow_twins.learn.arithmetic import SplitMix64, Vector, argmax

Kernel = Callable[[Vector, Vector], float]
Entry = tuple[int, int, int, float]  # examples visited before, row, unit, coefficient


def dot(x: Vector, z: Vector) -> float:
    return sum(a * b for a, b in zip(x, z, strict=True))


def poly(degree: int, gamma: float, coef0: float) -> Kernel:
    return lambda x, z: (gamma * dot(x, z) + coef0) ** degree


def rbf(gamma: float) -> Kernel:
    return lambda x, z: math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


@dataclass
class DualReference:
    """A run: if y s <= margin, the example joins the sum of its unit (of its class and its rival, if joint)."""

    kernel: Kernel
    margin: float = 0.0
    order: str = "given"
    multi_class: str = "ovr"
    fit_intercept: bool = True
    random_state: int = 0
    t: int = 0
    log: list[Entry] = field(default_factory=list)
    mistakes: list[int] = field(default_factory=list)

    def fit(self, X: list[Vector], y: list[int], epochs: int) -> "DualReference":
        self.X, self.K = X, max(y) + 1
        self.joint = self.multi_class == "joint" and self.K > 2
        paired = self.multi_class == "ovo" or self.K == 2
        self.pairs = [(i, j) for i in range(self.K) for j in range(i + 1, self.K)] if paired else []
        self.units = len(self.pairs) or self.K
        random = SplitMix64(self.random_state)
        for _ in range(epochs):
            rows = list(range(len(X)))
            if self.order == "shuffle":
                rows = random.shuffled(len(X))
            elif self.order == "sample":
                rows = [random.below(len(X)) for _ in rows]
            self.mistakes.append(sum(self.visit(i, y[i]) for i in rows))
        return self

    def k(self, x: Vector, z: Vector) -> float:
        return self.kernel(x, z) + self.fit_intercept

    def scores(self, x: Vector, log: list[Entry] | None = None) -> Vector:
        totals = [0.0] * self.units
        for _, row, unit, coefficient in self.log if log is None else log:
            totals[unit] += coefficient * self.k(self.X[row], x)
        return totals

    def signs(self, label: int) -> Vector:
        if self.pairs:
            return [float(label == j) - float(label == i) for i, j in self.pairs]
        return [1.0 if label == k else -1.0 for k in range(self.units)]

    def visit(self, i: int, label: int) -> int:
        s, wrong = self.scores(self.X[i]), 0
        if self.joint:
            rival = max((k for k in range(self.K) if k != label), key=s.__getitem__)
            wrong = int(not s[label] - s[rival] > self.margin)
            self.log += [(self.t, i, label, 1.0), (self.t, i, rival, -1.0)] * wrong
        else:
            for unit, y in enumerate(self.signs(label)):
                if y and not y * s[unit] > self.margin:
                    self.log.append((self.t, i, unit, y))
                    wrong += 1
        self.t += 1
        return wrong

    def average(self, x: Vector) -> Vector:
        """The mean of the scores after each example visited."""
        return self.scores(x, [(t, row, unit, c * (self.t - t) / self.t) for t, row, unit, c in self.log])

    def votes(self, x: Vector) -> Vector:
        """Each hypothesis votes once for each example it was current after."""
        totals = [0.0] * self.units
        for t in range(1, self.t + 1):
            s = self.scores(x, [entry for entry in self.log if entry[0] < t])
            if self.joint:
                totals[argmax(s)] += 1 / self.t
            else:
                totals = [f + (1 if v > 0 else -1) / self.t for f, v in zip(totals, s, strict=True)]
        return totals


@dataclass
class ForgetronReference:
    """Dekel, Shalev-Shwartz and Singer (2008), self-tuned, one unit; phi is found by bisection."""

    kernel: Kernel
    budget: int
    active: list[tuple[Vector, int, float]] = field(default_factory=list)  # x, y, sigma; oldest first
    damage: float = 0.0
    mistakes: int = 0
    largest: float = 0.0

    def score(self, x: Vector) -> float:
        return sum(y * sigma * self.kernel(z, x) for z, y, sigma in self.active)

    def visit(self, x: Vector, y: int) -> None:
        if y * self.score(x) > 0:
            return
        self.mistakes += 1
        self.largest = max(self.largest, self.kernel(x, x))
        self.active.append((x, y, 1.0))
        if len(self.active) <= self.budget:
            return
        oldest, sign, sigma = self.active[0]
        mu = sign * self.score(oldest) / self.largest

        def psi(phi: float) -> float:
            return (sigma * phi) ** 2 + 2 * sigma * phi * (1 - phi * mu)

        low, high = 0.0, 1.0
        if self.damage + psi(1.0) > 15 / 32 * self.mistakes:
            for _ in range(200):
                phi = (low + high) / 2
                low, high = (phi, high) if self.damage + psi(phi) <= 15 / 32 * self.mistakes else (low, phi)
        else:
            low = 1.0
        self.damage += psi(low)
        self.active = [(z, v, s * low) for z, v, s in self.active[1:]]
