"""Which classes can be told apart by a line: one cell for each pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.report.figures.common.style import Figure, Palette, as_written, name, number, panels

SEPARABLE, INSEPARABLE, UNDECIDED = "separable", "inseparable", "undecided"


def plot_pairs(
    classes: Sequence[Any], answers: Any, margins: Any = None, ax: Any = None, *, theme: str = "light"
) -> Figure:
    """A heat map of the answers for every pair of classes: 'separable', 'inseparable', 'undecided' or None.

    The wider the margin, the stronger the colour, and it is written in the cell; an inseparable pair is crossed, an
    undecided one has a question mark. `answers` and `margins` are square, a row and a column for each class.

    Parameters
    ----------
    classes : sequence
        The classes.
    answers : array-like of shape (n_classes, n_classes)
        The answer for each pair.
    margins : array-like of shape (n_classes, n_classes), optional
        The margin of each separable pair.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import figures
    >>> figures.plot_pairs(["a", "b"], [[None, "separable"], ["separable", None]]).axes[0].get_title()
    'pairs of classes: 1 separable'
    """
    table, count = np.asarray(answers, dtype=object), len(classes)
    if table.shape != (count, count):
        raise DataError(f"There are {count} classes, so the answers must be {count} by {count}. Got {table.shape}.")
    widths = np.full((count, count), np.nan) if margins is None else np.asarray(margins, dtype=float)
    figure, (panel, *_), look = panels(ax, theme, size=(6.0, 5.4))
    panel.imshow(_colors(table, widths, look), aspect="equal", interpolation="nearest")
    for i, j in np.ndindex(count, count):
        _write(panel, i, j, str(table[i, j]), float(widths[i, j]), count, look)
    labels = [name(label) for label in classes]
    panel.set_xticks(range(count), labels, rotation=45 if count * max(map(len, labels)) > 48 else 0)
    panel.set_yticks(range(count), labels)
    as_written([*panel.get_xticklabels(), *panel.get_yticklabels()])
    for spine in panel.spines.values():
        spine.set_visible(False)
    panel.tick_params(length=0)
    panel.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    panel.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    panel.grid(which="minor", color=look.paper, linewidth=2)
    panel.tick_params(which="minor", length=0)
    upper = [table[i, j] for i in range(count) for j in range(i + 1, count)]
    counts = [f"{upper.count(kind)} {kind}" for kind in (SEPARABLE, INSEPARABLE, UNDECIDED) if upper.count(kind)]
    panel.set_title("pairs of classes: " + ", ".join(counts))
    return figure


def _colors(table: Any, widths: Any, look: Palette) -> Any:
    """Separable pairs in one hue by the rank of their margin; the others in a hue of their own."""
    known = np.sort(np.unique(widths[np.isfinite(widths) & (table == SEPARABLE)]))
    shades = np.empty((*table.shape, 3))
    for at in np.ndindex(table.shape):
        if table[at] == SEPARABLE:
            rank = np.searchsorted(known, widths[at]) / max(len(known) - 1, 1) if np.isfinite(widths[at]) else 0.5
            shades[at] = look.tint(look.of_class(0), 0.18 + 0.47 * float(rank))
        elif table[at] == INSEPARABLE:
            shades[at] = look.tint(look.of_class(1), 0.55)
        else:
            shades[at] = look.tint(look.muted, 0.25 if table[at] == UNDECIDED else 0.06)
    return shades


def _write(ax: Any, i: int, j: int, answer: str, width: float, count: int, look: Palette) -> None:
    text = {SEPARABLE: number(width, 2) if np.isfinite(width) else "✓", INSEPARABLE: "✗", UNDECIDED: "?"}.get(answer)
    if text:
        size = float(np.clip(90 / count, 6, 12)) * (1.0 if answer == SEPARABLE else 1.25)
        ax.text(j, i, text, ha="center", va="center", color=look.ink, fontsize=size)
