"""What a score costs, as a function of the margin m = y*s of an example with label y = ±1 and score s.

    zero_one     1 where m <= 0, else 0     counts mistakes; not convex, and its slope says nothing
    perceptron   max(0, -m)                 Rosenblatt's rule is stochastic subgradient descent on it
    hinge        max(0, 1 - m)              a mistake until the margin is 1
    logistic     log(1 + exp(-m))           the soft decision: never satisfied, every wider margin is rewarded
    squared      (1 - m)² / 2               the linear unit: (y - s)² = (1 - m)² because y² = 1
    absolute     |m|                        no learner uses it; the textbook example of a kink

A loss is called like a function, and also knows the slope its learner descends and all its subgradients:

>>> hinge(-0.5), hinge.slope(-0.5), hinge.subdifferential(1)
(1.5, -1.0, (-1.0, 0.0))
>>> is_minimum(absolute, 0), is_minimum(logistic, 100)
(True, False)

A number gives a float, a list or an array gives an array of its shape, and NaN stays NaN.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["LOSSES", "Loss", "absolute", "hinge", "is_minimum", "logistic", "perceptron", "squared", "zero_one"]

Array: TypeAlias = NDArray[np.float64]
One: TypeAlias = float | np.floating[Any] | np.integer[Any]
Many: TypeAlias = NDArray[Any] | Sequence[Any]
Curve: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True)
class Loss:
    """A function of the margin with its slope and subgradients; `margin` is the required one, where there is one."""

    name: str
    formula: str
    curve: Curve = field(repr=False)
    derivative: Curve = field(repr=False)
    lowest: Curve = field(repr=False)
    highest: Curve = field(repr=False)
    margin: float | None = None
    convex: bool = True

    @overload
    def value(self, m: One) -> float: ...
    @overload
    def value(self, m: Many) -> Array: ...
    def value(self, m: One | Many) -> float | Array:
        """The loss at margin m; calling the loss itself is the same."""
        return _evaluate(self.curve, m)

    __call__ = value

    @overload
    def slope(self, m: One) -> float: ...
    @overload
    def slope(self, m: Many) -> Array: ...
    def slope(self, m: One | Many) -> float | Array:
        """The derivative; at a kink, the subgradient that the learner descends."""
        return _evaluate(self.derivative, m)

    @overload
    def subdifferential(self, m: One) -> tuple[float, float]: ...
    @overload
    def subdifferential(self, m: Many) -> tuple[Array, Array]: ...
    def subdifferential(self, m: One | Many) -> tuple[float | Array, float | Array]:
        """The interval (low, high) of all g with loss(z) >= loss(m) + g*(z - m) for every z.

        Each g is the slope of a line that touches the loss at m and is nowhere above it. Where there is no such line
        the interval is empty, (inf, -inf): that happens only to zero_one, at every mistake.
        """
        return _evaluate(self.lowest, m), _evaluate(self.highest, m)

    def __reduce__(self) -> str:
        return self.name  # copied and pickled by name: there is one of each


@overload
def is_minimum(loss: Loss, m: One) -> bool: ...
@overload
def is_minimum(loss: Loss, m: Many) -> NDArray[np.bool_]: ...
def is_minimum(loss: Loss, m: One | Many) -> bool | NDArray[np.bool_]:
    """Whether no margin costs less than m: true exactly when 0 is a subgradient, for then a level line touches at m."""
    low, high = np.asarray(_evaluate(loss.lowest, m)), np.asarray(_evaluate(loss.highest, m))
    contains_zero = (low <= 0) & (high >= 0)
    return bool(contains_zero) if contains_zero.ndim == 0 else contains_zero


def _evaluate(curve: Curve, m: One | Many) -> float | Array:
    # A cost above the largest float is inf and one below the smallest is 0: rounded correctly, so no warning.
    with np.errstate(over="ignore", under="ignore"):
        result = curve(np.asarray(m, dtype=np.float64))
    return float(result) if np.ndim(result) == 0 else result


def _step(kink: float, below: float, at: float, above: float) -> Curve:
    """A curve of three levels: below the kink, at it, and above it; NaN stays NaN."""

    def curve(m: Array) -> Array:
        return np.select([m < kink, m == kink, m > kink], [below, at, above], np.nan)

    return curve


def _smooth(name: str, formula: str, curve: Curve, derivative: Curve) -> Loss:
    """Where a convex function has a derivative, that is its only subgradient."""
    return Loss(name, formula, curve, derivative, lowest=derivative, highest=derivative)


def _logistic_value(m: Array) -> Array:
    # log(1 + e^-m) with no exponent above 0, so that nothing overflows: it is -m + log(1 + e^m) for m < 0.
    return np.maximum(-m, 0.0) + np.log1p(np.exp(-np.abs(m)))


def _logistic_derivative(m: Array) -> Array:
    # -1/(1 + e^m), again with no exponent above 0. It is never 0: past m = 745 it is rounded away from 0.
    tail = np.exp(-np.abs(m))
    return np.minimum(-np.where(m > 0, tail, 1.0) / (1.0 + tail), -np.finfo(np.float64).smallest_subnormal)


# A line below a step between two levels must be level, so it touches only the lower one: a mistake has no subgradient.
zero_one = Loss(
    "zero_one",
    "1 where m <= 0, else 0",
    curve=_step(0.0, 1.0, 1.0, 0.0),
    derivative=_step(0.0, 0.0, 0.0, 0.0),
    lowest=_step(0.0, np.inf, np.inf, 0.0),
    highest=_step(0.0, -np.inf, -np.inf, 0.0),
    margin=0.0,
    convex=False,
)
# m = 0 is a mistake and is updated, so the learner's subgradient there is -1 out of [-1, 0].
perceptron = Loss(
    "perceptron",
    "max(0, -m)",
    curve=lambda m: np.maximum(-m, 0.0) + 0.0,  # + 0.0 turns -0.0 into 0.0
    derivative=_step(0.0, -1.0, -1.0, 0.0),
    lowest=_step(0.0, -1.0, -1.0, 0.0),
    highest=_step(0.0, -1.0, 0.0, 0.0),
    margin=0.0,
)
# m = 1 is enough and is not updated, so the learner's subgradient there is 0 out of [-1, 0].
hinge = Loss(
    "hinge",
    "max(0, 1 - m)",
    curve=lambda m: np.maximum(1.0 - m, 0.0),
    derivative=_step(1.0, -1.0, 0.0, 0.0),
    lowest=_step(1.0, -1.0, -1.0, 0.0),
    highest=_step(1.0, -1.0, 0.0, 0.0),
    margin=1.0,
)
logistic = _smooth("logistic", "log(1 + exp(-m))", _logistic_value, _logistic_derivative)
squared = _smooth("squared", "(1 - m)² / 2", lambda m: 0.5 * (1.0 - m) ** 2, lambda m: m - 1.0)
absolute = Loss(
    "absolute",
    "|m|",
    curve=np.abs,
    derivative=_step(0.0, -1.0, 0.0, 1.0),
    lowest=_step(0.0, -1.0, -1.0, 1.0),
    highest=_step(0.0, -1.0, 1.0, 1.0),
)

LOSSES: Mapping[str, Loss] = MappingProxyType(
    {loss.name: loss for loss in (zero_one, perceptron, hinge, logistic, squared)}
)
