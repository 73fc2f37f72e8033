"""The oracle: the textbook algorithms in plain Python, slow, and short enough to be checked by eye.

Every fast kernel is compared with this file bit for bit. Two ideas keep it short:

* the bias is an ordinary weight on the constant 1 (on the constant 0 where no intercept is fitted), kept last;
* every loss is a function of the margin: y·s of one unit, or the gap s[y] - s[rival] of a joint decision.
  An update then has a size, and a sign: + for the unit the label belongs to, - for its rival.
"""

import copy
import math
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Any, Self

from tests.slow_twins.learn.arithmetic import SplitMix64, Vector, argmax, each, exp, plus, score, times

Rows = list[Vector]
Sides = list[tuple[int, float]]  # the units an update moves, each with its sign


class Unit:
    """A weight for each feature and for the constant, and what the rules remember about each weight."""

    def __init__(self, w: Vector) -> None:
        self.w = w
        self.late = [0.0] * len(w)  # Σ t·d over the changes d: w - late/t is the mean of w over t examples
        self.squares = [0.0] * len(w)
        self.variance = [1.0] * len(w)
        self.pending = [0.0] * len(w)  # the gradient of the unfinished batch
        self.unit = self.scale_unit = 1.0  # what w and late, squares and variance are stored in, where they fade

    def change(self, d: Vector, t: int) -> None:
        self.w, self.late = plus(self.w, d), plus(self.late, times(t, d))

    def adagrad(self, h: Vector, eta0: float) -> Vector:
        """Duchi, Hazan and Singer (2011): a rate per feature."""
        self.squares = plus(self.squares, times(1 / self.scale_unit, each(h, h)))
        squares = times(self.scale_unit, self.squares)
        return [(eta0 * hj) / (math.sqrt(q) + 1e-10) for q, hj in zip(squares, h, strict=True)]

    def variances(self) -> Vector:
        """What fades is less and less certain, up to the variance of what was never seen."""
        return [min(v * (1 / self.scale_unit), 1.0) for v in self.variance]

    def arow(self, a: float, beta: float, x: Vector) -> Vector:
        """Crammer, Kulesza and Dredze (2009), diagonal: sure weights move less, and each move makes them surer."""
        now = self.variances()
        z, unit = each(now, x), self.scale_unit
        before = [v if n < 1 else unit for v, n in zip(self.variance, now, strict=True)]
        after = plus(before, times(-unit, times(beta, each(z, z))))
        self.variance = [v if xj else u for v, xj, u in zip(after, x, self.variance, strict=True)]
        return times(a, z)

    def fade(self, decay: float, *, weights: bool) -> None:
        """What was learned of each example so far counts `decay` times as much: the unit fades, not the numbers in it.
        Where it has become very small, both are brought back by a power of two, which rounds nothing."""
        if weights:
            self.unit *= decay
            if self.unit < 2.0**-512:
                self.unit *= 2.0**512
                self.w, self.late = times(2.0**-512, self.w), times(2.0**-512, self.late)
            return
        self.scale_unit *= decay
        if self.scale_unit < 2.0**-512:
            self.scale_unit *= 2.0**512
            self.squares = times(2.0**-512, self.squares)
            self.variance = [min(v * 2.0**512, 1.0) for v in self.variance]


@dataclass
class Keeper:
    """What is kept of weights that decide together: those of one unit, or of all units when the decision is joint."""

    units: list[Unit]
    voters: list[tuple[list[Vector], int]] = field(default_factory=list)  # hypotheses, and how long each survived
    clean: bool = True  # no mistake in this epoch
    run: int = 0
    best_run: int = 0
    fewest: float = math.inf
    pocket: list[Vector] | None = None
    judged: bool = False  # the present weights have been counted over all rows
    pocketed: bool = False  # and are the pocket's

    def now(self) -> list[Vector]:
        return [unit.w for unit in self.units]

    def renewed(self) -> None:
        self.judged = self.pocketed = False

    def survived(self) -> None:
        """Freund and Schapire (1999): a hypothesis has a vote for each example it was current after."""
        last = self.voters.pop() if self.voters and self.voters[-1][0] == self.now() else (self.now(), 0)
        self.voters.append((last[0], last[1] + 1))

    def put_in_pocket(self, errors: float) -> None:
        self.fewest, self.pocket, self.judged, self.pocketed = errors, self.now(), True, True
        self.best_run = max(self.best_run, self.run)


