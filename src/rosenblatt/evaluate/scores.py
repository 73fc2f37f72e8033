"""Predictions -> Scores: counted block by block, in bounded memory."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt.evaluate import confusion, roc_auc
from rosenblatt.evaluate.confidence_intervals import Estimate, effective, logit_normal
from rosenblatt.evaluate.confusion import ClassScores
from rosenblatt.evaluate.even_sample import EvenSample
from rosenblatt.evaluate.probabilities import ProbabilityTally, ReliabilityBin
from rosenblatt.model.warnings.drift import Drift, NewWords
from rosenblatt.model.warnings.fit_warnings import (
    Caution,
    Judged,
    advice_for_rare,
    few_examples,
    unknown_labels,
    worthless,
)
from rosenblatt.records import Floats, Label

MAX_RANKED = 1 << 22  # scores kept for ranking; of more examples every second is ranked, then every fourth, and so on


@dataclass(frozen=True)
class Scores:
    """How good predictions are, each number with its 95% confidence interval.

    With two classes, precision, recall, F1, ROC AUC and average precision are those of the positive class,
    `classes[1]`; with more they are the plain mean over the classes, each against the rest. `roc_auc` and
    `average_precision` are None where only one class occurred; `log_loss`, `brier` and `calibration_error` where the
    model gives no probabilities. An example whose label is none of the classes is an error; these three leave it out.
    """

    examples: int
    classes: tuple[Label, ...]
    accuracy: Estimate
    error: Estimate
    precision: Estimate
    recall: Estimate
    f1: Estimate
    roc_auc: Estimate | None
    average_precision: Estimate | None
    log_loss: Estimate | None
    brier: Estimate | None
    calibration_error: Estimate | None
    per_class: tuple[ClassScores, ...]
    confusion: Floats  # [i, j]: weight of the examples of class i decided to be class j
    ranked: int  # examples whose scores were ranked: all of them, or an even sample of very many
    baseline_error: float = 0.0  # of always guessing the commonest class of these examples
    unknown: int = 0  # examples whose label is none of the classes
    unknown_labels: tuple[Label, ...] = ()
    reliability: tuple[ReliabilityBin, ...] = ()

    @property
    def commonest(self) -> Label:
        return self.classes[int(self.confusion.sum(axis=1).argmax())]

    def warnings(self, *, weighs_errors: bool = False) -> list[Caution]:
        """What a user must know about these scores, in a sentence each; a model that weighs errors may make more."""
        judged, area = Judged(self.classes, self.confusion.tolist()), self.roc_auc
        of_two = area is not None and len(self.classes) == 2 and not weighs_errors
        advice = ""
        if area is not None and of_two:
            counts = self.confusion.sum(axis=1).tolist()
            advice = advice_for_rare(self.classes, counts[1] <= counts[0], area.value, area.low)
        return [
            *worthless(judged, clearly_less_errors=weighs_errors, advice=advice),
            *few_examples(self.classes, judged.counts),
            *unknown_labels(self.unknown_labels, self.unknown, self.examples),
        ]


class Tally:
    """Predictions counted block by block; `scores()` at any time."""

    def __init__(self, classes: tuple[Label, ...], most_ranked: int = MAX_RANKED) -> None:
        self.classes = classes
        self.table: Floats = np.zeros((len(classes) + 1, len(classes)))  # the last row: labels of no class
        self.unknown = 0  # how many examples have such a label
        self.unknown_labels: list[Label] = []
        self.reading_warnings: list[str] = []
        self.drift: Drift | None = None  # from the examples that the model was learned from
        self.new_words: NewWords | None = None  # words that the model has no weights for
        self.examples = 0
        self.squares = 0.0  # of the weights
        self.probabilities = ProbabilityTally(len(classes))
        self.sample = EvenSample(max(most_ranked // (1 if len(classes) == 2 else len(classes)), 1))

    def add(
        self,
        scores: Floats,
        decided: NDArray[np.integer],
        truth: NDArray[np.integer],
        weights: Floats | None = None,
        probabilities: Floats | None = None,
    ) -> None:
        """Count a block: scores as `class_scores` gives them, and the predicted and true class of each row.

        `truth` holds positions in the classes, or the number of classes for a label that is not among them.
        """
        count, classes = len(truth), len(self.classes)
        scores = np.asarray(scores, dtype=np.float64).reshape(count, 1 if classes == 2 else classes)
        weights = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
        cells = np.asarray(truth, dtype=np.intp) * classes + decided
        self.table += np.bincount(cells, weights, self.table.size).reshape(self.table.shape)
        known = np.asarray(truth) < classes
        self.unknown += count - int(known.sum())
        self.squares += float(np.square(weights).sum())
        if probabilities is not None:
            self.probabilities.add(probabilities[known], np.asarray(truth)[known], weights[known])
        self.sample.add(scores, np.asarray(truth, dtype=np.intp), weights)
        self.examples += count

    def ranking(self) -> list[roc_auc.Ranked]:
        """The scores of the positive class ranked; with more than two classes, of each class."""
        empty = (np.zeros((0, 1)), np.zeros(0, np.intp), np.zeros(0))
        scores, truth, weights = self.sample.columns() or empty
        if len(self.classes) == 2:
            return [roc_auc.ranked(scores[:, 0], truth == 1, weights)]
        return [roc_auc.ranked(scores[:, k], truth == k, weights) for k in range(scores.shape[1])]

    def margins(self) -> Floats:
        """How clearly each ranked example was decided: y*s, or the true class's score minus the best other one."""
        if not len(self.sample):
            return np.zeros(0)
        scores, truth, _ = self.sample.columns()
        known = truth < len(self.classes)
        scores, truth = scores[known], truth[known]
        if scores.shape[1] == 1:
            return np.where(truth == 1, scores[:, 0], -scores[:, 0])
        rows = np.arange(len(truth))
        others = scores.copy()
        others[rows, truth] = -np.inf
        margin: Floats = scores[rows, truth] - others.max(axis=1)
        return margin

    def scores(self) -> Scores:
        """The scores of everything counted so far."""
        table, weight = self.table, float(self.table.sum())
        n = weight * weight / self.squares if self.squares else 0.0
        right = confusion.accuracy(table, n)
        per_class = tuple(confusion.of_class(table, n, k, label) for k, label in enumerate(self.classes))
        if len(self.classes) == 2:
            precision, recall, f1 = per_class[1].precision, per_class[1].recall, per_class[1].f1
        else:
            precision, recall, f1 = confusion.macro(table, n)
        by_rank = [ranked for ranked in self.ranking() if ranked.both]
        return Scores(
            examples=self.examples,
            classes=self.classes,
            accuracy=right,
            error=Estimate(1 - right.value, 1 - right.high, 1 - right.low),
            precision=precision,
            recall=recall,
            f1=f1,
            roc_auc=_area(by_rank),
            average_precision=_precision(by_rank),
            log_loss=self.probabilities.log_loss(n),
            brier=self.probabilities.brier(n),
            calibration_error=self.probabilities.calibration_error(),
            reliability=self.probabilities.reliability(),
            per_class=per_class,
            confusion=table[:-1].copy(),
            ranked=len(self.sample),
            baseline_error=1 - float(table[:-1].sum(axis=1).max()) / weight if weight else 0.0,
            unknown=self.unknown,
            unknown_labels=tuple(self.unknown_labels),
        )


