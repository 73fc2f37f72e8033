"""A cache for later passes: blocks in memory while they are few, in a temporary file when they are many."""

import os
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.readers.cache.pages import DamagedPageError, PageSpan, bytes_of, read_blocks, write_block
from rosenblatt.records import Block

IN_MEMORY = 64 << 20  # bytes


class SpillCache:
    """Blocks in order. The temporary file has no name, so that nothing is left behind, whatever happens."""

    def __init__(self, folder: str | None, name: str, share: int = 1) -> None:
        self._folder, self._name = folder, name
        self._in_memory = IN_MEMORY // share  # where this is one of several caches
        self._blocks: list[Block] = []
        self._bytes = 0
        self._file: Any = None
        self._pages: list[PageSpan] = []
        self._packer = native.Packer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._blocks.clear()
        if self._file is not None:
            with suppress(OSError):  # what could not be flushed is no longer needed
                self._file.close()
            self._file = None

    def append(self, block: Block, share_read: float = 0.0) -> None:
        """Add a block, after which `share_read` of the data is read: if many more will come, none stays in memory."""
        if self._file is not None:
            self._write(block)
            return
        self._blocks.append(block)
        self._bytes += bytes_of(block)
        many_to_come = len(self._blocks) == 1 and self._bytes > 2 * self._in_memory * share_read > 0
        if self._bytes > self._in_memory or many_to_come:
            self._file = _temporary_file(self._folder, self._name)
            for earlier in self._blocks:
                self._write(earlier)
            self._blocks.clear()

    def blocks(self, threads: int = 1) -> Iterator[Block]:
        """All blocks from the beginning; native threads read the file ahead."""
        if self._file is None:
            yield from self._blocks
            return
        try:
            self._file.flush()
        except OSError as error:
            raise self._cannot_write(error) from None
        try:
            yield from read_blocks(self._file.fileno(), self._pages, threads)
        except DamagedPageError:
            raise DataError(
                f"The cache of {self._name} is damaged: learn again, with another folder as {option('cache')}.",
                file=self._name,
            ) from None

    def _write(self, block: Block) -> None:
        offset = sum(self._pages[-1]) if self._pages else 0
        try:
            size = write_block(self._file.write, block, self._packer)
        except OSError as error:
            raise self._cannot_write(error) from None
        self._pages.append((offset, size))

    def _cannot_write(self, error: OSError) -> DataError:
        return DataError(
            f"The cache of {self._name} cannot be written: {error.strerror}. "
            f"Name a folder with more space as {option('cache')}, or learn in one pass.",
            file=self._name,
        )


def _temporary_file(folder: str | None, name: str) -> Any:
    """An open file in this folder; by default beside the data, or where temporary files go."""
    import tempfile

    beside = (os.path.dirname(name) or ".") if name != "-" else None
    for place in [folder] if folder is not None else [beside, None]:
        with suppress(OSError):
            return tempfile.TemporaryFile(dir=place, buffering=1 << 16)  # pages are larger, and go unbuffered
    where = folder if folder is not None else "the folder for temporary files"
    raise DataError(
        f"The cache of {name} cannot be created in {where}: name another folder as {option('cache')}.", file=name
    )
