"""The convergence theorem on a real run: its two inequalities, and the mistakes against the bound."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.report.figures.common.style import Figure, add_grid, legend, number, panels


def plot_inequalities(record: Any, ax: Any = None, *, theme: str = "light") -> Figure:
    """Both halves of the proof along a run, mistake by mistake; `ax` is a pair of axes.

    The record has `k`, `progress` (w_k·w*), `progress_bound` (kγ), `norm_squared` (‖w_k‖²), `norm_bound` (kR²),
    `radius`, `margin`, `mistakes` and `mistake_bound`.

    Parameters
    ----------
    record : TheoremRun
        What `theorem_run` returned.
    ax : pair of matplotlib Axes, optional
        Where to draw; by default a new figure.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import figures, theorem_run
    >>> record = theorem_run([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> len(figures.plot_inequalities(record).axes)
    2
    """
    figure, axes, look = panels(ax, theme, 1, 2, size=(6.0, 4.0))
    k = np.asarray(record.k, dtype=float)
    if not len(k):
        raise DataError("There is nothing to draw: the run made no mistake.")
    left, right = axes[:2]
    halves = (
        (left, record.progress, record.progress_bound, "w·w*", f"kγ,  γ = {number(record.margin)}", "never below"),
        (right, record.norm_squared, record.norm_bound, "‖w‖²", f"kR²,  R = {number(record.radius)}", "never above"),
    )
    for side, (panel, values, bound, name, limit, title) in enumerate(halves):
        values, bound = np.asarray(values, dtype=float), np.asarray(bound, dtype=float)
        panel.fill_between(k, values, bound, color=look.of_class(side), alpha=0.16, linewidth=0)
        panel.plot(k, values, color=look.of_class(side), lw=2.3, label=name)
        panel.plot(k, bound, color=look.ink, lw=1.7, linestyle=(0, (5, 3)), label=limit)
        panel.set_title(f"{name} is {title} its bound", fontsize=10.5)
        panel.set_xlabel("mistakes made, k")
        panel.set_xlim(k.min(), max(k.max(), k.min() + 1))
        panel.set_ylim(bottom=min(0.0, float(values.min())))
        add_grid(panel, look)
    legend(figure, axes[:2], look, columns=4, own=ax is None)
    figure.suptitle(
        f"{number(record.mistakes)} mistakes, at most (R/γ)² = {number(float(record.mistake_bound), 4)}",
        color=look.ink, fontsize=11.5,
    )  # fmt: skip
    return figure


def plot_mistakes(mistakes: Any, bound: float | None = None, ax: Any = None, *, theme: str = "light") -> Figure:
    """Mistakes in each epoch, and their sum against the bound (R/γ)² where it is known; `ax` is a pair of axes.

    `mistakes` is one number per epoch, or anything that has them: an estimator, a trace, a run.

    Parameters
    ----------
    mistakes : sequence of int, or anything that has them
        The mistakes of each epoch, or an estimator, a trace or a run.
    bound : float, optional
        The bound (R/γ)².
    ax : pair of matplotlib Axes, optional
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
    >>> figures.plot_mistakes([3, 1, 0], bound=51).axes[1].get_xlabel()
    'epoch'
    """
    from matplotlib.ticker import MaxNLocator

    counts = np.asarray(_counts(mistakes), dtype=float)
    if not len(counts):
        raise DataError("There is nothing to draw: no epoch was visited.")
    figure, axes, look = panels(ax, theme, 2, 1, size=(6.0, 4.8))
    per_epoch, total = axes[:2]
    epochs, sums = np.arange(1, len(counts) + 1), np.cumsum(counts)
    per_epoch.bar(epochs, counts, color=look.of_class(0), width=0.8 if len(counts) < 60 else 1.0)
    per_epoch.set_ylabel("in each epoch")
    per_epoch.set_title("mistakes")
    total.step(epochs, sums, where="mid", color=look.of_class(1), lw=2.3, label=f"made so far: {number(sums[-1])}")
    total.set_ylabel("in all")
    total.set_xlabel("epoch")
    if bound is not None:
        total.axhline(bound, color=look.ink, lw=1.7, linestyle=(0, (5, 3)), label=f"bound (R/γ)²: {number(bound, 4)}")
        if bound > 8 * max(sums[-1], 1):  # far above: on a linear scale the run would be a flat line
            total.set_yscale("log")
    for panel in (per_epoch, total):
        panel.set_xlim(0.4, len(counts) + 0.6)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        add_grid(panel, look)
    if total.get_yscale() == "linear":
        total.set_ylim(0, 1.08 * max(sums[-1], bound or 0, 1))
    legend(figure, [total], look, columns=2, own=ax is None)
    return figure


def _counts(source: Any) -> Sequence[float]:
    for holder in (source, getattr(source, "run", None)):
        for name in ("mistakes_", "mistakes"):
            counts = getattr(holder, name, None)
            if counts is not None:
                return list(counts)
    return list(source)
