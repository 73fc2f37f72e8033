"""The scores of a model of several labels as text: each with its interval, the baseline of a constant answer, and a
line for each label."""

from collections.abc import Iterator

from rosenblatt.evaluate.label_scores import LabelScores
from rosenblatt.report.text.evaluation.scores import class_lines, named_score_lines
from rosenblatt.report.text.layout import clip, dim

_MEANINGS = {
    "exact match": "examples with all labels right",
    "error": "of all decisions about a label",
    "precision": "of all labels given, right",
    "recall": "of all labels that apply, found",
    "F1": "precision and recall in one",
    "macro precision": "the mean over the labels:",
    "macro recall": "rare ones count as much",
    "macro F1": "as common ones",
    "log loss": "of the probabilities; 0 is best",
}


def label_score_lines(scores: LabelScores) -> Iterator[str]:
    """Every score with its interval and its meaning; then a line for each label."""
    answer = ", ".join(map(str, scores.commonest)) or "no label"
    baselines = {
        "exact match": (scores.baseline_exact_match, f"by always giving {clip(answer)}"),
        "error": (scores.baseline_error, "by the commoner answer for every label"),
        "F1": (scores.baseline_f1, "by the best answer that is always the same"),
    }
    for name, line in named_score_lines(scores, _MEANINGS):
        yield line
        if name in baselines:
            value, how = baselines[name]
            yield f"  {'  baseline':18}{value:>8.2%}   {dim(how)}"
    yield ""
    yield from class_lines(scores.per_class, "label")
