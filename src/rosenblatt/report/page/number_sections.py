"""The report page for predicted numbers: scores, predictions against targets, residuals, coverage of intervals."""

import math
from collections.abc import Iterator

from rosenblatt.report.page import number_charts
from rosenblatt.report.page.sections import scores_table, section
from rosenblatt.report.summary import FitSummary, NumberEvaluation, number_spec


def number_figures(evaluation: NumberEvaluation) -> list[tuple[str, str]]:
    """The large figures below the title."""
    scores = evaluation.scores
    spec = number_spec(scores.rmse.value)
    explained = [] if scores.r2 is None else [(f"{scores.r2.value:.1%}", "of the variance explained")]
    return [
        (f"{scores.rmse.value:{spec}}", f"RMSE on {evaluation.data}"),
        (f"{scores.baseline_rmse:{spec}}", f"if {scores.mean:{spec}} were always guessed"),
        *explained,
        (f"{scores.examples:,}", "examples"),
    ]


def number_fit_figures(summary: FitSummary) -> list[tuple[str, str]]:
    """The large figures below the title of a fit."""
    fitted, number = summary.fitted, summary.fitted.number
    assert number is not None
    spec, (error, error_of), (baseline, guess) = number_spec(number.baseline), summary.error, summary.baseline
    names = {
        "test": "on other data",
        "holdout": "on held-out rows",
        "folds": f"by {fitted.choice.how}" if fitted.choice else "",
        "progressive": "progressive: predict, then learn",
    }
    interval = number.interval
    promised = []
    if interval is not None and math.isfinite(interval.half_width):
        promised = [(f"±{interval.half_width:{spec}}", f"holds {interval.confidence:.0%} of the targets")]
    return [
        (f"{error:{spec}}", f"{number.measure} {names[error_of]}"),
        (f"{baseline:{spec}}", f"if {guess} were always guessed"),
        *promised,
        (f"{fitted.rows:,}", "examples"),
        (f"{fitted.features:,}", "hashed weights" if fitted.model.space.bits else "features"),
        (f"{fitted.seconds:.2f} s", "to learn"),
    ]


def number_sections(evaluation: NumberEvaluation, *, of_learned_data: bool = False) -> Iterator[str]:
    """The scores, and the charts to look at before using the predictions."""
    scores, target = evaluation.scores, evaluation.target or "target"
    truth, predicted, weights, _, bounds = evaluation.tally.sample.columns()
    yield section(f"How good it is, on {evaluation.data}", scores_table(scores, of_learned_data=of_learned_data))
    chart, left_out = number_charts.predicted_against_true(truth, predicted, target)
    note = "on the diagonal, the prediction is right" + _outside(left_out)
    yield section("Target against prediction", chart, note)
    chart, left_out = number_charts.residuals(truth, predicted, target)
    note = "the line is the mean of neighbours: away from 0, the relation is not linear" + _outside(left_out)
    yield section("Residuals: what is left to explain", chart, note)
    if scores.quantiles:
        note = "on the diagonal, as many targets lie below each quantile as should"
        yield section("Quantiles", number_charts.quantile_calibration(scores.quantiles), note)
    if scores.coverage is not None and scores.confidence is not None:
        chart = number_charts.coverage(truth, predicted, weights, bounds, scores.confidence)
        promised = f"promised of all examples together {scores.confidence:.4g}, measured {scores.coverage:.3f}"
        yield section("Targets within their intervals", chart, f"{promised}; a dot for each tenth of the predictions")


def _outside(count: int) -> str:
    return f"; {count:,} far out are not drawn" if count else ""
