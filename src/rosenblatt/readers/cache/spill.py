"""Examples that later passes read again: in memory while they are few, in a compact file when they are many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.readers.cache.pages import DamagedPageError, Place, bytes_of, read_blocks, write_block
from rosenblatt.records import Block

IN_MEMORY = 64 << 20  # bytes


class SpillCache:
    """Blocks in order. The file has no name, so that nothing is left behind, whatever happens."""

    def __init__(self, folder: str | None, name: str, share: int = 1) -> None:
        self._folder, self._name = folder, name
        self._in_memory = IN_MEMORY // share  # one of so many caches
        self._blocks: list[Block] = []
        self._bytes = 0
        self._file: Any = None
        self._places: list[Place] = []
        self._packer = native.Packer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._blocks.clear()
        if self._file is not None:
            with suppress(OSError):  # what could not be written is not wanted any more
                self._file.close()
            self._file = None

    def append(self, block: Block, read: float = 0.0) -> None:
        """One more block. The first one may be said to be such a share of all: many more are not gathered in memory."""
        if self._file is None:
            self._blocks.append(block)
            self._bytes += bytes_of(block)
            many = len(self._blocks) == 1 and self._bytes > 2 * self._in_memory * read > 0
            if self._bytes <= self._in_memory and not many:
                return
            self._file = _nameless(self._folder, self._name)
            for held in self._blocks:
                self._write(held)
            self._blocks.clear()
        else:
            self._write(block)

    def blocks(self, threads: int = 1) -> Iterator[Block]:
        """All of them from the beginning; other threads read ahead where there are threads."""
        if self._file is None:
            yield from self._blocks
            return
        try:
            self._file.flush()
        except OSError as error:
            raise self._unwritten(error) from None
        try:
            yield from read_blocks(self._file.fileno(), self._places, threads)
        except DamagedPageError:
            raise DataError(
                f"The cache of {self._name} is damaged: learn again, with another folder as cache."
            ) from None

    def _write(self, block: Block) -> None:
        offset = sum(self._places[-1]) if self._places else 0
        try:
            size = write_block(self._file.write, block, self._packer)
        except OSError as error:
            raise self._unwritten(error) from None
        self._places.append((offset, size))

    def _unwritten(self, error: OSError) -> DataError:
        return DataError(
            f"The cache of {self._name} cannot be written: {error.strerror}. "
            "Name a folder with more room as cache, or learn in one pass."
        )


def _nameless(folder: str | None, name: str) -> Any:
    """An open file in the folder asked for, else beside the data, else where temporary files go."""
    import tempfile

    beside = (os.path.dirname(name) or ".") if name != "-" else None
    for place in [folder] if folder is not None else [beside, None]:
        with suppress(OSError):
            return tempfile.TemporaryFile(dir=place, buffering=1 << 16)  # pages are larger, and go as they are
    where = folder if folder is not None else "the folder for temporary files"
    raise DataError(f"The cache of {name} cannot be made in {where}: name another folder as cache.")
