"""How the boundary moves: after successive epochs, and update by update with the vector that was added."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.replay.trace import Step, Trace
from rosenblatt.records import Floats
from rosenblatt.report.figures.plane import View, arrow, draw_line, frame, point_area, reaching, ring, scatter, view_of
from rosenblatt.report.figures.style import DASHES, Palette, legend, number, panels, vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST = 8  # boundaries that can be told apart in one picture


def plot_boundaries(
    trace: Trace,
    ax: Any = None,
    *,
    unit: int = 0,
    columns: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    theme: str = "light",
) -> "Figure":
    """The boundary at the end of each epoch, from faint to full; of a long run eight of them, the last included."""
    figure, (shown, *_), look = panels(ax, theme)
    view, targets = scene(trace, unit, columns, "plot_boundaries")
    told = _changes(trace, unit)
    view = reaching(view, [view.line(weights) for _, weights in told])
    scatter(shown, view, (targets > 0).astype(np.intp), trace.names(unit), look)
    for k, (epochs, weights) in enumerate(told):
        last = k == len(told) - 1
        share = 0.42 + 0.4 * k / max(len(told) - 1, 1)
        draw_line(
            shown, view, view.line(weights), color=look.ink if last else look.tint(look.accent, share),
            lw=2.6 if last else 1.6, linestyle="-" if last else DASHES[k % len(DASHES)], label=f"epoch {epochs}",
        )  # fmt: skip
    frame(shown, view, names)
    shown.set_title(f"boundary after each epoch: {ending(trace)}")
    legend(figure, [shown], look, columns=5, own=ax is None)
    return figure


def _changes(trace: Trace, unit: int) -> list[tuple[str, Floats]]:
    """Epochs that left new weights, each named with those after it that left them as they were."""
    found: list[tuple[int, int, Floats]] = []
    for end in trace.epochs():
        weights = with_bias(trace, end.weights[unit])
        if found and np.array_equal(found[-1][2], weights):
            found[-1] = (found[-1][0], end.epoch, weights)
        else:
            found.append((end.epoch, end.epoch, weights))
    chosen = found if len(found) <= _MOST else [found[i] for i in _spread(len(found), _MOST)]
    return [(f"{a}" if a == b else f"{a}–{b}", weights) for a, b, weights in chosen]


def plot_frames(
    trace: Trace,
    ax: Any = None,
    *,
    updates: Sequence[int] | None = None,
    unit: int = 0,
    columns: tuple[int, int] | None = None,
    theme: str = "light",
) -> "Figure":
    """Four updates: the boundary before and after, the example that made it, and w + eta y x as vectors.

    `updates` counts from 1 and chooses which; without it they are spread over the run. The vectors start in the middle
    of the picture and share one scale, because weights and examples are measured in different units.
    """
    view, targets = scene(trace, unit, columns, "plot_frames")
    steps = _updates_of(trace, unit, updates, 4 if ax is None else len(np.ravel(ax)))
    down, across = (1, len(steps)) if len(steps) < 3 else ((len(steps) + 1) // 2, 2)
    figure, axes, look = panels(ax, theme, down, across, size=(6.0, 1.2 + 2.5 * down))
    lines = [view.line(with_bias(trace, w)) for step in steps for w in (step.before, step.after)]
    view = reaching(view, lines)
    longest = max(float(np.linalg.norm(line[1:])) for line in lines)
    scale = 0.42 * float(view.size[1]) / (longest or 1.0)
    for panel, (k, step) in zip(axes, zip(_numbers(trace, steps), steps, strict=True), strict=False):
        draw_update(panel, view, targets, trace, step, scale, look)
        panel.set_title(
            f"update {k} · epoch {step.epoch} · row {step.row + 1}\n{vector(step.before, 2)} → {vector(step.after, 2)}",
            fontsize=9.5,
        )
    for panel in axes[len(steps) :]:
        panel.set_visible(False)
    legend(figure, axes[: len(steps)], look, columns=4, own=ax is None)
    return figure


def draw_update(
    ax: "Axes", view: View, targets: NDArray[np.int8], trace: Trace, step: Step, scale: float, look: Palette
) -> None:
    """One frame: examples, boundary before and after, and the update vector head to tail with the weights."""
    area = min(40.0, point_area(2 * len(targets)))  # the panel is a quarter of a picture
    scatter(ax, view, (targets > 0).astype(np.intp), trace.names(step.unit), look, area)
    ring(ax, view.points[step.row : step.row + 1], look.alarm, "mistake" if step.mistake else "example")
    before, after = (view.line(with_bias(trace, w)) for w in (step.before, step.after))
    drawn = draw_line(ax, view, before, color=look.muted, lw=1.6, linestyle=(0, (4, 3)), label="boundary before")
    _say_unseen(ax, view, before, drawn, "before", look)
    drawn = draw_line(ax, view, after, color=look.ink, lw=2.2, label="boundary after")
    _say_unseen(ax, view, after, drawn, "after", look)
    centre = (view.low + view.high) / 2
    old, new = centre + scale * before[1:], centre + scale * after[1:]
    if before[1:].any():
        arrow(ax, centre, old, look.muted, "w before", lw=1.5)
    if after[1:].any():
        arrow(ax, centre, new, look.ink, "w after", lw=1.8)
    if (old != new).any():
        arrow(ax, old, new, look.accent, "update", lw=2.4)
    else:
        ax.text(centre[0], centre[1], "only the bias moves", ha="center", va="center", color=look.muted, fontsize=9.5)
    frame(ax, view)


def _say_unseen(ax: "Axes", view: View, line: Floats, drawn: Floats | None, when: str, look: Palette) -> None:
    """A boundary that is too far off to be drawn is told of in words."""
    if drawn is None and line[1:].any():
        low = 0.03 if when == "before" else 0.11
        told = f"boundary {when}: outside the picture"
        ax.text(0.02, low, told, transform=ax.transAxes, color=look.muted, fontsize=8.5)


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
    mine = np.flatnonzero(trace.unit == unit)
    if not len(mine):
        raise DataError(f"There is nothing to draw: the run made no update of unit {unit}.")
    if updates is None:
        wanted = [int(mine[i]) for i in _spread(len(mine), count)]
    else:
        wanted = [k - 1 for k in updates]
        missing = [k + 1 for k in wanted if not 0 <= k < len(trace)]
        if missing:
            raise ParameterError(f"The run made {len(trace)} updates, so there is no update {missing[0]}.")
    return list(trace.updates(wanted))


def _numbers(trace: Trace, steps: Sequence[Step]) -> list[str]:
    """The place of each step in the log, counted from 1."""
    place = {(t, u): k for k, (t, u) in enumerate(zip(trace.t.tolist(), trace.unit.tolist(), strict=True), start=1)}
    return [number(place[step.t, step.unit]) for step in steps]


def _spread(length: int, count: int) -> list[int]:
    """At most `count` places from first to last, as even as they can be."""
    return sorted(set(np.linspace(0, length - 1, min(count, length)).round().astype(int).tolist()))
