"""What a person wants to know after learning, gathered once for the terminal, for JSON and for the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rosenblatt.model.fitted import Fitted
from rosenblatt.model.linear import LinearModel
from rosenblatt.model.model import Model
from rosenblatt.report.weights import Weight, classes_shown, top

if TYPE_CHECKING:
    from rosenblatt.evaluate.intervals import Estimate
    from rosenblatt.evaluate.tally import Scores, Tally

STATUS = {
    "separated": "a whole pass without a mistake",
    "validated": "the held-out error stopped falling",
    "budget": "all the passes asked for were made",
    "open": "the stream may go on",
    "interrupted": "stopped before its end",
}
GROUPED = (
    "the file is sorted by label, so that each class is forgotten while the next is learned, and the progressive error "
    "means little: learn them in another order, with --order shuffle"
)


INDEX = (
    "the first column has no name, like the index that pandas writes, and was learned as column0: if it only counts "
    "the rows, write the table without it, with index=False"
)


@dataclass(frozen=True)
class Judged:
    """Examples that a model was tried on, and how it did."""

    on: str  # the file, or what else they are called
    tally: Tally = field(repr=False)
    scores: Scores


@dataclass(frozen=True)
class Evaluation:
    """A model that was tried on examples it was not learned from."""

    path: str  # of the model
    model: Model
    judged: Judged
    command: str  # to do it again


@dataclass(frozen=True)
class Summary:
    """One run of `fit`: what was read, learned and found, and where it lies."""

    data: str
    fitted: Fitted
    judged: Judged | None
    model: str | None  # where it was saved
    command: str  # to do it again

    def top(self, count: int) -> list[tuple[str, list[Weight]]]:
        """For each class the features that speak for it most; the positive class of two first."""
        return top_weights(self.fitted.model, count)

    @property
    def error(self) -> tuple[float, str]:
        """The most telling error there is, and what it was measured on."""
        fitted = self.fitted
        if self.judged is not None and self.judged.on != self.data:
            return self.judged.scores.error.value, "test"
        if fitted.holdout_error is not None:
            return fitted.holdout_error, "holdout"
        return fitted.progressive_error, "progressive"


def top_weights(model: LinearModel, count: int) -> list[tuple[str, list[Weight]]]:
    """For each class the features that speak for it most; the positive class of two first."""
    return [(str(label), top(model, k, count)) for k, label in classes_shown(model)]


def named_scores(scores: Scores) -> list[tuple[str, Estimate | None, str]]:
    """Each score with the name and the format it is shown in; None where it cannot be had."""
    return [
        ("accuracy", scores.accuracy, ".2%"),
        ("error", scores.error, ".2%"),
        ("precision", scores.precision, ".2%"),
        ("recall", scores.recall, ".2%"),
        ("F1", scores.f1, ".2%"),
        ("ROC AUC", scores.roc_auc, ".4f"),
        ("average precision", scores.average_precision, ".4f"),
        ("log loss", scores.log_loss, ".4f"),
    ]
