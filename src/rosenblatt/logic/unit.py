"""One threshold unit with given weights, and the boundary between two linear discriminants."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.records import Floats

ACTIVATIONS = ("step", "sigmoid")


@dataclass(frozen=True, init=False)
class Unit:
    """A unit with given weights: y = f(w.x + b), evaluated without learning.

    The hard step fires when the score w.x + b is above 0, that is when w.x is above the threshold -b; the soft
    sigmoid returns 1 / (1 + exp(-score)). Pass the bias or the threshold, not both.

    >>> and_unit = Unit([1, 1], threshold=1.5)
    >>> and_unit([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [False, False, False, True]
    >>> print(and_unit)
    fires when x1 + x2 > 1.5
    >>> Unit([2, -1], bias=-3, activation="sigmoid")([2, 1])
    0.5
    """

    weights: tuple[float, ...]
    bias: float
    activation: str

    def __init__(
        self,
        weights: Sequence[float] | NDArray[Any],
        bias: float | None = None,
        *,
        threshold: float | None = None,
        activation: str = "step",
    ) -> None:
        if bias is not None and threshold is not None:
            raise ParameterError("A Unit takes a bias or a threshold, which is minus the bias: pass only one of them.")
        if activation not in ACTIVATIONS:
            raise ParameterError(f"The activation of a Unit must be 'step' or 'sigmoid'. Got {activation!r} instead.")
        array = np.asarray(weights, dtype=object)
        if array.ndim != 1:
            raise ParameterError(f"The weights of a Unit must be one list of numbers. Got {weights!r} instead.")
        numbers = array.tolist()
        for position, weight in enumerate(numbers):
            _check_number(weight, f"The weight at position {position} of a Unit")
        constant = bias if threshold is None else threshold
        constant = 0 if constant is None else constant
        _check_number(constant, "The bias or threshold of a Unit")
        object.__setattr__(self, "weights", tuple(_plain_number(weight) for weight in numbers))
        object.__setattr__(self, "bias", _plain_number(constant if threshold is None else 0 - constant))
        object.__setattr__(self, "activation", activation)

    @property
    def threshold(self) -> float:
        """The unit fires when its weighted sum is above this."""
        return 0 - self.bias

    def score(self, X: Any) -> Any:
        """w.x + b, for one row or for each row of a matrix."""
        rows = _check_rows(X, len(self.weights))
        scores: Floats = rows @ np.array(self.weights, dtype=np.float64) + self.bias
        return float(scores) if rows.ndim == 1 else scores

    def __call__(self, X: Any) -> Any:
        """The output of the unit: True where it fires, or with a sigmoid a number between 0 and 1."""
        score = self.score(X)
        if self.activation == "step":
            return score > 0
        # Two forms of the same function, so that exp never overflows.
        decay = np.exp(-np.abs(score))
        soft = np.where(np.asarray(score) >= 0, 1 / (1 + decay), decay / (1 + decay))
        return float(soft) if soft.ndim == 0 else soft

    def distance(self, X: Any) -> Any:
        """The signed distance of each row from the hyperplane w.x + b = 0: (w.x + b) / |w|."""
        length = math.hypot(*self.weights)
        if length == 0:
            raise DataError("A unit whose weights are all 0 has no hyperplane to measure a distance from.")
        return self.score(X) / length

    def formula(self, names: Sequence[str]) -> str:
        """The condition under which it fires, with these names for its inputs."""
        weighted_sum = linear_text(self.weights, names)
        if self.activation == "step":
            return f"{weighted_sum} > {number_text(self.threshold)}"
        bias = f" {'-' if self.bias < 0 else '+'} {number_text(abs(self.bias))}" if self.bias else ""
        return f"sigmoid({weighted_sum}{bias})"

    def __str__(self) -> str:
        verb = "fires when " if self.activation == "step" else "answers "
        return verb + self.formula([f"x{i + 1}" for i in range(len(self.weights))])


@dataclass(frozen=True)
class Hyperplane:
    """All x with w.x + b = 0; on the positive side the first of two discriminants is larger.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> print(logic.boundary_between(logic.Unit([1, 0]), logic.Unit([0, 1])))
    x1 - x2 = 0
    """

    weights: tuple[float, ...]
    bias: float
    names: tuple[str, ...]

    @property
    def unit(self) -> Unit:
        """The unit that fires on the positive side."""
        return Unit(self.weights, self.bias)

    def __str__(self) -> str:
        used = [(weight, name) for weight, name in zip(self.weights, self.names, strict=True) if weight]
        if len(used) == 1:
            return f"{used[0][1]} = {number_text((0 - self.bias) / used[0][0])}"
        return f"{linear_text(self.weights, self.names)} = {number_text(0 - self.bias)}"


def boundary_between(first: Any, second: Any, names: Sequence[str] | None = None) -> Hyperplane:
    """The hyperplane where two linear discriminants are equal: f1 - f2 = 0.

    Each discriminant is a Unit or a pair (weights, bias). The class of the first is chosen where f1 >= f2.

    Parameters
    ----------
    first : Unit, or pair (weights, bias)
        A linear discriminant.
    second : Unit, or pair (weights, bias)
        Another linear discriminant.
    names : sequence of str, optional
        The names of the features.

    Returns
    -------
    logic.Hyperplane
        Where both are equal.

    Examples
    --------
    >>> print(boundary_between(([2, 1], -1), ([1, 1], 1), names=["x", "y"]))
    x = 2
    """
    unit, other = _discriminant(first), _discriminant(second)
    if len(unit.weights) != len(other.weights):
        raise DataError(
            f"The first discriminant has {len(unit.weights)} weights and the second {len(other.weights)}: "
            "they must have the same features."
        )
    weights = tuple(p - q for p, q in zip(unit.weights, other.weights, strict=True))
    bias = unit.bias - other.bias
    if not any(weights):
        difference = "equal everywhere" if bias == 0 else f"{number_text(abs(bias))} apart everywhere"
        raise DataError(f"The two discriminants have the same weights and are {difference}: there is no boundary.")
    labels = tuple(names) if names is not None else tuple(f"x{i + 1}" for i in range(len(weights)))
    if len(labels) != len(weights):
        raise ParameterError(f"There are {len(weights)} features but {len(labels)} names: pass one name for each.")
    return Hyperplane(weights, bias, labels)


def _discriminant(discriminant: Any) -> Unit:
    if isinstance(discriminant, Unit):
        return discriminant
    try:
        weights, bias = discriminant
    except (TypeError, ValueError):
        raise ParameterError(
            f"A discriminant must be a Unit or a pair (weights, bias). Got {discriminant!r} instead."
        ) from None
    return Unit(weights, bias)


def number_text(value: float) -> str:
    """A number as one would write it by hand: 2, 0.5."""
    return f"{value:g}" if value == float(f"{value:g}") else f"{float(value):.6g}"


def linear_text(weights: Sequence[float], names: Sequence[str]) -> str:
    """A weighted sum such as 2 x1 - x2; names of weight 0 are left out."""
    terms: list[str] = []
    for weight, name in zip(weights, names, strict=True):
        if weight:
            sign = ("- " if weight < 0 else "+ ") if terms else ("-" if weight < 0 else "")
            terms.append(sign + (name if abs(weight) == 1 else f"{number_text(abs(weight))} {name}"))
    return " ".join(terms) or "0"


def _plain_number(value: Any) -> float:
    """A Python number: an int if it is whole, which is exact whatever its size, else a float."""
    plain = value.item() if hasattr(value, "item") else value
    return int(plain) if plain == int(plain) else float(plain)


def _check_number(value: Any, what: str) -> None:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or not math.isfinite(value):
        raise ParameterError(f"{what} must be a finite number. Got {value!r} instead.")


def _check_rows(X: Any, n_features: int) -> Floats:
    try:
        rows: Floats = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"A unit takes rows of numbers: {error}.") from None
    if rows.ndim not in (1, 2) or rows.shape[-1] != n_features:
        raise DataError(f"The unit has {n_features} weights, but the rows have the shape {rows.shape}.")
    wrong = ~np.isfinite(rows)
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f"column {index[-1]}" if rows.ndim == 1 else f"row {index[0]}, column {index[1]}"
        raise DataError(f"X has {rows[index]} at {where}: a unit takes finite numbers only.")
    return rows
