"""A race between rules: those that have clearly fallen behind are let go, so that the others are learned sooner."""

import math
from collections.abc import Mapping

_FIRST = 1 << 13  # examples before anyone is judged; then again at each doubling
_SURE = 4.0  # standard errors of the difference of two shares


class Race:
    """Judges by the latest half of the examples, for a rule may begin slowly and end well.

    >>> race = Race()
    >>> race.losers({"a": (800, 8192), "b": (900, 8192), "c": (2000, 8192)})
    ['c']
    >>> race.losers({"a": (900, 9000), "b": (2000, 9000)})  # the next look is at 16384
    []
    """

    def __init__(self, next_look: int = _FIRST, before: Mapping[str, tuple[float, int]] | None = None) -> None:
        self.next_look = next_look
        self.before = dict(before or {})  # errors and examples of each at the last look

    def losers(self, made: Mapping[str, tuple[float, int]]) -> list[str]:
        """Who to let go, given the errors that each has made and on how many examples."""
        seen = max((rows for _, rows in made.values()), default=0)
        if len(made) < 2 or seen < self.next_look:
            return []
        while self.next_look <= seen:
            self.next_look *= 2
        shares, rows = {}, math.inf
        for name, (wrong, total) in made.items():
            wrong_before, total_before = self.before.get(name, (0, 0))
            rows = min(rows, total - total_before)
            shares[name] = (wrong - wrong_before) / max(total - total_before, 1)
        self.before = dict(made)
        best = min(shares.values())
        # Two shares of n examples each differ by chance with a variance of at most 2 p (1 - p) / n.
        allowed = _SURE * math.sqrt(2 * max(best * (1 - best), 1 / rows) / rows)
        return [name for name, share in shares.items() if share > best + allowed]


def first_of_the_best(errors: Mapping[str, float], rows: int) -> str:
    """The first rule whose error is within one standard error of the least, which is as near as chance can tell.

    Breiman's rule. The rules come best guess first; measured on eleven sets of sparse examples, the least error alone
    is followed into chance on small ones, and is the same on large ones.

    >>> first_of_the_best({"usual": 0.11, "other": 0.10}, 500), first_of_the_best({"usual": 0.11, "other": 0.10}, 5000)
    ('usual', 'other')
    """
    least = min(errors.values())
    near = least + math.sqrt(least * (1 - least) / max(rows, 1))
    return next(name for name, error in errors.items() if error <= near)