def evaluate(
    scores: Floats,
    decided: NDArray[np.integer],
    truth: NDArray[np.integer],
    classes: tuple[Label, ...],
    *,
    weights: Floats | None = None,
    probabilities: Floats | None = None,
) -> Scores:
    """How good predictions are: classes as positions in `classes`, scores as the model gave them, and probabilities of
    every class where it gives any.

    >>> import numpy as np
    >>> scores, truth = np.array([-2.0, -1.0, 0.5, 3.0]), np.array([0, 1, 1, 1])
    >>> result = evaluate(scores, np.array([0, 0, 1, 1]), truth, ("ham", "spam"))
    >>> f"{result.accuracy:.2f}", result.confusion.tolist()
    ('0.75 [0.30, 0.95]', [[1.0, 0.0], [1.0, 2.0]])
    """
    tally = Tally(tuple(classes))
    tally.add(scores, decided, truth, weights, probabilities)
    return tally.scores()


def _area(by_rank: list[roc_auc.Ranked]) -> Estimate | None:
    """One ROC AUC, or the mean of several; they share examples, so their covariance is included."""
    if len(by_rank) <= 1:
        return roc_auc.roc_auc(by_rank[0]) if by_rank else None
    influences = [roc_auc.influence(ranked) for ranked in by_rank]
    area = sum(value for value, _ in influences) / len(influences)
    moved = np.sum([moves for _, moves in influences], axis=0) / len(influences)
    return logit_normal(area, float(np.square(moved).sum()) ** 0.5, effective(by_rank[0].weights))


def _precision(by_rank: list[roc_auc.Ranked]) -> Estimate | None:
    """One average precision, or the mean of several with the mean of their bounds, which can only be too wide."""
    if not by_rank:
        return None
    estimates = [roc_auc.average_precision(ranked) for ranked in by_rank]
    value, low, high = (
        float(np.mean([getattr(estimate, bound) for estimate in estimates])) for bound in ("value", "low", "high")
    )
    return Estimate(value, low, high)
