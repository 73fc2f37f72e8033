"""The figure: for each set a dot at the difference to the best peer, and a bar of one standard error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.figure import BLUE, ORANGE
from bench.panel.results import LEAST, Comparison

LOW, HIGH = -6.0, 4.0  # points; a gap beyond them is drawn as an arrow at the edge, with its number


def draw(rows: list[Comparison], path: Path) -> None:
    """Accuracy at the left, AUC at the right; sets in the order of their gap."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = sorted((row for row in rows if row.peers and not row.failed), key=lambda row: row.gap("accuracy"))
    if not rows:
        return
    figure, axes = plt.subplots(1, 2, figsize=(9, 0.19 * len(rows) + 1.2), sharey=True, layout="constrained")
    for axis, key, title in zip(axes, ("accuracy", "auc"), ("accuracy", "ROC AUC"), strict=True):
        dots(axis, rows, key)
        axis.set_title(f"{title}: points ahead of the best peer", fontsize=9, loc="left")
    axes[0].set_yticks(range(len(rows)), [row.name for row in rows], fontsize=7)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=7, frameon=False, loc="outside lower center", ncols=3)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def dots(axis: Any, rows: list[Comparison], key: str) -> None:
    """A filled dot for a set to tune on, an open one for a set to confirm on; orange where ours is behind."""
    axis.axvspan(-100 * LEAST, 100 * LEAST, color="0.92", zorder=0)
    axis.axvline(0.0, color="grey", linewidth=0.8, zorder=1)
    for place, row in enumerate(rows):
        gap, error = 100 * row.gap(key), 100 * row.error(key)
        color = ORANGE if row.behind(key) else BLUE
        style = {"color": color, "markerfacecolor": color if row.mark == "tune" else "white", "markersize": 4}
        if LOW <= gap <= HIGH:
            axis.errorbar(gap, place, xerr=error, fmt="o", elinewidth=0.8, **style)
            continue
        edge, sign, shift = (LOW, "<", 6) if gap < LOW else (HIGH, ">", -22)
        axis.plot(edge, place, sign, **style)
        axis.annotate(f"{gap:+.1f}", (edge, place), (shift, 0), textcoords="offset points", va="center", fontsize=6)
    for face, label in ((BLUE, "to tune on"), ("white", "to confirm on")):
        axis.plot([], [], "o", color=BLUE, markerfacecolor=face, markersize=4, label=label)
    axis.plot([], [], "o", color=ORANGE, markersize=4, label="behind by more than 0.5 and one standard error")
    axis.set_xlim(LOW - 0.3, HIGH + 0.3)
    axis.set_ylim(-1, len(rows))
    axis.tick_params(labelsize=7)
    axis.spines[["top", "right"]].set_visible(False)
