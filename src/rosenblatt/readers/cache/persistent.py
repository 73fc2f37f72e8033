"""A persistent cache: the blocks of a file, packed in a second file, for the next fit.

It is used again only for the same file, read in the same way; then it gives exactly the blocks that the reader gave. A
cache that is damaged, out of date, or of another version is made again from the data.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rosenblatt import native
from rosenblatt.atomic import Replacement
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.readers.cache.fingerprint import fingerprint, is_young, size_and_times
from rosenblatt.readers.cache.pages import DamagedPageError, read_blocks, write_block
from rosenblatt.readers.inputs.expand_paths import find_files, name_of
from rosenblatt.readers.inputs.input_file import InputFile, Paths
from rosenblatt.readers.source import BadRow, ReadOptions, Source, SourceWrapper
from rosenblatt.readers.stored_feature_space import pack_space, unpack_space
from rosenblatt.records import Block, FeatureSpace, ParsedCsr, ParsedSourceBlock, SourceBlock
from rosenblatt.storage.checked_header import Header
from rosenblatt.storage.container import container_bytes, parse_container
from rosenblatt.storage.tensors import Tensors, put_texts, read_array, read_texts
from rosenblatt.version import __version__

_LAYOUT = 5
_END_MARK = b"RBCACHE\x01"
_TAIL = 16 + len(_END_MARK)  # the offset of the index, its length, and the mark
# The parts of an identity, and what it means that one of them differs.
_DIFFERENCES = {
    "layout": "it was made by another version",
    "version": "it was made by another version",
    "reading": "it was read with other options",
    "data": "the file has changed since",
    "labels": "the file of labels has changed since",
}


@dataclass(frozen=True)
class CacheStatus:
    """What became of the persistent cache: `made`, `reused`, `rebuilt` or `not kept`, and why."""

    path: str
    state: str
    why: str = ""


class DamagedCacheError(Exception):
    """The content of a persistent cache is not what was written: read the data again."""


def open_cached(
    inputs: Paths,
    reading: ReadOptions,
    folder: str | None,
    open_data: Callable[[], Source],
    why_rebuild: str = "",
) -> CachedSource | CacheWriter:
    """The source of a file through its cache: read from it where it is valid, otherwise written to it."""
    name, paths = name_of(inputs), [file.path for file in find_files(inputs)]
    for path in paths:
        file = InputFile(path)
        if not file.rewindable or file.path is None:
            raise ParameterError(f"{path}: is a stream, which cannot have a persistent cache: give a file.")
    cache = cache_path(paths, folder)
    current = identity(paths, reading)
    if cache.exists() and _is_foreign(cache, paths):
        why_rebuild = "it belongs to another user"
    elif cache.exists():
        try:
            cached = CachedSource(cache, name, inputs)
            why_rebuild = _difference(cached.identity, identity(paths, reading, cached.identity))
            if not why_rebuild:
                return cached
        except DamagedCacheError:
            why_rebuild = "it was damaged"
    return CacheWriter(open_data(), cache, current, why_rebuild, paths, reading.labels_from)


def _is_foreign(cache: Path, paths: Sequence[str]) -> bool:
    """In a shared folder anybody may put a cache; one of another user is not trusted, unless the data are theirs."""
    if not hasattr(os, "geteuid"):
        return False
    owners = {os.stat(path).st_uid for path in paths}
    return cache.stat().st_uid not in {0, os.geteuid(), *(owners if len(owners) == 1 else ())}


def _permissions(paths: Sequence[str], labels_from: str | None) -> int:
    """Who may read the cache: only those who may read all that is in it."""
    mode = 0o666
    for path in (*paths, *([] if labels_from is None else [labels_from])):
        with suppress(OSError):
            mode &= os.stat(path).st_mode
    return mode


def cache_path(paths: Sequence[str], folder: str | None) -> Path:
    """Beside the data by default; in a folder for the caches of many files, with a hash of the path of the data.

    The cache of several files is named after the first of them, with a hash of all paths.
    """
    name = paths[0]
    if folder is None and len(paths) == 1:
        return Path(name + ".cache")
    if folder is not None and not Path(folder).is_dir():
        raise DataError(
            f"{name}: its cache cannot be kept in {folder!r}: there is no such folder; create it, or name another.",
            file=name,
        )
    from hashlib import sha256

    real = [os.path.realpath(path) for path in paths]
    digest = sha256(os.fsencode("\0".join(real))).hexdigest()[:8]
    return Path(folder or os.path.dirname(name)) / f"{os.path.basename(real[0])}-{digest}.cache"


def identity(paths: Sequence[str], reading: ReadOptions, other: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All that the blocks of a file depend on; with checksums over the whole content where `other` has such ones."""

    def fingerprint_of(path: str, before: Any) -> dict[str, Any]:
        all_content = bool(before.get("whole")) if isinstance(before, dict) else is_young(path)
        return fingerprint(path, all_content=all_content)

    before = other.get("data") if other else None
    many = len(paths) > 1
    parts_before = before if isinstance(before, list) and len(before) == len(paths) else [before] * len(paths)
    fingerprints = [fingerprint_of(path, part) for path, part in zip(paths, parts_before, strict=True)]
    labels_before = other.get("labels") if other else None
    return {
        "layout": _LAYOUT,
        "version": __version__,
        "reading": {key: value for key, value in reading.as_json().items() if key != "labels_from"},
        "data": fingerprints if many else fingerprints[0],
        "labels": None if reading.labels_from is None else fingerprint_of(reading.labels_from, labels_before),
    }


