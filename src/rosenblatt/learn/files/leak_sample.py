"""A sample of the first rows that a fit learns, in which to look for a single feature that gives the label away.

The rows of a table or of a dense matrix are kept. Of sparse rows only the telling features and their errors are kept,
and numpy is not needed.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import NamedTuple

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.block_rows import take_examples
from rosenblatt.records import Block, Csr, FeatureSpace

FEWEST_ROWS = 100
FEWEST_ERRORS = 10  # errors of always guessing the commonest class; with fewer, a feature may be right by chance
TELLING = 0.5  # a feature tells much about the label if it makes at most this share of the errors of that guess
_MOST_ROWS, _MOST_ENTRIES = 2000, 1 << 18


class LeakSample(NamedTuple):
    """The rows that features are judged by, or how these were judged."""

    rows: int
    guess: float  # the error of always guessing the commonest class
    block: Block | None = None  # of named columns, or of a dense matrix
    errors: tuple[tuple[int, float], ...] = ()  # of sparse columns that tell much about the label

    @classmethod
    def of(cls, block: Block, rows: NDArray[np.uint32] | None, n_classes: int, space: FeatureSpace) -> LeakSample:
        """Evenly spaced rows of the block, because a file may be sorted; `rows` are those to learn from."""
        values, count = block.values, block.rows if rows is None else len(rows)
        most = _MOST_ROWS
        if isinstance(values, Csr):
            most = min(most, _MOST_ENTRIES * block.rows // max(values.entries, 1))
        chosen = range(0, count, max(-(-count // max(most, 1)), 1))
        order = array("I", chosen if rows is None else (int(rows[i]) for i in chosen))
        labels = block.buffers[0]
        counts = Counter(map(labels.__getitem__, order))
        guess = 1 - max(counts.values(), default=0) / max(len(order), 1)
        if len(order) < FEWEST_ROWS or guess * len(order) < FEWEST_ERRORS:
            return cls(len(order), guess)
        named = not isinstance(values, Csr) or space.kind == "columns"
        first = take_examples(block, np.asarray(order)) if named else None
        if not isinstance(values, Csr) or (named and not space.bits):
            return cls(len(order), guess, first)
        most_wrong = int(TELLING * guess * len(order))
        leaks = native.telling_columns(native.rows_of(values), order, labels, n_classes, most_wrong)
        # In a table, only the words of its texts: their features come after its columns.
        errors = ((column, wrong / len(order)) for column, wrong in leaks if column >= len(space.columns))
        return cls(len(order), guess, first, tuple(errors))
