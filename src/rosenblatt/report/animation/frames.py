"""The moments of a run that an animation shows: the start, updates spread over the run, and the end."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.replay.trace import Step, Trace
from rosenblatt.records import Floats
from rosenblatt.report.figures.learning import ending, scene, with_bias
from rosenblatt.report.figures.plane import View, clipped
from rosenblatt.report.figures.style import number, vector


@dataclass(frozen=True)
class Moment:
    """A title, a sentence, the lines before and after, [b, wi, wj] each, and the row at fault if there is one."""

    title: str
    words: str
    before: Floats
    after: Floats
    row: int | None = None


@dataclass(frozen=True)
class Film:
    """What stays the same, and what changes from moment to moment."""

    view: View
    targets: NDArray[np.int8]
    names: tuple[str, str]
    moments: list[Moment]

    @property
    def longest(self) -> float:
        """The longest weight vector that is shown, to scale all of them by."""
        lengths = [float(np.linalg.norm(line[1:])) for m in self.moments for line in (m.before, m.after)]
        return max([length for length in lengths if length > 0], default=1.0)


def film_of(trace: Trace, unit: int, columns: tuple[int, int] | None, most: int) -> Film:
    """At most `most` updates of one unit, the first and the last among them."""
    view, targets = scene(trace, unit, columns, "animate")
    mine = np.flatnonzero(trace.unit == unit)
    chosen = mine[np.unique(np.linspace(0, len(mine) - 1, min(most, len(mine))).round().astype(np.intp))]
    start, end = (np.atleast_2d(trace.replay(k))[unit] for k in (0, None))
    first, last = (view.line(with_bias(trace, weights)) for weights in (start, end))
    moments = [Moment("start", f"w = {vector(start)}{_unseen(view, first)}", first, first)]
    moments += [_moment(trace, view, step, int(k) + 1) for k, step in zip(chosen, trace.updates(chosen), strict=True)]
    words = f"{number(trace.run.n_mistakes)} mistakes in {number(trace.run.t)} visits, w = {vector(end)}"
    return Film(view, targets, trace.names(unit), [*moments, Moment(ending(trace), words, last, last)])


def _unseen(view: View, line: Floats) -> str:
    if not line[1:].any():
        return ", no boundary"
    return "" if clipped(view, line) is not None else ", boundary outside the picture"


def _moment(trace: Trace, view: View, step: Step, k: int) -> Moment:
    before, after = (view.line(with_bias(trace, w)) for w in (step.before, step.after))
    sign = "+1" if step.target > 0 else "\N{MINUS SIGN}1"
    return Moment(
        f"update {number(k)} · epoch {number(step.epoch)} · row {number(step.row + 1)}",
        f"target {sign}, score {number(step.score)}: {vector(step.before)} → {vector(step.after)}"
        + _unseen(view, after),
        before,
        after,
        step.row,
    )
