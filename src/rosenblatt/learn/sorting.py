"""Whether a file is sorted by label: an online learner that meets one class after another forgets the first."""

import numpy as np
from numpy.typing import NDArray

_FEWEST = 50  # rows: of fewer nothing can be said
_SHARE = 0.1  # of the turns that a shuffled file would have


class Sorting:
    """Counts how often the label changes from one row to the next.

    >>> sorting = Sorting(2)
    >>> sorting.see(np.repeat([0, 1], 100))
    >>> sorting.grouped
    True
    """

    def __init__(self, classes: int) -> None:
        self.made = 0
        self._counts: NDArray[np.intp] = np.zeros(classes, dtype=np.intp)
        self._last: NDArray[np.int32] = np.zeros(0, dtype=np.int32)

    def see(self, labels: NDArray[np.integer]) -> None:
        """The labels of the next rows; negative ones are of rows without a label."""
        known = np.asarray(labels, dtype=np.int32)
        known = known[known >= 0]
        if len(known):
            self.made += int(np.count_nonzero(np.diff(known, prepend=self._last)))
            self._counts += np.bincount(known, minlength=len(self._counts))
            self._last = known[-1:].copy()

    @property
    def grouped(self) -> bool:
        """Are there far fewer turns than chance would make? n rows in shares p turn about n (1 - sum of p^2) times."""
        rows = int(self._counts.sum())
        by_chance = rows - float(np.square(self._counts).sum()) / max(rows, 1)
        return rows >= _FEWEST and self.made < _SHARE * by_chance
