"""Chances made from the scores of a perceptron, for the lesson about calibration."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.records import Floats

MIN_TEMPERATURE, MAX_TEMPERATURE = 0.1, 20.0
_N_LEARNED, _N_TESTED, _N_BINS = 300, 2_000, 8


def calibration(request: Mapping[str, Any]) -> dict[str, Any]:
    """How often chances come true: 1 / (1 + exp(-score / `temperature`)) on new points, in bins, and the mean log loss.

    >>> sharp, soft = (calibration({"temperature": t})["log_loss"] for t in (0.25, 4))
    >>> sharp > soft
    True
    """
    temperature = request.get("temperature", 1)
    is_number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
    if not is_number or not MIN_TEMPERATURE <= temperature <= MAX_TEMPERATURE:
        limits = f"{MIN_TEMPERATURE:g} to {MAX_TEMPERATURE:g}"
        raise ParameterError(f"A temperature must be a number from {limits}. Got {temperature!r} instead.")
    scores, positive = _tested()
    chances = 1 / (1 + np.exp(-scores / temperature))
    bin_of = np.minimum((chances * _N_BINS).astype(int), _N_BINS - 1)
    bins = [
        {
            "chance": float(chances[inside].mean()),
            "came_true": float(positive[inside].mean()),
            "count": int(inside.sum()),
        }
        for inside in (bin_of == k for k in range(_N_BINS))
        if inside.any()
    ]
    grid = np.geomspace(MIN_TEMPERATURE, MAX_TEMPERATURE, 200)
    least = min(_log_loss(scores, positive, float(t)) for t in grid)
    log_loss = _log_loss(scores, positive, float(temperature))
    return {"temperature": temperature, "bins": bins, "log_loss": log_loss, "least": least}


def _log_loss(scores: Floats, positive: Floats, temperature: float) -> float:
    margins = np.where(positive > 0, scores, -scores) / temperature
    return float(np.mean(np.logaddexp(0, -margins)))


@lru_cache(maxsize=1)
def _tested() -> tuple[Floats, Floats]:
    """Scores of points that the perceptron has not learned, and whether each is of the positive class."""
    from rosenblatt.estimators.perceptron import Perceptron

    rng = np.random.default_rng(0)
    positive = rng.integers(0, 2, _N_LEARNED + _N_TESTED)
    X = rng.normal(size=(len(positive), 2)) + 1.2 * positive[:, None]
    model: Any = Perceptron().fit(X[:_N_LEARNED], positive[:_N_LEARNED])
    scores = model.decision_function(X[_N_LEARNED:])
    return 4 * scores / np.std(scores), positive[_N_LEARNED:].astype(np.float64)
