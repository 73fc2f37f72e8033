"""Can one unit compute a Boolean function? If so its smallest weights, and if not the proof, both exact."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError
from rosenblatt.logic.one_unit.simplex import Ray, maximise
from rosenblatt.logic.truth_table import as_table
from rosenblatt.logic.unit import Unit

_SMALL = 64  # with no more rows than this, all are in the linear program from the beginning
_BATCH = 48  # with more, about this many are added after each round


@dataclass(frozen=True)
class Proof:
    """No unit separates the rows: weight_i > 0 with sum of weight_i * y_i * (x_i, 1) = 0, y_i = +1 or -1.

    If a unit (w, b) were right on every row, each y_i (w.x_i + b) would be positive, and so would their weighted sum.
    But that sum is w.0 + b * 0 = 0.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> proof = logic.decide("0110").proof
    >>> proof.rows, [str(weight) for weight in proof.weights]
    ((0, 1, 2, 3), ['1', '1', '1', '1'])
    """

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]

    def verify(self, X: Any, y: Any) -> bool:
        """Check in exact arithmetic that the weighted sum over these rows is zero; y > 0 is the positive class."""
        rows, positive = np.asarray(X), np.asarray(y)
        if len(self.rows) != len(self.weights) or not self.rows or min(self.weights) <= 0:
            return False
        signed = [w if positive[r] > 0 else -w for r, w in zip(self.rows, self.weights, strict=True)]
        sums = [
            sum(s * Fraction(rows[r, j].item()) for r, s in zip(self.rows, signed, strict=True))
            for j in range(rows.shape[1])
        ]
        return not any(sums) and sum(signed) == 0


@dataclass(frozen=True)
class Decision:
    """The unit that computes a table, or the proof that there is none. It is truthy if there is one.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> decision = logic.decide("0001")
    >>> bool(decision), decision.unit.weights
    (True, (1, 1))
    """

    X: NDArray[np.uint8]
    y: NDArray[np.bool_]
    unit: Unit | None
    proof: Proof | None

    def __bool__(self) -> bool:
        return self.unit is not None

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of the proof; empty if there is a unit."""
        return self.proof.rows if self.proof else ()

    @property
    def weights(self) -> tuple[Any, ...]:
        """The weights of the unit, or of the rows of the proof."""
        return self.unit.weights if self.unit else self.proof.weights if self.proof else ()

    def verify(self) -> bool:
        """Check the decision again in exact arithmetic."""
        if self.unit is None:
            return self.proof is not None and self.proof.verify(self.X, self.y)
        weights = [Fraction(w) for w in self.unit.weights]
        bias = Fraction(self.unit.bias)
        scores = (sum((w for w, bit in zip(weights, row, strict=True) if bit), bias) for row in self.X)
        return all((score > 0) == bool(label) and score != 0 for score, label in zip(scores, self.y, strict=True))

    def __str__(self) -> str:
        return self.explain()

    def explain(self, count_from: int = 0) -> str:
        """The answer in one sentence; rows are counted from 0, as in Python, unless asked otherwise."""
        if self.unit is not None:
            return f"One unit can: it {self.unit}."
        assert self.proof is not None
        sides = {True: [], False: []}  # type: dict[bool, list[str]]
        for row, weight in zip(self.proof.rows, self.proof.weights, strict=True):
            sides[bool(self.y[row])].append(f"{weight} * row {row + count_from}")
        false, true = " + ".join(sides[False]), " + ".join(sides[True])
        return f"No single unit can: {false} of one class = {true} of the other."


def decide(table: Any) -> Decision:
    """Decide, exactly, whether one threshold unit can compute a Boolean function.

    The table is a TruthTable, an expression, or the list of outputs. The unit has integer weights with the smallest
    sum of absolute values that the linear program finds, and no row on its boundary; the proof uses few rows.

    Parameters
    ----------
    table : logic.TruthTable, logic.Expression, or sequence of bool
        The function, or its outputs, such as ``"0110"``.

    Returns
    -------
    logic.Decision
        The unit, or the proof.

    Examples
    --------
    >>> print(decide("0001"))
    One unit can: it fires when x1 + x2 > 1.5.
    >>> no = decide("0110")
    >>> no.rows, [str(weight) for weight in no.weights], no.verify()
    ((0, 1, 2, 3), ['1', '1', '1', '1'], True)
    """
    truth_table = as_table(table)
    return decide_rows(truth_table.inputs, truth_table.outputs)


