"""Logical shards: examples divided by their position alone, in a file of pages that every worker can read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.block_rows import join_blocks, memory_of, take_examples
from rosenblatt.readers.cache.pages import PageSpan, parsed_block, write_block
from rosenblatt.records import Block, Csr, Floats

_RUN = 16  # consecutive examples that go to one shard: few, so that sorted files are spread over all shards
_SPARSE = 4  # features for each stored value
_WAITING = 1 << 28  # bytes of examples held in memory before they are written


@contextmanager
def writing_beside(path: str) -> Iterator[None]:
    """DataError where the shards, or the states beside them, cannot be written."""
    try:
        yield
    except OSError as error:
        folder = os.path.dirname(os.path.dirname(os.path.abspath(path)))
        raise DataError(
            f"{folder}: shards cannot be written there: {error.strerror}. Name another folder with {option('cache')}.",
            file=folder,
        ) from None


class ShardWriter:
    """Divides examples among shards: the first 16 go to shard 0, the next to shard 1, and so on, round after round."""

    def __init__(self, path: str, n_shards: int) -> None:
        self.path, self.n_shards = path, n_shards
        self.pages: list[list[PageSpan]] = [[] for _ in range(n_shards)]
        self.rows = self.features = self.bytes = 0
        self.dense = False
        self._waiting: list[list[Block]] = [[] for _ in range(n_shards)]
        self._waiting_bytes = 0
        self._packer = native.Packer()

    def add(self, block: Block, rows: NDArray[np.uint32] | None) -> None:
        chosen = np.arange(block.rows) if rows is None else rows.astype(np.int64)
        shard_of = (self.rows + np.arange(len(chosen))) // _RUN % self.n_shards
        for shard in np.unique(shard_of).tolist():
            self._waiting[shard].append(take_examples(block, chosen[shard_of == shard]))
        self.rows += len(chosen)
        self.features = max(self.features, block.values.shape[1])
        self.dense = not isinstance(block.values, Csr)
        self._waiting_bytes += memory_of(block)
        if self._waiting_bytes > _WAITING:
            self.flush()

    def flush(self) -> None:
        """Write the examples held in memory, a page for each shard."""
        with writing_beside(self.path), open(self.path, "ab") as file:
            for pages, blocks in zip(self.pages, self._waiting, strict=True):
                if blocks:
                    size = write_block(file.write, join_blocks(blocks), self._packer)
                    pages.append((self.bytes, size))
                    self.bytes += size
                    blocks.clear()
        self._waiting_bytes = 0


@dataclass(frozen=True, eq=False)
class Shard:
    """The examples of a shard. If they are sparse, `columns` are those that occur; `block` numbers these from 0."""

    block: Block
    columns: NDArray[np.int64]

    @cached_property
    def rows(self) -> native.Rows:
        return native.rows_of(self.block.values)

    @cached_property
    def seen(self) -> NDArray[np.float64]:
        """How many examples have a value in each column."""
        values = self.block.values
        if isinstance(values, Csr):
            return np.bincount(values.indices, minlength=len(self.columns)).astype(np.float64)
        occurring: Floats = np.add.reduce(values != 0, axis=0, dtype=np.float64)
        return occurring


class ShardsInMemory:
    """A cache of the shards that a worker has read, for its next round; the oldest are removed when it is full."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._shards: dict[Any, Shard] = {}

    def shard(self, path: str, pages: Sequence[PageSpan]) -> Shard:
        key = path, tuple(map(tuple, pages))
        if key not in self._shards:
            shard = read_shard(path, pages)
            self._bytes += memory_of(shard.block)
            while self._shards and self._bytes > self._most_bytes:
                self._bytes -= memory_of(self._shards.pop(next(iter(self._shards))).block)
            self._shards[key] = shard
        return self._shards[key]


def read_shard(path: str, pages: Sequence[PageSpan]) -> Shard:
    with open(path, "rb") as file:
        blocks = [parsed_block(os.pread(file.fileno(), size, offset)) for offset, size in pages]
    block = join_blocks([_plain(block) for block in blocks])
    values: Any = block.values
    if not isinstance(values, Csr):
        return Shard(block, np.arange(values.shape[1]))
    if _SPARSE * values.entries < values.features:  # sorting is faster than a table of all columns
        columns, local_indices = np.unique(values.indices, return_inverse=True)
        local = Csr(values.indptr, local_indices.astype(np.int32), values.values, len(columns))
        return Shard(Block(local, block.labels, block.weights, targets=block.targets), columns.astype(np.int64))
    occurs = np.zeros(values.features, dtype=bool)
    occurs[values.indices] = True
    columns = np.flatnonzero(occurs)
    number = np.zeros(values.features, dtype=np.int32)
    number[columns] = np.arange(len(columns), dtype=np.int32)
    local = Csr(values.indptr, number[values.indices], values.values, len(columns))
    return Shard(Block(local, block.labels, block.weights, targets=block.targets), columns)


def _plain(block: Block) -> Block:
    """The block with numpy arrays."""
    values = block.values
    if isinstance(values, Csr):
        values = Csr(values.indptr, values.indices, values.values, values.features)
    return Block(values, block.labels, block.weights, targets=block.targets)
