"""Every loss along a run, and the length of the weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.losses import LOSSES
from rosenblatt.records import Floats
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.kernel_run import KernelRun
from rosenblatt.studio.playback.recent_runs import run_of
from rosenblatt.studio.playback.run import PlayedRun

_MAX_TIMES = 120
_MAX_MARGINS = 2_000_000  # computed for one answer; more points get fewer times


def loss_history(request: Mapping[str, Any]) -> dict[str, Any]:
    """The mean of each loss over the points (and units), and the norm of the weights, at times spread over the run.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> history = loss_history(AND)
    >>> history["losses"][0]["name"], history["losses"][0]["values"][-1], round(history["norm"][-1] ** 2)
    ('zero_one', 0.0, 29)
    """
    run = run_of(request)
    times = _sampled_times(run)
    targets = run.targets.T
    values: dict[str, list[float]] = {name: [] for name in LOSSES}
    norms = []
    for weights, scores in zip(run.coefficients(times), run.scores(times), strict=True):
        raise_if_cancelled()
        margins = (targets * scores)[targets != 0]
        for name, loss in LOSSES.items():
            values[name].append(_finite(float(np.mean(loss(margins)))))
        norms.append(_norm(run, weights, scores))
    losses = [{"name": loss.name, "formula": loss.formula, "values": values[loss.name]} for loss in LOSSES.values()]
    return {"times": times, "losses": losses, "norm": norms}


def _sampled_times(run: PlayedRun) -> list[int]:
    """The start, the end, and times right after updates, evenly spaced over the mistake log."""
    every = np.unique(np.concatenate([[0], run.update_visits + 1, [run.summary.t]]))
    limit = min(_MAX_TIMES, max(10, _MAX_MARGINS // max(1, run.targets.size)), len(every))
    picked = np.unique(np.linspace(0, len(every) - 1, limit).round().astype(np.intp))
    times: list[int] = every[picked].tolist()
    return times


def _norm(run: PlayedRun, weights: Floats, scores: Floats) -> float:
    """The norm of all units together, with the bias. In dual form its square is the sum of a_i s(x_i)."""
    if isinstance(run, KernelRun):
        return _finite(float(np.sqrt(max(0.0, np.sum(weights * scores[:, run.replay.support])))))
    return _finite(float(np.linalg.norm(weights)))


def _finite(value: float) -> float:
    """JSON has no infinity."""
    return value if np.isfinite(value) else float(np.finfo(np.float64).max)