def decide_rows(X: NDArray[np.uint8], y: NDArray[np.bool_]) -> Decision:
    """Decide for some rows of 0 and 1 with their truth values; the values of all other rows do not matter."""
    if len(X) != len(y):
        raise DataError(f"There are {len(X)} rows but {len(y)} truth values: they must be the same number.")
    rows = np.arange(len(X)) if len(X) <= _SMALL else _initial_rows(y)
    while True:
        # Minimise |w|_1 subject to y (w.x + b) >= 1 on these rows; if that is infeasible, a ray of the dual proves it.
        solution = maximise(*_dual_program(X[rows], y[rows]))
        if isinstance(solution, Ray):
            return Decision(X, y, None, _proof(rows, solution.direction))
        weights, bias = _weights_from_prices(solution.prices, X.shape[1])
        violated = np.flatnonzero(_floored_margins(X, y, weights, bias) < 1)
        if not len(violated):
            return Decision(X, y, _integer_unit(X, y, weights), None)
        margins = _floored_margins(X[violated], y[violated], weights, bias)
        worst = violated[np.argsort(margins, kind="stable")][: _BATCH // 2]
        spread = violated[:: max(1, 2 * len(violated) // _BATCH)]
        rows = np.concatenate([rows, np.unique(np.concatenate([worst, spread]))])


def _initial_rows(y: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Some true and some false rows from all over the table."""
    sides = [np.flatnonzero(y), np.flatnonzero(~y)]
    return np.concatenate([side[:: max(1, 2 * len(side) // _BATCH)] for side in sides])


def _dual_program(X: NDArray[np.uint8], y: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
    """|sum lambda y x_j| <= 1 for each input j, and sum lambda y = 0: a ray is a proof, and the prices are (w, b)."""
    sign = np.where(y, 1, -1).astype(np.int64)
    signed = (X.astype(np.int64) * sign[:, None]).T
    A = np.vstack([signed, -signed, sign, -sign])
    return A, np.concatenate([np.ones(2 * X.shape[1], dtype=np.int64), [0, 0]])


def _weights_from_prices(prices: Sequence[Fraction], n: int) -> tuple[list[Fraction], Fraction]:
    return [prices[j] - prices[n + j] for j in range(n)], prices[2 * n] - prices[2 * n + 1]


def _floored_margins(
    X: NDArray[np.uint8], y: NDArray[np.bool_], weights: list[Fraction], bias: Fraction
) -> NDArray[Any]:
    """y (w.x + b) of every row, rounded down, which does not change whether it is below 1."""
    denominator = math.lcm(*(value.denominator for value in (*weights, bias)))
    scaled = [int(value * denominator) for value in (*weights, bias)]
    dtype: Any = np.int64 if sum(map(abs, scaled)) < 2**62 else object
    scores = X.astype(dtype) @ np.array(scaled[:-1], dtype=dtype) + scaled[-1]
    margins: NDArray[Any] = np.where(y, scores, -scores) // denominator
    return margins


def _integer_unit(X: NDArray[np.uint8], y: NDArray[np.bool_], weights: list[Fraction]) -> Unit:
    """The same normal in integers without a common factor, the threshold halfway between the classes."""
    scale = math.lcm(*(w.denominator for w in weights)) if weights else 1
    integers = [int(w * scale) for w in weights]
    common = math.gcd(*integers) if any(integers) else 1
    integers = [w // common for w in integers]
    if y.all() or not y.any():
        return Unit([0] * len(integers), threshold=-0.5 if y.all() else 0.5)
    sums = X.astype(np.int64) @ np.array(integers, dtype=np.int64)
    low, high = int(sums[~y].max()), int(sums[y].min())
    return Unit(integers, threshold=(low + high) / 2)


def _proof(rows: NDArray[np.intp], direction: Sequence[Fraction]) -> Proof:
    """The rows of the ray, sorted, with integer weights without a common factor."""
    weighted = sorted((int(row), weight) for row, weight in zip(rows, direction, strict=True) if weight)
    scale = Fraction(
        math.lcm(*(weight.denominator for _, weight in weighted)),
        math.gcd(*(weight.numerator for _, weight in weighted)),
    )
    return Proof(tuple(row for row, _ in weighted), tuple(weight * scale for _, weight in weighted))
