"""The panel as text: a line for each set, and what they add up to."""

from __future__ import annotations

import math

import numpy as np

from bench.panel.results import Comparison

HEADING = (
    f"{'set':20} {'mark':7} {'rows':>6} | {'guess':>5} {'ours':>6} {'best':>6} {'gap':>6} {'s.e.':>5} {'peer':18}"
    f" | {'AUC':>6} {'best':>6} {'gap':>6} | {'loss':>6} {'ratio':>5} | {'s':>5} {'search':>6} {'fit':>5} |"
)


def line(row: Comparison, before: Comparison | None = None) -> str:
    """One set; `before` is what is saved, to show what a change did."""
    if row.failed:
        return f"{row.name:20} {row.mark:7} {row.n_rows:6} | FAILED: {row.failed}"
    accuracy, peer = row.best("accuracy")
    cells = [
        f"{row.name:20} {row.mark:7} {row.n_rows:6} |",
        f"{percent(row.mine('majority')):>5.5} {percent(row.mine('accuracy')):>6} {percent(accuracy):>6}",
        f"{points(row.gap('accuracy')):>6} {percent(row.error('accuracy')):>5} {peer:18} |",
        f"{percent(row.mine('auc')):>6} {percent(row.best('auc')[0]):>6} {points(row.gap('auc')):>6} |",
        f"{number(row.mine('log_loss'), 4):>6} {number(row.loss_ratio(), 2):>5} |",
        f"{row.mine('seconds'):5.2f} {number(row.logistic('seconds'), 1):>6}",
        f"{number(row.logistic('fit_seconds'), 1):>5} |",
        verdict(row) + change(row, before),
    ]
    return " ".join(cells)


def number(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def percent(value: float) -> str:
    return number(100 * value, 2)


def points(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:+.2f}"


def verdict(row: Comparison) -> str:
    """In which measure ours is behind by more than half a point and one standard error."""
    words = [name for key, name in (("accuracy", "accuracy"), ("auc", "AUC")) if row.behind(key)]
    return f"BEHIND in {' and '.join(words)}" if words else ""


def change(row: Comparison, before: Comparison | None) -> str:
    """Our accuracy since the saved run."""
    moved = 0.0 if before is None or before.failed else row.mine("accuracy") - before.mine("accuracy")
    return f" (accuracy {points(moved)} since saved)" if abs(moved) >= 5e-5 else ""


def summary(rows: list[Comparison]) -> str:
    """The targets: nowhere behind, at or ahead on more than half, log loss within 5%, faster."""
    failed = [row.name for row in rows if row.failed]
    lines = [f"FAILED: {', '.join(failed)}"] if failed else []
    rows = [row for row in rows if row.peers]
    for key, name in (("accuracy", "accuracy"), ("auc", "AUC")):
        gaps = [100 * row.gap(key) for row in rows if not row.failed]
        behind = [row.name for row in rows if row.behind(key)]
        ahead = sum(gap >= -1e-9 for gap in gaps)
        lines.append(
            f"{name}: behind the best peer by more than max(0.5 points, one standard error) on {len(behind)} of "
            f"{len(rows)} sets, at or ahead on {ahead}; gap: mean {np.mean(gaps or [0]):+.2f} points, median "
            f"{np.median(gaps or [0]):+.2f}, worst {min(gaps, default=0):+.2f}."
        )
        lines += [f"  behind: {', '.join(behind)}"] if behind else []
    ratios = [row.loss_ratio() for row in rows if not math.isnan(row.loss_ratio())]
    if ratios:
        above = sum(ratio > 1.05 for ratio in ratios)
        lines.append(
            f"log loss over tuned logistic regression's: median {np.median(ratios):.2f}, worst {max(ratios):.2f}, "
            f"more than 5% above on {above} of {len(ratios)}."
        )
    for key, words in (("seconds", "its search and fit"), ("fit_seconds", "its last fit alone")):
        timed = [row for row in rows if not math.isnan(row.logistic(key))]
        slower = [row.name for row in timed if row.mine("seconds") > row.logistic(key)]
        count = f"{len(slower)} of {len(timed)}"
        lines.append(f"time: slower than tuned logistic regression, {words}, on {count}: {', '.join(slower)}")
    timed = [row for row in rows if not math.isnan(row.logistic("cpu_seconds") + row.mine("cpu_seconds"))]
    if timed:
        slower = [row.name for row in timed if row.mine("cpu_seconds") > row.logistic("cpu_seconds")]
        lines.append(
            f"processor time: more than its search and fit on {len(slower)} of {len(timed)}: {', '.join(slower)}"
        )
    return "\n".join(lines)
