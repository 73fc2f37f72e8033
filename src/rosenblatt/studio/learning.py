"""A run for the page: its moments along the mistake log, the visits of one epoch, and the answer that was kept."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ParameterError
from rosenblatt.learn import Step, Trace
from rosenblatt.learn.trace import EpochEnd
from rosenblatt.records import Floats
from rosenblatt.report.trace_table import caption
from rosenblatt.studio.request import Plane, chosen_of, plane_of

MOST_MOMENTS = 600  # of a longer log, updates spread evenly are shown
MOST_VISITS = 1_000  # of one epoch are told one by one
_KEPT = 8  # runs, so that a step is answered without learning again


class Learned:
    """A fitted learner with its trace, and the plane it learned from."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        from rosenblatt.estimators import Adaline, LogisticUnit, Perceptron

        self.plane: Plane = plane_of(request)
        self.loss, self.chosen = chosen_of(request, len(self.plane.X))
        learner: Any = {"perceptron": Perceptron, "squared": Adaline, "logistic": LogisticUnit}[self.loss]
        self.model = learner(**self.chosen, record=True).fit(self.plane.X, self.plane.y)
        self.trace: Trace = self.model.trace_

    def weights(self, rows: Any) -> Floats:
        """One row [b, w1, w2] per unit; the bias is 0 where none was learned."""
        held = np.atleast_2d(np.asarray(rows, dtype=np.float64))
        return held if self.trace.fit_intercept else np.column_stack([np.zeros(len(held)), held])

    @property
    def signs(self) -> NDArray[np.int8] | None:
        """The targets of a single unit; None where several share the work."""
        return self.trace.examples()[1] if self.trace.n_units == 1 else None


@lru_cache(maxsize=_KEPT)
def _learned(text: str) -> Learned:
    return Learned(json.loads(text))


def learned(request: Mapping[str, Any]) -> Learned:
    """The run of a request; the last few are remembered."""
    asked = {name: request.get(name) for name in ("points", "labels", "classes")}
    return _learned(json.dumps({**asked, "options": request.get("options", {})}, sort_keys=True))


def learn(request: Mapping[str, Any]) -> dict[str, Any]:
    """The run: where it starts, each moment at which the weights moved, the ends of its epochs, and its answer.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> run = learn(AND)
    >>> run["n_mistakes"], run["status"], run["moments"][-1]["after"]
    (18, 'separated', [[-4.0, 3.0, 2.0]])
    """
    held = learned(request)
    trace, run = held.trace, held.trace.run
    start = held.weights(trace.replay(0))
    moments = list(_moments(held, start) if held.chosen.get("batch", 1) == 1 else _epoch_moments(held, start))
    _judge(held, moments)
    epochs = [_epoch_end(held, end) for end in trace.epochs()]
    _judge(held, epochs)
    return {
        "start": start.tolist(),
        "moments": moments,
        "n_updates": len(trace),
        "epochs": epochs,
        "mistakes": list(run.mistakes),
        "n_mistakes": run.n_mistakes,
        "n_iter": run.n_iter,
        "t": run.t,
        "status": run.status,
        "words": caption(trace),
        "units": [list(trace.names(unit)) for unit in range(trace.n_units)],
        "classes": held.plane.present,
        "scheme": held.chosen.get("multi_class", getattr(held.model, "multi_class", "ovr")),
        "kept": _kept(held),
    }


def _epoch_end(held: Learned, end: EpochEnd) -> dict[str, Any]:
    made = int(np.searchsorted(held.trace.t, end.t))
    return {
        "epoch": end.epoch,
        "t": end.t,
        "mistakes": end.mistakes,
        "k": made,
        "after": held.weights(end.weights).tolist(),
    }


def _kept(held: Learned) -> dict[str, Any]:
    """What `keep` made of the run; votes are no one line, so they have no weights."""
    keep = held.model.keep
    one_line = keep != "vote" and hasattr(held.model, "coef_")
    weights = np.column_stack([held.model.intercept_, held.model.coef_]).tolist() if one_line else None
    wrong = int(np.sum(held.model.predict(held.plane.X) != held.plane.y))
    return {"keep": keep, "weights": weights, "errors": wrong}


