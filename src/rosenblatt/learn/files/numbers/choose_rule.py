"""Where a number is predicted from few examples: chooses the rule, and its number of passes or its penalty.

The minimum of the squared error is computed, by ridge regression, with smaller and smaller penalties; other errors, and
words, are learned in passes. The candidate with the least error on left-out folds then learns all examples.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError
from rosenblatt.lazy import np
from rosenblatt.learn.files.numbers.loss import total_loss
from rosenblatt.learn.files.rule_choice.allowed_work import SHORT_PASS, WORK_OF_MINIMUM
from rosenblatt.learn.files.rule_choice.choose_rule_and_passes import Choice
from rosenblatt.learn.files.rule_choice.folds import Fold, fold_work, folds_of, task_runner
from rosenblatt.learn.files.rule_choice.learn_in_memory import PASSES, Learning
from rosenblatt.learn.files.rule_choice.portfolio import NUMBER_MINIMUM
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import HonestScores

_PATIENCE = 3  # measurements without a clear improvement that end a candidate
_PENALTIES_OF_MANY = PASSES[3:8:2]  # tried where a pass is long: then the penalty hardly matters
_FEWEST_PENALTIES = 8  # always tried, because the first ones are far too large
_VISITS = 24  # how often, about, a minimum visits all rows for each penalty
_FEWEST_ROWS = 3  # so that two are learned while one is left out
_PASSES_NEEDED = 8  # a rule is tried only if this many passes are affordable
_ENOUGH_PASSES, _FAR_BEHIND = 5, 1.2  # after so many passes a candidate ends if its error is the best times this
_LESS = 0.9999  # an error must fall below this share of the least to count as an improvement

RunAll: TypeAlias = Callable[[list[Callable[[], Any]]], list[Any]]


class _Point(NamedTuple):
    passes: int
    error: float
    scores: Sequence[Any]  # of the rows that each fold leaves out


class _Trial:
    """A candidate: a run for each fold, the least error it has reached, and whether it goes on."""

    def __init__(self, learning: Learning, folds: Sequence[Fold], name: str, settings: Settings, seed: int) -> None:
        self._learning, self._folds, self._seed = learning, folds, seed
        self.name, self.settings = name, settings
        self.best: _Point | None = None
        self.passes = 0
        self.ended = False
        self._waited = 0

    @cached_property
    def _runs(self) -> list[Run]:
        return [self._learning.begin(self.name, self.settings, self._seed) for _ in self._folds]

    def tasks(self, passes: int) -> Iterator[Callable[[], Any]]:
        """One task for each fold, which returns the scores of the rows it leaves out; None after an overflow."""
        for run, fold in zip(self._runs, self._folds, strict=True):
            yield partial(self._learn_fold, run, fold, passes)

    def _learn_fold(self, run: Run, fold: Fold, passes: int) -> Any:
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
        point = _Point(passes, self._error(scores), scores)
        is_better = self.best is None or point.error < _LESS * self.best.error
        if self.best is None or point.error < self.best.error:
            self.best = point
        self._waited = 0 if is_better else self._waited + 1
        self.ended = self._waited >= _PATIENCE

    def final(self, run_all: RunAll) -> _Point | None:
        """The best point as all examples will be learned."""
        return self.best

    def _error(self, scores: Sequence[Any]) -> float:
        block, total, weight = self._learning.block, 0.0, 0.0
        targets, weights = np.asarray(block.target_buffer), block.weights
        for fold, part in zip(self._folds, scores, strict=True):
            rows = np.asarray(fold.left_out).astype(np.intp)
            row_weights = None if weights is None else weights[rows]
            total += total_loss(self.settings, np.asarray(part), targets[rows], row_weights)
            weight += len(rows) if row_weights is None else float(row_weights.sum())
        return total / max(weight, 1e-300)


class _MinimumTrial(_Trial):
    """The minimum by each penalty in turn. The pass of small steps that a run makes from it comes only in the end."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._weights: list[Any] = [None] * len(self._folds)
        self._products: list[Any] = [None] * len(self._folds)
        self._best_weights = self._weights

    def tasks(self, passes: int) -> Iterator[Callable[[], Any]]:
        for k, fold in enumerate(self._folds):
            yield partial(self._minimum, k, fold, passes)

    def _minimum(self, k: int, fold: Fold, passes: int) -> Any:
        learning = self._learning
        if self._weights[k] is None:
            self._products[k] = learning.column_products(fold.training)
        weights = learning.minimum(fold.training, passes, self._weights[k], self._products[k])
        self._weights[k], (coef, bias) = weights, weights
        return native.scores(learning.rows, np.asarray(fold.left_out), np.asarray(coef), np.asarray(bias))

    def judge(self, passes: int, scores: Sequence[Any]) -> None:
        super().judge(passes, scores)
        self.ended = self.ended and PASSES.index(passes) >= _FEWEST_PENALTIES
        if self.best is not None and self.best.passes == passes:
            self._best_weights = list(self._weights)

    def final(self, run_all: RunAll) -> _Point | None:
        if self.best is None:
            return None
        scores = run_all([partial(self._after_small_steps, k, fold) for k, fold in enumerate(self._folds)])
        if any(part is None for part in scores):
            return None
        return self.best._replace(error=self._error(scores), scores=scores)

    def _after_small_steps(self, k: int, fold: Fold) -> Any:
        learning = self._learning
        try:
            run = learning.at_minimum(self.name, self.settings, self._seed, fold.training, self._best_weights[k])
        except LearningOverflowError:
            return None
        return learning.scores(run, fold.left_out)


