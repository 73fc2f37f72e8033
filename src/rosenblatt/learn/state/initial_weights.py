"""How a run begins: from zero, from small random weights, or from the weights of the parameter `init`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.lazy import np
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Floats


def begin_run(
    settings: Settings,
    n_features: int,
    class_weight: Sequence[float] | Floats,
    seed: int,
    *,
    init: Any = "zeros",
    dense: bool = False,
) -> Run:
    """A run that has not visited any example yet; `init` is 'zeros', 'random', or the weights themselves."""
    run = Run(settings, n_features, class_weight, seed, dense=dense)
    if not isinstance(init, str):
        run.start_from(*initial_weights(init, run.learner.units, n_features, bool(settings.fit_intercept)))
    elif init == "random":
        run.start_at_random()
    return run


def initial_weights(init: Any, n_units: int, n_features: int, fit_intercept: bool) -> tuple[Floats, Floats]:
    """The weights and biases in `init`: one row per unit; if it has one column more than features, the first is the
    bias."""
    try:
        weights = np.atleast_2d(np.asarray(init, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"The 'init' parameter must hold numbers only: {error}.") from None
    if not np.isfinite(weights).all():
        raise ParameterError("The 'init' parameter must hold finite weights only.")
    if fit_intercept and weights.shape == (n_units, n_features + 1):
        return weights[:, 1:], weights[:, 0]
    if weights.shape == (n_units, n_features):
        return weights, np.zeros(n_units)
    expected = f"({n_units}, {n_features})"
    if fit_intercept:
        expected += f" or, with the bias in front, ({n_units}, {n_features + 1})"
    raise ParameterError(f"The 'init' parameter must have the shape {expected}. Got {weights.shape} instead.")
