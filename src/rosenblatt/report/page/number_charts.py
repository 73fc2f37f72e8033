"""The charts of the report page about predicted numbers, each a small inline SVG."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt.evaluate.confidence_intervals import clopper_pearson, effective
from rosenblatt.evaluate.number_scores import QuantileScores
from rosenblatt.records import Floats
from rosenblatt.report.page.svg import Plot, ticks

MOST_POINTS = 600  # of a cloud
_TENTHS = 10
_SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1]


def predicted_against_true(truth: Floats, predicted: Floats, target: str) -> tuple[str, int]:
    """A point for each example, and the diagonal on which they should lie; and how many lie too far out to be drawn."""
    low, high = _inner_range(np.concatenate([truth, predicted]))
    plot = Plot((low, high), (low, high), f"{target} against its prediction")
    marks = ticks(low, high)
    plot.axes("predicted", target, marks, marks)
    plot.line([low, high], [low, high], "chance")
    left_out = _cloud(plot, predicted, truth)
    return plot.svg(), left_out


def residuals(truth: Floats, predicted: Floats, target: str) -> tuple[str, int]:
    """Target minus prediction of each example against its prediction, with the mean of neighbouring ones."""
    away = truth - predicted
    x_range, (low, high) = _inner_range(predicted), _inner_range(away)
    low, high = min(low, -high / 20), max(high, -low / 20)
    plot = Plot(x_range, (low, high), f"Residuals of {target} over the prediction")
    plot.axes("predicted", f"{target} less prediction", ticks(*x_range), ticks(low, high))
    plot.line(x_range, [0, 0], "chance")
    left_out = _cloud(plot, predicted, away)
    groups = [group for group in _tenths(predicted) if len(group) >= 3]
    points = [(float(predicted[group].mean()), float(away[group].mean())) for group in groups]
    points = [(x, y) for x, y in points if x_range[0] <= x <= x_range[1] and low <= y <= high]
    if len(points) > 1:
        plot.line([x for x, _ in points], [y for _, y in points], "line other")
    return plot.svg(), left_out


def quantile_calibration(quantiles: Sequence[QuantileScores]) -> str:
    """The share of targets at or below each predicted quantile, with its interval; the diagonal is a promise kept."""
    plot = Plot((0, 1), (0, 1), "Share of targets at or below each quantile")
    plot.axes("level of the quantile", "share of targets below", _SHARES, _SHARES)
    plot.line([0, 1], [0, 1], "chance")
    for quantile in quantiles:
        plot.line([quantile.level, quantile.level], [quantile.below.low, quantile.below.high], "whisker")
    for quantile in quantiles:
        plot.dot(quantile.level, quantile.below.value, f"level {quantile.level:g}: {quantile.below:.3f}")
    return plot.svg()


def coverage(truth: Floats, predicted: Floats, weights: Floats, bounds: Floats, confidence: float) -> str:
    """The share of targets within their intervals, for each tenth of the examples by their prediction."""
    inside = (bounds[:, 0] <= truth) & (truth <= bounds[:, 1])
    x_range = _inner_range(predicted)
    groups = [group for group in _tenths(predicted) if weights[group].sum() > 0]
    shares = [
        clopper_pearson(float(np.average(inside[group], weights=weights[group])), effective(weights[group]))
        for group in groups
    ]
    lowest = max(0.0, min([confidence, *(share.low for share in shares)]) - 0.05)
    plot = Plot(x_range, (lowest, 1.0), "Share of targets within their intervals, over the prediction")
    plot.axes("predicted", "share within", ticks(*x_range), ticks(lowest, 1.0))
    plot.line(x_range, [confidence, confidence], "chance")
    for group, share in zip(groups, shares, strict=True):
        x = float(np.clip(predicted[group].mean(), *x_range))
        plot.line([x, x], [share.low, share.high], "whisker")
        plot.dot(x, share.value, f"{len(group):,} examples: {share:.3f}")
    return plot.svg()


def _cloud(plot: Plot, x: Floats, y: Floats) -> int:
    """Draw an even sample of points that lie in the frame; how many of all lie outside."""
    fits = (x >= plot.x_range[0]) & (x <= plot.x_range[1]) & (y >= plot.y_range[0]) & (y <= plot.y_range[1])
    rows = np.flatnonzero(fits)
    for row in rows[:: -(-len(rows) // MOST_POINTS) or 1].tolist():
        plot.point(float(x[row]), float(y[row]))
    return len(x) - len(rows)


def _inner_range(values: Floats) -> tuple[float, float]:
    """From the least to the largest value, less a few far out, with some room."""
    low, high = (float(bound) for bound in np.quantile(values, [0.002, 0.998]))
    inner = (high - low) or abs(high) or 1.0
    near = values[(values >= low - inner) & (values <= high + inner)]
    low, high = float(near.min()), float(near.max())
    room = 0.03 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def _tenths(values: Floats) -> list[NDArray[np.intp]]:
    """The positions of the smallest tenth of the values, of the next tenth, and so on; fewer of few values."""
    return [part for part in np.array_split(np.argsort(values, kind="stable"), _TENTHS) if len(part)]
