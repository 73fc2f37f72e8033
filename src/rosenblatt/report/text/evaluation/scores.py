"""The scores of a model as text: each with its interval, and the confusion matrix or the classes one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rosenblatt.report.summary import named_scores
from rosenblatt.report.text.layout import clip, dim, terminal_width

if TYPE_CHECKING:
    from rosenblatt.evaluate.confusion import ClassScores
    from rosenblatt.evaluate.label_scores import LabelScores
    from rosenblatt.evaluate.number_scores import NumberScores
    from rosenblatt.evaluate.scores import Scores

WIDEST_CONFUSION = 12  # classes
_WIDTH_OF_MEANINGS = 78  # columns that the terminal needs, to show the meaning of each score


def score_lines(scores: Scores) -> Iterator[str]:
    """Every score with its interval and its meaning; then the confusion matrix or, if it is too wide, a line for each
    class."""
    for name, line in named_score_lines(scores, _meanings(scores)):
        yield line
        if name == "error":
            guess = dim(f"by always guessing {clip(str(scores.commonest))}")
            yield f"  {'baseline error':18}{scores.baseline_error:>8.2%}   {guess}"
    yield ""
    matrix = list(confusion_lines(scores)) if len(scores.classes) <= WIDEST_CONFUSION else []
    fits = matrix and len(matrix[-1]) <= terminal_width()
    yield from matrix if fits else class_lines(scores.per_class, "class")


def named_score_lines(
    scores: Scores | LabelScores | NumberScores, meanings: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The name and the line of each score, with its interval and its meaning; first a line of headings."""
    if terminal_width() < _WIDTH_OF_MEANINGS:
        meanings = {}
    rows = [
        (name, f"{estimate.value:{spec}}", f"{estimate.low:>7{spec}} to {estimate.high:{spec}}")
        for name, estimate, spec in named_scores(scores)
        if estimate is not None
    ]
    wide = max(17, *(len(interval) for _, _, interval in rows)) + 2
    yield "", dim(f"  {'':26}   95% interval")
    for name, value, interval in rows:
        meaning = dim(f"{interval:{wide}}{meanings.get(name, '')}".rstrip())
        yield name, f"  {name:18}{value:>8}  {meaning}"


def _meanings(scores: Scores) -> dict[str, str]:
    """A few words about each score, for people who do not know it."""
    two = len(scores.classes) == 2
    positive = clip(str(scores.classes[1]), 10)
    return {
        "accuracy": "decided right",
        "error": "decided wrong",
        "precision": f"right where {positive} is decided" if two else "right where a class is decided",
        "recall": f"of all {positive}, found" if two else "of each class, found",
        "F1": "precision and recall in one",
        "ROC AUC": "ranked right; by chance 0.5",
        "average precision": "precision over all thresholds",
        "log loss": "of the probabilities; 0 is best",
        "Brier score": "their squared error; 0 is best",
        "calibration error": "how far off they are; 0 is best",
    }


def confusion_lines(scores: Scores) -> Iterator[str]:
    """The confusion matrix: rows are the true classes, columns the predicted ones."""
    labels = [clip(str(label)) for label in scores.classes]
    left = max(len("true"), *map(len, labels))
    wide = max(8, *(len(label) + 2 for label in labels))
    yield dim(f"  {'true':{left}}  decided " + "".join(f"{label:>{wide}}" for label in labels))
    for label, counts in zip(labels, scores.confusion.tolist(), strict=True):
        yield f"  {label:{left}}          " + "".join(f"{count:>{wide},.6g}" for count in counts)


def class_lines(per_class: Sequence[ClassScores], noun: str) -> Iterator[str]:
    """Precision, recall and F1 of each class, or label."""
    left = max(5, *(len(clip(str(row.label))) for row in per_class))
    yield dim(f"  {noun:{left}}{'examples':>10}{'precision':>11}{'recall':>9}{'F1':>9}")
    for row in per_class:
        values = f"{row.precision.value:>11.2%}{row.recall.value:>9.2%}{row.f1.value:>9.2%}"
        yield f"  {clip(str(row.label)):{left}}{row.support:>10,.6g}{values}"
