"""Blocks of examples as bytes: what caches are made of.

A block is its arrays as they lie: row ends, column numbers (2 bytes where that is enough), values (left out where all
are 1; in 2 or 4 bytes where that is exact), labels, weights. Each carries a checksum, which is looked at whenever it is
read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from rosenblatt import kernels
from rosenblatt.later import np
from rosenblatt.learn.decimals import Decimals, divided
from rosenblatt.records import Block, Csr, Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

Place: TypeAlias = tuple[int, int]  # of a block in a file: offset, bytes
_SUM = 8  # bytes of the checksum, which comes first and is over all the rest
_HEAD = struct.Struct("<QQQBBBBB3x")  # rows, entries, features; then kinds: layout, values, places, weights, indices
_KINDS: tuple[Any, ...] = (None, "float32", "float64", "int16", "int32")  # of values; None: all are 1
_WIDTHS: tuple[Any, ...] = ("int32", "int64", "uint16")  # of column numbers


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


def write_block(write: Callable[[Any], Any], block: Block, decimals: Decimals) -> int:
    """Write a block; how many bytes it took."""
    values = block.values
    if isinstance(values, Csr):
        entries, sparse = len(values.indices), True
        indices, numbers = _narrow(values.indices, values.features), _short(values.values, decimals)
        arrays = [np.asarray(values.indptr, dtype=np.int64), block.weights, indices, numbers, block.labels]
    else:
        entries, sparse = 0, False
        indices, numbers = np.empty(0, dtype=np.int32), values
        arrays = [block.weights, values, block.labels]
    kind = 0 if numbers is None else _KINDS.index(numbers.dtype.name)
    flags = sparse, kind, decimals.places if kind > 2 else 0, block.weights is not None
    head = _HEAD.pack(values.shape[0], entries, values.shape[1], *flags, _WIDTHS.index(indices.dtype.name))
    parts = [np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in _widest_first(arrays)]
    content = kernels.room(len(head) + sum(map(len, parts)))
    np.concatenate([np.frombuffer(head, dtype=np.uint8), *parts], out=content)
    write(kernels.checksum(content).to_bytes(_SUM, "little"))
    write(content.data)
    return _SUM + len(content)


def _widest_first(arrays: list[Any]) -> list[Any]:
    """So that each begins at a multiple of its own width."""
    return sorted((array for array in arrays if array is not None), key=lambda array: -array.itemsize)


def _narrow(indices: NDArray[Any], features: int) -> NDArray[Any]:
    return kernels.narrowed(indices) if features <= 1 << 16 and indices.dtype == np.int32 else indices


def _short(values: NDArray[Any], decimals: Decimals) -> NDArray[Any] | None:
    if _is_ones(values):
        return None
    if values.dtype != np.float64:
        return values
    found = decimals.whole(values)
    return values if found is None else found


def read_block(fd: int, place: Place) -> Block | None:
    """The block that lies there; None if it is damaged."""
    offset, size = place
    content = kernels.room(size)
    got = os.preadv(fd, [content.data], offset)
    while 0 < got < size and (more := os.preadv(fd, [content.data[got:]], offset + got)):
        got += more
    return _block(content) if got == size else None


# All ones, shared by every block whose values are: nothing is stored for them.
_shared_ones: Floats | None = None


def ones(count: int) -> Floats:
    global _shared_ones
    if _shared_ones is None or count > len(_shared_ones):
        _shared_ones = np.ones(2 * count)
    return _shared_ones[:count]


def _is_ones(array: NDArray[Any]) -> bool:
    return array.base is not None and array.base is _shared_ones


def bytes_of(block: Block) -> int:
    """What a block takes in memory."""
    values = block.values
    arrays = [values.indptr, values.indices, values.values] if isinstance(values, Csr) else [values]
    return sum(array.nbytes for array in (*arrays, block.labels, block.weights) if array is not None)


def _block(content: NDArray[np.uint8]) -> Block | None:
    """The block that lies in these bytes; None if its checksum is not theirs."""
    if kernels.checksum(content[_SUM:]) != int.from_bytes(content[:_SUM].tobytes(), "little"):
        return None
    rows, entries, features, sparse, kind, places, weighed, width = _HEAD.unpack_from(content.data, _SUM)
    if not sparse:
        values, weights, labels = _taken(
            content, [(_KINDS[kind], rows * features), (np.float64, rows * weighed), (np.int32, rows)]
        )
        return Block(values.reshape(rows, features), labels, weights if weighed else None)
    shapes = [
        (np.int64, rows + 1),
        (np.float64, rows * weighed),
        (_WIDTHS[width], entries),
        (_KINDS[kind] or "int16", entries if kind else 0),
        (np.int32, rows),
    ]
    indptr, weights, indices, values, labels = _taken(content, shapes)
    if indices.dtype == np.uint16:
        indices = kernels.widened(indices)
    if kind == 0:
        values = ones(entries)
    elif kind > 2:
        values = divided(values, places)
    return Block(Csr(indptr, indices, values, features), labels, weights if weighed else None)


def _taken(content: NDArray[np.uint8], shapes: list[tuple[Any, int]]) -> list[Any]:
    """Arrays of these dtypes and lengths, in the order they were named; they lie widest first."""
    at = _SUM + _HEAD.size
    found: list[Any] = [None] * len(shapes)
    for i in sorted(range(len(shapes)), key=lambda i: -np.dtype(shapes[i][0]).itemsize):
        dtype, count = shapes[i]
        found[i] = content[at : at + count * np.dtype(dtype).itemsize].view(dtype)
        at += found[i].nbytes
    return found
