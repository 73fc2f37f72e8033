"""All Boolean functions that one unit can compute, each with its weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, permutations, product

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.logic.truth_table import TruthTable, all_rows
from rosenblatt.logic.unit import Unit

# The largest integer weight needed for n = 0, 1, ... variables (Muroga, Tsuboi and Baugh 1970). The tests compare the
# counts with OEIS A000609, and for n <= 4 prove that no other function has a unit.
_MAX_WEIGHTS = (0, 1, 1, 2, 3, 5, 9)


@dataclass(frozen=True)
class ThresholdFunction:
    """A Boolean function and its unit, which has integer weights and no row on its boundary.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> never, *others = logic.threshold_functions(2)
    >>> never.unit.weights, len(others)
    ((0, 0), 13)
    """

    unit: Unit

    @property
    def weights(self) -> tuple[float, ...]:
        return self.unit.weights

    @property
    def threshold(self) -> float:
        return self.unit.threshold

    @property
    def table(self) -> TruthTable:
        n = len(self.unit.weights)
        return TruthTable([f"x{i + 1}" for i in range(n)], np.atleast_1d(self.unit(all_rows(n))))

    def __str__(self) -> str:
        return str(self.unit)


def threshold_functions(n: int) -> Iterator[ThresholdFunction]:
    """Each Boolean function of n variables that one unit can compute, with its weights; n from 0 to 6.

    No unit computes the others: `decide` gives the proof for each.

    Parameters
    ----------
    n : int
        How many variables, from 0 to 6.

    Returns
    -------
    iterator of logic.ThresholdFunction
        In no particular order.

    Examples
    --------
    >>> [sum(1 for _ in threshold_functions(n)) for n in (1, 2, 3, 4)]
    [4, 14, 104, 1882]
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n < len(_MAX_WEIGHTS):
        raise ParameterError(
            f"threshold_functions lists the functions of 0 to {len(_MAX_WEIGHTS) - 1} variables; of 7 there are "
            f"8,378,070,864. Got {n!r} instead: use decide for a single function."
        )
    return _generate(int(n))


def _generate(n: int) -> Iterator[ThresholdFunction]:
    for weights, threshold, influence in _classes(n):
        for order in _distinct_orders(influence):
            ordered = [weights[i] for i in order]
            for negations in product(*((False, True) if influence[i] > 0 else (False,) for i in order)):
                # x -> 1 - x turns w x > t into -w x > t - w
                signed = [-w if negated else w for w, negated in zip(ordered, negations, strict=True)]
                shift = sum(w for w, negated in zip(ordered, negations, strict=True) if negated)
                yield ThresholdFunction(Unit(signed, threshold=threshold - shift))


@cache
def _classes(n: int) -> tuple[tuple[tuple[int, ...], float, tuple[int, ...]], ...]:
    """The weights, threshold and influences of one function of each class under swapping and negating variables.

    That function has weights w1 >= w2 >= ... >= 0. The influence of a variable (its Chow parameter) is the number of
    rows on which it decides. Two variables of a threshold function with equal influence can be swapped without changing
    it, and a variable without influence does not matter. So each class holds one function for each way to arrange the
    influences and to choose the signs of those above 0.
    """
    rows = all_rows(n).astype(np.int64)
    functions: dict[bytes, tuple[tuple[int, ...], float, tuple[int, ...]]] = {}
    candidates = combinations_with_replacement(range(_MAX_WEIGHTS[n], -1, -1), n)
    for weights in sorted(candidates, key=sum):
        sums = rows @ np.array(weights, dtype=np.int64) if n else np.zeros(1, dtype=np.int64)
        for least in range(sum(weights) + 2):
            outputs = sums >= least
            key = outputs.tobytes()
            if key not in functions:
                influence = tuple(int(2 * outputs[rows[:, i] == 1].sum() - outputs.sum()) for i in range(n))
                functions[key] = (weights, least - 0.5, influence)
    return tuple(functions.values())


def _distinct_orders(influence: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One order of the variables for each different order of their influences."""
    orders: dict[tuple[int, ...], tuple[int, ...]] = {}
    for order in permutations(range(len(influence))):
        orders.setdefault(tuple(influence[i] for i in order), order)
    return list(orders.values())
