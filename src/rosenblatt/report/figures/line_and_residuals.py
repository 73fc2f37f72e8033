"""Predicted numbers: a line through points with what it misses them by, and the residuals over the predictions."""

from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.records import Floats
from rosenblatt.report.figures.common.style import Figure, add_grid, as_written, legend, number, panels

_MOST_RESIDUALS = 200  # segments that can still be told apart
_GROUPS = 10


def plot_line(
    model: Any, X: Any, y: Any, ax: Any = None, *, names: tuple[str, str] = ("x", "y"), theme: str = "light"
) -> Figure:
    """The examples of one column, the line that a model predicts, and the residual of each example as a segment.

    Parameters
    ----------
    model : fitted regressor
        Anything with `predict`.
    X : array-like of shape (n_samples,) or (n_samples, 1)
        One column.
    y : array-like of shape (n_samples,)
        The targets.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    names : pair of str, default=('x', 'y')
        The names of the axes.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import LinearUnit, figures
    >>> X, y = [[1.0], [2.0], [3.0]], [2.0, 4.1, 5.9]
    >>> figures.plot_line(LinearUnit(max_iter=1000).fit(X, y), X, y).axes[0].get_title()
    'mean squared error ...'
    """
    x, target = np.asarray(X, dtype=np.float64), _numbers(y, "y")
    x = x.reshape(len(x), -1)
    if x.shape[1] != 1 or len(x) != len(target):
        raise ParameterError(
            f"plot_line draws one column and one target for each row. Got X of the shape {x.shape} and {len(target)} "
            "targets instead; plot_residuals draws the predictions of a model of more columns."
        )
    predicted = _numbers(model.predict(x), "model.predict(X)")
    figure, (panel, *_), look = panels(ax, theme)
    if len(x) <= _MOST_RESIDUALS:
        panel.vlines(x[:, 0], target, predicted, color=look.of_class(0), lw=1.2, alpha=0.6, label="residual", zorder=2)
    panel.scatter(x[:, 0], target, color=look.of_class(0), s=26, zorder=3, label="examples")
    room = 0.04 * (np.ptp(x) or 1.0)
    ends = np.array([[x.min() - room], [x.max() + room]])
    panel.plot(
        ends[:, 0], _numbers(model.predict(ends), ""), color=look.of_class(1), lw=2.3, label="prediction", zorder=4
    )
    panel.set_xlabel(names[0])
    panel.set_ylabel(names[1])
    as_written([panel.xaxis.label, panel.yaxis.label])
    squares = float(np.mean(np.square(target - predicted)))
    panel.set_title(f"mean squared error {number(squares, 4)}")
    add_grid(panel, look)
    legend(figure, [panel], look, own=ax is None)
    return figure


def plot_residuals(y: Any, predicted: Any, ax: Any = None, *, name: str = "target", theme: str = "light") -> Figure:
    """Target minus prediction against the prediction, with the mean of neighbours: if it bends, so does the relation.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The targets.
    predicted : array-like of shape (n_samples,)
        What was predicted for each.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    name : str, default='target'
        The name of the target.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import figures
    >>> figures.plot_residuals([2.0, 4.1, 5.9], [2.0, 4.0, 6.0], name="rent").axes[0].get_ylabel()
    'rent less prediction'
    """
    target, predicted = _numbers(y, "y"), _numbers(predicted, "predicted")
    if len(target) != len(predicted) or not len(target):
        raise ParameterError(
            f"plot_residuals draws one prediction for each target. Got {len(predicted)} and {len(target)} instead."
        )
    figure, (panel, *_), look = panels(ax, theme)
    away = target - predicted
    size = 26 if len(away) <= 300 else 9
    panel.axhline(0.0, color=look.muted, lw=1.0)
    panel.scatter(predicted, away, color=look.of_class(0), s=size, alpha=0.7, linewidths=0, label="examples", zorder=3)
    groups = [group for group in np.array_split(np.argsort(predicted, kind="stable"), _GROUPS) if len(group)]
    if len(away) >= 3 * _GROUPS:
        means = [(float(predicted[group].mean()), float(away[group].mean())) for group in groups]
        panel.plot(*np.array(means).T, color=look.of_class(1), lw=2.3, label="mean of neighbours", zorder=4)
    panel.set_xlabel("predicted")
    panel.set_ylabel(f"{name} less prediction")
    as_written([panel.yaxis.label])
    add_grid(panel, look)
    legend(figure, [panel], look, own=ax is None)
    return figure


def _numbers(values: Any, name: str) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ParameterError(f"{name} must be a finite number for each example.")
    return numbers