def _moments(held: Learned, start: Floats) -> Iterator[dict[str, Any]]:
    """Updates one by one; of a long log some, spread evenly, the first and the last among them."""
    trace = held.trace
    ends = np.flatnonzero(np.append(trace.t[1:] != trace.t[:-1], True)) if len(trace) else np.empty(0, dtype=np.intp)
    spread = np.linspace(0, len(ends) - 1, min(MOST_MOMENTS, len(ends))).round().astype(np.intp)
    chosen = ends[np.unique(spread)]
    weights = start
    log = np.unique(np.concatenate([_needed(trace, chosen), np.flatnonzero(np.isin(trace.t, trace.t[chosen]))]))
    shown = set(trace.t[chosen].tolist())
    for t, steps in groupby(trace.updates(log), key=lambda step: step.t):
        moved = list(steps)
        before = weights.copy()
        weights = weights.copy()
        for step in moved:
            before[step.unit], weights[step.unit] = (held.weights(w)[0] for w in (step.before, step.after))
        if t in shown:
            made = int(np.searchsorted(trace.t, t, side="right"))
            yield _moment(moved, before, weights) | {"k": made}


def _needed(trace: Trace, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each chosen entry of the log, the latest of each unit: what the other units' weights were then."""
    latest: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)]
    for unit in range(trace.n_units if trace.n_units > 1 else 0):
        mine = np.flatnonzero(trace.unit == unit)
        at = np.searchsorted(mine, chosen, side="right") - 1
        latest.append(mine[at[at >= 0]])
    return np.concatenate(latest)


def _epoch_moments(held: Learned, start: Floats) -> Iterator[dict[str, Any]]:
    """A batch moves the weights when it ends, so the run is shown epoch by epoch; `visits` shows each batch."""
    before = start.tolist()
    for end in held.trace.epochs():
        told = _epoch_end(held, end)
        yield told | {"t": end.t - 1, "row": None, "moved": [], "before": before}
        before = told["after"]


def _moment(steps: Iterable[Step], before: Floats, after: Floats) -> dict[str, Any]:
    listed = list(steps)
    first = listed[0]
    moved = [
        {"unit": s.unit, "target": s.target, "score": s.score, "mistake": s.mistake, "coefficient": s.coefficient}
        for s in listed
    ]
    told = {"t": first.t, "epoch": first.epoch, "row": first.row, "moved": moved}
    return told | {"before": before.tolist(), "after": after.tolist()}


def visits(request: Mapping[str, Any]) -> dict[str, Any]:
    """The visits of one epoch, mistake or not, the first thousand of them; `epoch` is counted from 1."""
    held = learned(request)
    epoch, last = request.get("epoch"), held.trace.run.n_iter
    if not isinstance(epoch, int) or isinstance(epoch, bool) or not 1 <= epoch <= max(1, last):
        raise ParameterError(f"The run has epochs 1 to {last}. Got {epoch!r} instead.")
    found = []
    every = groupby(held.trace.steps(epochs=(epoch, epoch)), key=lambda step: step.t)
    for _, steps in islice(every, MOST_VISITS):
        listed = list(steps)
        before, after = np.zeros((held.trace.n_units, 3)), np.zeros((held.trace.n_units, 3))
        for step in listed:
            before[step.unit], after[step.unit] = (held.weights(w)[0] for w in (step.before, step.after))
        made = int(np.searchsorted(held.trace.t, listed[0].t, side="right"))
        found.append(_moment(listed, before, after) | {"k": made})
    _judge(held, found)
    return {"epoch": epoch, "visits": found}


def _judge(held: Learned, moments: list[dict[str, Any]]) -> None:
    """Put beside each moment of a single unit its training errors, and the margin of its line: the least distance."""
    signs = held.signs
    if signs is None or not moments:
        return
    lines = np.array([moment["after"][0] for moment in moments])
    lengths = np.hypot(lines[:, 1], lines[:, 2])
    for first in range(0, len(lines), 200):
        part = slice(first, first + 200)
        scores = (held.plane.X @ lines[part, 1:].T + lines[part, 0]) * signs[:, None]
        # a score of 0 is decided as negative (contract 6), so it is an error for positive examples alone
        errors = np.where(signs[:, None] > 0, scores <= 0, scores < 0).sum(axis=0)
        least = scores.min(axis=0)
        for moment, wrong, low, length in zip(moments[part], errors, least, lengths[part], strict=True):
            moment["errors"] = int(wrong)
            moment["margin"] = float(low / length) if length > 0 else None
