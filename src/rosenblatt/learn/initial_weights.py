"""The weights that a run is told to start from."""

from __future__ import annotations

from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.lazy import np
from rosenblatt.records import Floats


def start_of(init: Any, units: int, features: int, intercept: bool) -> tuple[Floats, Floats]:
    """Given weights: one row per unit, with the bias in front where there is one more column than features."""
    try:
        start = np.atleast_2d(np.asarray(init, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"The 'init' parameter must hold numbers only: {error}.") from None
    if not np.isfinite(start).all():
        raise ParameterError("The 'init' parameter must hold finite weights only.")
    if intercept and start.shape == (units, features + 1):
        return start[:, 1:], start[:, 0]
    if start.shape == (units, features):
        return start, np.zeros(units)
    wanted = f"({units}, {features})" + (f" or, with the bias in front, ({units}, {features + 1})" if intercept else "")
    raise ParameterError(f"The 'init' parameter must have the shape {wanted}. Got {start.shape} instead.")
