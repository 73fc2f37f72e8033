"""Read back what a figure shows: the coordinates of its lines and points, and its texts."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = np.array([-1, -1, -1, 1]), np.array([-1, 1, 1, -1])


def line(figure: Figure, label: str, axes: int = 0) -> Any:
    """The points of the only line with this label."""
    (artist,) = [candidate for candidate in figure.axes[axes].lines if candidate.get_label() == label]
    return np.column_stack(artist.get_data())


def scattered(figure: Figure, label: str, axes: int = 0) -> Any:
    """The points of the only scatter plot with this label."""
    (artist,) = [candidate for candidate in figure.axes[axes].collections if candidate.get_label() == label]
    return np.asarray(artist.get_offsets())


def words(figure: Figure) -> str:
    """All texts of the figure: titles, legends, labels."""
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    titles = [part.get_text() for ax in figure.axes for part in (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts)]
    top = figure.get_suptitle()
    return "\n".join([*legends, *titles, top])


def arrows(figure: Figure, axes: int = 0) -> list[Any]:
    """(start, end) of each arrow."""
    annotations = [a for a in figure.axes[axes].texts if getattr(a, "arrow_patch", None) is not None]
    return [(np.array(a.get_position()), np.array(a.xy)) for a in annotations]
