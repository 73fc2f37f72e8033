"""The scores of predicted numbers as text: each with its interval, and the baseline of a constant guess."""

from collections.abc import Iterator

from rosenblatt.evaluate.number_scores import NumberScores
from rosenblatt.report.summary import number_spec
from rosenblatt.report.text.evaluation.scores import named_score_lines
from rosenblatt.report.text.layout import dim


def number_score_lines(scores: NumberScores) -> Iterator[str]:
    """Every score with its interval and its meaning, in the unit of the target."""
    spec = number_spec(scores.rmse.value)
    baselines = {
        "RMSE": (scores.baseline_rmse, f"by always guessing the mean, {scores.mean:{spec}}"),
        "MAE": (scores.baseline_mae, f"by always guessing the median, {scores.median:{spec}}"),
    }
    for name, line in named_score_lines(scores, _meanings(scores)):
        yield line
        if name in baselines:
            value, how = baselines[name]
            yield f"  {f'baseline {name}':18}{value:>8{spec}}   {dim(how)}"
    if scores.width is not None:
        yield f"  {'interval width':18}{scores.width:>8{spec}}   {dim('from end to end, on average')}"


def _meanings(scores: NumberScores) -> dict[str, str]:
    meanings = {
        "RMSE": "typical error; large ones count more",
        "MAE": "mean distance from the target",
        "mean error": "above 0: predicted too high",
        "R²": "of the variance, explained; 1 is best",
    }
    for quantile in scores.quantiles:
        meanings[f"pinball {quantile.level:g}"] = "loss of that quantile; 0 is best"
        meanings[f"below {quantile.level:g}"] = f"targets at or below it; {quantile.level:.4g} is best"
    if scores.confidence is not None:
        meanings["coverage"] = f"targets in their interval; {scores.confidence:.4g} promised"
    return meanings