@dataclass
class Reference:
    """A run. `fit` and `partial_fit` continue it, as a warm start does; a new Reference begins a new one."""

    loss: str = "perceptron"  # perceptron, hinge, logistic, squared
    margin: float = 0.0
    eta0: float = 1.0
    learning_rate: str = "constant"  # constant, inverse, invsqrt, adagrad, pa1, pa2, arow
    r: float = 1.0
    alpha: float = 0.0
    l1: float = 0.0
    forget: float = 0.0  # the half-life of what was learned of an example, in examples; 0: it is never forgotten
    batch: int | str = 1  # or "full"
    order: str = "given"  # given, shuffle, sample
    keep: str = "last"  # last, average, vote, pocket
    multi_class: str = "ovr"  # ovr, ovo, joint
    fit_intercept: bool = True
    init: Any = "zeros"  # zeros, random, or one [b, w1, ..., wd] per unit
    class_weight: dict[Any, float] | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        self.t = self.step = self.n_mistakes = self.waiting = 0  # waiting: examples in the unfinished batch
        self.mistakes: list[int] = []  # of each epoch
        self.log: list[tuple[int, int, int, float]] = []  # t, row, unit, coefficient
        self.status = ""
        self.units: list[Unit] = []
        self.random = SplitMix64(self.random_state)
        self.smooth = self.loss in ("logistic", "squared")  # every example asks for an update, not only mistakes
        self.closed_form = self.learning_rate in ("pa1", "pa2", "arow")
        self.wide = self.loss == "hinge" or self.closed_form  # asks for a margin of 1 where none is named
        self.required = 1.0 if self.wide and self.margin == 0 else self.margin
        self.decay = float(Decimal(2) ** (-1 / Decimal(self.forget))) if self.forget else 1.0
        self.recent = 0.0  # examples, each as much as is not forgotten of it

    def fit(self, X: Rows, y: list[Any], sample_weight: Vector | None = None, epochs: int = 1) -> Self:
        self.begin(sorted(set(y)), len(X[0]))
        self.rows = self.examples(X, y, sample_weight)
        for _ in range(epochs):
            self.epoch(self.visiting_order(len(X)))
            self.status = "separated" if self.is_separated() else "budget"
            if self.status == "separated":
                break
        return self

    def is_separated(self) -> bool:
        """A clean epoch. One that was drawn with replacement may have missed rows, so all are looked at."""
        margins = (m for x, label, c in self.rows if c for _, m, _ in self.decisions(self.scores(x), label))
        return self.mistakes[-1] == 0 and not self.smooth and not any(map(self.is_mistake, margins))

    def partial_fit(self, X: Rows, y: list[Any], classes: list[Any], sample_weight: Vector | None = None) -> Self:
        """Each row once, as given; an unfinished batch waits for the next call."""
        self.begin(classes, len(X[0]))
        for row, example in enumerate(self.examples(X, y, sample_weight)):
            self.visit(row, *example)
        if self.batch == "full":
            self.end_batch()
        return self

    def begin(self, classes: list[Any], d: int) -> None:
        if self.units:
            return
        K, self.classes = len(classes), classes
        self.joint = self.multi_class == "joint" and K > 2
        self.pairs = [(i, j) for i in range(K) for j in range(i + 1, K)] if self.multi_class == "ovo" or K == 2 else []
        self.units = [Unit(self.first_weights(k, d)) for k in range(len(self.pairs) or K)]
        self.keepers = [Keeper(self.units)] if self.joint else [Keeper([unit]) for unit in self.units]

    def first_weights(self, k: int, d: int) -> Vector:
        if self.init == "zeros":
            return [0.0] * (d + 1)
        if self.init == "random":
            return [self.random.small() for _ in range(d)] + [self.random.small() if self.fit_intercept else 0.0]
        return [*self.init[k][1:], self.init[k][0]]

    def examples(self, X: Rows, y: list[Any], sample_weight: Vector | None) -> list[tuple[Vector, int, float]]:
        """Each row as (x, label, c): the constant appended, c how much the example counts."""
        weights = sample_weight or [1.0] * len(X)
        of_class = [(self.class_weight or {}).get(label, 1.0) for label in y]
        constant = float(self.fit_intercept)
        rows = zip(X, y, weights, of_class, strict=True)
        return [([*x, constant], self.classes.index(label), c * cw) for x, label, c, cw in rows]

    def visiting_order(self, n: int) -> list[int]:
        if self.order == "sample":
            return [self.random.below(n) for _ in range(n)]
        return self.random.shuffled(n) if self.order == "shuffle" else list(range(n))

    def epoch(self, order: list[int]) -> None:
        before = self.n_mistakes
        for keeper in self.keepers:
            keeper.clean = True
        for i in order:
            self.visit(i, *self.rows[i])
        self.end_batch()
        for k, keeper in enumerate(self.keepers):
            # of equals, weights that came through a whole epoch: on separable data they are the separator
            if self.keep == "pocket" and keeper.clean and (errors := self.errors(k)) <= keeper.fewest:
                keeper.put_in_pocket(errors)
        self.mistakes.append(self.n_mistakes - before)

    # -- one example

    def visit(self, row: int, x: Vector, label: int, c: float) -> None:
        if c == 0:
            return
        scores = self.scores(x)
        for keeper, margin, sides in self.decisions(scores, label):
            mistake = self.is_mistake(margin)
            self.n_mistakes += mistake
            keeper.run = 0 if mistake else keeper.run + 1
            keeper.clean = keeper.clean and not mistake
            if self.joint and self.loss == "logistic":
                self.softmax(row, x, c, scores, label)
            elif mistake or self.smooth:
                self.update(row, x, c, margin, sides)
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
        for k, keeper in enumerate(self.keepers):
            if self.keep == "vote":
                keeper.survived()
            if self.keep == "pocket":
                self.ratchet(k, keeper)

    def scores(self, x: Vector) -> Vector:
        return [score(unit.w, x) * unit.unit for unit in self.units]

    def confidence(self, row: Vector, threshold: float = 0.0) -> float:
        """Standard deviations by which the decision for a row could go another way: arow's weights are normal."""
        x = [*row, float(self.fit_intercept)]
        scores, spread = self.scores(x), [score(each(unit.variances(), x), x) for unit in self.units]
        if len(scores) == 1:
            return abs(scores[0] - threshold) / math.sqrt(spread[0])
        best, rival = sorted(range(len(scores)), key=lambda k: -scores[k])[:2]
        return (scores[best] - scores[rival]) / math.sqrt(spread[best] + spread[rival])

    def decisions(self, scores: Vector, label: int) -> list[tuple[Keeper, float, Sides]]:
        """(keeper, margin, sides) of each decision this example takes part in."""
        if self.joint:  # Kesler: the label against its highest-scoring rival
            rival = max((k for k in range(len(scores)) if k != label), key=scores.__getitem__)
            return [(self.keepers[0], scores[label] - scores[rival], [(label, 1.0), (rival, -1.0)])]
        return [(self.keepers[k], y * scores[k], [(k, y)]) for k, y in enumerate(self.signs(label)) if y]

    def signs(self, label: int) -> Vector:
        """y for each unit: +1, -1, or 0 where a pair does not concern this class."""
        if self.pairs:
            return [float(label == j) - float(label == i) for i, j in self.pairs]
        return [1.0 if label == k else -1.0 for k in range(len(self.units))]

    def is_mistake(self, margin: float) -> bool:
        return margin < self.required if self.wide else not margin > self.required

    # -- one update

    def update(self, row: int, x: Vector, c: float, margin: float, sides: Sides) -> None:
        lacking = self.required - margin
        if self.learning_rate == "arow":
            v = reduce(add, (score(each(self.units[k].variances(), x), x) for k, _ in sides))
            beta = 1 / (v + self.r / c)
            for k, sign in sides:
                a = sign * (lacking * beta)
                self.change(row, k, a, self.units[k].arow(a, beta, x))
        elif self.closed_form:  # Crammer et al. (2006)
            q, most = len(sides) * score(x, x), self.eta0 * c
            exact = lacking / q if q else math.inf  # the least move that gives what the margin lacks
            tau = min(most, exact) if self.learning_rate == "pa1" else lacking / (q + 1 / (2 * most))
            for k, sign in sides:
                self.change(row, k, sign * tau, times(sign * tau / self.units[k].unit, x))
        else:
            slope = {"logistic": c / (1 + exp(margin)), "squared": c * (1 - margin)}.get(self.loss, c)
            for k, sign in sides:
                self.descend(row, x, k, sign * slope)

    def softmax(self, row: int, x: Vector, c: float, scores: Vector, label: int) -> None:
        e = [exp(s - max(scores)) for s in scores]
        Z = reduce(add, e)
        for k, ek in enumerate(e):
            self.descend(row, x, k, c * ((k == label) - ek / Z))

    def descend(self, row: int, x: Vector, k: int, g: float) -> None:
        """Along g·x: now, or when the batch ends."""
        unit, a = self.units[k], self.rate() * g
        if self.batch != 1:
            unit.pending = plus(unit.pending, times(g, x))
            self.log.append((self.t, row, k, a))
        elif self.learning_rate == "adagrad":
            self.change(row, k, a, unit.adagrad(times(g, x), self.eta0))
        else:
            self.change(row, k, a, times(a / unit.unit, x))

    def rate(self) -> float:
        """adagrad has a rate per feature, in the unit; its log holds the gradient itself."""
        n = 1 + self.step
        rates = {"constant": self.eta0, "inverse": self.eta0 / n, "invsqrt": self.eta0 / math.sqrt(n), "adagrad": 1.0}
        return rates[self.learning_rate]

    def change(self, row: int, k: int, coefficient: float, d: Vector) -> None:
        self.log.append((self.t, row, k, coefficient))
        self.units[k].change(d, self.t)
        self.keepers[0 if self.joint else k].renewed()

    def end_batch(self) -> None:
        """One step along the sum of the batch, made by its last example."""
        if self.waiting and self.batch != 1:
            for unit in self.units:
                h, unit.pending = unit.pending, [0.0] * len(unit.w)
                adagrad = self.learning_rate == "adagrad"
                unit.change(unit.adagrad(h, self.eta0) if adagrad else times(self.rate(), h), self.t - 1)
            for keeper in self.keepers:
                keeper.renewed()
            self.shrink(self.waiting)
        self.step += self.waiting > 0
        self.waiting = 0

    def shrink(self, examples: int) -> None:
        """The regularisation of so many examples at once, for every weight but the bias: the minimum of
        |w - v|^2 / 2 + strength (alpha/2 |v|^2 + l1 |v|), with a strength per weight where the rate is."""
        if not self.alpha and not self.l1:
            return
        for unit in self.units:
            shrunk = list(unit.w)
            for j, (w, q) in enumerate(zip(unit.w[:-1], unit.squares, strict=False)):
                own = self.eta0 / (math.sqrt(q) + 1e-10) if q else 0.0
                strength = examples * (own if self.learning_rate == "adagrad" else self.rate())
                size = max(abs(w) - strength * self.l1, 0.0) / (1 + strength * self.alpha)
                shrunk[j] = math.copysign(size, w) if size else 0.0
            unit.late = plus(unit.late, times(self.t - 1, plus(shrunk, times(-1, unit.w))))
            unit.w = shrunk
        for keeper in self.keepers:
            keeper.renewed()

    # -- what is kept

    def ratchet(self, k: int, keeper: Keeper) -> None:
        """Gallant (1990): a run longer than the pocket's earns a count over all rows."""
        if keeper.run <= keeper.best_run:
            return
        if keeper.pocketed:
            keeper.best_run = keeper.run
        elif not keeper.judged:
            keeper.judged = True
            if (errors := self.errors(k)) < keeper.fewest:
                keeper.put_in_pocket(errors)

    def errors(self, k: int) -> float:
        """The weight of all rows that the keeper's present weights predict wrongly."""
        total = 0.0
        for x, label, c in self.rows:
            scores = self.scores(x)
            y = self.signs(label)[k]
            wrong = argmax(scores) != label if self.joint else y != 0 and (scores[k] > 0) != (y > 0)
            total += c * wrong
        return total

    def answer(self) -> list[Vector]:
        """[w1, ..., wd, b] of each unit, as if the batch ended now."""
        ended = copy.deepcopy(self) if self.waiting else self
        ended.end_batch()
        if self.keep == "average" and self.t:
            averages = [[wj - late / self.t for wj, late in zip(u.w, u.late, strict=True)] for u in ended.units]
            if not self.forget:
                return averages
            return [times(u.unit * (self.t / self.recent), w) for u, w in zip(ended.units, averages, strict=True)]
        if self.keep == "pocket":
            return [w for keeper in ended.keepers for w in keeper.pocket or keeper.now()]
        return [times(unit.unit, unit.w) for unit in ended.units]

    def decision(self, x: Vector) -> Vector:
        """A score for each unit; of voters, the mean of their signs (when joint, the share of each class)."""
        x = [*x, float(self.fit_intercept)]
        if self.keep != "vote":
            return [score(w, x) for w in self.answer()]
        if not self.joint:
            return [sum(n if score(w, x) > 0 else -n for (w,), n in k.voters) / max(self.t, 1) for k in self.keepers]
        winners = [(argmax([score(w, x) for w in weights]), n) for weights, n in self.keepers[0].voters]
        return [sum(n for winner, n in winners if winner == k) / max(self.t, 1) for k in range(len(self.units))]
