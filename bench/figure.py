"""The figure of the ratios: bars on a logarithmic scale, with a black tick at the target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.records import Row

BLUE, ORANGE = "#0072B2", "#E69F00"  # Okabe and Ito's palette, colour-blind safe
WIDTH = 6.0  # inches at 100 dots: 600 pixels


def draw(rows: list[Row], path: Path) -> None:
    """Up to three panels: speed, the cost of the average, memory."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for row in rows if row.name != "file-memory"]  # its peer is a budget, not X
    panels = [(kind, [row for row in rows if row.kind == kind]) for kind in ("speed", "keep", "memory")]
    panels = [(kind, part) for kind, part in panels if part]
    heights = [len(part) * (2 if kind == "memory" else 1) + 1.5 for kind, part in panels]
    size = (WIDTH, 0.27 * sum(heights) + 0.4)
    figure = plt.figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)
    for axis, (kind, part) in zip(axes[:, 0], panels, strict=True):
        {"speed": speed, "keep": keep, "memory": memory}[kind](axis, part)
        axis.spines[["top", "right"]].set_visible(False)
        axis.invert_yaxis()
        axis.tick_params(labelsize=8)
    figure.savefig(path, dpi=200)
    plt.close(figure)


def label(row: Row) -> str:
    """A label short enough to stand beside a bar."""
    peer = row.peer_name.split("(")[0].split(",")[0].removesuffix(" Perceptron").split(" Perceptron.")[0]
    return row.name.replace("-", " ") + (f" / {peer}" if row.kind == "speed" else "")


def bars(axis: Any, rows: list[Row], texts: list[str]) -> None:
    """Bars with their values beside them and ticks at the targets."""
    axis.barh([label(row) for row in rows], [row.value for row in rows], color=BLUE, height=0.7)
    for position, (row, text) in enumerate(zip(rows, texts, strict=True)):
        write(axis, text, row.value, position)
        if row.target is not None:
            ends = [position - 0.45, position + 0.45]
            axis.plot([row.target.value] * 2, ends, color="black", linewidth=2, zorder=4)


def write(axis: Any, text: str, value: float, place: float) -> None:
    """Write a number after its bar, on a white patch, so that no line runs through it."""
    patch = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    axis.annotate(
        text, (value, place), (5, 0), textcoords="offset points", va="center", fontsize=8, bbox=patch, zorder=5
    )


def speed(axis: Any, rows: list[Row]) -> None:
    """How many times faster than the peer."""
    bars(axis, rows, [f"{row.value:.3g}" for row in rows])
    axis.set_xscale("log")
    axis.set_xlim(0.5 * min(1.0, *(row.value for row in rows)), 2.5 * max(row.value for row in rows))
    axis.axvline(1.0, color="grey", linewidth=0.8, zorder=0)
    axis.xaxis.set_major_formatter("{x:g}x")
    axis.set_title("times faster than the peer (tick: target)", fontsize=9, loc="left")


def keep(axis: Any, rows: list[Row]) -> None:
    """The cost of the average."""
    bars(axis, rows, [f"{row.value:.2f}" for row in rows])
    axis.set_xlim(0, 1.2 * max(1.3, *(row.value for row in rows)))
    axis.set_title('time of keep="average" over "last" (tick: at most)', fontsize=9, loc="left")


def memory(axis: Any, rows: list[Row]) -> None:
    """Two bars for each layout: ours and scikit-learn's."""
    for shift, color, name in ((-0.2, BLUE, "ours"), (0.2, ORANGE, "scikit-learn")):
        values = [100 * (row.ours if name == "ours" else row.peer) for row in rows]
        places = [position + shift for position in range(len(rows))]
        axis.barh(places, values, height=0.36, color=color, label=name)
        for place, value in zip(places, values, strict=True):
            write(axis, f"{value:.1f}", value, place)
    axis.axvline(10.0, color="black", linewidth=2, zorder=0)
    axis.set_yticks(range(len(rows)), [row.name.replace("-", " ") for row in rows])
    axis.set_xlim(0, 1.15 * max(12.0, *(100 * max(row.ours, row.peer) for row in rows)))
    axis.set_title("memory beside X, % of X (line: at most)", fontsize=9, loc="left")
    axis.legend(fontsize=8, frameon=False, loc="lower right")
