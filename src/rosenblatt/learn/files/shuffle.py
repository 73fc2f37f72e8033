"""Examples in a new order for each pass, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.readers.block_rows import join_blocks, take_examples
from rosenblatt.readers.cache.spill import SpillCache
from rosenblatt.records import Block, Csr

_HELD = 32 << 20  # bytes of examples that are shuffled in memory
_BUCKETS = 64  # for those that are more
_GATHERED = 1 << 18  # bytes that a bucket gathers before it writes them
_GIVEN_AT_ONCE = 4096  # rows
_STRIDE = 0x9E3779B97F4A7C15  # from the seed of one pass to that of the next


class Shuffled:
    """A few examples are shuffled in memory. More are thrown into buckets at random as they come, and a bucket at a
    time is shuffled in memory.

    Each row lands in each bucket with the same probability and each order of a bucket is as likely as any other, so
    the first pass is a uniform permutation. Later passes shuffle the buckets and their rows anew. The order depends on
    the examples and the seed only, not on how the file that they come from is packed.
    """

    def __init__(self, folder: str | None, name: str, seed: int) -> None:
        self._folder, self._name = folder, name
        self._few = _Gathered()
        self._buckets: list[tuple[_Gathered, SpillCache]] = []
        self._seed = self._throw = seed % 2**64
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._few.clear()
        self._buckets.clear()
        self._stack.close()

    def append(self, block: Block) -> None:
        if self._buckets:
            self._scatter(block)
            return
        self._few.append(block)
        if self._few.bytes > _HELD:
            caches = [SpillCache(self._folder, self._name, _BUCKETS) for _ in range(_BUCKETS)]
            self._buckets = [(_Gathered(), self._stack.enter_context(cache)) for cache in caches]
            for held in self._few:
                self._scatter(held)
            self._few.clear()

    def _scatter(self, block: Block) -> None:
        thrown, self._throw = native.uniform(self._throw, len(block.labels))
        bucket = (thrown * len(self._buckets)).astype(np.intp)
        for number in np.unique(bucket).tolist():
            gathered, cache = self._buckets[number]
            gathered.append(take_examples(block, np.flatnonzero(bucket == number)))
            if gathered.bytes > _GATHERED:
                cache.append(join_blocks(gathered))
                gathered.clear()

    def blocks(self, pass_: int, threads: int = 1) -> Iterator[Block]:
        """All the examples, in the order of this pass."""
        state = (self._seed + (pass_ + 1) * _STRIDE) % 2**64
        buckets, state = native.order(state, max(len(self._buckets), 1), False)
        for number in buckets.tolist():
            whole = self._whole(number, threads)
            if whole is None:
                continue
            order, state = native.order(state, len(whole.labels), False)
            for start in range(0, len(order), _GIVEN_AT_ONCE):
                yield take_examples(whole, order[start : start + _GIVEN_AT_ONCE])
            del whole  # no more than one bucket at a time

    def _whole(self, number: int, threads: int) -> Block | None:
        """All of a bucket as one block, its parts let go; None where there is nothing in it."""
        if not self._buckets:
            held = list(self._few)
        else:
            gathered, cache = self._buckets[number]
            held = [*cache.blocks(threads), *gathered]
        return join_blocks(held) if held else None


class _Gathered(list[Block]):
    """Blocks, and what their examples take, however they are cut into blocks."""

    bytes = 0

    def append(self, block: Block) -> None:
        super().append(block)
        values = block.values
        entries = 12 * len(values.indices) if isinstance(values, Csr) else values.size * 8
        self.bytes += entries + 16 * len(block.labels)

    def clear(self) -> None:
        super().clear()
        self.bytes = 0
