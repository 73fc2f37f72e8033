"""The dual perceptron: weights that are a sum of examples, known only through a kernel.

On a mistake, y s <= margin, the example joins the sum: f += y k(x, .). The bias is an ordinary weight on the constant
1, so where it is learned every kernel value is one more: k(x, z) + 1. The rate is 1; another would only rescale all
scores. Order, mistakes, stopping and what is kept are those of the perceptron in `running`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels, options
from rosenblatt.errors import DataError
from rosenblatt.learn.answer import pairs
from rosenblatt.learn.dual_kernel import Kernel
from rosenblatt.learn.dual_pocket import Pocket
from rosenblatt.learn.dual_scores import Held, Source, Streamed, refuse_overflow, rows_together, table_of
from rosenblatt.learn.dual_support import Support, Updates, add_scores, joined, sum_of
from rosenblatt.learn.votes import take
from rosenblatt.records import Block, Floats, Run, Status, Trace, Values

_WORD = 2**64


@dataclass(frozen=True)
class DualSettings:
    """The options that decide a run, checked by whoever made them."""

    margin: float = options.margin.default
    keep: str = options.keep.default
    order: str = options.order.default
    multi_class: str = options.multi_class.default
    fit_intercept: bool = options.fit_intercept.default
    record: bool = options.record.default
    cache_mb: float = options.cache_mb.default

    def scheme(self, classes: int) -> str:
        return "binary" if classes == 2 else self.multi_class


def signs_of(scheme: str, classes: int) -> Floats:
    """y by class and unit: +1, -1, or 0 where a pair of classes does not concern this one."""
    if scheme == "binary":
        return np.array([[-1.0], [1.0]])
    if scheme == "ovo":
        signs = np.zeros((classes, classes * (classes - 1) // 2))
        for unit, (i, j) in enumerate(pairs(classes)):
            signs[i, unit], signs[j, unit] = -1.0, 1.0
        return signs
    return 2 * np.eye(classes) - 1


class Dual:
    """The state of one dual run between visits."""

    def __init__(self, settings: DualSettings, kernel: Kernel, class_weight: Floats, seed: int) -> None:
        self.settings, self.kernel = settings, kernel
        self.class_weight = np.ascontiguousarray(class_weight, dtype=np.float64)
        if not self.class_weight.any():
            raise DataError("Class weights must not all be zero: there would be nothing to learn from.")
        self.scheme = settings.scheme(len(class_weight))
        self.signs = signs_of(self.scheme, len(class_weight))
        self.random = seed % _WORD
        self.support = Support(self.units)
        self.t = 0
        self.rows_streamed = 0
        self.n_mistakes = 0
        self.mistakes: list[int] = []
        self.status: Status = "open"
        self.log: list[Updates] = []
        self.pocket = Pocket(self.units, joint=self.joint) if settings.keep == "pocket" else None

    @property
    def units(self) -> int:
        return self.signs.shape[1]

    @property
    def joint(self) -> bool:
        return self.scheme == "joint"

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(self, block: Block, max_iter: int) -> None:
        """Visit epochs until one is clean or max_iter are spent."""
        count, weights = block.values.shape[0], self._weights(block)
        if weights is not None and not weights.any():
            raise DataError("Sample weights must not all be zero: there would be nothing to learn from.")
        source = self._source(block.values, max_iter)
        places = np.full(count, -1, dtype=np.int64)
        self.status = "budget"
        for epoch in range(max_iter):
            before = self.n_mistakes
            made = self._pass(block, weights, self._order(count), source, places)
            self.mistakes.append(self.n_mistakes - before)
            if self.pocket is not None:
                self.pocket.judge_clean(made, source.everything(), *self._targets(block, weights), self.support)
            if self.mistakes[-1] == 0 and self._is_separated(block, weights, source):
                self.status = "separated"
                return
            if epoch + 1 < max_iter:
                source.end_epoch()

    def visit(self, block: Block) -> None:
        """Visit the rows once, in the order given."""
        count = block.values.shape[0]
        source = Streamed(
            self.kernel, block.values, self._last_scores(block.values), self.settings.fit_intercept, once=True
        )
        places = np.full(count, -1, dtype=np.int64)
        self._pass(block, self._weights(block), np.arange(count), source, places, first=self.rows_streamed)
        self.rows_streamed += count

    def _source(self, values: Values, max_iter: int) -> Source:
        scores, intercept = self._last_scores(values), bool(self.settings.fit_intercept)
        limit = int(self.settings.cache_mb * 2**20) if max_iter > 1 or self.pocket is not None else 0
        table = table_of(self.kernel, values, limit)
        if table is not None or self.pocket is not None:
            return Held(self.kernel, values, scores, intercept, table)
        return Streamed(self.kernel, values, scores, intercept, once=self.settings.order != "sample")

    def _order(self, count: int) -> NDArray[np.intp]:
        if self.settings.order == "given":
            return np.arange(count)
        order, self.random = kernels.order(self.random, count, self.settings.order == "sample")
        return order.astype(np.intp)

    def _weights(self, block: Block) -> Floats | None:
        """How much each row counts; None where all count 1."""
        if block.weights is None and (self.class_weight == 1).all():
            return None
        weighed: Floats = self.class_weight[block.labels]
        return weighed if block.weights is None else weighed * block.weights

    def _pass(
        self,
        block: Block,
        weights: Floats | None,
        order: NDArray[np.intp],
        source: Source,
        places: NDArray[np.int64],
        first: int = 0,
    ) -> NDArray[np.int64]:
        """One visit of the rows in this order; returns the mistakes of each unit, or of the joint decision."""
        made = np.zeros(1 if self.joint else self.units, dtype=np.int64)
        at = 0
        while at < len(order):
            rows = order[at : at + rows_together(len(self.support))]
            at += len(rows)
            scores, kernel = source.begin(rows)
            start = 0
            while start < len(rows):
                start, updates, mistakes, visited, to_judge = kernels.dual_visit(
                    kernel,
                    np.ascontiguousarray(block.labels[rows]),
                    None if weights is None else weights[rows],
                    self.signs,
                    self.joint,
                    float(self.settings.margin),
                    bool(self.settings.fit_intercept),
                    start,
                    scores,
                    None if self.pocket is None else self.pocket.ratchet,
                )
                self._learned(block.values, rows, scores, updates, source, places, first)
                made += mistakes
                self.n_mistakes += int(mistakes.sum())
                self.t += visited
                if self.pocket is not None:
                    targets = self._targets(block, weights)
                    for keeper in to_judge.tolist():
                        self.pocket.judge(keeper, source.everything(), *targets, self.support)
        return made

    def _learned(
        self,
        values: Values,
        rows: NDArray[np.intp],
        scores: Floats,
        found: tuple[NDArray[Any], ...],
        source: Source,
        places: NDArray[np.int64],
        first: int,
    ) -> None:
        """Give the rows that moved their place among the support, and the source their updates."""
        position, unit, coefficient, seen = found
        moved, which = np.unique(position, return_inverse=True)
        moved_rows = rows[moved]
        when = seen + self.t
        source.learned(rows, scores, Updates(which.astype(np.int64), unit, coefficient, when), moved_rows)
        if len(moved) == 0:
            return
        fresh = np.unique(moved_rows[places[moved_rows] < 0], return_index=True)[1]
        fresh_rows = moved_rows[places[moved_rows] < 0][np.sort(fresh)]
        places[fresh_rows] = len(self.support) + np.arange(len(fresh_rows))
        self.support.extend(self.kernel.support(values, fresh_rows), fresh_rows + first)
        updates = Updates(places[moved_rows][which], unit, coefficient, when)
        self.support.move(updates)
        if self.settings.keep == "vote" or self.settings.record:
            self.log.append(updates)

    def _targets(self, block: Block, weights: Floats | None) -> tuple[NDArray[np.int32], Floats, Floats | None]:
        return block.labels, self.signs, weights

    def _is_separated(self, block: Block, weights: Floats | None, source: Source) -> bool:
        """A clean epoch; one drawn with replacement has missed rows, so all are looked at."""
        if self.settings.order != "sample":
            return True
        scores = source.everything()
        columns = np.arange(scores.shape[1])
        if self.joint:
            own = scores[block.labels, columns]
            others = scores.copy()
            others[block.labels, columns] = -np.inf
            right = (own - others.max(axis=0) > self.settings.margin)[None]
        else:
            y = self.signs[block.labels].T
            right = (y == 0) | (y * scores > self.settings.margin)
        return bool((right if weights is None else right | (weights == 0)).all())

    # -- what it has learned ----------------------------------------------------------------------------------------

    @property
    def coefficient(self) -> Floats:
        """The kept coefficients, one line for each support example; with votes, those at the end of the run."""
        if self.settings.keep == "average" and self.t:
            return self.support.coefficient - self.support.drift / self.t
        if self.pocket is not None:
            return self.pocket.answer(self.support.coefficient)
        return self.support.coefficient

    def scores(self, values: Values) -> Floats:
        """One score per row and unit; with votes, the votes for minus those against, between -1 and 1."""
        if self.settings.keep == "vote":
            return self._votes(values)
        return self._sums(values, sum_of(self.coefficient)).T

    def _last_scores(self, values: Values) -> Floats:
        return self._sums(values, sum_of(self.support.coefficient))

    def _sums(self, values: Values, updates: Updates) -> Floats:
        scores = np.zeros((self.units, values.shape[0]))
        if len(updates) == 0:
            return scores
        for rows, kernel in self._kernel_of(values):
            part = np.zeros((self.units, len(rows)))
            add_scores(kernel, updates, self.settings.fit_intercept, part)
            refuse_overflow(part, rows)
            scores[:, rows] = part
        return scores

    def _votes(self, values: Values) -> Floats:
        log = joined(self.log)
        tally = np.zeros((self.units, values.shape[0]))
        for rows, kernel in self._kernel_of(values):
            part = np.zeros((self.units, len(rows)))
            kernels.dual_votes(
                kernel,
                log.support,
                log.unit,
                log.coefficient,
                log.when,
                self.t,
                bool(self.settings.fit_intercept),
                self.joint,
                part,
            )
            tally[:, rows] = part
        return tally.T / max(self.t, 1)

    def _kernel_of(self, values: Values) -> Any:
        """Blocks of rows, each with its kernel values to all support examples."""
        size = rows_together(len(self.support))
        for at in range(0, values.shape[0], size):
            rows = np.arange(at, min(at + size, values.shape[0]))
            if len(self.support):
                yield rows, self.kernel.between(self.support.rows.values, take(values, rows))
            else:
                yield rows, np.zeros((0, len(rows)))

    @property
    def record(self) -> Run:
        trace = None
        if self.settings.record:
            log = joined(self.log)
            row = self.support.origin[log.support] if len(log) else log.support
            trace = Trace(
                log.when.astype(np.uint64), row.astype(np.uint64), log.unit.astype(np.uint32), log.coefficient
            )
        return Run(self.status, len(self.mistakes), self.n_mistakes, self.t, tuple(self.mistakes), (), trace)
