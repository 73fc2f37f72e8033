"""Whether a file is sorted by label: an online learner that meets one class after another forgets the first."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from rosenblatt import native

_FEWEST = 50  # rows: of fewer nothing can be said
_SHARE = 0.1  # of the turns that a shuffled file would have


class LabelOrder:
    """Counts how often the label changes from one row to the next.

    >>> from array import array
    >>> sorting = LabelOrder(2)
    >>> sorting.see(array("i", [0] * 100 + [1] * 100))
    >>> sorting.grouped
    True
    """

    def __init__(self, classes: int) -> None:
        self.made = 0
        self._counts = [0] * classes
        self._last = -1

    def see(self, labels: Any) -> None:
        """The labels of the next rows; negative ones are of rows without a label."""
        made, counts, self._last = native.turns(labels, len(self._counts), self._last)
        self.made += made
        self._counts = [old + new for old, new in zip_longest(self._counts, counts, fillvalue=0)]

    @property
    def grouped(self) -> bool:
        """Are there far fewer turns than chance would make? n rows in shares p turn about n (1 - sum of p^2) times."""
        rows = sum(self._counts)
        by_chance = rows - sum(count * count for count in self._counts) / max(rows, 1)
        return rows >= _FEWEST and self.made < _SHARE * by_chance