def choose_for_number(
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

    If not all rules are affordable, those with the least `first_errors`, made in the first pass, are tried. These
    errors are not compared with those of folds: they are of other rows, where a few outliers make a difference.
    `check` is called between two measurements and may raise.
    """
    if learning.rows.count < _FEWEST_ROWS:
        return None
    in_passes = [settings for name, settings in candidates.items() if name != NUMBER_MINIMUM]
    folds = folds_of(learning, in_passes, work, seed)
    names = _affordable(learning, folds, candidates, first_errors, work)
    if not names:
        return None
    trials = {
        name: (_MinimumTrial if name == NUMBER_MINIMUM else _Trial)(learning, folds, name, candidates[name], seed)
        for name in names
    }
    with ExitStack() as stack:
        run_all = task_runner(threads, stack)
        _race(trials, learning, folds, work, run_all, check)
        errors = {name: trial.best.error for name, trial in trials.items() if trial.best is not None}
        name = min(errors, key=errors.__getitem__, default="")
        point = trials[name].final(run_all) if name else None
    if point is None:
        return None
    errors[name], rows = point.error, sum(len(fold.left_out) for fold in folds)
    choice = Choice(name, point.passes, point.error, rows, len(folds), errors, trials[name].passes)
    return choice, _honest_scores(learning, folds, point)


def _affordable(
    learning: Learning,
    folds: Sequence[Fold],
    candidates: Mapping[str, Settings],
    first_errors: Mapping[str, float],
    work: int,
) -> list[str]:
    """The minimum if it is affordable; else as many rules as are, those with the least errors in the first pass."""
    names = []
    minimum = candidates.get(NUMBER_MINIMUM)
    if minimum is not None and learning.has_minimum(minimum):
        penalties = _FEWEST_PENALTIES if learning.work <= SHORT_PASS else len(_PENALTIES_OF_MANY)
        cost = penalties * _VISITS * fold_work(learning, folds, minimum)
        if cost <= WORK_OF_MINIMUM:
            return [NUMBER_MINIMUM]
    for name in sorted(candidates, key=lambda name: first_errors.get(name, 0.0)):
        if name == NUMBER_MINIMUM or name not in first_errors:
            continue
        work -= _PASSES_NEEDED * fold_work(learning, folds, candidates[name])
        if work < 0:
            break
        names.append(name)
    return names


def _race(
    trials: Mapping[str, _Trial],
    learning: Learning,
    folds: Sequence[Fold],
    work: int,
    run_all: RunAll,
    check: Callable[[], None],
) -> None:
    """Measure the candidates again and again, while there is work left and one of them still improves."""
    before = 0
    is_long = learning.work > SHORT_PASS and set(trials) == {NUMBER_MINIMUM}
    for passes in _PENALTIES_OF_MANY if is_long else PASSES:
        active = [trial for trial in trials.values() if not trial.ended]
        work -= sum(
            fold_work(learning, folds, trial.settings) * (passes - before)
            for trial in active
            if trial.name != NUMBER_MINIMUM
        )
        if not active or (work < 0 and before):
            return
        scores = run_all([task for trial in active for task in trial.tasks(passes)])
        for k, trial in enumerate(active):
            trial.judge(passes, scores[k * len(folds) : (k + 1) * len(folds)])
        check()
        _end_hopeless(trials, passes)
        before = passes


def _end_hopeless(trials: Mapping[str, _Trial], passes: int) -> None:
    """End the candidates that are far behind the best."""
    least = min((trial.best.error for trial in trials.values() if trial.best is not None), default=0.0)
    for trial in trials.values():
        if passes >= _ENOUGH_PASSES and trial.best is not None and trial.best.error > _FAR_BEHIND * least:
            trial.ended = True


def _honest_scores(learning: Learning, folds: Sequence[Fold], point: _Point) -> HonestScores:
    """The scores of the rows left out, fold after fold, and their targets."""
    targets = np.asarray(learning.block.target_buffer)
    scores = np.concatenate([np.asarray(part) for part in point.scores])
    rows = np.concatenate([np.asarray(fold.left_out).astype(np.intp) for fold in folds])
    return HonestScores(scores, array("d", targets[rows]), "out-of-fold")
