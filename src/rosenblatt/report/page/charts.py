"""The figures of the report page, each a small inline SVG."""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from rosenblatt.evaluate.probabilities import ReliabilityBin
from rosenblatt.evaluate.roc_auc import Ranked, precision_recall_points, roc_points
from rosenblatt.evaluate.scores import Tally
from rosenblatt.records import Floats
from rosenblatt.report.page.svg import Plot, short, ticks
from rosenblatt.report.weights import Weight

BINS = 40


def mistakes_per_pass(mistakes: Sequence[int]) -> str:
    """One bar for each pass; with many passes a line."""
    passes, max_mistakes = len(mistakes), max(mistakes, default=0)
    description = "Mistakes per pass: " + ", ".join(f"{count:,}" for count in mistakes[:20])
    plot = Plot((0.5, passes + 0.5), (0, max(max_mistakes * 1.08, 1)), description)
    pass_ticks = [tick for tick in ticks(1, passes) if tick == int(tick)] if passes > 1 else [1]
    plot.axes("pass", "mistakes", pass_ticks, ticks(0, plot.y_range[1]))
    if passes > 60:
        plot.line(range(1, passes + 1), mistakes, "line")
        return plot.svg()
    half = min(0.4, passes * 0.04 + 0.06) if passes < 9 else 0.4
    for number, count in enumerate(mistakes, start=1):
        plot.bar(number - half, number + half, count, "accent", f"pass {number}: {count:,} mistakes")
        if passes <= 12:
            plot.text(plot.x(number), plot.y(count) - 4, short(count), "middle")
    return plot.svg()


def margins(values: Floats) -> str:
    """A histogram of the margins, with the errors left of 0. The outermost 0.5 percent on either side share a bin."""
    low, high = (float(v) for v in np.quantile(values, [0.005, 0.995]))
    low, high = min(low, -high / 40), max(high, -low / 40)
    if not high > low:
        low, high = low - 1, high + 1
    width = (high - low) / BINS
    start = -np.ceil(-low / width) * width  # so that 0 is the edge of a bin
    edges = start + width * np.arange(BINS + 2)
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    wrong = float(np.mean(values <= 0))
    plot = Plot((edges[0], edges[-1]), (0, float(counts.max()) * 1.06), f"Margins; {wrong:.1%} are 0 or less")
    plot.axes("margin (left of 0: wrong)", "examples", ticks(edges[0], edges[-1]), ticks(0, float(counts.max())))
    for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
        kind = "bad" if right <= width / 2 else "accent"
        plot.bar(left, right, int(count), kind, f"{count:,} examples from {left:.3g} to {right:.3g}")
    zero = plot.x(0)
    plot.parts.append(f'<line class="zero" x1="{zero}" x2="{zero}" y1="{plot.y(plot.y_range[1])}" y2="{plot.y(0)}"/>')
    return plot.svg()


def roc(tally: Tally) -> str:
    """True against false positive rate; one curve for two classes, else one for each class."""
    plot = Plot((0, 1), (0, 1), "ROC curve")
    grid = [0, 0.2, 0.4, 0.6, 0.8, 1]
    plot.axes("false positive rate", "true positive rate", grid, grid)
    plot.line([0, 1], [0, 1], "chance")
    for name, ranking in _rankings(tally):
        false, true = roc_points(ranking)
        plot.line(false.tolist(), true.tolist(), _curve(name), name)
    return plot.svg()


def precision_recall(tally: Tally) -> str:
    """Precision against recall; one curve for two classes, else one for each class."""
    plot = Plot((0, 1), (0, 1), "Precision-recall curve")
    grid = [0, 0.2, 0.4, 0.6, 0.8, 1]
    plot.axes("recall: the share that is found", "precision: the share that is right", grid, grid)
    rankings = _rankings(tally)
    if len(rankings) == 1:
        _, ranking = rankings[0]
        share = float(ranking.positive.sum() / ranking.weights.sum())
        plot.line([0, 1], [share, share], "chance")
    for name, ranking in rankings:
        recall, precision = precision_recall_points(ranking)
        plot.line(recall.tolist(), precision.tolist(), _curve(name), name)
    return plot.svg()


def _rankings(tally: Tally) -> list[tuple[str, Ranked]]:
    """The rankings that have a curve, each with the name of its class if there are more than two."""
    rankings = tally.ranking()
    names = [""] if len(rankings) == 1 else [str(label) for label in tally.classes]
    return [(name, ranking) for name, ranking in zip(names, rankings, strict=True) if ranking.both]


def _curve(name: str) -> str:
    return "line of-class" if name else "line"


def reliability(points: Sequence[ReliabilityBin], outcome: str) -> str:
    """Observed frequency against predicted probability, with intervals; on the diagonal both are equal."""
    plot = Plot((0, 1), (0, 1), "Reliability: how often it happened, by the probability that was given")
    grid = [0, 0.2, 0.4, 0.6, 0.8, 1]
    plot.axes("probability given", f"how often {outcome}", grid, grid)
    plot.line([0, 1], [0, 1], "chance")
    for point in points:
        plot.line([point.predicted, point.predicted], [point.observed.low, point.observed.high], "whisker")
    plot.line([point.predicted for point in points], [point.observed.value for point in points], "line")
    for point in points:
        about = f"given {point.predicted:.3f}: {point.observed:.3f} of {point.examples:,.10g} examples"
        plot.dot(point.predicted, point.observed.value, about)
    return plot.svg()


def feature_lists(classes: Sequence[tuple[str, Sequence[Weight]]], before: str = "for ") -> str:
    """For each class a list of features as text that can be copied, with a bar for each weight."""
    largest = max((abs(entry.weight) for _, weights in classes for entry in weights), default=1.0) or 1.0
    places = max(0, 3 - math.floor(math.log10(largest)) - 1) if largest > 0 else 0
    lists = []
    for number, (label, weights) in enumerate(classes):
        rows = "".join(
            f'<li style="--w:{abs(entry.weight) / largest:.4f}"><span>{escape(entry.feature)}</span>'
            f"<b>{entry.weight:,.{places}f}</b></li>"
            for entry in weights
        )
        lists.append(f'<div class="side side{number % 2}"><h3>{before}{escape(label)}</h3><ol>{rows}</ol></div>')
    return f'<div class="sides">{"".join(lists)}</div>'
