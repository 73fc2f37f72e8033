"""Blocks of examples as bytes: what caches are made of.

A block is its arrays as they lie: row ends, column numbers (4 bytes), values (left out where all are 1, 4 bytes where
that is exact), labels, weights. Each carries a checksum, which is looked at whenever it is read.
"""

import os
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels
from rosenblatt.records import Block, Csr, Floats

Place: TypeAlias = tuple[int, int]  # of a block in a file: offset, bytes
_SUM = 8  # bytes of the checksum, which comes first and is over all the rest
_HEAD = struct.Struct("<QQQQBBBB4x")  # rows, entries, features, bytes, sparse, values, weights, wide
_ONES, _SINGLE, _DOUBLE = range(3)


class Compactor:
    """The same numbers in fewer bytes, as long as that is exact."""

    def __init__(self) -> None:
        self._exact = True  # all values so far were exact in 4 bytes

    def compact(self, block: Block) -> Block:
        values = block.values
        if isinstance(values, Csr):
            kept = Csr(values.indptr, values.indices, self._shorter(values.values), values.features)
            return Block(kept, block.labels, block.weights)
        return block

    def _shorter(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype != np.float64 or not self._exact:
            return values
        if len(values) and values[0] == 1.0 and (values == 1.0).all():
            return ones(len(values))
        with np.errstate(over="ignore"):  # what is too large for a float is not equal to it
            single = values.astype(np.float32)
        self._exact = bool((single == values).all())
        return single if self._exact else values


def write_block(write: Callable[[Any], Any], block: Block) -> int:
    """Write a block; how many bytes it took."""
    stored = [array for array in arrays_of(block) if array is not None and not _is_ones(array)]
    parts = [np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in stored]
    head = np.frombuffer(_head(block, sum(map(len, parts))), dtype=np.uint8)
    content = np.concatenate([head, *parts])
    write(kernels.checksum(content).to_bytes(_SUM, "little"))
    write(content.data)
    return _SUM + len(content)


def read_block(fd: int, place: Place) -> Block | None:
    """The block that lies there; None if it is damaged."""
    offset, size = place
    content = np.empty(size, dtype=np.uint8)
    got = os.preadv(fd, [content.data], offset)
    while 0 < got < size and (more := os.preadv(fd, [content.data[got:]], offset + got)):
        got += more
    return _block(content) if got == size else None


# All ones, shared by every block whose values are: nothing is stored for them.
_shared_ones: Floats = np.ones(1 << 12)


def ones(count: int) -> Floats:
    global _shared_ones
    if count > len(_shared_ones):
        _shared_ones = np.ones(2 * count)
    return _shared_ones[:count]


def _is_ones(array: NDArray[Any]) -> bool:
    return array.base is not None and array.base is _shared_ones


def arrays_of(block: Block) -> list[NDArray[Any] | None]:
    """Widest first, so that each begins at a multiple of its own width."""
    if not isinstance(block.values, Csr):
        return [block.weights, block.values, block.labels]
    values = block.values
    wide = [values.values] if values.values.itemsize == 8 else []
    narrow = [] if wide else [values.values]
    index = values.indices
    first, then = ([index], []) if index.itemsize == 8 else ([], [index])
    return [np.asarray(values.indptr, dtype=np.int64), block.weights, *first, *wide, *then, *narrow, block.labels]


def _head(block: Block, size: int) -> bytes:
    values = block.values
    rows, features = values.shape
    array = values.values if isinstance(values, Csr) else values
    kind = _ONES if _is_ones(array) else _SINGLE if array.dtype == np.float32 else _DOUBLE
    entries, wide = (len(values.indices), values.indices.itemsize == 8) if isinstance(values, Csr) else (0, False)
    flags = isinstance(values, Csr), kind, block.weights is not None, wide
    return _HEAD.pack(rows, entries, features, size, *flags)


def _block(content: NDArray[np.uint8]) -> Block | None:
    """The block that lies in these bytes; None if its checksum is not theirs."""
    if kernels.checksum(content[_SUM:]) != int.from_bytes(content[:_SUM].tobytes(), "little"):
        return None
    rows, entries, features, _, sparse, kind, weighed, wide = _HEAD.unpack_from(content.data, _SUM)
    at = _SUM + _HEAD.size

    def take(dtype: Any, count: int) -> NDArray[Any]:
        nonlocal at
        found: NDArray[Any] = content[at : at + count * np.dtype(dtype).itemsize].view(dtype)
        at += found.nbytes
        return found

    if not sparse:
        weights = take(np.float64, rows) if weighed else None
        dense = take(np.float32 if kind == _SINGLE else np.float64, rows * features).reshape(rows, features)
        return Block(dense, take(np.int32, rows), weights)
    indptr = take(np.int64, rows + 1)
    weights = take(np.float64, rows) if weighed else None
    indices = take(np.int64, entries) if wide else None
    values = take(np.float64, entries) if kind == _DOUBLE else None
    indices = take(np.int32, entries) if indices is None else indices
    if values is None:
        values = ones(entries) if kind == _ONES else take(np.float32, entries)
    return Block(Csr(indptr, indices, values, features), take(np.int32, rows), weights)
