"""A cache that is kept: what was read of a file, as compact blocks in a file of its own, for the next fit.

It is used again only for the same file, read in the same way; then it gives the very chunks that the reader gave. What
has changed, is damaged or was made by another version is read from the data again.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rosenblatt import native
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.readers.cache.fingerprint import facts_of, is_young, times_of
from rosenblatt.readers.cache.pages import DamagedPageError, read_blocks, write_block
from rosenblatt.readers.feature_space import pack_space, unpack_space
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.source import BadRow, ReadOptions, Source, SourceWrapper
from rosenblatt.records import FeatureSpace, ParsedSourceBlock, SourceBlock
from rosenblatt.storage.container import container_bytes, parse_container
from rosenblatt.storage.header import Header
from rosenblatt.storage.tensors import Tensors, put_texts, read_array, read_texts
from rosenblatt.version import __version__

_LAYOUT = 2
_MAGIC = b"RBCACHE\x01"
_TAIL = 16 + len(_MAGIC)  # where the index begins, how long it is, and the end
_WHY = {
    "layout": "it was made by another version",
    "version": "it was made by another version",
    "reading": "it was read with other options",
    "data": "the file has changed since",
    "labels": "the file of labels has changed since",
}


@dataclass(frozen=True)
class CacheStatus:
    """What became of the cache that was to be kept: `made`, `reused`, `rebuilt` or `not kept`, and why."""

    path: str
    state: str
    why: str = ""


class DamagedCacheError(Exception):
    """A kept cache is not what was written: the data are read again."""


def open_cached(
    path: str | os.PathLike[str], reading: ReadOptions, folder: str | None, make: Callable[[], Source], why: str = ""
) -> CachedSource | CacheWriter:
    """The source of a file by way of its cache: out of it where it is there and fits, else `make` and into it."""
    opened = InputFile(path)
    name = opened.name
    if not opened.rewindable or opened.path is None:
        raise ParameterError(f"{name}: is a stream, which has no cache that could be kept: give a file.")
    where = cache_path(name, folder)
    fresh = identity(name, reading)
    if where.exists():
        try:
            kept = CachedSource(where, name)
            why = _difference(kept.of, identity(name, reading, kept.of))
            if not why:
                return kept
        except DamagedCacheError:
            why = "it was damaged"
    return CacheWriter(make(), where, fresh, why)


def cache_path(name: str, folder: str | None) -> Path:
    """Beside the file; in a folder for many files its name says which of them."""
    if folder is None:
        return Path(name + ".cache")
    if not Path(folder).is_dir():
        raise DataError(f"{name}: its cache cannot be kept in {folder!r}: there is no such folder.")
    from hashlib import sha256

    real = os.path.realpath(name)
    return Path(folder) / f"{os.path.basename(real)}-{sha256(os.fsencode(real)).hexdigest()[:8]}.cache"


def identity(name: str, reading: ReadOptions, like: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All that decides what a reader gives; `like` another one, as far as a choice is left."""

    def facts(path: str, key: str) -> dict[str, Any]:
        before = like.get(key) if like else None
        whole = bool(before.get("whole")) if isinstance(before, dict) else is_young(path)
        return facts_of(path, whole=whole)

    return {
        "layout": _LAYOUT,
        "version": __version__,
        "reading": {key: value for key, value in reading.as_json().items() if key != "labels_from"},
        "data": facts(name, "data"),
        "labels": None if reading.labels_from is None else facts(reading.labels_from, "labels"),
    }


