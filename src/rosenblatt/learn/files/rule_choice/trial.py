"""A candidate on trial: a run for each fold, judged by the rows left out, and whether it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError
from rosenblatt.learn.files.rule_choice.allowed_work import FEWEST_PENALTIES
from rosenblatt.learn.files.rule_choice.folds import Fold, Task, fold_work
from rosenblatt.learn.files.rule_choice.learn_in_memory import PASSES, Learning
from rosenblatt.learn.files.rule_choice.portfolio import MINIMUM
from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings

PATIENCE = 3  # measurements without improvement that end a candidate
_LESS = 0.99  # a loss must fall below this share of the best to count as an improvement
CLEARLY_LESS = 0.8  # a bold twin is chosen in place of a candidate if its loss is below this share of the other's


class Point(NamedTuple):
    """What a candidate has reached after some passes."""

    passes: int
    error: float
    loss: float
    scores: Sequence[Any]  # of the rows that each fold leaves out


class Trial:
    """A candidate: a run for each fold, the best it has reached, and whether it goes on."""

    scores_are_logits = False  # else their scale depends on the number of passes

    def __init__(self, learning: Learning, folds: Sequence[Fold], name: str, settings: Settings, seed: int) -> None:
        self._learning, self._folds, self.settings = learning, folds, settings
        self._runs = [learning.begin(name, settings, seed) for _ in folds]
        self.least_error: Point | None = None
        self.least_loss: Point | None = None
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

    def tasks(self, passes: int) -> Iterator[Task]:
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
        self.ended = self._waited >= PATIENCE or all(run.status == "separated" for run in self._runs)

    def _measure(self, passes: int, scores: Sequence[Any]) -> Point:
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
        return Point(passes, wrong / total, loss / total, scores)

    def point_within(self, error: float) -> Point | None:
        """The point to choose if its error is small enough; by the loss too, where the rule lowers it.

        Of errors that chance cannot tell apart, the lower loss says more.
        """
        if self.least_error is None or self.least_loss is None or self.least_error.error > error:
            return None
        by_loss = self.settings.loss == "logistic" and self.least_loss.error <= error
        return self.least_loss if by_loss else self.least_error

    def has_less_loss(self, other: Trial) -> bool:
        """Whether both model probabilities, and this one does so better."""
        if self.settings.loss != "logistic" or other.settings.loss != "logistic":
            return False
        both_measured = self.least_loss is not None and other.least_loss is not None
        return both_measured and self.least_loss.loss < CLEARLY_LESS * other.least_loss.loss  # type: ignore[union-attr]


class MinimumTrial(Trial):
    """The same for regularised logistic regression at its minimum: in place of passes there are smaller penalties."""

    scores_are_logits = True  # too large where the penalty is too small

    def __init__(self, learning: Learning, folds: Sequence[Fold], settings: Settings, seed: int) -> None:
        super().__init__(learning, (), MINIMUM, settings, seed)
        self._folds, self._seed = folds, seed
        self._weights: list[tuple[Any, Any] | None] = [None] * len(folds)

    def work(self, before: int, passes: int) -> int:
        return 0  # it has work of its own, see `affordable`

    def tasks(self, passes: int) -> Iterator[Task]:
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
        few = PASSES.index(passes) < FEWEST_PENALTIES
        self.ended = any(part is None for part in scores) or (self._waited >= PATIENCE and not few)
