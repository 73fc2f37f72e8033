"""Examples in a new order for each pass, however many there are."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import numpy as np

from rosenblatt import kernels
from rosenblatt.learn.cache import Cache
from rosenblatt.learn.votes import take
from rosenblatt.records import Block, Csr, Values

_BUCKET = 24 << 20  # bytes of the source that one bucket is meant for: in memory it is as large, twice for a moment
_MOST = 128
_GIVEN_AT_ONCE = 4096  # rows
_STRIDE = 0x9E3779B97F4A7C15  # from the seed of one pass to that of the next


class Shuffled:
    """Rows are thrown into buckets at random as they come; a bucket at a time is shuffled in memory.

    Each row lands in each bucket with the same probability and each order of a bucket is as likely as any other, so
    the first pass is a uniform permutation. Later passes shuffle the buckets and their rows anew.
    """

    def __init__(self, folder: str | None, name: str, size: int | None, seed: int) -> None:
        count = min(max(-(-(size or _BUCKET) // _BUCKET), 1), _MOST)
        self._buckets = [Cache(folder, name, count) for _ in range(count)]
        self._seed = self._throw = seed % 2**64
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for bucket in self._buckets:
            self._stack.enter_context(bucket)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def append(self, block: Block) -> None:
        if len(self._buckets) == 1:
            self._buckets[0].append(block)
            return
        thrown, self._throw = kernels.uniform(self._throw, len(block.labels))
        bucket = (thrown * len(self._buckets)).astype(np.intp)
        for number in np.unique(bucket).tolist():
            self._buckets[number].append(part(block, np.flatnonzero(bucket == number)))

    def blocks(self, pass_: int, threads: int = 1) -> Iterator[Block]:
        """All the examples, in the order of this pass."""
        state = (self._seed + (pass_ + 1) * _STRIDE) % 2**64
        buckets, state = kernels.order(state, len(self._buckets), False)
        for number in buckets.tolist():
            whole = _whole(self._buckets[number], threads)
            if whole is None:
                continue
            order, state = kernels.order(state, len(whole.labels), False)
            for start in range(0, len(order), _GIVEN_AT_ONCE):
                yield part(whole, order[start : start + _GIVEN_AT_ONCE])
            del whole  # no more than one bucket at a time


def _whole(bucket: Cache, threads: int) -> Block | None:
    """All of a bucket as one block, its parts let go; None where there is nothing in it."""
    held = list(bucket.blocks(threads))
    return joined(held) if held else None


def part(block: Block, rows: np.ndarray) -> Block:
    """Some rows of a block, in this order."""
    taken = rows.astype(np.intp)
    weights = None if block.weights is None else block.weights[taken]
    return Block(take(block.values, taken), block.labels[taken], weights)


def joined(blocks: Sequence[Block]) -> Block:
    """Blocks one after another as one."""
    labels = np.concatenate([block.labels for block in blocks])
    weights = None
    if any(block.weights is not None for block in blocks):
        ones = [np.ones(len(block.labels)) if block.weights is None else block.weights for block in blocks]
        weights = np.concatenate(ones)
    return Block(_stacked([block.values for block in blocks]), labels, weights)


def _stacked(values: Sequence[Values]) -> Values:
    sparse = [matrix for matrix in values if isinstance(matrix, Csr)]
    if not sparse:
        dense: Values = np.concatenate([matrix for matrix in values if not isinstance(matrix, Csr)])
        return dense
    ends = np.concatenate([np.diff(matrix.indptr) for matrix in sparse])
    return Csr(
        np.concatenate([[0], np.cumsum(ends)]).astype(np.int64),
        np.concatenate([matrix.indices for matrix in sparse]),
        np.concatenate([matrix.values for matrix in sparse]),
        max(matrix.features for matrix in sparse),
    )
