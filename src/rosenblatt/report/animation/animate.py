"""A run as a moving picture: a GIF, or one HTML file that plays offline and can be stepped through."""

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.records import Floats
from rosenblatt.report.animation.frames import Film, Moment, film_of
from rosenblatt.report.animation.gif import write_gif
from rosenblatt.report.figures.plane import View, arrow, clipped, draw_line, frame, ring, scatter
from rosenblatt.report.figures.style import DARK, LIGHT, Palette, palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REACH = 0.36  # the longest weight vector, in heights of the picture
_BOX = (52.0, 14.0, 588.0, 416.0)  # where the plane lies in the page's drawing of 600 by 460


def animate(
    trace: Trace,
    path: Any,
    *,
    unit: int = 0,
    columns: tuple[int, int] | None = None,
    most: int = 60,
    per_second: float = 1.5,
    theme: str | None = None,
    on_moment: Callable[[], None] = lambda: None,
) -> Path:
    """Write the run update by update: the boundary before and after, the example at fault, and w + eta y x as vectors.

    The name decides: `.gif`, or `.html` for a page with play, pause, step and a slider. Of a run with more than `most`
    updates that many are shown, spread over it. Without a `theme` the page follows the reader's system. `on_moment` is
    called before each picture of a GIF is drawn; what it raises ends the work.
    """
    target = Path(path)
    film = film_of(trace, unit, columns, most)
    match target.suffix.lower():
        case ".gif":
            _write_gif(film, target, per_second, palette(theme or "light"), on_moment)
        case ".html" | ".htm":
            target.write_text(page(film, per_second, theme), encoding="utf-8")
        case other:
            raise ParameterError(f"An animation is written as .gif or .html, and {other or 'no ending'!r} is neither.")
    return target


# -- the GIF ----------------------------------------------------------------------------------------------------------


def _write_gif(film: Film, path: Path, per_second: float, look: Palette, on_moment: Callable[[], None]) -> None:
    def stage(ax: "Axes") -> None:
        scatter(ax, film.view, (film.targets > 0).astype(np.intp), film.names, look)
        frame(ax, film.view)
        _keys(ax, look)

    def drawn(moment: Moment) -> Callable[["Axes"], None]:
        def draw(ax: "Axes") -> None:
            on_moment()
            draw_moment(ax, film, moment, look)

        return draw

    write_gif(path, look, stage, [drawn(moment) for moment in film.moments], 1 / per_second)


def draw_moment(ax: "Axes", film: Film, moment: Moment, look: Palette) -> None:
    """What one moment of the film adds to the points on these axes."""
    view = film.view
    if moment.row is not None:
        ring(ax, view.points[moment.row : moment.row + 1], look.alarm)
        draw_line(ax, view, moment.before, color=look.muted, lw=1.6, linestyle=(0, (4, 3)))
    draw_line(ax, view, moment.after, color=look.ink, lw=2.4)
    for start, end, role in _vectors(film, moment):
        color, width = {"before": (look.muted, 1.5), "after": (look.ink, 1.8), "update": (look.accent, 2.4)}[role]
        arrow(ax, start, end, color, lw=width)
    ax.set_title(f"{moment.title}\n{moment.words}", fontsize=10.5)


def _vectors(film: Film, moment: Moment) -> list[tuple[Floats, Floats, str]]:
    """(start, end, role) of the weights before and after and of their difference, from the middle of the view."""
    centre = (film.view.low + film.view.high) / 2
    scale = _REACH * float(film.view.size[1]) / film.longest
    old, new = (centre + scale * line[1:] for line in (moment.before, moment.after))
    told = [(centre, old, "before")] if moment.row is not None else []
    told += [(centre, new, "after"), (old, new, "update")]
    return [(start, end, role) for start, end, role in told if (start != end).any()]


def _keys(ax: "Axes", look: Palette) -> None:
    for color, style, label in (
        (look.muted, (0, (4, 3)), "boundary before"),
        (look.ink, "-", "boundary and w after"),
        (look.accent, "-", "update"),
    ):
        ax.plot([], [], color=color, linestyle=style, lw=2.0, label=label)
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False, fontsize=9.5, labelcolor=look.ink
    )


# -- the page ---------------------------------------------------------------------------------------------------------


def page(film: Film, per_second: float = 1.5, theme: str | None = None) -> str:
    """The film as one HTML page that needs nothing else."""
    if theme is not None:
        palette(theme)
    told = json.dumps(_told(film, per_second), separators=(",", ":")).replace("</", "<\\/")
    shown = resources.files("rosenblatt.report.animation").joinpath("animation.html").read_text(encoding="utf-8")
    for mark, text in (
        ("/*LIGHT*/", _variables(LIGHT)),
        ("/*DARK*/", _variables(DARK)),
        ("/*THEME*/", theme or ""),
        ("/*FILM*/", told),
    ):
        shown = shown.replace(mark, text)
    return shown


def _variables(look: Palette) -> str:
    named = {name: getattr(look, name) for name in ("paper", "ink", "muted", "grid", "accent", "alarm")}
    named |= {"negative": look.classes[0], "positive": look.classes[1]}
    return " ".join(f"--{name}: {value};" for name, value in named.items())


def _told(film: Film, per_second: float) -> dict[str, Any]:
    """All that the page draws, in the pixels of its drawing."""
    view = film.view
    i, j = view.columns
    return {
        "box": _BOX,
        "axes": [f"x{i + 1}", f"x{j + 1}"],
        "ticks": [_ticks(view, axis) for axis in (0, 1)],
        "names": film.names,
        "points": [[*_pixel(view, p), int(t)] for p, t in zip(view.points, film.targets, strict=True)],
        "pause": round(1000 / per_second),
        "moments": [_drawn(film, moment) for moment in film.moments],
    }


def _drawn(film: Film, moment: Moment) -> dict[str, Any]:
    view = film.view
    lines = {"before": moment.before, "after": moment.after} if moment.row is not None else {"after": moment.after}
    ends = {role: clipped(view, line) for role, line in lines.items()}
    return {
        "title": moment.title,
        "words": moment.words,
        "row": moment.row,
        "lines": {role: [*_pixel(view, e[0]), *_pixel(view, e[1])] for role, e in ends.items() if e is not None},
        "vectors": {role: [*_pixel(view, a), *_pixel(view, b)] for a, b, role in _vectors(film, moment)},
    }


def _pixel(view: View, point: Floats) -> list[float]:
    left, top, right, bottom = _BOX
    x, y = (point - view.low) / view.size
    return [round(left + float(x) * (right - left), 2), round(bottom - float(y) * (bottom - top), 2)]


def _ticks(view: View, axis: int) -> list[tuple[float, str]]:
    """Places along an axis, in pixels, with round numbers to write there."""
    low, high = float(view.low[axis]), float(view.high[axis])
    step = 10.0 ** np.floor(np.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (m * step) <= 10)
    values = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # no -0
    places = []
    for value in values.tolist():
        point = view.low.copy()
        point[axis] = value
        places.append((_pixel(view, point)[axis], f"{value:.6g}".replace("-", "\N{MINUS SIGN}")))
    return places
