"""Can one unit do it? The smallest weights if so, and if not the proof: rows whose weighted sum is zero."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError
from rosenblatt.logic.simplex import Ray, maximise
from rosenblatt.logic.truth_table import as_table
from rosenblatt.logic.unit import Unit

_ALL_AT_ONCE = 64  # rows: fewer than this go into the linear program together
_ADDED = 48  # rows that join it after each round, where there are more


@dataclass(frozen=True)
class Proof:
    """No unit separates the rows: weight_i > 0 with sum of weight_i * y_i * (x_i, 1) = 0, y_i = +1 or -1.

    A unit (w, b) that was right on every row would make each y_i (w.x_i + b) positive, so their weighted sum too; but
    that sum is w and b times zero.
    """

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]

    def verify(self, X: Any, y: Any) -> bool:
        """Check the sum in exact arithmetic against the rows and labels, trusting nothing else; y > 0 is positive."""
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
    """The answer for one table: the unit, or the proof that there is none. It is true when one unit can."""

    X: NDArray[np.uint8]
    y: NDArray[np.bool_]
    unit: Unit | None
    proof: Proof | None

    def __bool__(self) -> bool:
        return self.unit is not None

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of the proof; empty when one unit can."""
        return self.proof.rows if self.proof else ()

    @property
    def weights(self) -> tuple[Any, ...]:
        """The unit's weights, or the weight of each row of the proof."""
        return self.unit.weights if self.unit else self.proof.weights if self.proof else ()

    def verify(self) -> bool:
        """Check the answer again in exact arithmetic."""
        if self.unit is None:
            return self.proof is not None and self.proof.verify(self.X, self.y)
        weights = [Fraction(w) for w in self.unit.weights]
        bias = Fraction(self.unit.bias)
        scores = (sum((w for w, bit in zip(weights, row, strict=True) if bit), bias) for row in self.X)
        return all((score > 0) == bool(label) and score != 0 for score, label in zip(scores, self.y, strict=True))

    def __str__(self) -> str:
        if self.unit is not None:
            return f"One unit can: it {self.unit}."
        assert self.proof is not None
        sides = {True: [], False: []}  # type: dict[bool, list[str]]
        for row, weight in zip(self.proof.rows, self.proof.weights, strict=True):
            sides[bool(self.y[row])].append(f"{weight} * row {row}")
        false, true = " + ".join(sides[False]), " + ".join(sides[True])
        return f"No single unit can: {false} of one class = {true} of the other."


def decide(table: Any) -> Decision:
    """Decide whether one threshold unit can do a Boolean function, exactly.

    The table is a TruthTable, an expression, or the outputs row by row. The unit has the whole weights with the
    smallest sum of sizes (of those the linear program finds) and no row on its boundary; the proof names few rows.

    >>> print(decide("0001"))
    One unit can: it fires when x1 + x2 > 1.5.
    >>> no = decide("0110")
    >>> no.rows, [str(weight) for weight in no.weights], no.verify()
    ((0, 1, 2, 3), ['1', '1', '1', '1'], True)
    """
    known = as_table(table)
    return decide_rows(known.inputs, known.outputs)


def decide_rows(X: NDArray[np.uint8], y: NDArray[np.bool_]) -> Decision:
    """Decide for some rows of 0 and 1 with their truth values; rows left out may be either."""
    if len(X) != len(y):
        raise DataError(f"There are {len(X)} rows but {len(y)} truth values: they must be the same number.")
    chosen = np.arange(len(X)) if len(X) <= _ALL_AT_ONCE else _spread(y)
    while True:
        # min |w|_1 subject to y (w.x + b) >= 1 on the chosen rows, or a ray of its dual: the proof
        found = maximise(*_program(X[chosen], y[chosen]))
        if isinstance(found, Ray):
            return Decision(X, y, None, _proof(chosen, found.direction))
        weights, bias = _unit_of(found.prices, X.shape[1])
        short = np.flatnonzero(_margins(X, y, weights, bias) < 1)
        if not len(short):
            return Decision(X, y, _whole(X, y, weights, bias), None)
        worst = short[np.argsort(_margins(X[short], y[short], weights, bias), kind="stable")]
        few = np.unique(np.concatenate([worst[: _ADDED // 2], short[:: max(1, 2 * len(short) // _ADDED)]]))
        chosen = np.concatenate([chosen, few])


def _spread(y: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Some rows of either kind to begin with, from all over the table."""
    sides = [np.flatnonzero(y), np.flatnonzero(~y)]
    return np.concatenate([side[:: max(1, 2 * len(side) // _ADDED)] for side in sides])


def _program(X: NDArray[np.uint8], y: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
    """|sum lambda y x_j| <= 1 for each input j and sum lambda y = 0: its ray is a proof, its prices are (w, b)."""
    sign = np.where(y, 1, -1).astype(np.int64)
    signed = (X.astype(np.int64) * sign[:, None]).T
    A = np.vstack([signed, -signed, sign, -sign])
    return A, np.concatenate([np.ones(2 * X.shape[1], dtype=np.int64), [0, 0]])


def _unit_of(prices: Sequence[Fraction], n: int) -> tuple[list[Fraction], Fraction]:
    return [prices[j] - prices[n + j] for j in range(n)], prices[2 * n] - prices[2 * n + 1]


def _margins(X: NDArray[np.uint8], y: NDArray[np.bool_], weights: list[Fraction], bias: Fraction) -> NDArray[Any]:
    """y (w.x + b) of every row, exactly: whole numbers over one denominator."""
    denominator = math.lcm(*(value.denominator for value in (*weights, bias)))
    scaled = [int(value * denominator) for value in (*weights, bias)]
    kind: Any = np.int64 if sum(map(abs, scaled)) < 2**62 else object
    scores = X.astype(kind) @ np.array(scaled[:-1], dtype=kind) + scaled[-1]
    signed = np.where(y, scores, -scores)
    # what is below 1 stays below 1 when rounded down, and what is not does not
    floored: NDArray[Any] = signed // denominator
    return floored


def _whole(X: NDArray[np.uint8], y: NDArray[np.bool_], weights: list[Fraction], bias: Fraction) -> Unit:
    """The same boundary with whole weights, its threshold halfway between the nearest rows of either side."""
    scale = math.lcm(*(w.denominator for w in weights)) if weights else 1
    whole = [int(w * scale) for w in weights]
    shared = math.gcd(*whole) if any(whole) else 1
    whole = [w // shared for w in whole]
    if y.all() or not y.any():
        return Unit([0] * len(whole), threshold=-0.5 if y.all() else 0.5)
    sums = X.astype(np.int64) @ np.array(whole, dtype=np.int64)
    low, high = int(sums[~y].max()), int(sums[y].min())
    return Unit(whole, threshold=(low + high) / 2)


def _proof(chosen: NDArray[np.intp], direction: Sequence[Fraction]) -> Proof:
    """The rows of the ray, in their order, weighted by whole numbers without a common factor."""
    used = sorted((int(row), weight) for row, weight in zip(chosen, direction, strict=True) if weight)
    scale = Fraction(
        math.lcm(*(weight.denominator for _, weight in used)), math.gcd(*(weight.numerator for _, weight in used))
    )
    return Proof(tuple(row for row, _ in used), tuple(weight * scale for _, weight in used))