def _difference(cached: Mapping[str, Any], current: Mapping[str, Any]) -> str:
    """Why a cache is not valid; empty where it is."""
    return next((why for key, why in _DIFFERENCES.items() if cached.get(key) != current[key]), "")


class CachedSource(Source):
    """The blocks of an earlier reading, from the cache."""

    rewindable = True

    def __init__(self, cache: Path, name: str, inputs: Paths) -> None:
        self.name, self._inputs, self._cache = name, inputs, cache
        try:
            self._file = cache.open("rb", buffering=0)
            weakref.finalize(self, self._file.close)
            self._end = os.fstat(self._file.fileno()).st_size
            parse_container(_read_index(self._file), self._unpack, str(cache))
        except (OSError, ModelError) as error:
            raise DamagedCacheError(str(error)) from None
        self.status = CacheStatus(str(cache), "reused")

    def _unpack(self, header: Header, tensors: Tensors) -> None:
        if header.text("kind") != "cache":
            raise ModelError("it is not a cache")
        self.identity = header.section("of").values
        self.format, self.size = header.text("form"), header.count("size")
        self.labels = list(header.items("labels"))
        self.task = "number" if header.text("task") == "number" else "classes"
        self._all_skipped = header.count("skipped")
        by_file = header.section("skipped_by_file")
        self._all_skipped_by_file = {file: by_file.count(file) for file in by_file.values}
        old_name = header.text("name")  # a sentence about a single file begins with the file's old name
        rows, sentences = header.counts("bad"), read_texts(tensors, "bad", len(header.items("bad")))
        self._all_bad_rows = [
            BadRow(row, self.name + sentence.removeprefix(old_name) if sentence.startswith(old_name) else sentence)
            for row, sentence in zip(rows, sentences, strict=True)
        ]
        self.skipped, self.bad_rows, self.skipped_by_file = 0, [], {}
        self._space = unpack_space(header.section("space"), tensors)
        pages = read_array(tensors, "chunks", np.int64, (header.count("chunks"), 4))
        if len(pages) and (pages.min() < 0 or (pages[:, 0] > self._end).any() or (pages[:, 1] > self._end).any()):
            raise ModelError("a page lies outside the file")
        self._pages: list[list[int]] = pages.tolist()  # offset, bytes, first row, bytes read

    @property
    def inputs(self) -> Paths:
        return self._inputs

    @property
    def space(self) -> FeatureSpace:
        return self._space

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        self.skipped, self.bad_rows = self._all_skipped, list(self._all_bad_rows)
        self.skipped_by_file = self._all_skipped_by_file
        blocks = read_blocks(self._file.fileno(), [(offset, size) for offset, size, _, _ in self._pages], threads)
        try:
            for block, (_, _, first_row, bytes_read) in zip(blocks, self._pages, strict=True):
                self._check(block)
                yield ParsedSourceBlock(
                    block.values, *block.buffers, first_row, bytes_read, targets=block.target_buffer
                )
        except DamagedPageError:
            raise DamagedCacheError(str(self._cache)) from None

    def _check(self, block: Block) -> None:
        """DamagedPageError unless its rows and labels can be learned: another program may have written the cache."""
        labels = np.asarray(block.buffers[0])
        n_labels = 1 if self.task == "number" else len(self.labels)
        in_list = len(labels) == 0 or -1 <= labels.min() <= labels.max() < n_labels
        targets = block.target_buffer
        if (self.task == "number") != (targets is not None) or not np.isfinite(
            [] if targets is None else targets
        ).all():
            raise DamagedPageError
        if not in_list or (isinstance(block.values, ParsedCsr) and block.values.checked_rows is None):
            raise DamagedPageError


