"""What a model decides, everywhere in the plane: regions, boundary, normal and margin band; curves, many classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.records import Floats
from rosenblatt.report.figures.common.plane import (
    View,
    arrow,
    classes_of,
    clipped,
    draw_line,
    frame,
    names_of,
    ring,
    scatter,
    view_of,
)
from rosenblatt.report.figures.common.style import Axes, Figure, Palette, legend, number, panels

_ACROSS, _UP = 440, 330  # cells of the plane; each is predicted
_AT_ONCE = 2_000_000  # numbers passed to a model in one call


def plot_regions(
    model: Any,
    X: Any,
    y: Any,
    ax: Any = None,
    *,
    columns: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    theme: str = "light",
) -> Figure:
    """The decision regions of a fitted model over the examples; rows it gets wrong are ringed.

    Anything with `predict` will do: a unit, a pipeline with a feature map, a learner of many classes. A single
    hyperplane also shows its normal w and, where it separates the examples, the margin band that holds none of them.
    Of more than two columns two must be chosen; the regions are then a cut, the other columns at their means.

    Parameters
    ----------
    model : fitted classifier
        Anything with `predict`.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their labels.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    columns : pair of int, optional
        The two columns to draw; needed where there are more.
    names : sequence of str, optional
        The names of the columns.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import Perceptron, figures
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> figure = figures.plot_regions(Perceptron(order="given").fit(X, y), X, y, names=["a", "b"])
    >>> figure.axes[0].get_xlabel()
    'a'
    """
    figure, axes, look = panels(ax, theme)
    view, panel = view_of(X, columns, "plot_regions"), axes[0]
    labels, index = classes_of(y)
    classes = np.asarray(getattr(model, "classes_", labels))
    weights = hyperplane_of(model, X)
    decided = _decide(model, X, view, classes, weights)
    draw_regions(panel, view, decided, len(classes), look)
    scatter(panel, view, np.searchsorted(classes, labels)[index], classes.tolist(), look)
    if weights is not None:
        line = view.line(weights)
        draw_line(panel, view, line, color=look.ink, lw=2.0, label="boundary")
        draw_normal(panel, view, line, look)
    else:
        _edges(panel, model, X, view, decided, classes, look)
    wrong = np.asarray(model.predict(X)) != np.asarray(y)
    ring(panel, view.points[wrong], look.alarm, f"wrong ({int(wrong.sum())} of {len(wrong)})", among=len(wrong))
    if weights is not None and not wrong.any() and len(view.middle) == 2:
        _band(panel, view, weights, look)
    frame(panel, view, names or names_of(X))
    if len(view.middle) > 2:
        panel.set_title(
            f"a cut: the other {len(view.middle) - 2} columns at their means", color=look.muted, fontsize=10
        )
    legend(figure, [panel], look, columns=5, own=ax is None)
    return figure


def hyperplane_of(model: Any, X: Any) -> Floats | None:
    """[b, w1, ..., wd] where the model is one hyperplane and decides by it; None for anything else."""
    coef = np.asarray(getattr(model, "coef_", np.empty(0)))
    width = X.shape[1] if hasattr(X, "shape") else len(X[0])
    if coef.shape not in ((1, width), (width,)) or getattr(model, "keep", None) == "vote":
        return None
    return np.concatenate([np.ravel(getattr(model, "intercept_", 0.0))[:1], coef.ravel()])


def _decide(model: Any, X: Any, view: View, classes: NDArray[Any], weights: Floats | None) -> NDArray[np.intp]:
    """The index of the predicted class in each cell of the plane."""
    cells = _cells(view)
    if weights is not None:
        line = view.line(weights)
        positive: NDArray[np.bool_] = line[0] + cells @ line[1:] > 0
        return positive.astype(np.intp).reshape(_UP, _ACROSS)
    predicted = np.concatenate([np.asarray(model.predict(_like(X, view.rows(part)))) for part in _parts(cells, view)])
    return np.asarray(np.searchsorted(classes, predicted), dtype=np.intp).reshape(_UP, _ACROSS)


def _like(X: Any, rows: Floats) -> Any:
    """Rows of the type of X, so that a DataFrame keeps the names of its columns."""
    return type(X)(rows, columns=X.columns) if hasattr(X, "columns") and hasattr(X, "iloc") else rows


def _cells(view: View) -> Floats:
    """The middle of every cell, row by row from below."""
    across, up = (
        low + (np.arange(n) + 0.5) / n * size for low, size, n in zip(view.low, view.size, (_ACROSS, _UP), strict=True)
    )
    return np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


def _parts(cells: Floats, view: View) -> list[Floats]:
    return np.array_split(cells, max(1, len(cells) * len(view.middle) // _AT_ONCE))


def draw_regions(ax: Axes, view: View, decided: NDArray[np.intp], classes: int, look: Palette) -> None:
    """Fill the region of each class with a tint of its colour."""
    tints = np.array([look.tint(look.of_class(k)) for k in range(classes)])
    extent = (view.low[0], view.high[0], view.low[1], view.high[1])
    ax.imshow(tints[decided], extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)


def _edges(
    ax: Axes, model: Any, X: Any, view: View, decided: NDArray[np.intp], classes: NDArray[Any], look: Palette
) -> None:
    """Draw where the prediction changes: along score 0 for two classes, between the cells for more."""
    cells = _cells(view)
    across, up = cells[:_ACROSS, 0], cells[::_ACROSS, 1]
    style: dict[str, Any] = {"colors": [look.ink], "linewidths": 2.0, "zorder": 3}
    if len(classes) == 2 and hasattr(model, "decision_function"):
        score = np.concatenate(
            [np.ravel(model.decision_function(_like(X, view.rows(part)))) for part in _parts(cells, view)]
        )
        if score.min() < 0 < score.max():
            ax.contour(across, up, score.reshape(_UP, _ACROSS), levels=[0.0], **style)
    else:
        for k in range(len(classes)):
            inside = (decided == k).astype(float)
            if 0 < inside.sum() < inside.size:
                ax.contour(across, up, inside, levels=[0.5], **style | {"linewidths": 1.2})
    ax.plot([], [], color=look.ink, lw=2.0, label="boundary")


def draw_normal(ax: Axes, view: View, line: Floats, look: Palette) -> None:
    """Draw w at right angles to the boundary; it points to where the score is positive."""
    ends = clipped(view, line)
    if ends is None or not view.equal:
        return
    foot = ends.mean(axis=0)
    tip = foot + line[1:] / np.linalg.norm(line[1:]) * 0.17 * view.size[1]
    arrow(ax, foot, tip, look.accent, "normal w")


def _band(ax: Axes, view: View, weights: Floats, look: Palette) -> None:
    """Shade the margin band: between the parallels through the closest rows there is no row."""
    line = view.line(weights)
    length = float(np.linalg.norm(line[1:]))
    if length == 0:
        return
    half = float(np.abs(line[0] + view.points @ line[1:]).min())
    for k, shift in enumerate((half, -half)):
        moved = line - np.array([shift, 0.0, 0.0])
        draw_line(
            ax, view, moved, color=look.muted, lw=1.3, linestyle=(0, (4, 3)),
            label=f"margin {number(half / length)}" if k == 0 else None,
        )  # fmt: skip
    fill_between_lines(ax, view, line, half, look)


def fill_between_lines(ax: Axes, view: View, line: Floats, half: float, look: Palette) -> None:
    """Shade where |score| <= half."""
    cells = _cells(view)
    across, up = cells[:_ACROSS, 0], cells[::_ACROSS, 1]
    score = (line[0] + cells @ line[1:]).reshape(_UP, _ACROSS)
    if half > 0:
        ax.contourf(across, up, score, levels=[-half, half], colors=[look.ink], alpha=0.1, zorder=1)
