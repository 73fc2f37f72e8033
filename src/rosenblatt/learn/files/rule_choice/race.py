"""A race between rules: those that have clearly fallen behind are dropped, so that the others learn faster."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

# Errors and examples since the beginning.
Mark: TypeAlias = tuple[float, int]

_FIRST = 1 << 13  # examples before the first comparison; then at each doubling
_SURE = 4.0  # standard errors of the difference of two shares
_ALIKE = 0.002  # a rule that is not better than the best by more than this is dropped
_ENOUGH = 100_000  # examples needed to say so
_PIECES = 8  # pieces that these examples must come in, so that the spread over the pieces shows what chance does
_LIKELY = 2.5  # standard errors


class Race:
    """Compares rules by the latest half of the examples, because a rule may begin slowly and end well.

    >>> race = Race()
    >>> race.losers({"a": (800, 8192), "b": (900, 8192), "c": (2000, 8192)})
    ['c']
    >>> race.losers({"a": (900, 9000), "b": (2000, 9000)})  # the next look is at 16384
    []
    """

    def __init__(
        self,
        next_look: int = _FIRST,
        marks: Mapping[str, Sequence[Mark]] | None = None,
        *,
        counts_mistakes: bool = True,
    ) -> None:
        self.next_look = next_look
        self.counts_mistakes = counts_mistakes  # else errors are sums, whose variance is not known beforehand
        # The marks of each rule at the last comparison and since.
        self.marks = {name: list(earlier) for name, earlier in (marks or {}).items()}

    def losers(self, errors_made: Mapping[str, Mark]) -> list[str]:
        """The rules to drop, given the errors of each and on how many examples."""
        if len(errors_made) < 2:
            return []
        for name, mark in errors_made.items():
            self.marks.setdefault(name, [(0, 0)]).append(mark)
        seen = max(rows for _, rows in errors_made.values())
        if seen < self.next_look:
            return []
        while self.next_look <= seen:
            self.next_look *= 2
        pieces = {name: _pieces(self.marks[name]) for name in errors_made}
        self.marks = {name: [mark] for name, mark in errors_made.items()}
        rows = min(sum(rows for _, rows in parts) for parts in pieces.values())
        shares = {name: _share(parts) for name, parts in pieces.items()}
        best = min(shares, key=lambda name: shares[name])
        if not self.counts_mistakes:
            return [
                name
                for name in shares
                if name != best
                and (clearly_behind(pieces[name], pieces[best]) or no_better(pieces[name], pieces[best]))
            ]
        # Two shares of n examples each differ by chance with a variance of at most 2 p (1 - p) / n.
        allowed = _SURE * math.sqrt(2 * max(shares[best] * (1 - shares[best]), 1 / rows) / rows)
        return [
            name
            for name, share in shares.items()
            if share > shares[best] + allowed or (name != best and no_better(pieces[name], pieces[best]))
        ]


def clearly_behind(rule: Sequence[Mark], best: Sequence[Mark]) -> bool:
    """Is a rule certainly worse, as far as the spread of the differences over the pieces tells?

    >>> best = [(100.0 + k % 3, 1000) for k in range(8)]
    >>> clearly_behind([(error + 10 + k % 2, rows) for k, (error, rows) in enumerate(best)], best)
    True
    >>> clearly_behind([(error + 10 * (-1) ** k, rows) for k, (error, rows) in enumerate(best)], best)
    False
    """
    if len(best) < _PIECES or len(rule) != len(best):
        return False
    behind, deviation = _difference(rule, best)
    return behind > _SURE * deviation


def _difference(rule: Sequence[Mark], best: Sequence[Mark]) -> tuple[float, float]:
    """By how much a rule errs more in each example, and the standard deviation of that by the pieces."""
    rows, count = sum(rows for _, rows in best), len(best)
    differences = [(errors - others, size) for (errors, _), (others, size) in zip(rule, best, strict=True)]
    behind = sum(difference for difference, _ in differences) / rows
    spread = sum((difference - behind * size) ** 2 for difference, size in differences) * count / (count - 1)
    return behind, math.sqrt(spread) / rows


def no_better(rule: Sequence[Mark], best: Sequence[Mark]) -> bool:
    """Is it certain enough that a rule is not better by more than _ALIKE? Both learned the same pieces of the examples.

    Rules err on the same hard examples, so the differences of a piece vary much less than the errors: their spread over
    the pieces is what chance does.

    >>> even = [(600 + 10 * (k % 2), 16384) for k in range(8)]
    >>> no_better([(wrong + k % 3, rows) for k, (wrong, rows) in enumerate(even)], even)
    True
    >>> no_better([(wrong + 400 * (-1) ** k, rows) for k, (wrong, rows) in enumerate(even)], even)  # too uncertain
    False
    """
    rows, count = sum(rows for _, rows in best), len(best)
    if rows < _ENOUGH or count < _PIECES or len(rule) != count:
        return False
    behind, deviation = _difference(rule, best)
    return behind - _LIKELY * deviation > -_ALIKE


def _pieces(marks: Sequence[Mark]) -> list[Mark]:
    return [(wrong - before, rows - done) for (before, done), (wrong, rows) in pairwise(marks)]


def _share(pieces: Sequence[Mark]) -> float:
    return sum(wrong for wrong, _ in pieces) / max(sum(rows for _, rows in pieces), 1)


def first_of_the_best(errors: Mapping[str, float], rows: int) -> str:
    """The first rule whose error is within one standard error of the least, which is as near as chance can tell.

    Breiman's rule. The rules come best guess first; measured on eleven sets of sparse examples, the least error alone
    follows chance on small ones, and chooses the same on large ones.

    >>> first_of_the_best({"usual": 0.11, "other": 0.10}, 500), first_of_the_best({"usual": 0.11, "other": 0.10}, 5000)
    ('usual', 'other')
    """
    least = min(errors.values())
    near = least + math.sqrt(least * (1 - least) / max(rows, 1))
    return next(name for name, error in errors.items() if error <= near)
