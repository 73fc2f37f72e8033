"""The run as a GIF where it is no single straight line: regions and boundaries at moments spread over the run."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.learn.schemes import predicted_classes
from rosenblatt.records import Floats
from rosenblatt.report.animation.gif import write_gif
from rosenblatt.report.figures.plane import View, frame, ring, scatter, view_of
from rosenblatt.report.figures.style import Palette, palette
from rosenblatt.report.text.trace_table import how_it_ended
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.playback.run import Moment, Played
from rosenblatt.studio.questions.regions import Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACROSS = 120
_PAUSE = 2 / 3  # seconds
_TINT = 0.2


def write_reel(held: Played, path: Path, most: int) -> None:
    """At most `most` updates, the first and the last among them, and the end."""
    look, view = palette("light"), view_of(held.plane.X, None, "the studio")
    box = (view.low[0], view.high[0], view.low[1], view.high[1])
    grid = Grid(box, (400.0, 300.0), _ACROSS)
    basis, times, titles, rows = held.basis(grid.points), *_moments(held, most)
    index = np.searchsorted(held.plane.present, held.plane.index)
    names = [held.plane.classes[k] for k in held.plane.present]

    def stage(ax: "Axes") -> None:
        scatter(ax, view, index, names, look)
        frame(ax, view)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=5, frameon=False, labelcolor=look.ink)

    def drawn(coefficients: Floats, title: str, row: int | None) -> Callable[["Axes"], None]:
        def draw(ax: "Axes") -> None:
            still_there()
            _draw(ax, held, view, grid, coefficients @ basis, look)
            if row is not None:
                ring(ax, held.plane.X[row : row + 1], look.alarm)
            ax.set_title(title, fontsize=10.5)

        return draw

    told = zip(held.coefficients(times), titles, rows, strict=True)
    write_gif(path, look, stage, [drawn(*one) for one in told], _PAUSE)


def _moments(held: Played, most: int) -> tuple[list[int], list[str], list[int | None]]:
    every: list[Moment] = held.moments()
    at = np.unique(np.linspace(0, len(every) - 1, min(most, len(every))).round().astype(np.intp))
    shown = [every[k] for k in at.tolist()]
    titles = [f"update {one['k']:,} · epoch {one['epoch']:,}" for one in shown]
    times = [int(one["t"]) + 1 for one in shown]
    return [*times, held.record.t], [*titles, how_it_ended(held.record)], [*(one["row"] for one in shown), None]


def _draw(ax: Any, held: Played, view: View, grid: Grid, scores: Floats, look: Palette) -> None:
    """Each region in the colour of its class, its edge in ink."""
    if not np.ptp(scores):
        return
    from matplotlib.colors import to_rgb

    classes = len(held.plane.present)
    shape, extent = (len(grid.y), len(grid.x)), (view.low[0], view.high[0], view.low[1], view.high[1])
    label = predicted_classes(held.scheme, scores.T, classes).reshape(shape)
    colours = np.array([to_rgb(look.of_class(k)) for k in range(classes)])
    paper = np.array(to_rgb(look.paper))
    tinted = _TINT * colours[label] + (1 - _TINT) * paper
    ax.imshow(tinted, extent=extent, aspect="auto", interpolation="bilinear", zorder=0.5)
    x, y = grid.points[:, 0].reshape(shape), grid.points[:, 1].reshape(shape)
    levels = [scores[0]] if classes == 2 else [(label == k) - 0.5 for k in range(classes)]
    for level in levels:
        if np.ptp(level):
            ax.contour(x, y, level.reshape(shape), levels=[0.0], colors=[look.ink], linewidths=2.0, zorder=2)
