"""The candidates of a fit: several rules learn the same blocks, each in its own run, in parallel.

Rules that overflow or clearly fall behind are dropped while the first pass is learned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.portfolio import affordable, check_memory, scaled_to_length
from rosenblatt.learn.files.race import Race
from rosenblatt.learn.polynomial import checked_count
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Csr

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


class Candidates:
    """The runs that still learn, why the others were dropped, and the errors of each."""

    def __init__(self, source_name: str, plan: Plan, n_classes: int) -> None:
        self._source_name, self._plan, self._n_classes = source_name, plan, n_classes
        self.runs: dict[str, Run] = {}
        self.settings: dict[str, Settings] = {}  # of every run that was started
        self.progressive: dict[str, float] = {}  # errors made before learning, of rules that ended the first pass
        self.failed: list[str] = []  # their weights overflowed
        self.race = Race()
        self.given_up: dict[str, int] = {}  # rules that fell behind, after this many examples
        self.best_then: dict[str, float] = {}  # the error of the best rule at that point
        self._features_checked = 0  # there is memory for this many

    def begin(self, block: Block, *, hashed: bool) -> None:
        """Begin the runs, which learn this block first."""
        features = checked_count(block.values.shape[1], self._plan.degree)
        dense = not isinstance(block.values, Csr)
        tried = affordable(self._plan.candidates, features, self._n_classes)
        self._check_memory(tried, features)
        columns = native.Columns() if hashed else None  # of millions of columns few occur
        for name, settings in tried.items():
            if self._plan.scale_to_length:
                settings = scaled_to_length(settings, block.values)
            self.settings[name] = settings
            run = Run(settings, features, [1.0] * self._n_classes, self._plan.seed, dense=dense, columns=columns)
            run.learner.count_errors(True)
            run.begin_pass()
            self.runs[name] = run

    def grow(self, block: Block) -> None:
        """Refuse a block whose features need more memory than there is, before any is allocated."""
        self._check_memory(self.settings, checked_count(block.values.shape[1], self._plan.degree))

    def _check_memory(self, settings: Mapping[str, Settings], features: int) -> None:
        if features > self._features_checked:
            check_memory(self._source_name, settings.values(), features, self._n_classes)
            self._features_checked = features

    def unfinished(self) -> dict[str, Run]:
        """The runs that have not ended: neither separated nor stopped on the held-out rows."""
        return {name: run for name, run in self.runs.items() if run.status not in ("separated", "validated")}

    def drop_overflowed(self, overflowed: Sequence[tuple[str, int]]) -> None:
        """Drop the runs whose weights overflowed, each at an example; an error if none would be left."""
        for name, example in overflowed:
            if len(self.runs) == 1:
                raise LearningOverflowError(
                    f"{self._source_name}: the weights of {name} overflowed at example {example + 1}: "
                    "scale the features, or choose another rule.",
                    file=self._source_name,
                )
            self.failed.append(name)
            del self.runs[name]

    def drop_losers(self) -> None:
        """Drop the rules that have fallen behind; their errors and that of the best rule are kept for the report."""
        marks = {name: (self.error(name) * run.learner.t, run.learner.t) for name, run in self.unfinished().items()}
        best = min((self.error(name) for name in marks), default=1.0)
        for name in self.race.losers(marks):
            self.progressive[name], self.given_up[name] = self.error(name), marks[name][1]
            self.best_then[name] = best
            del self.runs[name]

    def error(self, name: str) -> float:
        """The progressive error: wrong predictions made before learning, as a share of the weight of the first pass.

        For a rule that keeps its average it is the error of the average, estimated on some thousand rows.
        """
        learner = self.runs[name].learner
        return self.progressive.get(name, max(learner.wrong, 0.0) / max(learner.weighed, 1e-300))

    def end_pass(self, *, first_pass: bool) -> dict[str, Run]:
        """End the pass of the runs that were learned in it, and return them."""
        ended = self.unfinished()
        if first_pass:
            self.progressive |= {name: self.error(name) for name in ended}
        for run in ended.values():
            run.learner.count_errors(False)
            run.end_pass()
        return ended


class ParallelBatch:
    """Blocks that are gathered and then learned. A run learns them all at once, so its weights stay in the cache.

    Runs share at most the positions of their columns, which decide nothing, so the answer is the same for any number
    of threads.
    """

    def __init__(self, threads: int, degree: int = 1) -> None:
        self._threads, self._degree = threads, degree
        self._pool: ThreadPoolExecutor | None = None
        self._gathered: list[tuple[Block, native.Rows, NDArray[np.uint32] | None, int]] = []
        self.end_row = self.entries = 0  # the row after the last one gathered; how many values there are

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def add(self, block: Block, order: NDArray[np.uint32] | None, first_row: int) -> None:
        """Gather a block whose first row has this number in the pass; `order` names the rows to learn."""
        self.end_row = first_row + block.rows
        if order is None or len(order):
            rows = native.rows_of(block.values, degree=self._degree)
            self._gathered.append((block, rows, order, first_row))
            self.entries += block.values.entries if isinstance(block.values, Csr) else block.values.size

    def learn(self, runs: Mapping[str, Run]) -> list[tuple[str, int]]:
        """Let the runs learn; returns those that overflowed, each with the example where it did."""
        if self._threads > 1 and len(runs) > 1:
            examples = list(self._workers().map(self._learn_all, runs.values()))
        else:
            examples = [self._learn_all(run) for run in runs.values()]
        self._gathered.clear()
        self.entries = 0
        return [(name, example) for name, example in zip(runs, examples, strict=True) if example is not None]

    def _workers(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # loads logging: only a portfolio needs it

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads)
        return self._pool

    def _learn_all(self, run: Run) -> int | None:
        for block, rows, order, first_row in self._gathered:
            try:
                run.visit(block, rows, order)
            except LearningOverflowError:
                return first_row + run.learner.overflow_row
        return None
