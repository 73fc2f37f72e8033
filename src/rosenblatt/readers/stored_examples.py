"""Examples that are too many for memory: in a temporary file, and read from there as often as they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.block_rows import memory_of
from rosenblatt.readers.cache.spill import SpillCache
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.read import Examples, are_labelled, count_features, gather, join_matrices
from rosenblatt.readers.source import ReadOptions, RereadError, Source
from rosenblatt.records import Block, Csr, FeatureSpace, Label

IN_MEMORY = 1 << 29  # bytes of examples that are not stored
BytesCallback: TypeAlias = Callable[[int, int | None], None]  # bytes read so far, and of how many


@dataclass(frozen=True, eq=False, repr=False)
class StoredExamples:
    """The examples of a file; `codes` has the position of each one's label in `labels`."""

    name: str
    space: FeatureSpace
    labels: list[Label]
    codes: NDArray[np.int32]
    features: int
    sparse: bool
    stored: SpillCache
    threads: int

    def matrices(self) -> Iterator[tuple[int, Any]]:
        """All rows from the beginning, a part at a time: how many rows came before it, and its matrix."""
        first = 0
        for block in self.stored.blocks(self.threads):
            yield first, join_matrices([block.values], self.features, always_sparse=self.sparse)
            first += block.rows


@contextmanager
def read_or_store(
    path: Paths,
    reading: ReadOptions,
    *,
    threads: int = 1,
    in_memory: int | None = None,
    on_bytes: BytesCallback = lambda done, total: None,
) -> Iterator[Examples | StoredExamples]:
    """The examples of a file as `read` gives them; stored where they need more than `in_memory` bytes."""
    source = open_source(path, reading)
    limit = IN_MEMORY if in_memory is None else in_memory
    with SpillCache(None, source.name) as cache, SpillCache(None, source.name) as second:
        try:
            examples = _read(source, cache, threads, limit, on_bytes)
        except RereadError:
            examples = _read(source, second, threads, limit, on_bytes)
        yield examples


def _read(
    source: Source, cache: SpillCache, threads: int, in_memory: int, on_bytes: BytesCallback
) -> Examples | StoredExamples:
    blocks: list[Block] = []
    codes: list[NDArray[np.int32]] = []
    features, size, sparse = 0, 0, False
    for block in source.blocks(threads):
        size += memory_of(block)
        blocks.append(block)
        if size > in_memory:
            for waiting in blocks:
                cache.append(waiting)
            blocks.clear()
        codes.append(block.labels)
        features = max(features, block.values.shape[1])
        sparse = sparse or isinstance(block.values, Csr)
        on_bytes(block.bytes_read, source.size)
    if size <= in_memory:
        return gather(source, blocks)
    every_code = np.concatenate(codes)
    are_labelled(source.name, every_code)
    features = max(features, count_features(source))
    return StoredExamples(source.name, source.space, source.labels, every_code, features, sparse, cache, threads)
