"""The passes over a source: every candidate learns each block, in the order of the file or shuffled."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from enum import Enum
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rosenblatt import native
from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.files.examples_of_each_pass import Examples, PassBlock
from rosenblatt.learn.files.interrupt import Interrupt
from rosenblatt.learn.files.labels.label_sets import LabelSetCoder
from rosenblatt.learn.files.labels.labels_to_classes import ClassCoder
from rosenblatt.learn.files.last_examples import LastExamples
from rosenblatt.learn.files.leak_sample import LeakSample
from rosenblatt.learn.files.numbers.scaled_targets import NumberCoder, TargetScale
from rosenblatt.learn.files.plan import Plan, Progress
from rosenblatt.learn.files.rule_choice.portfolio import (
    BOLD_AVERAGE,
    LAST_RULES,
    NUMBER_MINIMUM,
    NUMBER_RULES,
    Candidates,
)
from rosenblatt.learn.files.rule_choice.race import first_of_the_best
from rosenblatt.learn.polynomial import refuse_sparse
from rosenblatt.learn.progressive_scores import progressive_scores
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.readers.source import Source
from rosenblatt.records import Block, Csr, HonestScores, Label

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from rosenblatt.learn.files.rule_choice.choose_rule_and_passes import Choice
    from rosenblatt.learn.files.rule_choice.learn_in_memory import Learning

_REPORT_EVERY = 0.1  # seconds
# Values that a run learns at once, so that its weights stay in the cache meanwhile; a single run need not wait.
_BATCH = 1 << 18
# The cost of reading one value of each kind of source, as the number of weights that a learner visits in that time.
_READ_COST = {"index": 10, "columns": 50, "hashed": 50}


class Restart(Enum):
    """Why a fit must begin again: what the examples showed while they were learned."""

    NEW_LABEL = "a label is not among the classes"
    IN_RUNS = "examples of one class come together, and learning one class would forget the one before"


class Fitting:
    """A fit under way: its candidates, the pass, and the rows of the pass that are done. A checkpoint holds this."""

    def __init__(
        self, source: Source, plan: Plan, classes: tuple[Label, ...], *, fixed: bool, scale: TargetScale | None = None
    ) -> None:
        self.source, self.plan, self.classes = source, plan, classes
        self.fixed = fixed  # no other labels are allowed
        coder: ClassCoder | NumberCoder = (LabelSetCoder if plan.reading.multi_label else ClassCoder)(
            source, classes, fixed=fixed
        )
        self.number: NumberCoder | None = None  # where a number is predicted
        if plan.predicts_number:
            coder = self.number = NumberCoder(source, scale or TargetScale())
        self.sets = coder.sets if isinstance(coder, LabelSetCoder) else None  # of labels, where examples have several
        self.label_weights = None
        if self.sets is not None and plan.class_weight is not None:
            from rosenblatt.learn.files.labels.class_weights import weight_of_each

            self.label_weights = weight_of_each(plan.class_weight, classes, source.name)
        self.candidates = Candidates(source.name, plan, self.n_classes, self.sets, self.label_weights)
        self.examples = Examples(coder, plan)
        self.holdout = self.examples.holdout
        self.pass_ = 0
        self.rows = 0  # rows of the unfinished pass that every run has visited
        self.resumed = False
        self.learned_before = 0  # examples that a loaded model has learned before this fit
        self.goes_on_in_one_pass = True  # the loaded model has learned each of them once
        self.classes_before: tuple[Label, ...] = ()  # of the loaded model
        self.honest_scores: HonestScores | None = None  # of the winner, once all passes are done
        self.choice: Choice | None = None  # of the rule and its passes, where few examples were learned by folds
        self.pass_is_short = False  # of few examples: other ways to read them cost next to nothing
        self.leak_sample: LeakSample | None = None  # of the first rows that are learned
        self.last_examples = LastExamples()
        self.checkpoint_failure: str | None = None  # why the last checkpoint was not written
        self._clock = _Clock(plan)
        self._bytes_read = 0

    @property
    def n_classes(self) -> int:
        """The number of classes; 1 where a number is predicted."""
        return 1 if self.plan.predicts_number else len(self.classes)

    def run(self, save: Callable[[Fitting], None] | None = None) -> Restart | None:
        """Make all the passes; returns why the fit must begin again, or None. An interrupt saves a checkpoint."""
        with self.examples, Interrupt() as interrupt:
            try:
                if self.pass_ > 0 or self.plan.order == "shuffle":
                    self._read_all(interrupt)
                restart = Restart.NEW_LABEL if self.examples.new_label else None
                while restart is None and self._has_next_pass():
                    restart = self._one_pass(interrupt, save)
                if restart is None and self._are_few():
                    self._learn_by_folds(interrupt)
                    restart = Restart.IN_RUNS if self.choice is None and self._must_be_shuffled() else None
                if restart is None and self.choice is None:
                    self.honest_scores = self._honest_scores()
                if restart is None and self.plan.size is not None:
                    self.holdout.keep_some()
            except KeyboardInterrupt:
                if save is not None and self.candidates.runs:
                    self._save(save)
                if self.checkpoint_failure is not None:
                    raise KeyboardInterrupt(f"interrupted; {self.checkpoint_failure}.") from None
                raise
        return restart

    def add_class(self, classes: tuple[Label, ...], grow: Callable[[Run], Run]) -> None:
        """Add the last of these classes, after all rows so far are learned; `grow` gives a run the units for it."""
        self.examples.add_class(classes)
        self.candidates.add_class(grow)
        self.classes = classes

    def _has_next_pass(self) -> bool:
        return self.pass_ < self.plan.passes_in_order and (self.pass_ == 0 or bool(self.candidates.unfinished()))

    def _read_all(self, interrupt: Interrupt) -> None:
        """Read everything once without learning: to shuffle it, or for later passes after a resume."""
        for _ in interrupt.waiting_for(self.examples.read()):
            interrupt.check()

    def _one_pass(self, interrupt: Interrupt, save: Callable[[Fitting], None] | None) -> Restart | None:
        first_pass = self.pass_ == 0
        self.last_examples.clear()
        if self.rows == 0:
            for run in self.candidates.unfinished().values():
                run.begin_pass()
        from_source = first_pass and self.plan.order != "shuffle"
        blocks = self.examples.read() if from_source else self.examples.stored(self.pass_)
        with ParallelBatch(self.plan.threads, self.plan.degree) as batch:
            for part in interrupt.waiting_for(blocks):
                self._gather(part, batch)
                if batch.entries >= _BATCH or len(self.candidates.runs) == 1:
                    self._learn(batch)
                    interrupt.check()
                    self._save_and_report(save)
            if self.examples.new_label:
                return Restart.NEW_LABEL
            self._learn(batch)
        restart = self._end_pass()
        interrupt.check()
        return restart

    def _gather(self, part: PassBlock, batch: ParallelBatch) -> None:
        if self.pass_ == 0 and not self.candidates.runs:
            if self.plan.degree > 1 and isinstance(part.block.values, Csr):
                refuse_sparse(self.source.name, self.source.space, self.plan.degree)
            self.candidates.begin(part.block, hashed=self._is_hashed(part.block))
        one_label = self.plan.degree == 1 and self.sets is None and self.number is None
        if self.pass_ == 0 and self.leak_sample is None and one_label:
            self.leak_sample = LeakSample.of(part.block, part.rows, len(self.classes), self.source.space)
        self.candidates.grow(part.block)
        self.last_examples.add(part)
        self._bytes_read = part.bytes_read
        rows = part.block.rows
        if part.first_row + rows > self.rows:
            batch.add(part.block, _rows_after(part.rows, self.rows - part.first_row, rows), part.first_row)

    def _is_hashed(self, block: Block) -> bool:
        """Words, of a table too, are hashed into very many columns: only those that occur are given weights."""
        return bool(self.source.space.bits) and isinstance(block.values, Csr)

    def _learn(self, batch: ParallelBatch) -> None:
        overflowed = batch.learn(self.candidates.unfinished())
        self.rows = max(self.rows, batch.end_row)
        self.candidates.drop_overflowed(overflowed)
        if self.pass_ == 0:
            self.candidates.drop_losers()

    def _end_pass(self) -> Restart | None:
        if not self.candidates.runs or self.examples.learned == 0:
            raise DataError(f"{self.source.name}: has no example to learn from.", file=self.source.name)
        if self.sets is not None and self.examples.learned + self.holdout.rows == 1:
            name = self.source.name
            raise DataError(f"{name}: has one example, and labels are learned from several.", file=name)
        first_pass = self.pass_ == 0
        if first_pass and self.number is not None and not self.learned_before:
            self.number.refuse_equal()
        if first_pass and self._must_be_shuffled() and not self._are_few():
            return Restart.IN_RUNS
        for name, run in self.candidates.end_pass(first_pass=first_pass).items():
            if self.holdout.rows:
                self.holdout.judge(name, run)
        self.pass_, self.rows = self.pass_ + 1, 0
        if first_pass and not self.holdout.rows:
            chosen = self.chosen
            self.candidates.runs = {chosen: self.candidates.runs[chosen]}
        if self.plan.on_progress is not None:
            self._bytes_read = self.source.size or self._bytes_read
            self.plan.on_progress(self.progress())
        return None

    def _must_be_shuffled(self) -> bool:
        return self.plan.order == "auto" and self.source.rewindable and self.examples.label_order.is_in_runs

    # -- few examples -----------------------------------------------------------------------------------------------

    def _are_few(self) -> bool:
        return self.examples.gathered is not None and self.examples.gathered.are_few

    def _learn_by_folds(self, interrupt: Interrupt) -> None:
        """Choose the rule and the number of passes by folds that are left out, then learn all examples."""
        from rosenblatt.learn.files.rule_choice.allowed_work import SHORT_PASS, work_allowed
        from rosenblatt.learn.files.rule_choice.choose_rule_and_passes import choose_by_folds
        from rosenblatt.learn.files.rule_choice.learn_in_memory import Learning, Shuffler

        plan, candidates, gathered = self.plan, self.candidates, self.examples.gathered
        assert gathered is not None
        examples = gathered.joined()
        self.last_examples.take_from_all(examples)
        shuffler = Shuffler(plan.seed, keep_order=plan.order == "given")
        hashed = self._is_hashed(examples)
        learning = Learning(
            examples,
            self.n_classes,
            shuffler,
            plan.degree,
            hashed=hashed,
            sets=self.sets,
            label_weights=self.label_weights,
        )
        self.pass_is_short = learning.work <= SHORT_PASS
        if self.number is not None:
            self._choose_for_number(learning, interrupt)
            return
        tried = self._fold_candidates(learning)
        # If not all are affordable, an average is ranked by the first-pass error of the rule with the same loss.
        first_errors = dict(candidates.progressive)
        for rule, average in (("logistic", "logistic-average"), ("logistic-bold", "logistic-average-bold")):
            first_errors.setdefault(average, candidates.progressive.get(rule, 0.0))
        in_runs = self.examples.label_order.is_in_runs and plan.order != "given"
        first_pass = None if in_runs else [tried[name] for name in candidates.settings if name in tried]
        best = choose_by_folds(
            learning,
            tried,
            first_errors,
            seed=plan.seed,
            threads=plan.threads,
            check=interrupt.check,
            work=work_allowed(learning, first_pass, _READ_COST[self.source.space.kind]),
        )
        if best is None:
            return
        choice, self.honest_scores = best
        self._learn_all(choice, learning, tried, {**tried, **candidates.settings, **tried}, interrupt)

    def _learn_all(
        self,
        choice: Choice,
        learning: Learning,
        tried: Mapping[str, Settings],
        settings: dict[str, Settings],
        interrupt: Interrupt,
    ) -> None:
        """Learn all examples by the chosen rule; `settings` are those of all candidates."""
        run = learning.fit(choice.rule, tried[choice.rule], self.plan.seed, choice.passes, self.plan.threads)
        interrupt.check()
        self.candidates.settings, self.candidates.runs = settings, {choice.rule: run}
        self.choice = choice
        self.candidates.progressive.setdefault(choice.rule, choice.error)
        if self.holdout.rows:
            self.holdout.judge(choice.rule, run)

    def _choose_for_number(self, learning: Learning, interrupt: Interrupt) -> None:
        from rosenblatt.learn.files.numbers.choose_rule import choose_for_number
        from rosenblatt.learn.files.rule_choice.allowed_work import work_allowed

        plan, candidates = self.plan, self.candidates
        tried = {name: rule for name, rule in plan.candidates.items() if name not in candidates.failed}
        is_squared = all(rule.loss == "squared" for rule in plan.candidates.values())
        if is_squared and len(plan.candidates) > 1:
            tried = {NUMBER_MINIMUM: NUMBER_RULES["number-average"]._replace(eta0=2.0**-10), **tried}
        if plan.scale_to_length:
            tried = {name: learning.scaled(name, rule) for name, rule in tried.items()}
        in_runs = self.examples.label_order.is_in_runs and plan.order != "given"
        first_pass = None if in_runs else [tried[name] for name in candidates.settings if name in tried]
        best = choose_for_number(
            learning,
            tried,
            candidates.progressive,
            seed=plan.seed,
            threads=plan.threads,
            check=interrupt.check,
            work=work_allowed(learning, first_pass, _READ_COST[self.source.space.kind]),
        )
        if best is None:
            return
        choice, self.honest_scores = best
        self._learn_all(choice, learning, tried, {**tried, **candidates.settings}, interrupt)

    def _fold_candidates(self, learning: Learning) -> dict[str, Settings]:
        """All rules to try, best guess first, scaled to the length of all examples."""
        plan, candidates = self.plan, self.candidates
        first = {name: plan.candidates[name] for name in candidates.settings if name not in candidates.failed}
        more = plan.word_candidates if learning.hashed else plan.fold_candidates
        ahead = {name: more[name] for name in more if name not in LAST_RULES}
        # Nearly last, because of rules whose errors differ only by chance, one that models probabilities is preferred.
        mistake_driven = {name: rule for name, rule in first.items() if name in ("hinge", "perceptron")}
        others = {name: rule for name, rule in first.items() if name not in mistake_driven}
        bold = {name: rule for name, rule in more.items() if name == BOLD_AVERAGE}
        tried = {**ahead, **others, **bold, **mistake_driven, **more}
        return {name: learning.scaled(name, rule) for name, rule in tried.items()} if plan.scale_to_length else tried

    # -- checkpoints and progress -----------------------------------------------------------------------------------

    def _save_and_report(self, save: Callable[[Fitting], None] | None) -> None:
        if save is not None and self._clock.save_is_due():
            self._save(save)
        if self.plan.on_progress is not None and self._clock.report_is_due():
            self.plan.on_progress(self.progress())

    def _save(self, save: Callable[[Fitting], None]) -> None:
        """Save a checkpoint; a full disk must not end a fit that may have taken hours."""
        try:
            save(self)
            self.checkpoint_failure = None
        except OSError as error:
            why = error.strerror or str(error)
            self.checkpoint_failure = f"the checkpoint {self.plan.checkpoint} could not be written: {why}"

    def progress(self) -> Progress:
        best = min((self.candidates.error(name) for name in self.candidates.runs), default=1.0)
        passes = self.plan.passes_in_order
        pass_ = min(self.pass_ + 1, passes)
        return Progress(self._bytes_read, self.source.size, self.rows, self.seconds, best, pass_, passes)

    @property
    def seconds(self) -> float:
        return self._clock.seconds

    # -- the answer -------------------------------------------------------------------------------------------------

    @property
    def is_one_pass(self) -> bool:
        """Whether the run has learned every example once, in the order of the source."""
        seen = self.learned_before + self.examples.learned
        return self.choice is None and self.goes_on_in_one_pass and self.winner.learner.t <= seen

    @property
    def class_counts(self) -> tuple[int, ...]:
        """Examples of each class, including the held-out ones; of each label, where examples may have several."""
        counts = self.examples.label_order.counts
        if self.sets is not None:
            return tuple(self.sets.counts(counts))
        return tuple(counts[k] if k < len(counts) else 0 for k in range(len(self.classes)))

    @property
    def chosen(self) -> str:
        """The best rule so far: by folds, by the rows held out, or by the errors made while learning; then by order."""
        if self.choice is not None:
            return self.choice.rule
        runs = self.candidates.runs
        if self.holdout.rows:
            errors: dict[str, Any] = {name: self.holdout.error(name) for name in runs}
        else:
            errors = {name: self.candidates.error(name) for name in runs}
            # For many sparse features the order of the rules is a good guess; for the columns of a table it is not.
            if not self._is_table() and self.number is None:
                decisions = 1 if self.sets is None else len(self.classes)  # for each example
                return first_of_the_best(errors, decisions * max(run.learner.t for run in runs.values()))
        return min(errors, key=errors.__getitem__)

    def _is_table(self) -> bool:
        return self.source.space.kind == "columns" or any(run.dense for run in self.candidates.runs.values())

    @property
    def winner(self) -> Run:
        """The run of the chosen rule; with patience, as it was when it erred least on the held-out rows."""
        run = self.candidates.runs[self.chosen]
        if self.chosen not in self.holdout.best:
            return run
        best = self.holdout.best[self.chosen][1]
        best.status = run.status
        return best

    def _honest_scores(self) -> HonestScores:
        """The scores of the held-out rows if there are any, else of the first pass, each before it was learned."""
        if self.holdout.rows:
            return self.holdout.honest_scores(self.winner)
        learned = self.examples.learned + (self.learned_before if self.is_one_pass else 0)
        return progressive_scores(self.candidates.runs[self.chosen], learned)


class ParallelBatch:
    """Blocks that are gathered and then learned. A run learns them all at once, so its weights stay in the cache.

    Runs share nothing but the table of their columns' positions, which does not affect any weight, so the result is
    the same for any number of threads.
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


class _Clock:
    """When the next checkpoint and the next report of progress are due."""

    def __init__(self, plan: Plan) -> None:
        self._save_every = plan.checkpoint_every
        self._began = self._reported = self._saved = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def save_is_due(self) -> bool:
        time_now = time.monotonic()
        due = self._save_every is not None and time_now - self._saved >= self._save_every
        self._saved = time_now if due else self._saved
        return due

    def report_is_due(self) -> bool:
        time_now = time.monotonic()
        due = time_now - self._reported >= _REPORT_EVERY
        self._reported = time_now if due else self._reported
        return due


def _rows_after(rows: NDArray[np.uint32] | None, done: int, count: int) -> NDArray[np.uint32] | None:
    """The rows of a block to learn, without the first ones, which are done already."""
    if done <= 0:
        return rows
    return np.arange(done, count, dtype=np.uint32) if rows is None else rows[rows >= done]
