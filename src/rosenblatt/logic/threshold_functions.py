"""Every Boolean function that one unit can do, each with its weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, permutations, product

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.logic.truth_table import TruthTable, all_rows
from rosenblatt.logic.unit import Unit

# The largest weight needed for n = 0, 1, ... variables when all weights are whole (Muroga, Tsuboi and Baugh 1970);
# the counts that follow from it are tested against OEIS A000609 and, for n <= 4, against exact proofs for the rest.
_LARGEST = (0, 1, 1, 2, 3, 5, 9)


@dataclass(frozen=True)
class ThresholdFunction:
    """A Boolean function of one unit: its unit has whole weights, and no row lies on its boundary."""

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
    """One item for each Boolean function of n variables that one unit can do, with its weights; n from 0 to 6.

    The others cannot be done by any unit: `decide` gives the proof for each.

    >>> [sum(1 for _ in threshold_functions(n)) for n in (1, 2, 3, 4)]
    [4, 14, 104, 1882]
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n < len(_LARGEST):
        raise ParameterError(
            f"threshold_functions lists the functions of 0 to {len(_LARGEST) - 1} variables; of 7 there are "
            f"8,378,070,864. Got {n!r} instead: use decide for a single function."
        )
    return _all(int(n))


def _all(n: int) -> Iterator[ThresholdFunction]:
    for weights, threshold, influence in _classes(n):
        for order in _arrangements(influence):
            arranged = [weights[i] for i in order]
            matters = [influence[i] > 0 for i in order]
            for flips in product(*((False, True) if m else (False,) for m in matters)):
                # x -> 1 - x turns w x > t into -w x > t - w
                signed = [-w if flip else w for w, flip in zip(arranged, flips, strict=True)]
                shift = sum(w for w, flip in zip(arranged, flips, strict=True) if flip)
                yield ThresholdFunction(Unit(signed, threshold=threshold - shift))


@cache
def _classes(n: int) -> tuple[tuple[tuple[int, ...], float, tuple[int, ...]], ...]:
    """One function of each class under swapping and negating variables: that with weights w1 >= w2 >= ... >= 0.

    With them go the influences: on how many rows each variable decides. They tell which variables are alike: two
    variables of a threshold function with equal influence (Chow parameter) can be swapped without changing it, and
    one without influence does not matter. So each class holds one function for each way to arrange the
    influences and to choose the signs of those above 0.
    """
    rows = all_rows(n).astype(np.int64)
    found: dict[bytes, tuple[tuple[int, ...], float, tuple[int, ...]]] = {}
    candidates = combinations_with_replacement(range(_LARGEST[n], -1, -1), n)
    for weights in sorted(candidates, key=sum):
        sums = rows @ np.array(weights, dtype=np.int64) if n else np.zeros(1, dtype=np.int64)
        for least in range(sum(weights) + 2):
            outputs = sums >= least
            key = outputs.tobytes()
            if key not in found:
                influence = tuple(int(2 * outputs[rows[:, i] == 1].sum() - outputs.sum()) for i in range(n))
                found[key] = (weights, least - 0.5, influence)
    return tuple(found.values())


def _arrangements(influence: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One order of the variables for each different order of their influences."""
    orders: dict[tuple[int, ...], tuple[int, ...]] = {}
    for order in permutations(range(len(influence))):
        orders.setdefault(tuple(influence[i] for i in order), order)
    return list(orders.values())
