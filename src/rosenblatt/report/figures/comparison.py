"""The boundaries of several methods in one picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.records import Floats
from rosenblatt.report.figures.common.plane import draw_line, frame, names_of, scatter, two_classes_of, view_of
from rosenblatt.report.figures.common.style import DASHES, Figure, legend, panels
from rosenblatt.report.figures.regions import hyperplane_of


def plot_comparison(
    comparison: Any,
    X: Any,
    y: Any,
    ax: Any = None,
    *,
    columns: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    theme: str = "light",
) -> Figure:
    """The boundary of every method of a comparison that is one hyperplane, over the examples of two classes.

    Parameters
    ----------
    comparison : Comparison
        What `compare` returned for these examples.
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
    >>> from rosenblatt import compare, figures
    >>> X, y = [[0, 0], [0, 1], [1, 0], [2, 2], [2, 3], [3, 2]], [0, 0, 0, 1, 1, 1]
    >>> comparison = compare(X, y, folds=3, random_state=0)
    >>> figures.plot_comparison(comparison, X, y).axes[0].get_title()
    'the boundary of each method'
    """
    figure, (panel, *_), look = panels(ax, theme, size=(6.0, 5.2))
    view = view_of(X, columns, "plot_comparison")
    labels, index = two_classes_of(y, "plot_comparison")
    scatter(panel, view, index, labels.tolist(), look)
    n_drawn = 0
    for method in comparison.methods:
        weights = _hyperplane(method.model, X)
        if weights is None:
            continue
        style = {"color": look.of_class(n_drawn + 2), "lw": 1.8, "linestyle": DASHES[n_drawn % len(DASHES)]}
        draw_line(panel, view, view.line(weights), label=method.name, **style)
        n_drawn += 1
    frame(panel, view, names or names_of(X))
    panel.set_title("the boundary of each method")
    legend(figure, [panel], look, columns=3, own=ax is None)
    return figure


def _hyperplane(model: Any, X: Any) -> Floats | None:
    """[b, w1, ..., wd] for unscaled columns, also of a pipeline that scales them first."""
    if not hasattr(model, "steps"):
        return hyperplane_of(model, X)
    scaler, learner = model[0], model[-1]
    weights = hyperplane_of(learner, X)
    if weights is None:
        return None
    slopes = weights[1:] / scaler.scale_
    shift = 0.0 if scaler.mean_ is None or not getattr(scaler, "with_mean", True) else float(slopes @ scaler.mean_)
    return np.concatenate([[weights[0] - shift], slopes])
