"""What the service reports about a model: rule, counts, errors, calibration, history and heaviest weights."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.records import HonestScores
from rosenblatt.serve.learning.live_model import LiveModel
from rosenblatt.serve.learning.served_model import ServedModel
from rosenblatt.serve.messages import Problem
from rosenblatt.serve.store.log import Log

_MOST_CLASSES = 20  # whose weights are searched, while learning waits
_HOUR, _DAY = 60, 24 * 60  # minutes


def summary(served: ServedModel) -> dict[str, Any]:
    """The entry of a model in the list of models."""
    live = served.live
    return {
        "name": served.name,
        "version": live.version,
        "predicts": "number" if live.predicts_number else "class",
        "classes": list(live.classes),
        "reads": live.reader.field,
        "rule": live.model.provenance.get("rule") or live.model.loss,
        "progressive_error": live.progressive_error,
        "waiting": served.waiting,
    }


def details(served: ServedModel) -> dict[str, Any]:
    """Everything about a model. It reads the log: call it in a thread, not in the event loop."""
    live, model = served.live, served.live.model
    log = Log(served.folder.log, read_only=True)
    try:
        now = int(time.time() // 60)
        minutes = [*log.minutes(now - _DAY + 1), served.this_minute]
        drift, damage = log.notes("drift"), log.notes("damage")
        bounds = log.bounds
    finally:
        log.close()
    calibration, threshold = model.calibration, model.threshold
    recent: dict[int, list[float]] = {}
    for minute, learned, wrong, weighed, predicted in minutes:
        row = recent.setdefault(minute, [0, 0.0, 0.0, 0])
        recent[minute] = [a + b for a, b in zip(row, (learned, wrong, weighed, predicted), strict=True)]
    return {
        **summary(served),
        "settings": model.settings._asdict(),
        "features": live.run.learner.features,
        "examples": live.run.learner.t,
        "mistakes": live.run.learner.mistakes,
        "error": {
            "measure": _measure(live),
            "hour": _error(live, recent, now - _HOUR + 1),
            "day": _error(live, recent, now - _DAY + 1),
            "all": live.progressive_error,
        },
        "calibration": None
        if calibration is None
        else {"kind": calibration.kind, "examples": calibration.examples, "measured_on": calibration.measured_on},
        "interval": _interval(model),
        "reliability": reliability(model, live.honest_scores()),
        "threshold": None if threshold is None else {"score": threshold.score, "criterion": threshold.criterion},
        "since_start": {
            "learned": served.learned,
            "predicted": served.predicted,
            "duplicates": served.duplicates,
            "refused": served.refused,
            "seconds": time.time() - served.started,
        },
        "log": {"first": None if bounds is None else bounds[0], "snapshots": served.folder.snapshots.versions},
        "minutes": [[minute, *row] for minute, row in sorted(recent.items())],
        "drift": {"alarms": drift, **served.drift.state()},
        "damage": damage,
        "errors": [{"time": when, "error": what} for when, what in _errors(served)],
        "history": model.provenance.get("history", [model.provenance.get("data")]),
    }


def _errors(served: ServedModel) -> list[tuple[float, str]]:
    """The last errors, and requests that were refused, the newest last."""
    refused = [
        (when, f"refused: {msgspec.json.decode(answer, type=Problem).error}") for when, answer in list(served.refusals)
    ]
    return sorted([*list(served.errors), *refused])


def _interval(model: LinearModel) -> dict[str, Any] | None:
    interval = model.interval if isinstance(model, NumberModel) else None
    if interval is None:
        return None
    return {**interval.pack(), "coverage": interval.coverage}


def _measure(live: LiveModel) -> str:
    if not live.predicts_number:
        return "share wrong"
    return "pinball loss" if live.run.settings.quantiles else "RMSE" if live.is_squared else "mean absolute error"


def _error(live: LiveModel, minutes: dict[int, list[float]], since: int) -> float | None:
    rows = [row for minute, row in minutes.items() if minute >= since]
    weighed = sum(row[2] for row in rows)
    return live.error_of(sum(row[1] for row in rows), weighed) if weighed else None


def reliability(model: LinearModel, sample: HonestScores, bins: int = 10) -> list[dict[str, float]]:
    """How often the predicted class was right, in bins of its probability, on examples scored before they were
    learned."""
    if not model.gives_probabilities or not len(sample.truth):
        return []
    probabilities: Any = model.probabilities(sample.scores).tolist()
    sums = [[0, 0.0, 0] for _ in range(bins)]
    for row, truth in zip(probabilities, memoryview(sample.truth).tolist(), strict=True):
        best = max(range(len(row)), key=row.__getitem__)
        bin_ = sums[min(int(row[best] * bins), bins - 1)]
        bin_[0] += 1
        bin_[1] += row[best]
        bin_[2] += best == truth
    return [{"examples": n, "said": total / n, "right": right / n} for n, total, right in sums if n]


def heaviest(served: ServedModel, top: int) -> dict[str, Any]:
    """The features with the largest weights for each class, by name."""
    live = served.live
    model = live.named_model()
    result: dict[str, list[dict[str, Any]]] = {}
    if isinstance(model, NumberModel):
        width = model.target.scale.width
        for effect, below in (("raises the number", False), ("lowers it", True)):
            best = model.run.largest_of_unit(model.median_unit, below=below, most=top)
            result[effect] = [{"feature": model.name(column), "weight": weight * width} for column, weight in best]
        return {"version": live.version, "weights": result}
    binary = model.scheme == "binary"
    for k, label in enumerate(model.classes[:_MOST_CLASSES]):
        if model.scheme == "ovo":
            break
        best = model.run.largest_of_unit(0 if binary else k, below=binary and k == 0, most=top)
        result[str(label)] = [{"feature": model.name(column), "weight": weight} for column, weight in best]
    return {"version": live.version, "weights": result}
