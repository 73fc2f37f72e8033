"""A run as one HTML page that plays offline and can be stepped through."""

import json
from importlib import resources
from typing import Any

import numpy as np

from rosenblatt.records import Floats
from rosenblatt.report.animation.moments import Film, Moment, vectors
from rosenblatt.report.figures.common.plane import View, axis_names, clipped
from rosenblatt.report.figures.common.style import DARK, LIGHT, Palette, palette

_BOX = (52.0, 14.0, 588.0, 416.0)  # the plane's left, top, right and bottom in the page's drawing of 600 by 460


def film_page(film: Film, per_second: float = 1.5, theme: str | None = None) -> str:
    """The film as one HTML page that needs nothing else."""
    if theme is not None:
        palette(theme)
    # A script must not contain tags or comments of HTML.
    data = json.dumps(_film_record(film, per_second), separators=(",", ":")).replace("<", "\\u003c")
    html = resources.files("rosenblatt.report.animation").joinpath("page.html").read_text(encoding="utf-8")
    for placeholder, text in (
        ("/*LIGHT*/", _variables(LIGHT)),
        ("/*DARK*/", _variables(DARK)),
        ("/*THEME*/", theme or ""),
        ("/*FILM*/", data),
    ):
        html = html.replace(placeholder, text)
    return html


def _variables(look: Palette) -> str:
    """The colours of a palette as CSS variables."""
    colours = {name: getattr(look, name) for name in ("paper", "ink", "muted", "grid", "accent", "alarm")}
    colours |= {"negative": look.classes[0], "positive": look.classes[1]}
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def _film_record(film: Film, per_second: float) -> dict[str, Any]:
    """Everything that the page draws, in pixels."""
    view = film.view
    return {
        "box": _BOX,
        "axes": axis_names(view, film.columns),
        "ticks": [_ticks(view, axis) for axis in (0, 1)],
        "names": film.names,
        "points": [[*_pixel(view, p), int(t)] for p, t in zip(view.points, film.targets, strict=True)],
        "pause": round(1000 / per_second),
        "moments": [_moment_record(film, moment) for moment in film.moments],
    }


def _moment_record(film: Film, moment: Moment) -> dict[str, Any]:
    view = film.view
    lines = {"before": moment.before, "after": moment.after} if moment.row is not None else {"after": moment.after}
    ends = {role: clipped(view, line) for role, line in lines.items()}
    return {
        "title": moment.title,
        "words": moment.words,
        "row": moment.row,
        "lines": {role: [*_pixel(view, e[0]), *_pixel(view, e[1])] for role, e in ends.items() if e is not None},
        "vectors": {role: [*_pixel(view, a), *_pixel(view, b)] for a, b, role in vectors(film, moment)},
    }


def _pixel(view: View, point: Floats) -> list[float]:
    left, top, right, bottom = _BOX
    x, y = (point - view.low) / view.size
    return [round(left + float(x) * (right - left), 2), round(bottom - float(y) * (bottom - top), 2)]


def _ticks(view: View, axis: int) -> list[tuple[float, str]]:
    """Round numbers along an axis, each with its position in pixels."""
    low, high = float(view.low[axis]), float(view.high[axis])
    step = 10.0 ** np.floor(np.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (m * step) <= 10)
    values = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # no -0
    ticks = []
    for value in values.tolist():
        point = view.low.copy()
        point[axis] = value
        ticks.append((_pixel(view, point)[axis], f"{value:.6g}".replace("-", "\N{MINUS SIGN}")))
    return ticks
