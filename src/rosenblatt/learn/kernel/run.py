"""The kernel perceptron in its dual form: the weights are a sum of examples, known only through a kernel.

On a mistake, y s <= margin, the example joins the sum: f += y k(x, .). The bias is an ordinary weight on the constant
1, so where it is learned every kernel value is one more: k(x, z) + 1. The rate is 1; another would only rescale all
scores. Order, mistakes, stopping and what is kept are those of the perceptron in `learn.run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Any

from rosenblatt import native, options
from rosenblatt.input_checks import all_weights_zero
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.kernel.kernel_values import Kernel
from rosenblatt.learn.kernel.pocket import Pocket, Targets
from rosenblatt.learn.kernel.scores import (
    ScoreSource,
    StoredScores,
    StreamedScores,
    refuse_overflow,
    rows_together,
    table_of,
)
from rosenblatt.learn.kernel.support import Support, Updates, joined, sum_of
from rosenblatt.learn.multiclass_schemes import scheme_of, unit_targets
from rosenblatt.records import Block, Floats, MistakeLog, RunSummary, Status, Values

_WORD = 2**64


@dataclass(frozen=True)
class KernelSettings:
    """The options that decide a run; they are checked before."""

    margin: float = options.margin.default
    keep: str = options.keep.default
    order: str = options.order.default
    multi_class: str = options.multi_class.default
    fit_intercept: bool = options.fit_intercept.default
    record: bool = options.record.default
    budget: int | None = options.budget.default
    cache_mb: float = options.cache_mb.default

    def scheme(self, classes: int) -> str:
        return scheme_of(self.multi_class, classes)


@dataclass(frozen=True)
class Visit:
    """What one pass over some rows needs: the rows, the source of their scores, and which of them are support."""

    block: Block
    targets: Targets
    source: ScoreSource
    places: NDArray[np.int64]  # the position of each row in the support, -1 if it has none
    first: int = 0  # rows visited in earlier calls


class KernelRun:
    """The state of one kernel run between visits."""

    def __init__(self, settings: KernelSettings, kernel: Kernel, class_weight: Floats, seed: int) -> None:
        self.settings, self.kernel = settings, kernel
        self.class_weight = np.ascontiguousarray(class_weight, dtype=np.float64)
        if not self.class_weight.any():
            raise all_weights_zero("Class")
        self.scheme = settings.scheme(len(class_weight))
        self.signs = unit_targets(self.scheme, len(class_weight)).astype(np.float64)
        self.random = seed % _WORD
        self.support = Support(self.units, kernel)
        self.t = 0
        self.rows_streamed = 0
        self.n_mistakes = 0
        self.mistakes: list[int] = []
        self.status: Status = "open"
        self.log: list[Updates] = []
        self.turn = RLock()  # held by the thread that learns or predicts
        self.pocket = Pocket(self.units, joint=self.joint) if settings.keep == "pocket" else None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "turn"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.turn = RLock()

    @property
    def units(self) -> int:
        return int(self.signs.shape[1])

    @property
    def joint(self) -> bool:
        return self.scheme == "joint"

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(self, block: Block, max_iter: int, on_epoch: Callable[[KernelRun], None] | None = None) -> None:
        """Visit epochs until one has no mistake or max_iter are spent; after each, on_epoch is called."""
        targets = self._targets(block)
        count = block.values.shape[0]
        self.kernel.refuse_large(block.values)
        visit = Visit(block, targets, self._source(block.values, max_iter), self.support.places_in(block.values))
        self.status = "budget"
        for epoch in range(max_iter):
            mistakes_made = self._pass(visit, self._order(count))
            self.mistakes.append(int(mistakes_made.sum()))
            if self.pocket is not None:
                self.pocket.judge_clean(mistakes_made, visit.source.everything(), targets, self.support)
            if on_epoch is not None:
                on_epoch(self)
            if self.mistakes[-1] == 0 and self._is_separated(targets, visit.source.everything()):
                self.status = "separated"
                return
            if epoch + 1 < max_iter:
                visit.source.end_epoch()

    def visit(self, block: Block) -> None:
        """Visit the rows once, in the order given; threads that predict wait meanwhile."""
        with self.turn:
            self._visit_once(block)

    def _visit_once(self, block: Block) -> None:
        count = block.values.shape[0]
        self.kernel.refuse_large(block.values)
        known = self._last_scores(block.values)
        source = StreamedScores(self.kernel, block.values, known, bool(self.settings.fit_intercept), once=True)
        places = np.full(count, -1, dtype=np.int64)
        self._pass(Visit(block, self._targets(block), source, places, self.rows_streamed), np.arange(count))
        self.rows_streamed += count

    def _source(self, values: Values, max_iter: int) -> ScoreSource:
        intercept = bool(self.settings.fit_intercept)
        limit = int(self.settings.cache_mb * 2**20) if max_iter > 1 or self.pocket is not None else 0
        table = table_of(self.kernel, values, limit)
        if table is not None or self.pocket is not None:
            return StoredScores(self.kernel, values, self._last_scores(values), intercept, table)
        once = self.settings.order != "sample"
        return StreamedScores(self.kernel, values, self._last_scores(values), intercept, once=once)

    def _order(self, count: int) -> NDArray[np.intp]:
        if self.settings.order == "given":
            return np.arange(count)
        order, self.random = native.random_order(self.random, count, self.settings.order == "sample")
        return order.astype(np.intp)

    def _targets(self, block: Block) -> Targets:
        """The targets and weights of the rows; no weights where all are 1."""
        weights = block.weights
        if (self.class_weight != 1).any():
            weights = self.class_weight[block.labels] * (1.0 if weights is None else weights)
        if weights is not None and not weights.any():
            raise all_weights_zero("Sample")
        return Targets(block.labels, self.signs, weights)

    def _pass(self, visit: Visit, order: NDArray[np.intp]) -> NDArray[np.int64]:
        """One visit of the rows in this order; returns the mistakes of each unit, or of the joint decision."""
        mistakes_made = np.zeros(1 if self.joint else self.units, dtype=np.int64)
        at = 0
        while at < len(order):
            rows = order[at : at + rows_together(len(self.support))]
            at += len(rows)
            scores, kernel = visit.source.begin(rows)
            start = 0
            while start < len(rows):
                start, updates, mistakes, visited, to_judge = self._visit_rows(visit, rows, scores, kernel, start)
                self._learned(visit, rows, scores, updates)
                mistakes_made += mistakes
                self.t += visited
                for decider in to_judge.tolist():
                    assert self.pocket is not None
                    self.pocket.judge(decider, visit.source.everything(), visit.targets, self.support)
        self.n_mistakes += int(mistakes_made.sum())
        return mistakes_made

    def _visit_rows(
        self, visit: Visit, rows: NDArray[np.intp], scores: Floats, kernel: NDArray[Any], start: int
    ) -> tuple[int, tuple[NDArray[Any], ...], NDArray[np.int64], int, NDArray[np.int32]]:
        weights = visit.targets.weights
        return native.learn_dual(
            kernel,
            np.ascontiguousarray(visit.block.labels[rows]),
            None if weights is None else weights[rows],
            self.signs,
            self.joint,
            float(self.settings.margin),
            bool(self.settings.fit_intercept),
            start,
            scores,
            None if self.pocket is None else self.pocket.ratchet,
        )

    def _learned(
        self, visit: Visit, rows: NDArray[np.intp], scores: Floats, updates_made: tuple[NDArray[Any], ...]
    ) -> None:
        """Add the rows that made updates to the support, and pass the updates to the source of scores."""
        position, unit, coefficient, seen = updates_made
        positions, moved_index = np.unique(position, return_inverse=True)
        moved, when, places = rows[positions], seen + self.t, visit.places
        visit.source.learned(rows, scores, Updates(moved_index.astype(np.int64), unit, coefficient, when), moved)
        if len(moved) == 0:
            return
        fresh = np.array(list(dict.fromkeys(moved[places[moved] < 0].tolist())), dtype=np.intp)
        if len(fresh):
            places[fresh] = len(self.support) + np.arange(len(fresh))
            self.support.extend(self.kernel.support(visit.block.values, fresh), fresh + visit.first)
        updates = Updates(places[moved][moved_index], unit, coefficient, when)
        self.support.move(updates)
        if self.settings.keep == "vote" or self.settings.record:
            self.log.append(updates)

    def _is_separated(self, targets: Targets, scores: Floats) -> bool:
        """After an epoch without a mistake: one drawn with replacement leaves rows out, so all are checked."""
        if self.settings.order != "sample":
            return True
        columns = np.arange(scores.shape[1])
        if self.joint:
            others = scores.copy()
            others[targets.labels, columns] = -np.inf
            right = (scores[targets.labels, columns] - others.max(axis=0) > self.settings.margin)[None]
        else:
            y = self.signs[targets.labels].T
            right = (y == 0) | (y * scores > self.settings.margin)
        return bool((right if targets.weights is None else right | (targets.weights == 0)).all())

    # -- the answer -------------------------------------------------------------------------------------------------

    @property
    def coefficient(self) -> Floats:
        """The final coefficients, one row for each support example; with votes, those at the end of the run."""
        if self.settings.keep == "average" and self.t:
            return self.support.coefficient - self.support.drift / self.t
        if self.pocket is not None:
            return self.pocket.answer(self.support.coefficient)
        return self.support.coefficient

    def scores(self, values: Values) -> Floats:
        """One score per row and unit; with votes, the votes for minus those against, between -1 and 1."""
        with self.turn, native.UsualFloats():
            if self.settings.keep == "vote":
                return self._votes(values)
            return self._sums(values, sum_of(self.coefficient)).T

    def _last_scores(self, values: Values) -> Floats:
        return self._sums(values, sum_of(self.support.coefficient))

    def _blocks(self, values: Values) -> Iterator[tuple[NDArray[np.intp], Values]]:
        size = rows_together(len(self.support))
        for at in range(0, values.shape[0], size):
            rows = np.arange(at, min(at + size, values.shape[0]))
            yield rows, self.kernel.take(values, rows)

    def _sums(self, values: Values, updates: Updates) -> Floats:
        scores = np.zeros((self.units, values.shape[0]))
        if len(updates):
            for rows, part in self._blocks(values):
                part_scores = np.zeros((self.units, len(rows)))
                self.support.rows.add_scores(part, updates, bool(self.settings.fit_intercept), part_scores)
                refuse_overflow(part_scores, rows)
                scores[:, rows] = part_scores
        return scores

    def _votes(self, values: Values) -> Floats:
        log, constant = joined(self.log), bool(self.settings.fit_intercept)
        tally = np.zeros((self.units, values.shape[0]))
        for rows, part in self._blocks(values):
            kernel = self.support.rows.kernel_with(part) if len(log) else np.zeros((0, len(rows)))
            votes = np.zeros((self.units, len(rows)))
            native.dual_votes(
                kernel, log.support, log.unit, log.coefficient, log.when, self.t, constant, self.joint, votes
            )
            tally[:, rows] = votes
        return tally.T / max(self.t, 1)

    @property
    def summary(self) -> RunSummary:
        trace = None
        if self.settings.record:
            log = joined(self.log)
            row = self.support.origin[log.support].astype(np.uint64)
            trace = MistakeLog(log.when.astype(np.uint64), row, log.unit.astype(np.uint32), log.coefficient)
        return RunSummary(self.status, len(self.mistakes), self.n_mistakes, self.t, tuple(self.mistakes), (), trace)
