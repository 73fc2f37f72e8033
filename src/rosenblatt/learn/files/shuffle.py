"""Examples in a new order for each pass, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.readers.block_rows import join_blocks, memory_of, take_examples
from rosenblatt.readers.cache.spill import SpillCache
from rosenblatt.records import Block

_IN_MEMORY = 32 << 20  # bytes of examples that are shuffled in memory
_BUCKETS = 64  # for more than that
_BUCKET_BYTES = 1 << 18  # bytes that a bucket collects before it writes them
_BLOCK_ROWS = 4096
_STRIDE = 0x9E3779B97F4A7C15  # from the seed of one pass to that of the next


class Shuffled:
    """Few examples are shuffled in memory. More are scattered into random buckets as they come, and one bucket
    at a time is shuffled in memory.

    Each row falls into each bucket with the same probability and each order of a bucket is as likely as any other, so
    the first pass is a uniform permutation. Later passes shuffle the buckets and their rows again. The order depends
    on the examples and the seed only, not on the compression or the blocks of the file.
    """

    def __init__(self, folder: str | None, name: str, seed: int) -> None:
        self._folder, self._name = folder, name
        self._first_blocks = _Blocks()
        self._buckets: list[tuple[_Blocks, SpillCache]] = []
        self._seed = self._scatter_random = seed % 2**64
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._first_blocks.clear()
        self._buckets.clear()
        self._stack.close()

    def append(self, block: Block) -> None:
        if self._buckets:
            self._scatter(block)
            return
        self._first_blocks.append(block)
        if self._first_blocks.bytes > _IN_MEMORY:
            caches = [SpillCache(self._folder, self._name, _BUCKETS) for _ in range(_BUCKETS)]
            self._buckets = [(_Blocks(), self._stack.enter_context(cache)) for cache in caches]
            for earlier in self._first_blocks:
                self._scatter(earlier)
            self._first_blocks.clear()

    def _scatter(self, block: Block) -> None:
        uniform, self._scatter_random = native.random_uniform(self._scatter_random, len(block.labels))
        bucket = (uniform * len(self._buckets)).astype(np.intp)
        for number in np.unique(bucket).tolist():
            collected, cache = self._buckets[number]
            collected.append(take_examples(block, np.flatnonzero(bucket == number)))
            if collected.bytes > _BUCKET_BYTES:
                cache.append(join_blocks(collected))
                collected.clear()

    def blocks(self, pass_: int, threads: int = 1) -> Iterator[Block]:
        """All the examples, in the order of this pass."""
        state = (self._seed + (pass_ + 1) * _STRIDE) % 2**64
        buckets, state = native.random_order(state, max(len(self._buckets), 1), False)
        for number in buckets.tolist():
            bucket = self._joined_bucket(number, threads)
            if bucket is None:
                continue
            order, state = native.random_order(state, len(bucket.labels), False)
            for start in range(0, len(order), _BLOCK_ROWS):
                yield take_examples(bucket, order[start : start + _BLOCK_ROWS])
            del bucket  # one bucket in memory at a time

    def _joined_bucket(self, number: int, threads: int) -> Block | None:
        """A whole bucket as one block; None if it is empty."""
        if not self._buckets:
            blocks = list(self._first_blocks)
        else:
            collected, cache = self._buckets[number]
            blocks = [*cache.blocks(threads), *collected]
        return join_blocks(blocks) if blocks else None


class _Blocks(list[Block]):
    """Blocks and their size in bytes, which does not depend on how the examples are divided into blocks."""

    bytes = 0

    def append(self, block: Block) -> None:
        super().append(block)
        self.bytes += memory_of(block)

    def clear(self) -> None:
        super().clear()
        self.bytes = 0