def _difference(of: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Why a cache does not fit; empty where it does."""
    return next((why for key, why in _WHY.items() if of.get(key) != now[key]), "")


class CachedSource(Source):
    """The chunks of an earlier reading, out of its cache."""

    rewindable = True

    def __init__(self, where: Path, name: str) -> None:
        self.name, self._where = name, where
        try:
            self._file = where.open("rb", buffering=0)
            weakref.finalize(self, self._file.close)
            parse_container(_index(self._file), self._unpack, str(where))
        except (OSError, ModelError) as fault:
            raise DamagedCacheError(str(fault)) from None
        self.note = CacheStatus(str(where), "reused")

    def _unpack(self, header: Header, tensors: Tensors) -> None:
        if header.text("kind") != "cache":
            raise ModelError("it is no cache")
        self.of = header.section("of").values
        self.format, self.size = header.text("form"), header.count("size")
        self.labels = list(header.items("labels"))
        self._all_skipped = header.count("skipped")
        shift = len(header.text("name"))
        self._all_bad = [
            BadRow(row, self.name + sentence[shift:])
            for row, sentence in zip(
                header.counts("bad"), read_texts(tensors, "bad", len(header.items("bad"))), strict=True
            )
        ]
        self.skipped, self.bad_rows = 0, []
        self._space = unpack_space(header.section("space"), tensors)
        chunks = read_array(tensors, "chunks", np.int64, (header.count("chunks"), 4))
        self._chunks: list[list[int]] = chunks.tolist()

    @property
    def space(self) -> FeatureSpace:
        return self._space

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        self.skipped, self.bad_rows = self._all_skipped, list(self._all_bad)
        blocks = read_blocks(self._file.fileno(), [(offset, size) for offset, size, _, _ in self._chunks], threads)
        try:
            for block, (_, _, first_row, done) in zip(blocks, self._chunks, strict=True):
                yield ParsedSourceBlock(block.values, *block.buffers, first_row, done)
        except DamagedPageError:
            raise DamagedCacheError(str(self._where)) from None


class CacheWriter(SourceWrapper):
    """A source whose chunks are written to a cache as they are given; it takes its name when all of them were."""

    def __init__(self, source: Source, where: Path, of: Mapping[str, Any], why: str) -> None:
        super().__init__(source, rewindable=True)
        self._where, self._of, self._why = where, of, why
        self.note = CacheStatus(str(where), "not kept", "the file was not read to its end")

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        chunks = self._source.blocks(threads)
        if self.note.state != "not kept":  # all of them are written already
            return chunks
        return self._written(chunks)

    def _written(self, chunks: Iterator[SourceBlock]) -> Iterator[SourceBlock]:
        pages = _Pages(self._where)
        try:
            for chunk in chunks:
                pages.add(chunk)
                yield chunk
            self.note = self._finished(pages)
        finally:
            pages.discard()

    def _finished(self, pages: _Pages) -> CacheStatus:
        """Give the cache its name, unless something went wrong; the fit does not suffer from it."""
        kept = CacheStatus(str(self._where), "rebuilt" if self._why else "made", self._why)
        now = times_of(self.name)
        if now != {key: self._of["data"][key] for key in now}:
            pages.fault = "the file changed while it was read"
        if not pages.fault:
            tensors: Tensors = {}
            header = self._header(tensors, pages)
            pages.finish(container_bytes(header, tensors))
        return CacheStatus(str(self._where), "not kept", pages.fault) if pages.fault else kept

    def _header(self, tensors: Tensors, pages: _Pages) -> dict[str, Any]:
        source = self._source
        tensors["chunks"] = np.array(pages.entries, dtype=np.int64).reshape(-1, 4)
        put_texts(tensors, "bad", (bad.sentence for bad in source.bad_rows))
        return {
            "kind": "cache",
            "of": self._of,
            "name": source.name,
            "form": source.format,
            "size": source.size,
            "labels": list(source.labels),
            "skipped": source.skipped,
            "bad": [bad.row for bad in source.bad_rows],
            "space": pack_space(source.space, tensors),
            "chunks": len(pages.entries),
        }


class _Pages:
    """The cache while it is written, under another name; a fault of the disk is remembered and ends the writing."""

    def __init__(self, where: Path) -> None:
        self._where = where
        self._part = where.with_name(f".{where.name[:60]}.{os.getpid()}.part")
        self._file: BinaryIO | None = None
        self._packer = native.Packer()
        self._at = 0
        self.entries: list[tuple[int, int, int, int]] = []
        self.fault = ""

    def add(self, chunk: SourceBlock) -> None:
        if self.fault:
            return
        try:
            if self._file is None:
                self._file = self._part.open("wb")
            size = write_block(self._file.write, chunk, self._packer)
        except OSError as fault:
            self.fault = fault.strerror or str(fault)
            return
        self.entries.append((self._at, size, chunk.first_row, chunk.bytes_read))
        self._at += size

    def finish(self, index: bytes) -> None:
        assert self._file is not None
        try:
            self._file.write(index)
            self._file.write(self._at.to_bytes(8, "little") + len(index).to_bytes(8, "little") + _MAGIC)
            self._file.close()
            self._part.replace(self._where)
        except OSError as fault:
            self.fault = fault.strerror or str(fault)

    def discard(self) -> None:
        """Of what was not finished nothing is left behind."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                self._part.unlink(missing_ok=True)


def _index(file: BinaryIO) -> bytes:
    """The bytes of the index at the end; DamagedCacheError where there is none."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _TAIL, 0))
    tail = file.read(_TAIL)
    begin, length = (int.from_bytes(tail[i : i + 8], "little") for i in (0, 8))
    if tail[16:] != _MAGIC or begin + length + _TAIL != size:
        raise DamagedCacheError("it has no end")
    file.seek(begin)
    return file.read(length)
