"""Blocks of examples as pages, packed and checksummed by the native core: what caches are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.records import Block, Csr, ParsedBlock, ParsedCsr

PageSpan: TypeAlias = tuple[int, int]  # the offset of a page in a file, and its bytes
_READERS = 3  # threads; with more, no learner is faster


class DamagedPageError(Exception):
    """The content of a page is not what was written."""


def write_block(write: Callable[[Any], Any], block: Block, packer: native.Packer) -> int:
    """Write a block; the number of bytes written."""
    page = packer.page(native.contiguous_rows(block.values), *block.buffers, block.target_buffer)
    write(page)
    return len(page)


def read_blocks(fd: int, pages: list[PageSpan], threads: int = 1) -> Iterator[Block]:
    """The blocks in these pages; native threads read ahead."""
    ahead = native.read_pages_ahead(fd, pages, min(threads, _READERS))
    try:
        while (page := ahead.next()) is not None:
            yield _block(*page)
            del page  # its memory is free while the next is awaited
    except (OSError, ValueError) as error:
        raise DamagedPageError(str(error)) from None
    finally:
        del ahead  # its threads end before the file is closed


def parsed_block(page: bytes) -> Block:
    """The examples of a page in memory."""
    try:
        arrays, labels, weights, targets, checked = native.open_page(memoryview(page).cast("B"))
    except ValueError as error:
        raise DamagedPageError(str(error)) from None
    return _block(arrays, labels, weights, targets, checked)


def parsed_page(page: Any) -> tuple[ParsedCsr, Any, Any]:
    """The sparse rows of a page in memory, their labels and weights."""
    try:
        arrays, labels, weights, _, checked = native.open_page(memoryview(page).cast("B"))
        indptr, indices, values, features = arrays
    except ValueError as error:
        raise DamagedPageError(str(error)) from None
    return ParsedCsr(indptr, indices, values, features, checked), labels, weights


def _block(arrays: tuple[Any, ...], labels: Any, weights: Any, targets: Any, checked: native.Rows | None) -> Block:
    if len(arrays) == 1:
        return ParsedBlock(np.asarray(arrays[0]), labels, weights, targets=targets)
    indptr, indices, values, features = arrays
    return ParsedBlock(ParsedCsr(indptr, indices, values, features, checked), labels, weights, targets=targets)


def bytes_of(block: Block) -> int:
    """The memory that a block takes."""
    arrays = block.values.buffers if isinstance(block.values, Csr) else (block.values,)
    return sum(
        memoryview(array).nbytes for array in (*arrays, *block.buffers, block.target_buffer) if array is not None
    )
