"""A run for the page: its moments along the mistake log, the visits of a window, what they cost, and what was kept."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.learn.schemes import predicted_classes
from rosenblatt.losses import LOSSES
from rosenblatt.records import Floats
from rosenblatt.report.text.trace_table import how_it_ended
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.playback.kernel_run import Dual
from rosenblatt.studio.playback.run import Moment, Played, Primal, learned

MOST_VISITS = 64  # told at once
_CELLS = 1_000_000  # scores that are looked at together
_COSTED = 120  # moments at which every loss is told


def learn(request: Mapping[str, Any]) -> dict[str, Any]:
    """The run: where it starts, each moment at which the weights moved, the ends of its epochs, and its answer.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> run = learn(AND)
    >>> run["n_mistakes"], run["status"], run["moments"][-1]["after"]
    (18, 'separated', [[-4.0, 3.0, 2.0]])
    """
    held = learned(request)
    run = held.record
    moments = held.moments()
    _judge(held, moments, [moment["t"] + 1 for moment in moments])
    ends = _ends(held)
    start: Moment = {"after": held.said(held.coefficients([0])[0])}
    _judge(held, [start], [0])
    return {
        "start": start.pop("after"),
        "begins": start,
        "moments": moments,
        "n_updates": len(held.times),
        "whole": len(moments) == len(held.moved),
        "epochs": ends,
        "mistakes": list(run.mistakes),
        "n_mistakes": run.n_mistakes,
        "n_iter": run.n_iter,
        "t": run.t,
        "status": run.status,
        "words": how_it_ended(run),
        "units": held.units,
        "classes": held.plane.present,
        "scheme": held.scheme,
        "curved": held.curved,
        "features": held.features if isinstance(held, Primal) and held.curved else None,
        "kept": _kept(held),
    }


def _ends(held: Played) -> list[Moment]:
    """The end of each epoch."""
    sizes = held.record.t // max(1, held.record.n_iter)
    times = [sizes * (epoch + 1) for epoch in range(held.record.n_iter)]
    made = np.cumsum(held.record.mistakes).tolist()
    after = held.coefficients(times)
    ends = [
        {
            "epoch": epoch + 1,
            "t": t,
            "k": held.updates_by(t),
            "mistakes": made[epoch],
            "after": held.said(after[epoch]),
        }
        for epoch, t in enumerate(times)
    ]
    _judge(held, ends, times)
    return ends


def _kept(held: Played) -> dict[str, Any]:
    """What `keep` made of the run; only a straight line has weights here, and votes are no one boundary."""
    weights = held.kept if isinstance(held, Primal) and not held.curved else None
    told = None if weights is None else weights.tolist()
    return {"keep": held.keep, "weights": told, "errors": held.errors()}


def _judge(held: Played, moments: list[Moment], times: list[int]) -> None:
    """Put beside each moment its training errors, and of a single unit the margin: the least distance, or score."""
    signs, index = held.signs.T, np.searchsorted(held.plane.present, held.plane.index)
    for moment, scores in zip(moments, held.scores(times), strict=True):
        still_there()
        # a score of 0 is decided as negative (contract 6), so it is an error for positive examples alone
        moment["errors"] = int(np.sum(predicted_classes(held.scheme, scores.T, len(held.plane.present)) != index))
        if len(scores) == 1:
            length = 1.0 if held.curved else float(np.hypot(*moment["after"][0][1:]))
            moment["margin"] = float((scores * signs).min()) / length if length > 0 else None


def visits(request: Mapping[str, Any]) -> dict[str, Any]:
    """Visits one by one, from number `since` on (0 is the first): up to 64; with `moved` only those with an update."""
    held = learned(request)
    since, last = request.get("since"), held.record.t
    if not isinstance(since, int) or isinstance(since, bool) or not 0 <= since < max(1, last):
        raise ParameterError(f"The run has visits 0 to {last - 1}. Got {since!r} instead.")
    found = (held.next_updates if request.get("moved") is True else held.visits)(since, MOST_VISITS)
    _judge(held, found, [moment["t"] + 1 for moment in found])
    return {"since": since, "visits": found}


# -- what the moments cost --------------------------------------------------------------------------------------------


def costs(request: Mapping[str, Any]) -> dict[str, Any]:
    """Every loss along the run, the mean over the points (and units), and how long the weights were.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> told = costs(AND)
    >>> told["losses"][0]["name"], told["losses"][0]["values"][-1], round(told["norm"][-1] ** 2)
    ('zero_one', 0.0, 29)
    """
    held = learned(request)
    most = min(_COSTED, max(10, 2 * _CELLS // max(1, held.signs.size)))
    times = _costed(held, most)
    signs = held.signs.T
    values: dict[str, list[float]] = {name: [] for name in LOSSES}
    norms = []
    for weights, scores in zip(held.coefficients(times), held.scores(times), strict=True):
        still_there()
        margins = (signs * scores)[signs != 0]
        for name, loss in LOSSES.items():
            values[name].append(_finite(float(np.mean(loss(margins)))))
        norms.append(_length(held, weights, scores))
    losses = [{"name": loss.name, "formula": loss.formula, "values": values[loss.name]} for loss in LOSSES.values()]
    return {"k": [held.updates_by(t) for t in times], "t": times, "losses": losses, "norm": norms}


def _costed(held: Played, most: int) -> list[int]:
    """Visits made at some moments: after updates spread over the run, its start and its end among them."""
    every = np.unique(np.concatenate([[0], held.times + 1, [held.record.t]]))
    at = np.unique(np.linspace(0, len(every) - 1, min(most, len(every))).round().astype(np.intp))
    found: list[int] = every[at].tolist()
    return found


def _length(held: Played, weights: Floats, scores: Floats) -> float:
    """Of all units together, the bias included: in the dual the square is the sum over its examples of a_i s_i."""
    if isinstance(held, Dual):
        return _finite(float(np.sqrt(max(0.0, np.sum(weights * scores[:, held.replay.support])))))
    return _finite(float(np.linalg.norm(weights)))


def _finite(value: float) -> float:
    return value if np.isfinite(value) else float(np.finfo(np.float64).max)
