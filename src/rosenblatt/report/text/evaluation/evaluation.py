"""An evaluation as text, for models of classes, of several labels and of numbers."""

from collections.abc import Iterator

from rosenblatt.report.summary import Evaluation, LabelEvaluation, NumberEvaluation
from rosenblatt.report.text.evaluation.scores import score_lines


def evaluation_lines(evaluation: Evaluation | LabelEvaluation | NumberEvaluation) -> Iterator[str]:
    """Every score with its interval, and the classes or labels one by one."""
    if isinstance(evaluation, LabelEvaluation):
        from rosenblatt.report.text.evaluation.label_scores import label_score_lines

        return label_score_lines(evaluation.scores)
    if isinstance(evaluation, NumberEvaluation):
        from rosenblatt.report.text.numbers.scores import number_score_lines

        return number_score_lines(evaluation.scores)
    return score_lines(evaluation.scores)
