"""Slow twin of a trace: the oracle of the learners, recording every visit."""

from typing import Any, NamedTuple

from tests.reference import Reference
from tests.slow_twins.learn.arithmetic import Vector


class Visit(NamedTuple):
    """One visit: the weights of all units [b, w1, ..., wd] before and after, the scores, and which units were wrong."""

    epoch: int
    t: int
    row: int
    scores: Vector
    mistakes: list[bool]
    before: list[Vector]
    after: list[Vector]


class Telling(Reference):
    """Runs like Reference, and records every visit."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.visits: list[Visit] = []

    def epoch(self, order: list[int]) -> None:
        super().epoch(order)
        if self.visits:  # a batch cut short by the epoch's end moves with the epoch's last example
            self.visits[-1] = self.visits[-1]._replace(after=self.bias_first())

    def visit(self, row: int, x: Vector, label: int, c: float) -> None:
        if c == 0:
            return
        scores, before, t = self.scores(x), self.bias_first(), self.t
        wrong: list[Any] = [False] * len(self.units)
        for keeper, margin, sides in self.decisions(scores, label):
            for k, _ in [(i, 0) for i in range(len(self.units))] if self.joint else sides:
                wrong[k] = self.is_mistake(margin)
            assert keeper in self.keepers
        super().visit(row, x, label, c)
        self.visits.append(Visit(len(self.mistakes) + 1, t, row, scores, wrong, before, self.bias_first()))

    def bias_first(self) -> list[Vector]:
        return [[unit.w[-1], *unit.w[:-1]] for unit in self.units]
