"""A GIF of a run whose boundary is not one straight line: regions and boundaries, at moments spread over the run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.learn.multiclass_schemes import class_scores, predicted_classes
from rosenblatt.records import Floats
from rosenblatt.report.animation.gif import legend_below, set_title, write_gif
from rosenblatt.report.figures.common.plane import View, frame, ring, scatter, view_of
from rosenblatt.report.figures.common.style import Axes, Palette, palette
from rosenblatt.report.text.trace_table import how_it_ended
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.contours import Grid
from rosenblatt.studio.playback.kernel_run import KernelRun
from rosenblatt.studio.playback.run import Moment, PlayedRun

_MIN_COLUMNS, _MAX_COLUMNS = 120, 320  # of the grid; where votes decide, an edge is as fine as the grid
_MAX_BASIS_VALUES = 4_000_000
_FRAME_SECONDS = 2 / 3
_TINT = 0.2


def write_run_gif(run: PlayedRun, path: Path, max_updates: int, columns: tuple[str, str]) -> None:
    """Write a GIF of at most `max_updates` updates, the first and the last included, and of the end of the run.

    `columns` are the names of the axes.
    """
    colours, view = palette("light"), view_of(run.points.X, None, "the studio")
    n_functions = len(run.replay.support) if isinstance(run, KernelRun) else 1
    n_columns = int(min(_MAX_COLUMNS, max(_MIN_COLUMNS, (_MAX_BASIS_VALUES / max(1, n_functions)) ** 0.5)))
    grid = Grid((view.low[0], view.high[0], view.low[1], view.high[1]), (400.0, 300.0), n_columns)
    basis = run.basis(grid.points)
    times, titles, rows = _frames(run, max_updates)
    class_names = [run.points.classes[k] for k in run.points.present]

    def draw_background(ax: Axes) -> None:
        scatter(ax, view, run.labels, class_names, colours)
        frame(ax, view, columns)
        ax.plot([], [], color=colours.ink, lw=2.0, label="boundary")
        ax.scatter([], [], s=170, facecolors="none", edgecolors=colours.alarm, linewidths=1.6, label="mistake")
        legend_below(ax, colours)

    def drawing_of(coefficients: Floats, title: str, row: int | None) -> Callable[[Axes], None]:
        def draw(ax: Axes) -> None:
            raise_if_cancelled()
            _draw_regions(ax, run, view, grid, coefficients @ basis, colours)
            if row is not None:
                ring(ax, run.points.X[row : row + 1], colours.alarm)
            set_title(ax, title)

        return draw

    frames = [drawing_of(*parts) for parts in zip(run.coefficients(times), titles, rows, strict=True)]
    write_gif(path, colours, draw_background, frames, _FRAME_SECONDS)


def _frames(run: PlayedRun, max_updates: int) -> tuple[list[int], list[str], list[int | None]]:
    """The time, title and highlighted row of each frame."""
    all_moments: list[Moment] = run.moments()
    n_moments = len(all_moments)
    picked = np.unique(np.linspace(0, n_moments - 1, min(max_updates, n_moments)).round().astype(np.intp))
    moments = [all_moments[k] for k in picked.tolist()]
    times = [*(int(moment["t"]) + 1 for moment in moments), run.summary.t]
    titles = [f"update {moment['k']:,} · epoch {moment['epoch']:,}" for moment in moments]
    return times, [*titles, how_it_ended(run.summary)], [*(moment["row"] for moment in moments), None]


def _draw_regions(ax: Any, run: PlayedRun, view: View, grid: Grid, scores: Floats, colours: Palette) -> None:
    """Each region in the colour of its class, with its edge in the colour of the axes."""
    if not np.ptp(scores):
        return
    from matplotlib.colors import to_rgb

    n_classes = len(run.points.present)
    shape, extent = (len(grid.y), len(grid.x)), (view.low[0], view.high[0], view.low[1], view.high[1])
    label = predicted_classes(run.scheme, scores.T, n_classes).reshape(shape)
    class_colours = np.array([to_rgb(colours.of_class(k)) for k in range(n_classes)])
    tinted = _TINT * class_colours[label] + (1 - _TINT) * np.array(to_rgb(colours.paper))
    ax.imshow(tinted, extent=extent, aspect="auto", interpolation="bilinear", zorder=0.5)
    x, y = grid.points[:, 0].reshape(shape), grid.points[:, 1].reshape(shape)
    levels = [scores[0]] if n_classes == 2 else _leads(run.scheme, scores, n_classes)
    for level in levels:
        if np.ptp(level):
            ax.contour(x, y, level.reshape(shape), levels=[0.0], colors=[colours.ink], linewidths=2.0, zorder=2)


def _leads(scheme: str, scores: Floats, n_classes: int) -> list[Floats]:
    """How far the score of each class is above the highest of the others: 0 on the edge of its region."""
    by_class = np.asarray(class_scores(scheme, scores.T, n_classes)).T
    return [by_class[k] - np.delete(by_class, k, axis=0).max(axis=0) for k in range(n_classes)]
