"""A few cases of a full factorial in which every two values of different options still occur together."""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import TypeVar

Case = TypeVar("Case", bound=tuple[object, ...])


def pairwise(cases: Sequence[Case]) -> list[Case]:
    """Go through the cases in a fixed random order; take those with a pair of values that no earlier case has.

    >>> few = pairwise([(a, b, c) for a in range(5) for b in range(5) for c in range(5)])
    >>> len(few) < 60, {(a, c) for a, _, c in few} == {(a, c) for a in range(5) for c in range(5)}
    (True, True)
    """
    chosen: list[Case] = []
    met: set[object] = set()
    for case in random.Random(0).sample(cases, len(cases)):
        pairs = set(combinations(enumerate(case), 2))
        if not pairs <= met:
            met |= pairs
            chosen.append(case)
    return chosen
