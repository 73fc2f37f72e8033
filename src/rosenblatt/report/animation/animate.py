"""A run as an animation: a GIF, or one HTML file that plays offline and can be stepped through."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.report.animation.gif import legend_below, set_title, write_gif
from rosenblatt.report.animation.moments import Film, Moment, film_of, vectors
from rosenblatt.report.animation.page import film_page
from rosenblatt.report.figures.common.plane import arrow, draw_line, frame, ring, scatter
from rosenblatt.report.figures.common.style import Axes, Palette, palette


def animate(
    trace: Trace,
    path: Any,
    *,
    unit: int = 0,
    columns: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    most: int = 60,
    per_second: float = 1.5,
    theme: str | None = None,
    on_moment: Callable[[], None] = lambda: None,
) -> Path:
    """Write the run update by update: the boundary before and after, the mistake, and w + eta y x as vectors.

    Parameters
    ----------
    trace : Trace
        What `trace` returned.
    path : path
        The file to write: `.gif`, or `.html` for a page with play, pause, step and a slider.
    unit : int, default=0
        Which unit to show if there are more than two classes.
    columns : two positions, optional
        The columns to draw if there are more than two.
    names : sequence of str, optional
        The names of all columns, for the axes.
    most : int, default=60
        How many updates to show; of a longer run, this many are chosen evenly.
    per_second : float, default=1.5
        How many updates to show in a second.
    theme : 'light' or 'dark', optional
        By default a page follows the reader's system, and a GIF is light.
    on_moment : callable, optional
        Called before each picture of a GIF is drawn; an exception from it stops the work.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import trace
    >>> run = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     animate(run, f"{folder}/and.html").name
    'and.html'
    """
    target = Path(path)
    film = film_of(trace, unit, columns, most, names)
    match target.suffix.lower():
        case ".gif":
            _write_gif(film, target, per_second, palette(theme or "light"), on_moment)
        case ".html" | ".htm":
            target.write_text(film_page(film, per_second, theme), encoding="utf-8")
        case other:
            raise ParameterError(f"An animation is written as .gif or .html, and {other or 'no ending'!r} is neither.")
    return target


def _write_gif(film: Film, path: Path, per_second: float, look: Palette, on_moment: Callable[[], None]) -> None:
    def stage(ax: Axes) -> None:
        scatter(ax, film.view, (film.targets > 0).astype(np.intp), film.names, look)
        frame(ax, film.view, film.columns)
        _keys(ax, look)

    def drawing(moment: Moment) -> Callable[[Axes], None]:
        def draw(ax: Axes) -> None:
            on_moment()
            draw_moment(ax, film, moment, look)

        return draw

    write_gif(path, look, stage, [drawing(moment) for moment in film.moments], 1 / per_second)


def draw_moment(ax: Axes, film: Film, moment: Moment, look: Palette) -> None:
    """Draw the lines, the mistake and the vectors of one moment over the points."""
    view = film.view
    if moment.row is not None:
        ring(ax, view.points[moment.row : moment.row + 1], look.alarm)
        draw_line(ax, view, moment.before, color=look.muted, lw=1.6, linestyle=(0, (4, 3)))
    draw_line(ax, view, moment.after, color=look.ink, lw=2.4)
    for start, end, role in vectors(film, moment):
        color, width = {"before": (look.muted, 1.5), "after": (look.ink, 1.8), "update": (look.accent, 2.4)}[role]
        arrow(ax, start, end, color, lw=width)
    set_title(ax, moment.title, moment.words)


def _keys(ax: Axes, look: Palette) -> None:
    for color, style, label in (
        (look.muted, (0, (4, 3)), "boundary before"),
        (look.ink, "-", "boundary and w after"),
        (look.accent, "-", "update"),
    ):
        ax.plot([], [], color=color, linestyle=style, lw=2.0, label=label)
    ax.scatter([], [], s=170, facecolors="none", edgecolors=look.alarm, linewidths=1.6, label="mistake")
    legend_below(ax, look)
