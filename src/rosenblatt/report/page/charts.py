"""The figures of the report page, each a small inline SVG."""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from rosenblatt.evaluate.ranking import roc_points
from rosenblatt.evaluate.tally import Tally
from rosenblatt.records import Floats
from rosenblatt.report.page.svg import Plot, short, ticks
from rosenblatt.report.weights import Weight

BINS = 40


def mistakes_per_pass(mistakes: Sequence[int]) -> str:
    """One bar a pass; with many passes a line."""
    count, most = len(mistakes), max(mistakes, default=0)
    said = "Mistakes per pass: " + ", ".join(f"{m:,}" for m in mistakes[:20])
    plot = Plot((0.5, count + 0.5), (0, max(most * 1.08, 1)), said)
    whole = [tick for tick in ticks(1, count) if tick == int(tick)] if count > 1 else [1]
    plot.axes("pass", "mistakes", whole, ticks(0, plot.y_range[1]))
    if count > 60:
        plot.line(range(1, count + 1), mistakes, "line")
        return plot.svg()
    half = min(0.4, count * 0.04 + 0.06) if count < 9 else 0.4
    for number, made in enumerate(mistakes, start=1):
        plot.bar(number - half, number + half, made, "accent", f"pass {number}: {made:,} mistakes")
        if count <= 12:
            plot.text(plot.x(number), plot.y(made) - 4, short(made), "middle")
    return plot.svg()


def margins(values: Floats) -> str:
    """How clearly examples were decided: left of 0 they are mistakes. The ends hold the farthest 0.5 percent."""
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
    """True against false positives as the threshold falls; one curve, or one a class."""
    plot = Plot((0, 1), (0, 1), "ROC curve")
    grid = [0, 0.2, 0.4, 0.6, 0.8, 1]
    plot.axes("false positive rate", "true positive rate", grid, grid)
    plot.line([0, 1], [0, 1], "chance")
    for one in tally.ranking():
        if one.both:
            false, true = roc_points(one)
            plot.line(false.tolist(), true.tolist(), "line")
    return plot.svg()


def top_features(sides: Sequence[tuple[str, Sequence[Weight]]]) -> str:
    """Words and bars in a list for each class: text that can be copied, not a picture of text."""
    most = max((one.weight for _, weights in sides for one in weights), default=1.0) or 1.0
    places = max(0, 3 - math.floor(math.log10(most)) - 1) if most > 0 else 0
    lists = []
    for number, (label, weights) in enumerate(sides):
        rows = "".join(
            f'<li style="--w:{one.weight / most:.4f}"><span>{escape(one.feature)}</span>'
            f"<b>{one.weight:.{places}f}</b></li>"
            for one in weights
        )
        lists.append(f'<div class="side side{number % 2}"><h3>says {escape(label)}</h3><ol>{rows}</ol></div>')
    return f'<div class="sides">{"".join(lists)}</div>'
