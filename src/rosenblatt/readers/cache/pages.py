"""Blocks of examples as pages, packed and checksummed by the native core: what caches are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.records import Block, Csr, ParsedBlock, ParsedCsr

Place: TypeAlias = tuple[int, int]  # of a page in a file: offset, bytes
_READERS = 3  # threads that keep up with any learner


class DamagedPageError(Exception):
    """What was read is not what was written."""


def write_block(write: Callable[[Any], Any], block: Block, packer: native.Packer) -> int:
    """Write a block; how many bytes it took."""
    page = packer.page(native.laid(block.values), *block.buffers)
    write(page)
    return len(page)


def read_blocks(fd: int, places: list[Place], threads: int = 1) -> Iterator[Block]:
    """The blocks that lie there; other threads read ahead where there are threads."""
    ahead = native.pages_ahead(fd, places, min(threads, _READERS))
    try:
        while (page := ahead.next()) is not None:
            yield _block(*page)
            del page  # its memory is free while the next is waited for
    except (OSError, ValueError) as fault:
        raise DamagedPageError(str(fault)) from None
    finally:
        del ahead  # its threads end before the file is closed


def _block(arrays: tuple[Any, ...], labels: Any, weights: Any, checked: native.Rows | None) -> Block:
    if len(arrays) == 1:
        return ParsedBlock(np.asarray(arrays[0]), labels, weights)
    indptr, indices, values, features = arrays
    return ParsedBlock(ParsedCsr(indptr, indices, values, features, checked), labels, weights)


def bytes_of(block: Block) -> int:
    """What a block takes in memory."""
    arrays = block.values.buffers if isinstance(block.values, Csr) else (block.values,)
    return sum(memoryview(array).nbytes for array in (*arrays, *block.buffers) if array is not None)
