"""Writes a GIF: the background is drawn once, and each frame draws only what moves."""

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.extras import require
from rosenblatt.report.figures.common.style import DPI, Axes, Palette, as_written, shortened, style_axes

_WIDTH = 6.0  # inches
_TITLE_LETTERS, _LEGEND_LETTERS = 68, 20  # that fit into a line of the title, and into a column of the legend
_FEW = 600  # up to this many points are drawn over the lines of each picture, more of them below

Draw = Callable[[Axes], None]


def write_gif(path: Path, look: Palette, stage: Draw, moments: Sequence[Draw], pause: float) -> None:
    """Write a picture for each of `moments`, drawn on the axes that `stage` prepares; each is shown for `pause`
    seconds, the last one for longer."""
    require("figures")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, 5.2), dpi=DPI, facecolor=look.paper)
    canvas: Any = FigureCanvasAgg(figure)
    ax = figure.add_axes((0.1, 0.22, 0.87, 0.66))
    style_axes(ax, look)
    stage(ax)
    ax.set_autoscale_on(False)
    points = [collection for collection in ax.collections if np.shape(collection.get_offsets())[0] <= _FEW]
    for collection in points:
        collection.set_animated(True)
    canvas.draw()
    background = canvas.copy_from_bbox(figure.bbox)
    pictures = []
    for moment in moments:
        canvas.restore_region(background)
        pictures.append(_picture(canvas, ax, moment, points))
    first, *rest = _with_one_palette(pictures)
    milliseconds = round(1000 * pause)
    durations = [milliseconds] * len(rest) + [3 * milliseconds]
    first.save(path, format="GIF", save_all=True, append_images=rest, duration=durations, loop=0, disposal=1)


def set_title(ax: Axes, *lines: str) -> None:
    """Write these lines above the picture, wrapped to its width."""
    wrapped = [part for line in lines for part in textwrap.wrap(line, _TITLE_LETTERS)]
    ax.set_title("\n".join(wrapped), fontsize=10)


def legend_below(ax: Axes, look: Palette) -> None:
    """Add a legend below the axes."""
    handles, labels = ax.get_legend_handles_labels()
    labels = [shortened(label, _LEGEND_LETTERS) for label in labels]
    box = ax.legend(
        handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False, fontsize=9.5,
        ncols=_columns(labels), labelcolor=look.ink,
    )  # fmt: skip
    as_written(box.get_texts())


def _columns(labels: Sequence[str]) -> int:
    """How many columns of the legend fit beside each other, each as wide as its longest label."""
    for count in range(min(5, len(labels)), 1, -1):
        columns = np.array_split(np.array([len(label) for label in labels]), count)
        if sum(8 * int(column.max()) + 66 for column in columns) <= _WIDTH * DPI:
            return count
    return 1


def _picture(canvas: Any, ax: Axes, moment: Draw, points: Sequence[Any]) -> Any:
    from PIL import Image

    before = set(ax.get_children())
    moment(ax)
    new = [artist for artist in ax.get_children() if artist not in before]
    renderer = canvas.get_renderer()
    for artist in sorted([*new, *points, ax.title], key=lambda artist: artist.get_zorder()):
        artist.draw(renderer)
    picture = Image.frombytes("RGBA", canvas.get_width_height(), bytes(canvas.buffer_rgba())).convert("RGB")
    for artist in new:
        artist.remove()
    return picture


def _with_one_palette(pictures: Sequence[Any]) -> list[Any]:
    """All pictures with the palette of the last one, which has every colour that occurs."""
    from PIL import Image

    palette = pictures[-1].quantize(255, method=Image.Quantize.MEDIANCUT)
    return [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
