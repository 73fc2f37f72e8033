"""What a score costs. Of two classes: a function of the margin m = y*s of an example with label y = ±1 and score s.

    zero_one     1 where m <= 0, else 0     counts mistakes; not convex, and its slope says nothing
    perceptron   max(0, -m)                 Rosenblatt's rule is stochastic subgradient descent on it
    hinge        max(0, 1 - m)              a mistake until the margin is 1
    logistic     log(1 + exp(-m))           the soft decision: never satisfied, every wider margin is rewarded
    squared      (1 - m)² / 2               the linear unit: (y - s)² = (1 - m)² because y² = 1

Where the target y is a number, and the score is the answer as it is: a function of the difference d = s - y:

    squared_error   d² / 2                            least where s is the mean; for y = ±1 the same as `squared`
    absolute        |d|                               least where s is the median; the textbook example of a kink
    quantile(τ)     -τ*d where d < 0, else (1-τ)*d    least where a share τ of the targets lies below s
    huber(δ)        d² / 2 up to |d| = δ, a line on   squared near the target, and a far one pulls no harder than δ

A loss is called like a function, and also knows the slope its learner descends and all its subgradients. Its slope at a
difference is also its slope at the score:

>>> hinge(-0.5), hinge.slope(-0.5), hinge.subdifferential(1)
(1.5, -1.0, (-1.0, 0.0))
>>> is_minimum(absolute, 0), is_minimum(logistic, 100)
(True, False)
>>> quantile(0.75)([-2, 2]), quantile(0.75).subdifferential(0)
(array([1.5, 0.5]), (-0.75, 0.25))
>>> huber(1)([-0.5, 3]), huber(1).slope([-0.5, 3])
(array([0.125, 2.5  ]), array([-0.5,  1. ]))

A number gives a float, a list or an array gives an array of its shape, and NaN stays NaN.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ParameterError

__all__ = [
    "LOSSES",
    "Loss",
    "absolute",
    "hinge",
    "huber",
    "is_minimum",
    "logistic",
    "perceptron",
    "quantile",
    "squared",
    "squared_error",
    "zero_one",
]

Array: TypeAlias = NDArray[np.float64]
One: TypeAlias = float | np.floating[Any] | np.integer[Any]
Many: TypeAlias = NDArray[Any] | Sequence[Any]
Curve: TypeAlias = Callable[[Array], Array]
Recipe: TypeAlias = tuple[Callable[[float], "Loss"], float]


@dataclass(frozen=True)
class Loss:
    """A function of the margin, or of the difference s - y, with its slope and subgradients.

    `margin` is the required one, where there is one; `recipe` is the function and the number that a loss is built from,
    where it has a parameter.

    Examples
    --------
    >>> from rosenblatt import losses
    >>> losses.hinge(0.5), losses.hinge.slope(0.5), losses.hinge.subdifferential(1.0)
    (0.5, -1.0, (-1.0, 0.0))
    """

    name: str
    formula: str
    curve: Curve = field(repr=False, compare=False)
    derivative: Curve = field(repr=False, compare=False)
    lowest: Curve = field(repr=False, compare=False)
    highest: Curve = field(repr=False, compare=False)
    margin: float | None = None
    convex: bool = True
    recipe: "Recipe | None" = field(default=None, repr=False)

    @overload
    def value(self, m: One) -> float: ...
    @overload
    def value(self, m: Many) -> Array: ...
    def value(self, m: One | Many) -> float | Array:
        """The loss at margin (or difference) m; calling the loss itself is the same."""
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

    def __reduce__(self) -> str | tuple[Callable[[float], "Loss"], tuple[float]]:
        return self.name if self.recipe is None else (self.recipe[0], (self.recipe[1],))  # copied and pickled by name


@overload
def is_minimum(loss: Loss, m: One) -> bool: ...
@overload
def is_minimum(loss: Loss, m: Many) -> NDArray[np.bool_]: ...
def is_minimum(loss: Loss, m: One | Many) -> bool | NDArray[np.bool_]:
    """Whether nothing costs less than m: true exactly when 0 is a subgradient, for then a level line touches at m.

    Parameters
    ----------
    loss : Loss
        One of `LOSSES`.
    m : float or array
        The margin, or several.

    Returns
    -------
    bool or array of bool
        For each margin.

    Examples
    --------
    >>> from rosenblatt import losses
    >>> losses.is_minimum(losses.hinge, [0.5, 1.0, 2.0]).tolist()
    [False, True, True]
    """
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


def _smooth(name: str, formula: str, curve: Curve, derivative: Curve, recipe: Recipe | None = None) -> Loss:
    """Where a convex function has a derivative, that is its only subgradient."""
    return Loss(name, formula, curve, derivative, lowest=derivative, highest=derivative, recipe=recipe)


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
squared_error = _smooth("squared_error", "d² / 2", lambda d: 0.5 * d * d, lambda d: d + 0.0)


def quantile(level: float) -> Loss:
    """The pinball loss of a level τ between 0 and 1: a score below the target costs τ, one above it 1 - τ, per unit.

    Half of `absolute` at the level 0.5. Its least mean is at the τ-quantile of the targets (Koenker and Bassett 1978).

    Parameters
    ----------
    level : float
        Between 0 and 1; 0.5 is half the absolute loss.

    Returns
    -------
    Loss
        A function of s - y.

    Examples
    --------
    >>> from rosenblatt import losses
    >>> loss = losses.quantile(0.9)
    >>> loss(-1.0), round(loss(1.0), 2)
    (0.9, 0.1)
    """
    if not 0.0 < level < 1.0:
        raise ParameterError(f"The level of a quantile must be above 0 and below 1. Got {level!r} instead.")
    below, above = -float(level), 1.0 - float(level)
    return Loss(
        f"quantile({float(level)!r})",
        f"-{float(level):g}*d where d < 0, else {above:g}*d",
        curve=lambda d: np.maximum(below * d, above * d) + 0.0,
        derivative=_step(0.0, below, 0.0, above),
        lowest=_step(0.0, below, below, above),
        highest=_step(0.0, below, above, above),
        recipe=(quantile, float(level)),
    )


def huber(width: float) -> Loss:
    """Huber's loss (1964) of a width δ: squared for differences up to δ, beyond it a line of slope δ.

    Parameters
    ----------
    width : float
        Above 0.

    Returns
    -------
    Loss
        A function of s - y.

    Examples
    --------
    >>> from rosenblatt import losses
    >>> loss = losses.huber(1.0)
    >>> loss(0.5), loss(3.0)
    (0.125, 2.5)
    """
    if not 0.0 < width < np.inf:
        raise ParameterError(f"The width of Huber's loss must be above 0 and finite. Got {width!r} instead.")
    delta = float(width)

    def curve(d: Array) -> Array:
        size = np.abs(d)
        bent = np.minimum(size, delta)
        return bent * (size - 0.5 * bent)

    return _smooth(
        f"huber({delta!r})",
        f"d² / 2 where |d| <= {delta:g}, else {delta:g}*|d| - {0.5 * delta * delta:g}",
        curve,
        lambda d: np.clip(d, -delta, delta),
        recipe=(huber, delta),
    )


LOSSES: Mapping[str, Loss] = MappingProxyType(
    {loss.name: loss for loss in (zero_one, perceptron, hinge, logistic, squared)}
)
