"""The moments of a run that an animation shows: the start, updates spread over the run, and the end."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.replay.trace import Step, Trace
from rosenblatt.records import Floats
from rosenblatt.report.figures.common.plane import View, clipped, foot_of_normal
from rosenblatt.report.figures.common.style import number, vector
from rosenblatt.report.figures.learning import ending, scene, with_bias

_LONGEST = 0.36  # the length of the longest weight vector, in heights of the picture


@dataclass(frozen=True)
class Moment:
    """One picture: a title, a sentence, the lines [b, wi, wj] before and after, and the row of the mistake, if any."""

    title: str
    words: str
    before: Floats
    after: Floats
    row: int | None = None


@dataclass(frozen=True)
class Film:
    """A run as moments over the same points."""

    view: View
    targets: NDArray[np.int8]
    names: tuple[str, str]
    moments: list[Moment]
    columns: Sequence[str] | None = None  # the names of all columns, if they have any

    @property
    def longest(self) -> float:
        """The length of the longest weight vector shown; all are scaled by it."""
        lengths = [float(np.linalg.norm(line[1:])) for m in self.moments for line in (m.before, m.after)]
        return max([length for length in lengths if length > 0], default=1.0)


def film_of(
    trace: Trace, unit: int, columns: tuple[int, int] | None, most: int, names: Sequence[str] | None = None
) -> Film:
    """At most `most` updates of one unit, including the first and the last; `names` are those of all columns."""
    view, targets = scene(trace, unit, columns, "animate")
    updates = np.flatnonzero(trace.unit == unit)
    spread = np.unique(np.linspace(0, len(updates) - 1, min(most, len(updates))).round().astype(np.intp))
    chosen = updates[spread]
    start, end = (np.atleast_2d(trace.replay(k))[unit] for k in (0, None))
    first, last = (view.line(with_bias(trace, weights)) for weights in (start, end))
    moments = [Moment("start", f"w = {vector(start)}{_note_if_invisible(view, first)}", first, first)]
    moments += [_moment(trace, view, step, int(k) + 1) for k, step in zip(chosen, trace.updates(chosen), strict=True)]
    words = f"{number(trace.run.n_mistakes)} mistakes in {number(trace.run.t)} visits, w = {vector(end)}"
    moments.append(Moment(ending(trace), words, last, last))
    return Film(view, targets, trace.names(unit), moments, names)


def _note_if_invisible(view: View, line: Floats) -> str:
    if not line[1:].any():
        return ", no boundary"
    return "" if clipped(view, line) is not None else ", boundary outside the picture"


def _moment(trace: Trace, view: View, step: Step, k: int) -> Moment:
    before, after = (view.line(with_bias(trace, w)) for w in (step.before, step.after))
    sign = "+1" if step.target > 0 else "\N{MINUS SIGN}1"
    return Moment(
        f"update {number(k)} · epoch {number(step.epoch)} · row {number(step.row + 1)}",
        f"target {sign}, score {number(step.score)}: {vector(step.before)} → {vector(step.after)}"
        + _note_if_invisible(view, after),
        before,
        after,
        step.row,
    )


def vectors(film: Film, moment: Moment) -> list[tuple[Floats, Floats, str]]:
    """(start, end, role) of the weights before and after, from the middle of the boundary, and of the update.

    Empty if no boundary is visible.
    """
    foot = foot_of_normal(film.view, moment.after, moment.before)
    if foot is None:
        return []
    scale = _LONGEST * float(film.view.size[1]) / film.longest
    old, new = (foot + scale * line[1:] for line in (moment.before, moment.after))
    arrows = [(foot, old, "before")] if moment.row is not None else []
    arrows += [(foot, new, "after"), (old, new, "update")]
    return [(start, end, role) for start, end, role in arrows if (start != end).any()]
