"""Curves of the lectures that need no data: the losses over the margin or the difference, hard and soft decisions."""

from typing import Any

import numpy as np

from rosenblatt.losses import LOSSES, absolute, huber, quantile, squared_error, zero_one
from rosenblatt.report.figures.common.style import DASHES, Figure, add_grid, legend, panels


def plot_losses(ax: Any = None, *, reach: float = 2.5, theme: str = "light") -> Figure:
    """Every loss as a function of the margin y·s: what each charges for a mistake, and for being barely right.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    reach : float, default=2.5
        The largest margin drawn.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import figures
    >>> [line.get_label() for line in figures.plot_losses().axes[0].lines][1]
    'perceptron:  max(0, −m)'
    """
    figure, (panel, *_), look = panels(ax, theme)
    m = np.linspace(-reach, reach, 501)
    for k, loss in enumerate(LOSSES.values()):
        x, value = (
            (m, loss(m)) if loss is not zero_one else ([-reach, 0.0, np.nan, 0.0, reach], [1.0, 1.0, np.nan, 0.0, 0.0])
        )
        panel.plot(
            x, value, color=look.of_class((1, 0, 2, 3, 4)[k]), lw=2.3, linestyle=DASHES[k],
            label=f"{loss.name.replace('_', '-')}:  {loss.formula.replace('<=', '≤').replace('-', '−')}",
        )  # fmt: skip
    panel.axvline(0.0, color=look.muted, lw=1.0)
    panel.set_xlim(-reach, reach)
    panel.set_ylim(-0.12, 4.2)
    panel.text(-0.06, 4.05, "mistake", ha="right", va="top", color=look.muted, fontsize=9.5)
    panel.text(0.06, 4.05, "right", ha="left", va="top", color=look.muted, fontsize=9.5)
    panel.set_xlabel("margin  m = y·s")
    panel.set_ylabel("loss")
    add_grid(panel, look)
    legend(figure, [panel], look, columns=2, own=ax is None)
    return figure


def plot_number_losses(
    ax: Any = None, *, level: float = 0.9, width: float = 1.0, reach: float = 3.0, theme: str = "light"
) -> Figure:
    """The losses of a number over the difference s - y: of a quantile's `level`, and of Huber's `width`.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    level : float, default=0.9
        Of the quantile loss.
    width : float, default=1.0
        Of the Huber loss.
    reach : float, default=3.0
        The largest difference drawn.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import figures
    >>> figures.plot_number_losses(level=0.5).axes[0].lines[2].get_label()
    'quantile 0.5'
    """
    figure, (panel, *_), look = panels(ax, theme)
    d = np.linspace(-reach, reach, 601)
    for k, (name, loss) in enumerate(
        {
            "squared error": squared_error,
            "absolute": absolute,
            f"quantile {level:g}": quantile(level),
            f"Huber {width:g}": huber(width),
        }.items()
    ):
        panel.plot(d, loss(d), color=look.of_class(k), lw=2.3, linestyle=DASHES[k], label=name)
    panel.axvline(0.0, color=look.muted, lw=1.0)
    panel.set_xlim(-reach, reach)
    panel.set_ylim(-0.1, 3.4)
    panel.text(-0.08, 3.3, "too low", ha="right", va="top", color=look.muted, fontsize=9.5)
    panel.text(0.08, 3.3, "too high", ha="left", va="top", color=look.muted, fontsize=9.5)
    panel.set_xlabel("difference  d = s − y")
    panel.set_ylabel("loss")
    add_grid(panel, look)
    legend(figure, [panel], look, columns=4, own=ax is None)
    return figure


def plot_activations(ax: Any = None, *, reach: float = 6.0, theme: str = "light") -> Figure:
    """The step (a hard decision) and the sigmoid (a soft one) side by side; `ax` is a pair of axes.

    Parameters
    ----------
    ax : pair of matplotlib Axes, optional
        Where to draw; by default a new figure.
    reach : float, default=6.0
        The largest score drawn.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import figures
    >>> [panel.get_title() for panel in figures.plot_activations().axes]
    ['step: a hard decision', 'sigmoid: a soft decision']
    """
    figure, axes, look = panels(ax, theme, 1, 2, size=(6.0, 3.3))
    s = np.linspace(-reach, reach, 401)
    hard, soft = axes[:2]
    for start, end, value in ((-reach, 0.0, -1.0), (0.0, reach, 1.0)):
        hard.plot([start, end], [value, value], color=look.of_class(1), lw=2.6)
    hard.plot(0, -1, "o", color=look.of_class(1), ms=7, zorder=5)  # a score of 0 is not positive
    hard.plot(0, 1, "o", mfc=look.paper, mec=look.of_class(1), mew=2, ms=7, zorder=5)
    hard.set_title("step: a hard decision")
    hard.set_ylabel("sign(s)")
    soft.plot(s, 1 / (1 + np.exp(-s)), color=look.of_class(0), lw=2.6)
    soft.set_title("sigmoid: a soft decision")
    soft.set_ylabel("1 / (1 + e⁻ˢ)")
    for panel, low, high in ((hard, -1.25, 1.25), (soft, -0.08, 1.08)):
        panel.set_xlim(-reach, reach)
        panel.set_ylim(low, high)
        panel.axvline(0.0, color=look.muted, lw=1.0)
        panel.set_xlabel("score  s = w·x + b")
        add_grid(panel, look)
    return figure
