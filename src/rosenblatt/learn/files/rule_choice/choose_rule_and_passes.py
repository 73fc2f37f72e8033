"""Few examples are learned many times: by which rule, and in how many passes, the folds that are left out decide.

Every candidate learns all folds but one, and after 1, 2, 3, 5, 8, ... passes is judged by that one. What is chosen then
learns all examples. The work is bounded in weights visited, not in seconds, so the choice is the same on every machine
and for any number of threads. Where one pass is long already, it is bounded by a share of that.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError
from rosenblatt.learn.files.rule_choice.portfolio import (
    BOLD_AVERAGE,
    MINIMUM,
    NUMBER_MINIMUM,
    RARITY_RULES,
    ROWS_MEASURED,
    power_of_2,
    scaled_by,
    scaled_to_length,
    weight_bytes,
)
from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Csr, HonestScores

_WORK = 1 << 30  # weights that all candidates may visit together, where one pass visits no more than SHORT_PASS
SHORT_PASS = 1 << 22
# After a longer pass: as a share of its work. The more classes, the fewer examples of each, and the more passes help.
_SHARE, _SHARE_OF_MANY_CLASSES = 0.35, 1.0
_WEIGHT_BYTES = 420 << 20  # of memory for the weights of all their runs
_FOLDS = 5
_FEW_ROWS = 20_000  # of more, one fold is enough to judge by
_LEFT_OUT_ROWS = 10_000  # the most rows of that one
PASSES = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584)
# Passes that there must be work for; where there is less, fewer candidates are judged. Of one fold the data are large.
_FEWEST_PASSES, _FEWEST_OF_ONE_FOLD = 8, 3
_PATIENCE = 3  # measurements without improvement that end a candidate
_BEHIND, _FAR_BEHIND = 2.0, 3.0  # standard errors behind the best that end a candidate, and one that still improves
_ENOUGH_PASSES = 8  # then a candidate that is not better than the one to choose ends
# What a row costs besides its values, and a value of a sparse row, in weights of dense rows.
_ROW_COST, _SPARSE_COST = 16, 4
_LESS = 0.99  # a loss must fall below this share of the best to count as an improvement
_CLEARLY_LESS = 0.8  # of the loss of the first candidate: what its bold twin must have to be chosen for it
# Penalties of the minimum, each measured where the others are after so many passes: alpha is 1 / (C times the weight of
# all examples), C from a thousandth on, each about three times the one before.
FIRST_C, FACTOR = 1e-3, 10**0.5
_NUMBER_STEPS = 64  # of conjugate gradients
_STEPS = 24  # of each penalty, which begins at the weights of the one before
_FEWEST_PENALTIES = 8  # that are tried, for the first are far too large; there must be work for them
WORK_OF_MINIMUM = 1 << 32  # at most: a weight costs less where none is changed before all rows are visited
_MOST_WEIGHTS = 1 << 16  # of the minimum
_Task: TypeAlias = Callable[[], Any]
_STRIDE = 0x9E3779B97F4A7C15  # from the seed of one pass to that of the next


class Choice(NamedTuple):
    """The rule and the number of passes that were chosen, and what they were chosen by."""

    rule: str
    passes: int
    error: float  # of the rows left out
    rows: int  # that were left out in turn
    folds: int  # 1: these rows alone were left out
    errors: Mapping[str, float]  # the least error of each candidate that was judged
    most_passes: int = 0  # after which the rule was judged last

    @property
    def how(self) -> str:
        """What it was chosen by, as a sentence names it."""
        return f"{self.folds} folds" if self.folds > 1 else f"{self.rows:,} rows left out"


class Fold(NamedTuple):
    training: Any  # row numbers, in memory of the native core
    left_out: Any


class _Point(NamedTuple):
    """What a candidate has reached after some passes."""

    passes: int
    error: float
    loss: float
    scores: Sequence[Any]  # of the rows that each fold leaves out


class Shuffler:
    """The rows in a new order for each pass; in the given order where that was asked for."""

    def __init__(self, seed: int, *, keep_order: bool) -> None:
        self._seed, self._keep_order = seed, keep_order

    def order(self, rows: Any, pass_: int) -> Any:
        return rows if self._keep_order else native.shuffled(rows, (self._seed + (pass_ + 1) * _STRIDE) % 2**64)[0]


class Learning:
    """The examples, and runs that go through them pass by pass."""

    def __init__(
        self,
        block: Block,
        n_classes: int,
        shuffler: Shuffler,
        degree: int,
        *,
        hashed: bool,
        sets: native.LabelSets | None = None,
        label_weights: Sequence[float] | None = None,
    ) -> None:
        self._weights = label_weights or [1.0] * n_classes
        self.block, self.n_classes, self.hashed, self._shuffler, self.sets = block, n_classes, hashed, shuffler, sets
        self.rows = native.rows_of(block.values, degree=degree)
        self._dense = not isinstance(block.values, Csr)
        self._columns = None
        if hashed:  # of millions of columns few occur
            self._columns = native.Columns()
            self._columns.add(self.rows)
        self.n_values = block.values.entries if isinstance(block.values, Csr) else self.rows.count * self.rows.features
        weighed = self.n_values if self._dense else _SPARSE_COST * self.n_values
        self.work = weighed + _ROW_COST * self.rows.count  # of a pass, for one unit

    def pass_work(self, settings: Settings) -> int:
        """Weights that a pass over all examples visits."""
        return self.work * settings.n_units(self.n_classes)

    @property
    def n_columns(self) -> int:
        """Columns that have weights."""
        return self.rows.features if self._columns is None else len(self._columns)

    def weight_bytes(self, settings: Settings) -> int:
        return weight_bytes(settings, self.n_columns, self.n_classes)

    @property
    def predicts_number(self) -> bool:
        return self.block.target_buffer is not None

    def begin(self, name: str, settings: Settings, seed: int) -> Run:
        run = Run(settings, self.rows.features, self._weights, seed, dense=self._dense, columns=self._columns)
        if name in RARITY_RULES:
            native.start_variances(run.learner, self.squared_rarities)
        if self.sets is not None:
            run.learner.decide_about(self.sets)
        joint = settings.scheme(self.n_classes) in ("binary", "joint", "multi-label")
        if settings.loss == "logistic" and joint and not settings.rate.per_feature:
            # One rate for all: long examples ask for a small one, at which the bias would hardly learn.
            native.start_biases(run.learner, self.log_odds)
        return run

    @cached_property
    def log_odds(self) -> memoryview:
        """The bias of each unit that knows the shares of the classes and nothing else."""
        labels, weights = self.block.buffers
        if self.sets is not None:
            return native.label_log_odds(self.sets, labels, weights)
        return native.log_odds(labels, self.n_classes, weights)

    @cached_property
    def squared_rarities(self) -> memoryview:
        """Of each column that occurs, the square of its inverse document frequency."""
        return native.squared_rarities(self.rows, self.n_columns)

    def scaled(self, name: str, settings: Settings) -> Settings:
        """A rule for examples of length 1, scaled to the length of these; rare columns count for more where it says."""
        if name not in RARITY_RULES:
            return scaled_to_length(settings, self.block.values)
        rows = min(self.rows.count, ROWS_MEASURED)
        return scaled_by(settings, power_of_2(native.weighted_squares(self.rows, rows, self.squared_rarities) / rows))

    def learn(self, run: Run, rows: Any, passes: int, threads: int = 1) -> None:
        """Go on until so many passes are made, or one had no mistake."""
        while len(run.mistakes) < passes and run.status != "separated":
            run.begin_pass()
            run.visit(self.block, self.rows, self._shuffler.order(rows, len(run.mistakes)), threads)
            run.end_pass()

    def scores(self, run: Run, rows: Any) -> Any:
        return run.scorer().scores(self.rows, rows)

    def fit(self, name: str, settings: Settings, seed: int, passes: int, threads: int) -> Run:
        """What was chosen, on all examples."""
        rows = array("I", range(self.rows.count))
        if name not in (MINIMUM, NUMBER_MINIMUM):
            run = self.begin(name, settings, seed)
            self.learn(run, rows, passes, threads)
            return run
        weights = None
        # Conjugate gradients need not come from larger penalties.
        penalties = (passes,) if self.predicts_number else PASSES[: PASSES.index(passes) + 1]
        for penalty in penalties:
            weights = self.minimum(rows, penalty, weights)
        return self.at_minimum(name, settings, seed, rows, weights)

    def has_minimum(self, settings: Settings) -> bool:
        """Whether a run may begin at the minimum of the regularised logistic loss: of few weights, none of which fades
        or votes."""
        n_units = 1 if self.n_classes <= 2 else self.n_classes
        is_plain = settings.keep in ("average", "last") and not settings.forget
        return self.sets is None and not self.hashed and is_plain and n_units * self.rows.features <= _MOST_WEIGHTS

    def minimum(self, rows: Any, passes: int, start: Any) -> tuple[Any, Any]:
        """The weights of the least regularised logistic loss, or squared error, by the penalty that belongs to so many
        passes."""
        labels, weights = self.block.buffers
        total = len(rows) if weights is None else sum(weights[row] for row in rows)
        alpha = 1.0 / (FIRST_C * FACTOR ** PASSES.index(passes) * max(total, 1e-300))
        if self.predicts_number:
            coef, bias = (None, 0.0) if start is None else (start[0].cast("B").cast("d"), start[1][0])
            targets = self.block.target_buffer
            return native.squared_minimum(self.rows, rows, targets, weights, alpha, _NUMBER_STEPS, coef, bias)[:2]
        coef, bias = (None, self.log_odds) if start is None else start
        return native.logistic_minimum(self.rows, rows, labels, weights, self.n_classes, alpha, _STEPS, coef, bias)[:2]

    def at_minimum(self, name: str, settings: Settings, seed: int, rows: Any, weights: tuple[Any, Any] | None) -> Run:
        """A run that begins at these weights, and can learn on: it makes one pass of small steps."""
        assert weights is not None
        run = self.begin(name, settings, seed)
        run.learner.put("weights", *weights)
        self.learn(run, rows, 1)
        return run


class _Trial:
    """A candidate: a run for each fold, the best it has reached, and whether it goes on."""

    scores_are_logits = False  # else their scale says how many passes were made

    def __init__(self, learning: Learning, folds: Sequence[Fold], name: str, settings: Settings, seed: int) -> None:
        self._learning, self._folds, self.settings = learning, folds, settings
        self._runs = [learning.begin(name, settings, seed) for _ in folds]
        self.least_error: _Point | None = None
        self.least_loss: _Point | None = None
        self.ended = self.improved = False
        self.passes = 0  # so far
        self._waited = 0

    def work(self, before: int, passes: int) -> int:
        """Weights that the passes over the folds visit, from one measurement to the next."""
        return fold_work(self._learning, self._folds, self.settings) * (passes - before)

    @property
    def last_work(self) -> int:
        """Weights that a pass over all examples visits, once it is chosen."""
        return self._learning.pass_work(self.settings)

    def tasks(self, passes: int) -> Iterator[_Task]:
        """One task for each fold, which returns the scores of the rows it leaves out; None after an overflow."""
        for run, fold in zip(self._runs, self._folds, strict=True):
            yield partial(self._one_fold, run, fold, passes)

    def _one_fold(self, run: Run, fold: Fold, passes: int) -> Any:
        try:
            self._learning.learn(run, fold.training, passes)
        except LearningOverflowError:
            return None
        return self._learning.scores(run, fold.left_out)

    def judge(self, passes: int, scores: Sequence[Any]) -> None:
        self.passes = passes
        if any(part is None for part in scores):
            self.ended = True
            return
        point = self._measure(passes, scores)
        better_error = self.least_error is None or point.error < self.least_error.error
        better_loss = self.least_loss is None or point.loss < _LESS * self.least_loss.loss
        if better_error:
            self.least_error = point
        if self.least_loss is None or point.loss < self.least_loss.loss:
            self.least_loss = point
        self.improved = better_error or (better_loss and self.settings.loss == "logistic")
        self._waited = 0 if self.improved else self._waited + 1
        self.ended = self._waited >= _PATIENCE or all(run.status == "separated" for run in self._runs)

    def _measure(self, passes: int, scores: Sequence[Any]) -> _Point:
        n_classes, (labels, weights) = self._learning.n_classes, self._learning.block.buffers
        scheme, wrong, total, loss = self.settings.scheme(n_classes), 0.0, 0.0, 0.0
        sets = self._learning.sets
        for fold, part in zip(self._folds, scores, strict=True):
            if sets is not None:
                numbers = native.judge_labels(part, sets, labels, fold.left_out, weights)
            else:
                scores_of_classes = class_scores(scheme, part, n_classes)
                numbers = native.judge(scores_of_classes, labels, fold.left_out, weights, self.scores_are_logits)
            wrong, total, loss = wrong + numbers[0], total + numbers[1], loss + numbers[2]
        total = max(total, 1e-300)
        return _Point(passes, wrong / total, loss / total, scores)

    def point_within(self, error: float) -> _Point | None:
        """The point to choose if its error is small enough; by the loss too, where the rule lowers it.

        Of errors that chance cannot tell apart, the lower loss says more.
        """
        if self.least_error is None or self.least_loss is None or self.least_error.error > error:
            return None
        by_loss = self.settings.loss == "logistic" and self.least_loss.error <= error
        return self.least_loss if by_loss else self.least_error

    def has_less_loss(self, other: _Trial) -> bool:
        """Whether both model probabilities, and this one does so better."""
        if self.settings.loss != "logistic" or other.settings.loss != "logistic":
            return False
        both = self.least_loss is not None and other.least_loss is not None
        return both and self.least_loss.loss < _CLEARLY_LESS * other.least_loss.loss  # type: ignore[union-attr]


class _MinimumTrial(_Trial):
    """The same for regularised logistic regression at its minimum: in place of passes there are smaller penalties."""

    scores_are_logits = True  # too large where the penalty is too small

    def __init__(self, learning: Learning, folds: Sequence[Fold], settings: Settings, seed: int) -> None:
        super().__init__(learning, (), MINIMUM, settings, seed)
        self._folds, self._seed = folds, seed
        self._weights: list[tuple[Any, Any] | None] = [None] * len(folds)

    def work(self, before: int, passes: int) -> int:
        return 0  # it has work of its own, see _judged

    def tasks(self, passes: int) -> Iterator[_Task]:
        for k, fold in enumerate(self._folds):
            yield partial(self._one_minimum, k, fold, passes)

    def _one_minimum(self, k: int, fold: Fold, passes: int) -> Any:
        weights = self._weights[k] = self._learning.minimum(fold.training, passes, self._weights[k])
        try:
            run = self._learning.at_minimum(MINIMUM, self.settings, self._seed, fold.training, weights)
        except LearningOverflowError:
            return None
        return self._learning.scores(run, fold.left_out)

    def judge(self, passes: int, scores: Sequence[Any]) -> None:
        super().judge(passes, scores)
        few = PASSES.index(passes) < _FEWEST_PENALTIES
        self.ended = any(part is None for part in scores) or (self._waited >= _PATIENCE and not few)


def work_allowed(learning: Learning, first_pass: Sequence[Settings] | None, read_cost: int) -> int:
    """What folds may cost: no more than seconds, and where one pass is not short, a part of what that cost.

    `read_cost` is what it takes to read one value, in weights visited. None: that pass was in an order that spoils it.
    """
    if learning.work <= SHORT_PASS or first_pass is None:
        return _WORK
    learned = sum(map(learning.pass_work, first_pass))
    share = _SHARE if learning.n_classes == 2 else _SHARE_OF_MANY_CLASSES
    return min(int(share * (learned + read_cost * learning.n_values)), _WORK)


def choose_by_folds(
    learning: Learning,
    candidates: Mapping[str, Settings],
    first_errors: Mapping[str, float],
    *,
    seed: int,
    threads: int,
    check: Callable[[], None],
    work: int,
) -> tuple[Choice, HonestScores] | None:
    """The best of the candidates, and its scores of the rows left out; None where there are too many examples.

    The candidates come best guess first. `first_errors` are those of a first pass, where a candidate made one. `check`
    is called between two measurements and may raise. `work` is what all of it may cost, see `work_allowed`.
    """
    folds = folds_of(learning, [rule for name, rule in candidates.items() if name != MINIMUM], work, seed)
    names = _judged(learning, folds, candidates, first_errors, work)
    if not names:
        return None
    trials = {
        name: _MinimumTrial(learning, folds, candidates[name], seed)
        if name == MINIMUM
        else _Trial(learning, folds, name, candidates[name], seed)
        for name in names
    }
    rows = sum(len(fold.left_out) for fold in folds)
    decisions = rows if learning.sets is None else rows * learning.n_classes
    with ExitStack() as stack:
        run_all = task_runner(threads, stack)
        _race(trials, decisions, work, run_all, check)
    finished = {name: trial for name, trial in trials.items() if trial.least_error is not None}
    if not finished:
        return None
    errors = {name: trial.least_error.error for name, trial in finished.items() if trial.least_error is not None}
    not_judged = [first_errors[name] for name in candidates if name not in trials and name in first_errors]
    if min(errors.values()) > min(not_judged, default=1.0):
        return None  # one for which there was no work did better in its first pass
    name, point = _best(finished, _limit(errors, decisions))
    choice = Choice(
        name, point.passes, point.error, rows, len(folds), errors | {name: point.error}, trials[name].passes
    )
    return choice, _honest_scores(learning, folds, point)


def _limit(errors: Mapping[str, float], decisions: int) -> float:
    """The error up to which a candidate may be chosen. The bold average lowers it only where it is clearly the best."""
    least = min(errors.values())
    of_others = min((error for name, error in errors.items() if name != BOLD_AVERAGE), default=least)
    near = _as_good_as(least, decisions)
    return near if of_others > near else _as_good_as(of_others, decisions)


def _best(finished: Mapping[str, _Trial], error: float) -> tuple[str, _Point]:
    """The first candidate whose error is small enough; where that models probabilities, and the minimum does so better,
    or its bold twin clearly better, that one."""
    points = {name: point for name, trial in finished.items() if (point := trial.point_within(error)) is not None}
    name = first = next(iter(points))
    if finished[first].settings.loss != "logistic":
        return first, points[first]
    for other, share in ((BOLD_AVERAGE, _CLEARLY_LESS), (MINIMUM, 1.0)):
        if other in points and points[other].loss < share * points[name].loss:
            name = other
    return name, points[name]


def _race(
    trials: Mapping[str, _Trial],
    decisions: int,
    work: int,
    run_all: Callable[[list[_Task]], list[Any]],
    check: Callable[[], None],
) -> None:
    """Measure the candidates again and again, while there is work left and one of them still improves."""
    before, left = 0, work
    for passes in PASSES:
        active = [trial for trial in trials.values() if not trial.ended]
        left -= sum(trial.work(before, passes) for trial in active)
        last = max((trial.last_work for trial in active), default=0) if work < _WORK else 0
        if not active or (left < passes * last and before):
            return
        scores = run_all([task for trial in active for task in trial.tasks(passes)])
        for k, trial in enumerate(active):
            parts = len(scores) // len(active)
            trial.judge(passes, scores[k * parts : (k + 1) * parts])
        check()
        _end_hopeless(trials, decisions, passes)
        before = passes


def _end_hopeless(trials: Mapping[str, _Trial], decisions: int, passes: int) -> None:
    """End the candidates that will hardly be chosen any more. One before the best so far goes on while it improves, and
    so does the bold average, which needs many passes where it is the best."""
    errors = {name: trial.least_error.error for name, trial in trials.items() if trial.least_error is not None}
    # The bold one is often ahead after few passes, and behind in the end.
    least = min((error for name, error in errors.items() if name != BOLD_AVERAGE), default=1.0)
    near = _as_good_as(least, decisions)
    chosen = next((name for name, error in errors.items() if error <= near), None)
    is_before = True
    for name, error in errors.items():
        is_before = is_before and name != chosen
        if name == MINIMUM:
            continue  # its first penalties are far too large; it ends by itself
        if (is_before or name == BOLD_AVERAGE) and trials[name].improved:
            limit = least + _FAR_BEHIND * (near - least)
        elif passes < _ENOUGH_PASSES or chosen is None or trials[name].has_less_loss(trials[chosen]):
            limit = least + _BEHIND * (near - least)
        else:
            limit = errors[chosen]
        if name != chosen and error >= limit and passes >= _PATIENCE:
            trials[name].ended = True


def _as_good_as(error: float, rows: int) -> float:
    """One standard error more than an error: as near to it as chance can tell (Breiman's rule)."""
    return error + math.sqrt(max(error * (1 - error), 1 / rows) / rows)


def fold_work(learning: Learning, folds: Sequence[Fold], settings: Settings) -> int:
    learned = sum(len(fold.training) for fold in folds) / max(learning.rows.count, 1)
    return int(learning.pass_work(settings) * learned) + 1


def _judged(
    learning: Learning,
    folds: Sequence[Fold],
    candidates: Mapping[str, Settings],
    first_errors: Mapping[str, float],
    work: int,
) -> list[str]:
    """The candidates to judge: all, or where work or memory do not suffice, those with the least errors so far."""
    names, memory = [], _WEIGHT_BYTES
    is_part = work < _WORK  # of a pass: then learning all examples in the end counts, too
    passes = _FEWEST_PASSES if len(folds) > 1 else _FEWEST_OF_ONE_FOLD
    for name in sorted(candidates, key=lambda name: first_errors.get(name, 0.0)):
        if name == MINIMUM:
            continue
        work -= passes * fold_work(learning, folds, candidates[name])
        memory -= (len(folds) + 1) * learning.weight_bytes(candidates[name])
        last = learning.pass_work(candidates[name]) if is_part else 0
        if min(work - passes * last, memory) < 0:
            break
        names.append(name)
    if names and MINIMUM in candidates and learning.has_minimum(candidates[MINIMUM]) and not is_part:
        cost = _FEWEST_PENALTIES * _STEPS * fold_work(learning, folds, candidates[MINIMUM])
        names += [MINIMUM] if cost <= WORK_OF_MINIMUM else []
    return [name for name in candidates if name in names]


def folds_of(learning: Learning, candidates: Sequence[Settings], work: int, seed: int) -> list[Fold]:
    """Five folds, each left out once; of many examples one fold, which is left out."""
    rows = learning.rows.count
    if rows <= _FEW_ROWS:
        folds = _split(learning, max(min(_FOLDS, rows), 2), _FOLDS, seed)
        if _FEWEST_PASSES * sum(fold_work(learning, folds, settings) for settings in candidates) <= work:
            return folds
    return _split(learning, max(_FOLDS, -(-rows // _LEFT_OUT_ROWS)), 1, seed)


def _split(learning: Learning, count: int, wanted: int, seed: int) -> list[Fold]:
    labels = learning.block.buffers[0]
    n_labels = learning.n_classes if learning.sets is None else len(learning.sets)
    parts = native.stratified_folds(labels, n_labels, count, min(wanted, count), seed % 2**64)
    return [Fold(training, left_out) for training, left_out in parts]


def task_runner(threads: int, stack: ExitStack) -> Callable[[list[_Task]], list[Any]]:
    """Runs tasks, in parallel where there are threads; they share nothing that decides a bit."""
    if threads == 1:
        return lambda tasks: [task() for task in tasks]
    from concurrent.futures import ThreadPoolExecutor

    pool = stack.enter_context(ThreadPoolExecutor(threads))
    return lambda tasks: list(pool.map(lambda task: task(), tasks))


def _honest_scores(learning: Learning, folds: Sequence[Fold], point: _Point) -> HonestScores:
    """The scores of the rows left out, fold after fold."""
    numbers, truth, units = array("d"), array("i"), 1
    labels = learning.block.buffers[0]
    for fold, part in zip(folds, point.scores, strict=True):
        numbers.frombytes(memoryview(part).cast("B"))
        truth.extend(labels[row] for row in fold.left_out)
        units = part.shape[1]
    scores = memoryview(numbers).cast("B").cast("d", (len(truth), units))
    return HonestScores(scores, memoryview(truth), "out-of-fold")
