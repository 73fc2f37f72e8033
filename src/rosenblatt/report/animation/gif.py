"""A GIF of one picture in which little moves: what stays is drawn once, what moves is drawn over it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.report.figures.style import DPI, Palette, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 600  # points that are drawn anew over each line; more of them stay below the lines

Draw = Callable[["Axes"], None]


def write_gif(path: Path, look: Palette, stage: Draw, moments: Sequence[Draw], pause: float) -> None:
    """Each of the `moments` draws on the axes that `stage` has set; `pause` is in seconds, the last one is longer."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 5.2), dpi=DPI, facecolor=look.paper)
    canvas: Any = FigureCanvasAgg(figure)
    ax = figure.add_axes((0.1, 0.2, 0.87, 0.68))
    dress(ax, look)
    stage(ax)
    ax.set_autoscale_on(False)
    points = [one for one in ax.collections if np.shape(one.get_offsets())[0] <= _FEW]
    for one in points:
        one.set_animated(True)
    canvas.draw()
    ground = canvas.copy_from_bbox(figure.bbox)
    pictures = []
    for moment in moments:
        canvas.restore_region(ground)
        pictures.append(_picture(canvas, ax, moment, points))
    first, *rest = _reduced(pictures)
    tenths = round(1000 * pause)
    durations = [tenths] * len(rest) + [3 * tenths]
    first.save(path, format="GIF", save_all=True, append_images=rest, duration=durations, loop=0, disposal=1)


def _picture(canvas: Any, ax: "Axes", moment: Draw, points: Sequence[Any]) -> Any:
    from PIL import Image

    known = set(ax.get_children())
    moment(ax)
    new = [one for one in ax.get_children() if one not in known]
    renderer = canvas.get_renderer()
    for artist in sorted([*new, *points, ax.title], key=lambda one: one.get_zorder()):
        artist.draw(renderer)
    found = Image.frombytes("RGBA", canvas.get_width_height(), bytes(canvas.buffer_rgba())).convert("RGB")
    for artist in new:
        artist.remove()
    return found


def _reduced(pictures: Sequence[Any]) -> list[Any]:
    """All pictures in the colours of the last, which has everything that is ever shown."""
    from PIL import Image

    palette = pictures[-1].quantize(255, method=Image.Quantize.MEDIANCUT)
    return [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