class CacheWriter(SourceWrapper):
    """A source that writes each block to a cache as it goes; the cache gets its name after the last block."""

    def __init__(
        self,
        source: Source,
        cache: Path,
        identity: Mapping[str, Any],
        why_rebuild: str = "",
        paths: Sequence[str] = (),
        labels_from: str | None = None,
    ) -> None:
        super().__init__(source, rewindable=True)
        self._paths = paths
        self._cache, self._identity, self._why_rebuild = cache, identity, why_rebuild
        self._labels_from = labels_from
        self.status = CacheStatus(str(cache), "not kept", "the file was not read to its end")

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        blocks = self._source.blocks(threads)
        already_written = self.status.state != "not kept"
        return blocks if already_written else self._write(blocks)

    def _write(self, blocks: Iterator[SourceBlock]) -> Iterator[SourceBlock]:
        file = _UnfinishedCache(self._cache, _permissions(self._paths, self._labels_from))
        try:
            for block in blocks:
                file.add(block)
                yield block
            self.status = self._finish(file)
        finally:
            file.discard()

    def _finish(self, file: _UnfinishedCache) -> CacheStatus:
        """Give the cache its name; errors are only noted, because the fit does not need the cache."""
        before = self._identity["data"] if len(self._paths) > 1 else [self._identity["data"]]
        for path, was in zip(self._paths, before, strict=True):
            if any(was[key] != value for key, value in size_and_times(path).items()):
                file.failure = "the file changed while it was read"
        if not file.failure:
            tensors: Tensors = {}
            header = self._header(tensors, file)
            file.finish(container_bytes(header, tensors))
        if file.failure:
            return CacheStatus(str(self._cache), "not kept", file.failure)
        return CacheStatus(str(self._cache), "rebuilt" if self._why_rebuild else "made", self._why_rebuild)

    def _header(self, tensors: Tensors, file: _UnfinishedCache) -> dict[str, Any]:
        source = self._source
        tensors["chunks"] = np.array(file.pages, dtype=np.int64).reshape(-1, 4)
        put_texts(tensors, "bad", (bad.sentence for bad in source.bad_rows))
        return {
            "kind": "cache",
            "of": self._identity,
            "name": source.name,
            "form": source.format,
            "size": source.size,
            "labels": list(source.labels),
            "task": source.task or "classes",
            "skipped": source.skipped,
            "skipped_by_file": dict(source.skipped_by_file),
            "bad": [bad.row for bad in source.bad_rows],
            "space": pack_space(source.space, tensors),
            "chunks": len(file.pages),
        }


class _UnfinishedCache:
    """A cache while it is written, under a temporary name; an error of the disk is noted and ends the writing."""

    def __init__(self, cache: Path, mode: int) -> None:
        self._cache, self._mode = cache, mode
        self._replacement: Replacement | None = None
        self._packer = native.Packer()
        self._offset = 0
        self.pages: list[tuple[int, int, int, int]] = []  # offset, bytes, first row, bytes read
        self.failure = ""

    def add(self, block: SourceBlock) -> None:
        if self.failure:
            return
        try:
            if self._replacement is None:
                self._replacement = Replacement(self._cache, self._mode)
            size = write_block(self._replacement.file.write, block, self._packer)
        except OSError as error:
            self.failure = error.strerror or str(error)
            return
        self.pages.append((self._offset, size, block.first_row, block.bytes_read))
        self._offset += size

    def finish(self, index: bytes) -> None:
        assert self._replacement is not None
        file = self._replacement.file
        try:
            file.write(index)
            file.write(self._offset.to_bytes(8, "little") + len(index).to_bytes(8, "little") + _END_MARK)
            self._replacement.commit()
        except OSError as error:
            self.failure = error.strerror or str(error)

    def discard(self) -> None:
        """Remove what was not finished."""
        if self._replacement is not None:
            self._replacement.discard()


def _read_index(file: BinaryIO) -> bytes:
    """The index at the end of a cache; DamagedCacheError where there is none."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _TAIL, 0))
    tail = file.read(_TAIL)
    offset, length = (int.from_bytes(tail[i : i + 8], "little") for i in (0, 8))
    if tail[16:] != _END_MARK or offset + length + _TAIL != size:
        raise DamagedCacheError("it has no end")
    file.seek(offset)
    return file.read(length)
