"""The run that a request asks for; the last few are remembered, so that a step is answered without learning again."""

import marshal
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.studio.playback.linear_run import LinearRun
from rosenblatt.studio.playback.run import PlayedRun
from rosenblatt.studio.request import read_options, read_points

_MAX_RUNS = 8
_MAX_BYTES = 400_000_000  # of all runs; the latest is kept whatever its size
_runs: OrderedDict[bytes, PlayedRun] = OrderedDict()
_lock = Lock()


def run_of(request: Mapping[str, Any]) -> PlayedRun:
    """The run on the points of a request with its options, learned now or remembered."""
    chosen = request.get("options", {})
    if not isinstance(chosen, dict):
        return _learn(request)  # raises the error
    parts = [*(request.get(name) for name in ("points", "labels", "classes")), sorted(chosen.items())]
    try:
        key = marshal.dumps(parts, 2)  # much faster than JSON; from version 3 on, equal requests could differ
    except ValueError:  # nested too deep to be a valid request
        return _learn(request)
    with _lock:
        if key in _runs:
            _runs.move_to_end(key)
            return _runs[key]
    run = _learn(request)
    with _lock:
        _runs[key] = run
        while len(_runs) > _MAX_RUNS or (len(_runs) > 1 and sum(run.nbytes for run in _runs.values()) > _MAX_BYTES):
            _runs.popitem(last=False)
    return run


def _learn(request: Mapping[str, Any]) -> PlayedRun:
    points = read_points(request)
    learner, chosen = read_options(request, len(points.X))
    if chosen.get("random_state", options.random_state.default) is None:
        chosen["random_state"] = int(np.random.default_rng().integers(2**31))  # known, so that it can be replayed
    if learner == "kernel":
        from rosenblatt.studio.playback.kernel_run import KernelRun

        return KernelRun(points, chosen)
    return LinearRun(points, learner, chosen)
