"""One unit, built by hand: a weighted sum, a bias, an activation. And the boundary between two discriminants."""

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
    sigmoid answers 1 / (1 + exp(-score)). Give the bias or the threshold, not both.

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
            raise ParameterError("A Unit takes a bias or a threshold, which is minus the bias: give one of them.")
        if activation not in ACTIVATIONS:
            raise ParameterError(f"The activation of a Unit must be 'step' or 'sigmoid'. Got {activation!r} instead.")
        array = np.asarray(weights, dtype=object)
        if array.ndim != 1:
            raise ParameterError(f"The weights of a Unit must be one list of numbers. Got {weights!r} instead.")
        given = array.tolist()
        for position, weight in enumerate(given):
            _check_number(weight, f"The weight at position {position} of a Unit")
        constant = bias if threshold is None else threshold
        _check_number(0 if constant is None else constant, "The bias or threshold of a Unit")
        object.__setattr__(self, "weights", tuple(_plain(weight) for weight in given))
        value = 0 if constant is None else constant
        object.__setattr__(self, "bias", _plain(value if threshold is None else 0 - value))
        object.__setattr__(self, "activation", activation)

    @property
    def threshold(self) -> float:
        """The unit fires when its weighted sum is above this."""
        return 0 - self.bias

    def score(self, X: Any) -> Any:
        """w.x + b, for one row or for each row of a matrix."""
        rows = _rows(X, len(self.weights))
        found: Floats = rows @ np.array(self.weights, dtype=np.float64) + self.bias
        return float(found) if rows.ndim == 1 else found

    def __call__(self, X: Any) -> Any:
        """What the unit answers: True where it fires, or with a sigmoid a number between 0 and 1."""
        score = self.score(X)
        if self.activation == "step":
            return score > 0
        # exp never sees a large positive number: either side of 0 has its own form of the same function
        decay = np.exp(-np.abs(score))
        soft = np.where(np.asarray(score) >= 0, 1 / (1 + decay), decay / (1 + decay))
        return float(soft) if soft.ndim == 0 else soft

    def distance(self, X: Any) -> Any:
        """The signed distance of each row from the hyperplane w.x + b = 0: (w.x + b) / |w|."""
        length = math.hypot(*self.weights)
        if length == 0:
            raise DataError("A unit whose weights are all 0 has no hyperplane, so nothing has a distance from it.")
        return self.score(X) / length

    def formula(self, names: Sequence[str]) -> str:
        """The condition under which it fires, with these names for its inputs."""
        total = linear(self.weights, names)
        if self.activation == "step":
            return f"{total} > {number(self.threshold)}"
        shift = f" {'-' if self.bias < 0 else '+'} {number(abs(self.bias))}" if self.bias else ""
        return f"sigmoid({total}{shift})"

    def __str__(self) -> str:
        verb = "fires when " if self.activation == "step" else "answers "
        return verb + self.formula([f"x{i + 1}" for i in range(len(self.weights))])


@dataclass(frozen=True)
class Hyperplane:
    """All x with w.x + b = 0; on its positive side the first of two discriminants is the larger."""

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
            return f"{used[0][1]} = {number((0 - self.bias) / used[0][0])}"
        return f"{linear(self.weights, self.names)} = {number(0 - self.bias)}"


def boundary_between(first: Any, second: Any, names: Sequence[str] | None = None) -> Hyperplane:
    """The hyperplane where two linear discriminants are equal: f1 - f2 = 0.

    Each discriminant is a Unit or a pair (weights, bias). The class of the first is chosen where f1 >= f2.

    >>> print(boundary_between(([2, 1], -1), ([1, 1], 1), names=["x", "y"]))
    x = 2
    """
    one, other = _discriminant(first), _discriminant(second)
    if len(one.weights) != len(other.weights):
        raise DataError(
            f"The first discriminant has {len(one.weights)} weights and the second {len(other.weights)}: "
            "they must speak of the same features."
        )
    weights = tuple(p - q for p, q in zip(one.weights, other.weights, strict=True))
    bias = one.bias - other.bias
    if not any(weights):
        how = "equal everywhere" if bias == 0 else f"{number(abs(bias))} apart everywhere"
        raise DataError(f"The two discriminants have the same weights and are {how}: no boundary lies between them.")
    labels = tuple(names) if names is not None else tuple(f"x{i + 1}" for i in range(len(weights)))
    if len(labels) != len(weights):
        raise ParameterError(f"There are {len(weights)} features but {len(labels)} names: give one name for each.")
    return Hyperplane(weights, bias, labels)


def _discriminant(given: Any) -> Unit:
    if isinstance(given, Unit):
        return given
    try:
        weights, bias = given
    except (TypeError, ValueError):
        raise ParameterError(
            f"A discriminant must be a Unit or a pair (weights, bias). Got {given!r} instead."
        ) from None
    return Unit(weights, bias)


def number(value: float) -> str:
    """A number as one would write it by hand."""
    return f"{value:g}" if value == float(f"{value:g}") else f"{float(value):.6g}"


def linear(weights: Sequence[float], names: Sequence[str]) -> str:
    """2 x1 - x2, leaving out what has no weight."""
    terms = [(w, name) for w, name in zip(weights, names, strict=True) if w]
    words: list[str] = []
    for w, name in terms:
        sign = ("- " if w < 0 else "+ ") if words else ("-" if w < 0 else "")
        words.append(sign + (name if abs(w) == 1 else f"{number(abs(w))} {name}"))
    return " ".join(words) or "0"


def _plain(value: Any) -> float:
    """A Python number; whole ones as int, which stay exact whatever their size."""
    plain = value.item() if hasattr(value, "item") else value
    return int(plain) if plain == int(plain) else float(plain)


def _check_number(value: Any, what: str) -> None:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or not math.isfinite(value):
        raise ParameterError(f"{what} must be a finite number. Got {value!r} instead.")


def _rows(X: Any, features: int) -> Floats:
    try:
        rows: Floats = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"A unit takes rows of numbers: {error}.") from None
    if rows.ndim not in (1, 2) or rows.shape[-1] != features:
        raise DataError(f"The unit has {features} weights, but the rows have the shape {rows.shape}.")
    wrong = ~np.isfinite(rows)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f"column {place[-1]}" if rows.ndim == 1 else f"row {place[0]}, column {place[1]}"
        raise DataError(f"X has {rows[place]} at {where}: a unit takes finite numbers only.")
    return rows
