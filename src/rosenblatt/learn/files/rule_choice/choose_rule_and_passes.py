"""Choose the rule and the number of passes for a small data set, by cross-validation.

Every candidate learns all folds but one, and after 1, 2, 3, 5, 8, ... passes its error is measured on that one. The
chosen rule then learns all examples. allowed_work.py limits the cost; trial.py runs and measures one candidate.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from rosenblatt.learn.files.rule_choice.allowed_work import affordable, is_share_of_a_pass
from rosenblatt.learn.files.rule_choice.folds import Fold, Task, folds_of, task_runner
from rosenblatt.learn.files.rule_choice.learn_in_memory import PASSES, Learning
from rosenblatt.learn.files.rule_choice.portfolio import BOLD_AVERAGE, MINIMUM
from rosenblatt.learn.files.rule_choice.trial import CLEARLY_LESS, PATIENCE, MinimumTrial, Point, Trial
from rosenblatt.learn.settings import Settings
from rosenblatt.records import HonestScores

# A candidate ends when its error is this many standard errors above the best; _FAR_BEHIND if it still improves.
_BEHIND, _FAR_BEHIND = 2.0, 3.0
_ENOUGH_PASSES = 8  # after these a candidate ends unless it is better than the one that would be chosen now


class Choice(NamedTuple):
    """The rule and the number of passes that were chosen, and what they were chosen by."""

    rule: str
    passes: int
    error: float  # on the rows that were held out
    rows: int  # how many rows were held out, in turn
    folds: int  # 1: the same rows were held out throughout
    errors: Mapping[str, float]  # the lowest error of each candidate that was measured
    most_passes: int = 0  # passes after which the chosen rule was measured last

    @property
    def how(self) -> str:
        """What it was chosen by, as words for a sentence."""
        return f"{self.folds} folds" if self.folds > 1 else f"{self.rows:,} rows left out"


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
    """The best candidate, and its scores of the held-out rows; None if there are too many examples to try them.

    The candidates are ordered by how likely they are to be best. `first_errors` are the errors of the candidates that
    have made a first pass. `check` is called between measurements and may raise. `work` limits the total cost, see
    allowed_work.py.
    """
    folds = folds_of(learning, [rule for name, rule in candidates.items() if name != MINIMUM], work, seed)
    names = affordable(learning, folds, candidates, first_errors, work)
    if not names:
        return None
    trials = {
        name: MinimumTrial(learning, folds, candidates[name], seed)
        if name == MINIMUM
        else Trial(learning, folds, name, candidates[name], seed)
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
    not_tried = [first_errors[name] for name in candidates if name not in trials and name in first_errors]
    if min(errors.values()) > min(not_tried, default=1.0):
        return None  # a candidate that was too expensive to try did better in its first pass
    name, point = _best(finished, _limit(errors, decisions))
    choice = Choice(
        name, point.passes, point.error, rows, len(folds), errors | {name: point.error}, trials[name].passes
    )
    return choice, _honest_scores(learning, folds, point)


def _race(
    trials: Mapping[str, Trial],
    decisions: int,
    work: int,
    run_all: Callable[[list[Task]], list[Any]],
    check: Callable[[], None],
) -> None:
    """Measure the candidates after more and more passes, while there is work left and one of them still improves."""
    before, left = 0, work
    for passes in PASSES:
        active = [trial for trial in trials.values() if not trial.ended]
        left -= sum(trial.work(before, passes) for trial in active)
        last = max((trial.last_work for trial in active), default=0) if is_share_of_a_pass(work) else 0
        if left < passes * last and before:
            active = [trial for trial in active if isinstance(trial, MinimumTrial)]  # it has work of its own
        if not active:
            return
        scores = run_all([task for trial in active for task in trial.tasks(passes)])
        for k, trial in enumerate(active):
            parts = len(scores) // len(active)
            trial.judge(passes, scores[k * parts : (k + 1) * parts])
        check()
        _end_hopeless(trials, decisions, passes)
        before = passes


def _end_hopeless(trials: Mapping[str, Trial], decisions: int, passes: int) -> None:
    """End the candidates that are unlikely to be chosen.

    A candidate that comes before the best so far gets more time while it improves. So does the bold average, which
    needs many passes where it is the best.
    """
    errors = {name: trial.least_error.error for name, trial in trials.items() if trial.least_error is not None}
    # The bold average is often ahead after few passes, and behind in the end: the others are not compared with it.
    least = min((error for name, error in errors.items() if name != BOLD_AVERAGE), default=1.0)
    near = _as_good_as(least, decisions)
    chosen = next((name for name, error in errors.items() if error <= near), None)
    is_before = True
    for name, error in errors.items():
        is_before = is_before and name != chosen
        if name == MINIMUM:
            continue  # its first penalties are far too large to compare; MinimumTrial ends it
        if (is_before or name == BOLD_AVERAGE) and trials[name].improved:
            limit = least + _FAR_BEHIND * (near - least)
        elif passes < _ENOUGH_PASSES or chosen is None or trials[name].has_less_loss(trials[chosen]):
            limit = least + _BEHIND * (near - least)
        else:
            limit = errors[chosen]
        if name != chosen and error >= limit and passes >= PATIENCE:
            trials[name].ended = True


def _limit(errors: Mapping[str, float], decisions: int) -> float:
    """The highest error with which a candidate may be chosen. The bold average lowers it only if it is clearly best."""
    least = min(errors.values())
    of_others = min((error for name, error in errors.items() if name != BOLD_AVERAGE), default=least)
    near = _as_good_as(least, decisions)
    return near if of_others > near else _as_good_as(of_others, decisions)


def _best(finished: Mapping[str, Trial], error: float) -> tuple[str, Point]:
    """The first candidate whose error is small enough.

    If it models probabilities, the bold average replaces it where its log loss is clearly lower, and the minimum where
    its log loss is lower.
    """
    points = {name: point for name, trial in finished.items() if (point := trial.point_within(error)) is not None}
    name = first = next(iter(points))
    if finished[first].settings.loss != "logistic":
        return first, points[first]
    for other, share in ((BOLD_AVERAGE, CLEARLY_LESS), (MINIMUM, 1.0)):
        if other in points and points[other].loss < share * points[name].loss:
            name = other
    return name, points[name]


def _as_good_as(error: float, rows: int) -> float:
    """An error plus one standard error: up to there chance may explain the difference (Breiman's rule)."""
    return error + math.sqrt(max(error * (1 - error), 1 / rows) / rows)


def _honest_scores(learning: Learning, folds: Sequence[Fold], point: Point) -> HonestScores:
    """The scores of the held-out rows, fold after fold."""
    numbers, truth, units = array("d"), array("i"), 1
    labels = learning.block.buffers[0]
    for fold, part in zip(folds, point.scores, strict=True):
        numbers.frombytes(memoryview(part).cast("B"))
        truth.extend(labels[row] for row in fold.left_out)
        units = part.shape[1]
    scores = memoryview(numbers).cast("B").cast("d", (len(truth), units))
    return HonestScores(scores, memoryview(truth), "out-of-fold")
