"""A linear unit that predicts a number: a line among points, its squared error, and the steps of its rule."""

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.losses import squared_error
from rosenblatt.records import Floats

MAX_WEIGHT, MAX_RATE, MAX_STEPS = 1e6, 1.0, 50
COLUMNS = ("size − 70 m², in 10 m²", "rent, in 100 €")
# Flats. The sizes are measured from their mean, so that both weights can be learned at one rate.
POINTS = ((2, 8.5), (-4, 3), (3, 7.5), (-1, 5), (4, 10), (-2, 5.5), (1, 5.5), (-3, 3))
_POINTS = np.array(POINTS, dtype=np.float64)
_ROWS, _TARGETS = np.column_stack([np.ones(len(_POINTS)), _POINTS[:, 0]]), _POINTS[:, 1]


def linear_unit(request: Mapping[str, Any]) -> dict[str, Any]:
    """The differences d = s − y of the line with these `weights`, bias first, and its squared error Σ d²/2.

    With a `rate` the weights take `steps` first, each against the slope of the error: of one `row`, or of all. `least`
    is the error that no line is below.

    >>> linear_unit({"weights": [6, 0]})["error"], linear_unit({"weights": [6, 0.8]})["least"]
    (22.0, 2.8)
    >>> linear_unit({"weights": [0, 0], "rate": 0.5, "row": 0, "steps": 1})["weights"]
    [4.25, 8.5]
    """
    start, rate, chosen, steps = _start(request.get("weights")), _rate(request), _chosen(request), _steps(request)
    path = list(accumulate(range(steps), lambda weights, _: weights - rate * _slope(weights, chosen), initial=start))
    weights, everything = path[-1], slice(None)
    return {
        "points": POINTS,
        "columns": COLUMNS,
        "weights": weights.tolist(),
        "differences": _differences(weights, everything).tolist(),
        "slope": _slope(weights, everything).tolist(),
        "error": _error(weights),
        "least": _LEAST,
        "errors": [_error(before) for before in path],
        "step": None if not steps else _last_step(path[-2], chosen),
    }


def _last_step(before: Floats, chosen: slice) -> dict[str, Any]:
    """What the last step began with: scores, targets and the slope of the error over the rows it looked at."""
    scores = _ROWS[chosen] @ before
    return {
        "before": before.tolist(),
        "slope": _slope(before, chosen).tolist(),
        "scores": scores.tolist(),
        "targets": _TARGETS[chosen].tolist(),
    }


def _differences(weights: Floats, chosen: slice) -> Floats:
    return _ROWS[chosen] @ weights - _TARGETS[chosen]


def _slope(weights: Floats, chosen: slice) -> Floats:
    """The derivative of the error by each weight: Σ d·x over the rows, where x begins with 1."""
    slopes: Floats = squared_error.slope(_differences(weights, chosen))
    return slopes @ _ROWS[chosen]


def _error(weights: Floats) -> float:
    return float(squared_error(_differences(weights, slice(None))).sum())


_LEAST = round(_error(np.linalg.lstsq(_ROWS, _TARGETS, rcond=None)[0].astype(np.float64)), 12)


# -- what the page sends ----------------------------------------------------------------------------------------------


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _start(weights: Any) -> Floats:
    is_pair = isinstance(weights, list) and len(weights) == 2 and all(map(_is_number, weights))
    if not is_pair or not all(abs(weight) <= MAX_WEIGHT for weight in weights):
        raise ParameterError(f"The weights must be two numbers from -1e6 to 1e6. Got {weights!r} instead.")
    return np.array(weights, dtype=np.float64)


def _rate(request: Mapping[str, Any]) -> float:
    rate = request.get("rate", 0)
    if not _is_number(rate) or not 0 <= rate <= MAX_RATE:
        raise ParameterError(f"A learning rate must be a number from 0 to {MAX_RATE:g} here. Got {rate!r} instead.")
    return float(rate)


def _chosen(request: Mapping[str, Any]) -> slice:
    """The rows that a step looks at."""
    row = request.get("row")
    if row is None:
        return slice(None)
    if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < len(POINTS):
        raise ParameterError(f"A row must be one of 0 to {len(POINTS) - 1}, or null for all. Got {row!r} instead.")
    return slice(row, row + 1)


def _steps(request: Mapping[str, Any]) -> int:
    steps = request.get("steps", 0)
    if not isinstance(steps, int) or isinstance(steps, bool) or not 0 <= steps <= MAX_STEPS:
        raise ParameterError(f"The number of steps must be 0 to {MAX_STEPS}. Got {steps!r} instead.")
    return steps
