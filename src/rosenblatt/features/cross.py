"""Pairs of hashed features: what two groups of columns or words say together, as features of its own.

A linear unit on the words "new" and "york" cannot tell "new york" from the two apart; on their product it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosenblatt.errors import ParameterError
from rosenblatt.later import np
from rosenblatt.records import Csr

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def cross(
    values: Csr, group: NDArray[np.integer], pairs: Sequence[tuple[int, int]], features: int, first: int = 0
) -> Csr:
    """For every pair (a, b) of groups, the product of each entry of a with each entry of b in the same row.

    `group` says which group each entry of `values` belongs to. The products are hashed into the columns from `first`
    to first + features - 1; two that meet in one column are added when they are learned. A group with itself gives
    each two of its entries once.

    >>> row = Csr(np.array([0, 3]), np.array([4, 7, 9]), np.array([1.0, 2.0, 3.0]), 10)
    >>> crossed = cross(row, np.array([0, 0, 1]), [(0, 1)], features=1024)
    >>> crossed.values.tolist(), crossed.shape
    ([3.0, 6.0], (1, 1024))
    """
    if features < 1:
        raise ParameterError(f"Crossed features need at least one column to be hashed into. Got {features}.")
    rows = values.shape[0]
    of_entry = np.repeat(np.arange(rows), np.diff(values.indptr))
    from_entry = values.indptr[0]
    parts = [_pairs(of_entry, group, rows, a, b) for a, b in pairs]
    left = np.concatenate([part[0] for part in parts]) if parts else np.zeros(0, dtype=np.intp)
    right = np.concatenate([part[1] for part in parts]) if parts else np.zeros(0, dtype=np.intp)
    in_turn = np.argsort(of_entry[left], kind="stable")
    left, right = left[in_turn], right[in_turn]
    index = values.indices[from_entry:]
    value = values.values[from_entry:]
    counts = np.bincount(of_entry[left], minlength=rows)
    column = hashed_pair(index[left], index[right]) % np.uint64(features)
    return Csr(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        column.astype(np.int64) + first,
        value[left] * value[right],
        first + features,
    )


def _pairs(
    row: NDArray[np.intp], group: NDArray[np.integer], rows: int, a: int, b: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of entries: each of group a beside each of group b in its row."""
    left, right = np.flatnonzero(group == a), np.flatnonzero(group == b)
    counts = np.bincount(row[right], minlength=rows)
    start = np.concatenate([[0], np.cumsum(counts)])
    if a == b:  # each with those that follow it
        own = np.arange(len(left))
        begin, times = own + 1, start[row[left] + 1] - own - 1
    else:
        begin, times = start[row[left]], counts[row[left]]
    total = np.concatenate([[0], np.cumsum(times)])
    place = np.arange(total[-1]) - np.repeat(total[:-1] - begin, times)
    return np.repeat(left, times), right[place]


def hashed_pair(i: NDArray[np.integer], j: NDArray[np.integer]) -> NDArray[np.uint64]:
    """64 bits from two column numbers, the same for (i, j) and (j, i); the finish is SplitMix64's."""
    low, high = np.minimum(i, j).astype(np.uint64), np.maximum(i, j).astype(np.uint64)
    with np.errstate(over="ignore"):
        return _mixed(_mixed(low + _GOLDEN) + high)


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


def joined(left: Csr, right: Csr) -> Csr:
    """The same rows with the entries of both, the left ones first."""
    lengths = np.diff(left.indptr) + np.diff(right.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    indices = np.empty(indptr[-1], dtype=np.int64)
    values = np.empty(indptr[-1], dtype=np.result_type(left.values, right.values))
    offset = np.zeros(len(lengths), dtype=np.int64)
    for part in (left, right):
        own = np.diff(part.indptr)
        to = np.repeat(indptr[:-1] + offset - part.indptr[:-1] + part.indptr[0], own) + np.arange(own.sum())
        indices[to] = part.indices[part.indptr[0] : part.indptr[-1]]
        values[to] = part.values[part.indptr[0] : part.indptr[-1]]
        offset = own
    return Csr(indptr, indices, values, max(left.features, right.features))
