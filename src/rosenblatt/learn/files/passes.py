"""The passes over a source: every candidate learns each chunk in turn, in the order of the file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from rosenblatt import native
from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.lazy import np
from rosenblatt.learn.files.classes import ClassCoder
from rosenblatt.learn.files.holdout import held_out
from rosenblatt.learn.files.interrupt import Interrupt
from rosenblatt.learn.files.memory_limit import check_room
from rosenblatt.learn.files.parallel_runs import ParallelRuns
from rosenblatt.learn.files.portfolio import affordable, fitted_to
from rosenblatt.learn.files.race import Race, first_of_the_best
from rosenblatt.learn.files.shuffle import Shuffled
from rosenblatt.learn.files.sorted_labels import LabelOrder
from rosenblatt.learn.polynomial import checked_count
from rosenblatt.learn.run import Run
from rosenblatt.learn.schemes import predicted_classes
from rosenblatt.learn.settings import Settings
from rosenblatt.readers.block_rows import take_examples
from rosenblatt.readers.cache.spill import SpillCache
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import Block, Csr, Label

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A block, which of its rows to learn from (None: all), the rows before it, the bytes read with it.
_Waiting: TypeAlias = "tuple[Block, NDArray[np.uint32] | None, int, int]"
_TELL_EVERY = 0.1  # seconds between two reports of progress
# Entries that a run learns in one turn, so that its weights stay in the cache meanwhile; one alone need not wait.
_TURN = 1 << 18


@dataclass(frozen=True)
class Progress:
    """How far a fit has come. `progressive_error` is the share of wrong predictions made before learning each row."""

    bytes_done: int
    bytes_total: int | None
    rows: int
    seconds: float
    progressive_error: float
    pass_: int  # from 1
    passes: int


class SortedLabelsError(Exception):
    """The examples come class by class; learned in that order, each class would be forgotten for the next."""


@dataclass(frozen=True)
class Plan:
    """What a fit is asked to do."""

    candidates: Mapping[str, Settings]
    passes: int = 1
    holdout: float = 0.0
    patience: int | None = None
    threads: int = 1
    order: str = "given"
    degree: int = 1  # of the products that are learned on
    adapted: bool = False  # the candidates are for examples of length 1
    unlabelled: str = "fail"
    reading: ReadOptions = field(default_factory=ReadOptions)  # how the source was opened; only a checkpoint asks
    cache: str | None = None
    seed: int = 0
    checkpoint: str | None = None
    checkpoint_every: float | None = None
    on_progress: Callable[[Progress], None] | None = field(default=None, repr=False)


class Fitting:
    """Where a fit is: its runs, the pass, the rows of the pass that are done. A checkpoint holds just this."""

    def __init__(self, source: Source, plan: Plan, classes: tuple[Label, ...], *, fixed: bool) -> None:
        self.source, self.plan, self.classes, self.fixed = source, plan, classes, fixed
        self.runs: dict[str, Run] = {}
        self.tried: dict[str, Settings] = {}  # what each run was begun with
        self.pass_ = 0
        self.rows = 0  # of the unfinished pass: those that every run has visited
        self.progressive: dict[str, float] = {}
        self.held_error: dict[str, float] = {}
        self.best: dict[str, tuple[float, Run]] = {}  # with patience: on the held-out rows so far
        self.waited: dict[str, int] = {}
        self.failed: list[str] = []
        self.race = Race()
        self.given_up: dict[str, int] = {}  # rules that fell behind, after so many examples
        self.best_then: dict[str, float] = {}  # and the error of the best one on as many
        self.learned = self.held_rows = 0
        self.resumed = False
        self._codes = ClassCoder(source, classes, fixed=fixed, unlabelled=plan.unlabelled)
        self._held = SpillCache(plan.cache, source.name)
        self._store = SpillCache(plan.cache, source.name)
        self._shuffled = Shuffled(plan.cache, source.name, plan.seed)
        self.sorting = LabelOrder(len(classes))
        self._began = self._told = self._saved = time.monotonic()
        self._done = 0
        self._roomy = 0  # features that there is room for

    # -- passes -----------------------------------------------------------------------------------------------------

    def run(self, save: Callable[[Fitting], None] | None = None) -> None:
        """All the passes. An interrupt saves the state between two chunks, then goes its way."""
        with self._held, self._store, self._shuffled, Interrupt() as interrupt:
            try:
                if self.pass_ > 0 or self.plan.order == "shuffle":
                    self._fill(interrupt)
                while self.pass_ < self.plan.passes and (self.pass_ == 0 or self._open()):
                    self._one_pass(interrupt, save)
            except KeyboardInterrupt:
                if save is not None and self.runs:
                    save(self)
                raise

    def _open(self) -> dict[str, Run]:
        """The runs that have not ended: neither separated nor stopped on the held-out rows."""
        return {name: run for name, run in self.runs.items() if run.status not in ("separated", "validated")}

    def _one_pass(self, interrupt: Interrupt, save: Callable[[Fitting], None] | None) -> None:
        if self.rows == 0:
            for run in self._open().values():
                run.begin_pass()
        with ParallelRuns(self.plan.threads, self.plan.degree) as turns:
            for block, order, first, done in self._waiting(interrupt, self.pass_ == 0 and self.plan.order != "shuffle"):
                if self.pass_ == 0 and not self.runs:
                    self._begin(block)
                self._make_room(self.tried, block)
                self._done = done
                rows = block.rows
                if first + rows > self.rows:
                    turns.add(block, _after(order, self.rows - first, rows), first)
                if turns.entries >= _TURN or len(self.runs) == 1:
                    self._learn(turns)
                    self._between(interrupt, save)
            self._learn(turns)
        self._end_pass()
        interrupt.check()

    def _waiting(self, interrupt: Interrupt, reading: bool) -> Iterator[_Waiting]:
        blocks = self._from_source() if reading else self._from_store()
        while True:
            interrupt.waiting = True
            try:
                block = next(blocks, None)
            finally:
                interrupt.waiting = False
            if block is None:
                return
            yield block

    def _fill(self, interrupt: Interrupt) -> None:
        """Read everything once without learning: to shuffle it, or for later passes after a resume."""
        for _ in self._waiting(interrupt, reading=True):
            interrupt.check()

    def _from_source(self) -> Iterator[_Waiting]:
        self.learned = self.held_rows = 0
        self.sorting = LabelOrder(len(self.classes))
        for chunk in self.source.blocks(self.plan.threads):
            codes, least = self._codes.of(chunk)
            block = chunk.with_class_indices(codes if least >= 0 else np.maximum(codes, 0))
            order = self._hold_out(block, codes, chunk.first_row) if self.plan.holdout or least < 0 else None
            self.learned += block.rows if order is None else len(order)
            self.sorting.see(codes)
            if self.plan.order == "shuffle":
                self._shuffled.append(block if order is None else take_examples(block, order))
            elif self.plan.passes > 1:
                read = chunk.bytes_read / self.source.size if self.source.size else 0.0
                self._store.append(block if order is None else take_examples(block, order), read)
            yield block, order, chunk.first_row, chunk.bytes_read

    def _from_store(self) -> Iterator[_Waiting]:
        first, total = 0, self.source.size or 0
        threads = self.plan.threads
        shuffled = self.plan.order == "shuffle"
        for block in self._shuffled.blocks(self.pass_, threads) if shuffled else self._store.blocks(threads):
            yield block, None, first, int(total * (first + block.rows) / max(self.learned, 1))
            first += block.rows

    def _hold_out(self, block: Block, codes: memoryview, first: int) -> NDArray[np.uint32]:
        """The rows to learn from: those that have a label and are not held out."""
        share, rows = self.plan.holdout, len(codes)
        out = held_out(first, rows, share, self.plan.seed) if share else np.zeros(rows, bool)
        labelled = np.asarray(codes) >= 0
        held = np.flatnonzero(out & labelled).astype(np.uint32)
        if len(held):
            self._held.append(take_examples(block, held))
            self.held_rows += len(held)
        return np.flatnonzero(~out & labelled).astype(np.uint32)

    # -- learning ---------------------------------------------------------------------------------------------------

    def _begin(self, block: Block) -> None:
        features, classes = checked_count(block.values.shape[1], self.plan.degree), len(self.classes)
        dense = not isinstance(block.values, Csr)
        tried = affordable(self.plan.candidates, features, classes)
        self._make_room(tried, block)
        columns = native.Columns() if self.source.space.kind == "hashed" else None  # of millions few are met
        for name, settings in tried.items():
            if self.plan.adapted:
                settings = fitted_to(settings, block.values)
            self.tried[name] = settings
            run = Run(settings, features, [1.0] * classes, self.plan.seed, dense=dense, columns=columns)
            run.learner.judge(True)
            run.begin_pass()
            self.runs[name] = run

    def _make_room(self, runs: Mapping[str, Settings], block: Block) -> None:
        """The weights grow with the features; what cannot be held is refused before it is asked for."""
        features = checked_count(block.values.shape[1], self.plan.degree)
        if features > self._roomy:
            check_room(self.source.name, runs.values(), features, len(self.classes))
            self._roomy = features

    def _learn(self, turns: ParallelRuns) -> None:
        """Every run learns what has been gathered. One whose weights overflow is given up, unless it is the last."""
        for name, example in turns.take(self._open()):
            if len(self.runs) == 1:
                raise LearningOverflowError(
                    f"{self.source.name}: the weights of {name} overflowed at example {example + 1}: "
                    "scale the features, or choose another rule."
                )
            self.failed.append(name)
            del self.runs[name]
        self.rows = max(self.rows, turns.upto)
        turns.clear()
        if self.pass_ == 0:
            self._let_go()

    def _let_go(self) -> None:
        """Give up the rules that need not be learned on; what they and the best had reached is remembered."""
        made = {name: (self._error(name) * run.learner.t, run.learner.t) for name, run in self._open().items()}
        best = min((self._error(name) for name in made), default=1.0)
        for name in self.race.losers(made):
            self.progressive[name], self.given_up[name] = self._error(name), made[name][1]
            self.best_then[name] = best
            del self.runs[name]

    def _between(self, interrupt: Interrupt, save: Callable[[Fitting], None] | None) -> None:
        interrupt.check()
        now = time.monotonic()
        every = self.plan.checkpoint_every
        if save is not None and every is not None and now - self._saved >= every:
            save(self)
            self._saved = now
        if self.plan.on_progress is not None and now - self._told >= _TELL_EVERY:
            self._told = now
            self.plan.on_progress(self.progress())

    def progress(self) -> Progress:
        best = min((self._error(name) for name in self.runs), default=1.0)
        seconds = time.monotonic() - self._began
        now = min(self.pass_ + 1, self.plan.passes)
        return Progress(self._done, self.source.size, self.rows, seconds, best, now, self.plan.passes)

    def _error(self, name: str) -> float:
        """Wrong decisions made before learning, a share of the weight of the first pass; of a rule that keeps its
        average those of the average, of which some thousand rows tell enough."""
        learner = self.runs[name].learner
        return self.progressive.get(name, max(learner.wrong, 0.0) / max(learner.weighed, 1e-300))

    # -- the end of a pass ------------------------------------------------------------------------------------------

    def _end_pass(self) -> None:
        if not self.runs or self.learned == 0:
            raise DataError(f"{self.source.name}: has no example to learn from.")
        if self.pass_ == 0 and self.plan.order == "auto" and self.source.rewindable and self.sorting.grouped:
            raise SortedLabelsError
        ended = self._open()
        if self.pass_ == 0:
            self.progressive |= {name: self._error(name) for name in ended}
        for name, run in ended.items():
            run.learner.judge(False)
            run.end_pass()
            if self.held_rows:
                self._judge(name, run)
        self.pass_, self.rows = self.pass_ + 1, 0
        if self.pass_ == 1 and not self.held_rows:
            chosen = self.chosen
            self.runs = {chosen: self.runs[chosen]}
        if self.plan.on_progress is not None:
            self._done = self.source.size or self._done
            self.plan.on_progress(self.progress())

    def _judge(self, name: str, run: Run) -> None:
        """The error on the held-out rows; with patience a run that no longer gets better is stopped."""
        scorer, scheme, wrong = run.scorer(), run.settings.scheme(len(self.classes)), 0
        for block in self._held.blocks(1):
            rows = native.rows_of(block.values, degree=self.plan.degree)
            if rows.features > scorer.features:
                scorer = scorer.copy() if scorer is run.learner else scorer
                scorer.grow(rows.features)
            found = predicted_classes(scheme, scorer.scores(rows), len(self.classes))
            wrong += int(np.count_nonzero(found != block.labels))
        self.held_error[name] = wrong / self.held_rows
        if self.plan.patience is None:
            return
        if name not in self.best or self.held_error[name] < self.best[name][0]:
            self.best[name], self.waited[name] = (self.held_error[name], copy(run)), 0
        else:
            self.waited[name] += 1
        if self.waited[name] >= self.plan.patience and run.status == "budget":
            run.status = "validated"

    @property
    def chosen(self) -> str:
        """The best rule so far: by the rows held out, else by the errors made while learning; then by order."""
        if self.held_rows:
            errors = {name: self.best[name][0] if name in self.best else self.held_error[name] for name in self.runs}
        else:
            errors = {name: self._error(name) for name in self.runs}
            # Of many sparse features the order is a good guess; of the columns of a table nothing is known before.
            if self.source.space.kind != "columns" and not any(run.dense for run in self.runs.values()):
                return first_of_the_best(errors, max(run.learner.t for run in self.runs.values()))
        return min(errors, key=errors.__getitem__)

    @property
    def winner(self) -> Run:
        run = self.runs[self.chosen]
        if self.chosen not in self.best:
            return run
        kept = self.best[self.chosen][1]
        kept.status = run.status
        return kept

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began


def _after(order: NDArray[np.uint32] | None, done: int, rows: int) -> NDArray[np.uint32] | None:
    """The rows of a chunk to visit, without the first ones that are done already."""
    if done <= 0:
        return order
    return np.arange(done, rows, dtype=np.uint32) if order is None else order[order >= done]
