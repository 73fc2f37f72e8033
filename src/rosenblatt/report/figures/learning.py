"""How the boundary moves: after successive epochs, and update by update with the vector that was added."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.replay.trace import Step, Trace
from rosenblatt.records import Floats
from rosenblatt.report.figures.common.plane import (
    View,
    arrow,
    draw_line,
    foot_of_normal,
    frame,
    point_area,
    ring,
    scatter,
    view_of,
    widened_view,
)
from rosenblatt.report.figures.common.style import DASHES, Axes, Figure, Palette, legend, number, panels, vector

_MAX_BOUNDARIES = 8  # that can be told apart in one picture


def plot_boundaries(
    trace: Trace,
    ax: Any = None,
    *,
    unit: int = 0,
    columns: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    theme: str = "light",
) -> Figure:
    """The boundary at the end of each epoch, from faint to full; of a long run eight of them, the last included.

    Parameters
    ----------
    trace : Trace
        The `trace_` of a unit that was fitted with record=True, or what `trace` returns.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    unit : int, default=0
        Which of its units.
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
    >>> from rosenblatt import figures, trace
    >>> run = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> figures.plot_boundaries(run).axes[0].get_title()
    'boundary after each epoch: separated after 9 epochs'
    """
    figure, (panel, *_), look = panels(ax, theme)
    view, targets = scene(trace, unit, columns, "plot_boundaries")
    boundaries = _boundaries(trace, unit)
    view = widened_view(view, [view.line(weights) for _, weights in boundaries])
    scatter(panel, view, (targets > 0).astype(np.intp), trace.names(unit), look)
    for k, (epochs, weights) in enumerate(boundaries):
        last = k == len(boundaries) - 1
        share = 0.42 + 0.4 * k / max(len(boundaries) - 1, 1)
        draw_line(
            panel, view, view.line(weights), color=look.ink if last else look.tint(look.accent, share),
            lw=2.6 if last else 1.6, linestyle="-" if last else DASHES[k % len(DASHES)], label=f"epoch {epochs}",
        )  # fmt: skip
    frame(panel, view, names)
    panel.set_title(f"boundary after each epoch: {ending(trace)}")
    legend(figure, [panel], look, columns=5, own=ax is None)
    return figure


def _boundaries(trace: Trace, unit: int) -> list[tuple[str, Floats]]:
    """The weights after each epoch that changed them, with the range of epochs at whose end they were the same."""
    ranges: list[tuple[int, int, Floats]] = []
    for end in trace.epochs():
        weights = with_bias(trace, end.weights[unit])
        if ranges and np.array_equal(ranges[-1][2], weights):
            ranges[-1] = (ranges[-1][0], end.epoch, weights)
        else:
            ranges.append((end.epoch, end.epoch, weights))
    if len(ranges) > _MAX_BOUNDARIES:
        ranges = [ranges[i] for i in _spread(len(ranges), _MAX_BOUNDARIES)]
    return [(f"{first}" if first == last else f"{first}–{last}", weights) for first, last, weights in ranges]


def plot_frames(
    trace: Trace,
    ax: Any = None,
    *,
    updates: Sequence[int] | None = None,
    unit: int = 0,
    columns: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    theme: str = "light",
) -> Figure:
    """Four updates: the boundary before and after, the example that made it, and w + eta y x as vectors.

    `updates` counts from 1 and chooses which; without it they are spread over the run. The vectors start in the middle
    of the boundary and share one scale, because weights and examples are measured in different units.

    Parameters
    ----------
    trace : Trace
        The `trace_` of a unit that was fitted with record=True, or what `trace` returns.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    updates : sequence of int, optional
        Which updates, counted from 1.
    unit : int, default=0
        Which of its units.
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
    >>> from rosenblatt import figures, trace
    >>> run = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> len(figures.plot_frames(run, updates=[1, 2, 3]).axes)
    4
    """
    view, targets = scene(trace, unit, columns, "plot_frames")
    steps = _updates_of(trace, unit, updates, 4 if ax is None else len(np.ravel(ax)))
    down, across = (1, len(steps)) if len(steps) < 3 else ((len(steps) + 1) // 2, 2)
    figure, axes, look = panels(ax, theme, down, across, size=(6.0, 1.2 + 2.5 * down))
    lines = [view.line(with_bias(trace, w)) for step in steps for w in (step.before, step.after)]
    view = widened_view(view, lines)
    longest = max(float(np.linalg.norm(line[1:])) for line in lines)
    scale = 0.42 * float(view.size[1]) / (longest or 1.0)
    for panel, (k, step) in zip(axes, zip(_numbers(trace, steps), steps, strict=True), strict=False):
        draw_update(panel, view, targets, trace, step, scale, look)
        frame(panel, view, names)
        panel.set_title(
            f"update {k} · epoch {step.epoch} · row {step.row + 1}\n{vector(step.before, 2)} → {vector(step.after, 2)}",
            fontsize=9.5,
        )
    for panel in axes[len(steps) :]:
        panel.set_visible(False)
    legend(figure, axes[: len(steps)], look, columns=4, own=ax is None)
    return figure


def draw_update(
    ax: Axes, view: View, targets: NDArray[np.int8], trace: Trace, step: Step, scale: float, look: Palette
) -> None:
    """One frame: examples, boundary before and after, and the update vector head to tail with the weights."""
    area = min(40.0, point_area(2 * len(targets)))  # the panel is a quarter of a picture
    scatter(ax, view, (targets > 0).astype(np.intp), trace.names(step.unit), look, area)
    ring(ax, view.points[step.row : step.row + 1], look.alarm, "mistake" if step.mistake else "example")
    before, after = (view.line(with_bias(trace, w)) for w in (step.before, step.after))
    drawn = draw_line(ax, view, before, color=look.muted, lw=1.6, linestyle=(0, (4, 3)), label="boundary before")
    _note_unseen(ax, view, before, drawn, "before", look)
    drawn = draw_line(ax, view, after, color=look.ink, lw=2.2, label="boundary after")
    _note_unseen(ax, view, after, drawn, "after", look)
    foot = foot_of_normal(view, after, before)
    if foot is not None:
        old, new = foot + scale * before[1:], foot + scale * after[1:]
        if before[1:].any():
            arrow(ax, foot, old, look.muted, "w before", lw=1.5)
        if after[1:].any():
            arrow(ax, foot, new, look.ink, "w after", lw=1.8)
        if (old != new).any():
            arrow(ax, old, new, look.accent, "update", lw=2.4)
    if (before[1:] == after[1:]).all():
        _note(ax, 0.19, "only the bias moves", look)


def _note_unseen(ax: Axes, view: View, line: Floats, drawn: Floats | None, when: str, look: Palette) -> None:
    """Say in words that a boundary lies outside the picture."""
    if drawn is None and line[1:].any():
        low = 0.03 if when == "before" else 0.11
        _note(ax, low, f"boundary {when}: outside the picture", look)


def _note(ax: Axes, low: float, text: str, look: Palette) -> None:
    ax.text(0.02, low, text, transform=ax.transAxes, color=look.muted, fontsize=8.5)


def scene(trace: Trace, unit: int, columns: tuple[int, int] | None, what: str) -> tuple[View, NDArray[np.int8]]:
    """The examples of a trace in the plane, with their targets."""
    if not 0 <= unit < trace.n_units:
        raise ParameterError(f"{what} has no unit {unit}: the run has {trace.n_units}, counted from 0.")
    values, targets = trace.examples(unit)
    return view_of(values, columns, what), targets


def ending(trace: Trace) -> str:
    """How the run ended, in words."""
    epochs = f"{number(trace.run.n_iter)} epoch" + ("s" if trace.run.n_iter != 1 else "")
    return f"all {epochs} spent" if trace.run.status == "budget" else f"{trace.run.status} after {epochs}"


def with_bias(trace: Trace, weights: Floats) -> Floats:
    """[b, w1, ..., wd], also where no bias was learned."""
    return weights if trace.fit_intercept else np.concatenate([[0.0], weights])


def _updates_of(trace: Trace, unit: int, updates: Sequence[int] | None, count: int) -> list[Step]:
    of_unit = np.flatnonzero(trace.unit == unit)
    if not len(of_unit):
        raise DataError(f"There is nothing to draw: the run made no update of unit {unit}.")
    if updates is None:
        indices = [int(of_unit[i]) for i in _spread(len(of_unit), count)]
    else:
        indices = [k - 1 for k in updates]
        missing = [k + 1 for k in indices if not 0 <= k < len(trace)]
        if missing:
            raise ParameterError(f"The run made {len(trace)} updates, so there is no update {missing[0]}.")
    return list(trace.updates(indices))


def _numbers(trace: Trace, steps: Sequence[Step]) -> list[str]:
    """The number of each step in the mistake log, counted from 1."""
    numbers = {(t, u): k for k, (t, u) in enumerate(zip(trace.t.tolist(), trace.unit.tolist(), strict=True), start=1)}
    return [number(numbers[step.t, step.unit]) for step in steps]


def _spread(length: int, count: int) -> list[int]:
    """At most `count` indices from 0 to `length` - 1, evenly spread, both ends included."""
    return sorted(set(np.linspace(0, length - 1, min(count, length)).round().astype(int).tolist()))
