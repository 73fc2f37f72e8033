"""Examples that later passes will read again: kept in memory while they are few, in a compact file when they are many.

A block is its arrays as they lie: row ends, column numbers (4 bytes), values (left out where all are 1, 4 bytes where
that is exact), labels, weights. Each carries a checksum, which is looked at whenever it is read.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels
from rosenblatt.errors import DataError
from rosenblatt.read.ordered import ordered
from rosenblatt.records import Block, Csr, Floats

IN_MEMORY = 64 << 20  # bytes
_SUM = 8  # bytes of the checksum, which comes first and is over all the rest
_HEAD = struct.Struct("<QQQQBBBB4x")  # rows, entries, features, bytes, sparse, values, weights, wide
_ONES, _SINGLE, _DOUBLE = range(3)


class Cache:
    """Blocks in order. The file has no name, so that nothing is left behind, whatever happens."""

    def __init__(self, folder: str | None, name: str, share: int = 1) -> None:
        self._folder, self._name, self._share = folder, name, share  # one of so many caches
        self._blocks: list[Block] = []
        self._bytes = 0
        self._file: Any = None
        self._places: list[tuple[int, int]] = []  # of the blocks in the file: offset, bytes
        self._exact = True  # all values so far were exact in 4 bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._blocks.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

    def append(self, block: Block) -> None:
        block = self._compact(block)
        if self._file is None:
            self._blocks.append(block)
            self._bytes += sum(array.nbytes for array in _arrays(block) if array is not None)
            if self._bytes <= IN_MEMORY // self._share:
                return
            self._file = _nameless(self._folder, self._name)
            for held in self._blocks:
                self._write(held)
            self._blocks.clear()
        else:
            self._write(block)

    def blocks(self, threads: int = 1) -> Iterator[Block]:
        """All of them from the beginning; a thread reads ahead where there are threads."""
        if self._file is None:
            yield from self._blocks
        else:
            self._file.flush()
            yield from ordered(iter(self._places), self._read, 2 if threads > 1 else 1)

    def _compact(self, block: Block) -> Block:
        """The same numbers in fewer bytes."""
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

    def _write(self, block: Block) -> None:
        stored = [array for array in _arrays(block) if array is not None and not _is_ones(array)]
        parts = [np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in stored]
        head = np.frombuffer(_head(block, sum(map(len, parts))), dtype=np.uint8)
        content = np.concatenate([head, *parts])
        offset = sum(self._places[-1]) if self._places else 0
        try:
            self._file.write(kernels.checksum(content).to_bytes(_SUM, "little"))
            self._file.write(content.data)
        except OSError as error:
            raise DataError(
                f"The cache of {self._name} cannot be written: {error.strerror}. "
                "Name a folder with more room as cache, or learn in one pass."
            ) from None
        self._places.append((offset, _SUM + len(content)))

    def _read(self, place: tuple[int, int]) -> Block:
        offset, size = place
        content = np.empty(size, dtype=np.uint8)
        got = os.preadv(self._file.fileno(), [content.data], offset)
        block = _block(content) if got == size else None
        if block is None:
            raise DataError(f"The cache of {self._name} is damaged: learn again, with another folder as cache.")
        return block


# All ones, shared by every block whose values are: nothing is stored for them.
_shared_ones: Floats = np.ones(1 << 12)


def ones(count: int) -> Floats:
    global _shared_ones
    if count > len(_shared_ones):
        _shared_ones = np.ones(2 * count)
    return _shared_ones[:count]


def _is_ones(array: NDArray[Any]) -> bool:
    return array.base is not None and array.base is _shared_ones


def _arrays(block: Block) -> list[NDArray[Any] | None]:
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


def _nameless(folder: str | None, name: str) -> Any:
    """An open file in the folder asked for, else beside the data, else where temporary files go."""
    import tempfile

    beside = str(Path(name).parent) if name != "-" else None
    for place in [folder] if folder is not None else [beside, None]:
        with suppress(OSError):
            return tempfile.TemporaryFile(dir=place, buffering=1 << 20)
    where = folder if folder is not None else "the folder for temporary files"
    raise DataError(f"The cache of {name} cannot be made in {where}: name another folder as cache.")
