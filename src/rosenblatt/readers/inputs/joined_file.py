"""Several files as one: what a reader reads is the same as if they had been written one after another into one file."""

from __future__ import annotations

import io
import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.expand_paths import NamedFile, find_files, name_of
from rosenblatt.readers.inputs.input_file import HEAD, InputFile, Paths, Stream
from rosenblatt.readers.inputs.remote_file import RemoteFile, is_http, is_url

_OPEN_FILES = 256  # that stay open, so that native threads can read at any place in them; more are opened in turn
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PIECE = 1 << 20


@dataclass
class Part:
    """One of the files."""

    file: NamedFile
    size: int | None
    plain: bool
    head: bytes  # of the first few parts; b"" of the others, whose heads would fill the memory
    first_line: bytes
    opened: InputFile | None  # None: opened when it is read
    skipped: int = 0  # bytes left out at its beginning
    lacks_newline: bool = False

    @property
    def name(self) -> str:
        return self.file.path

    def open(self) -> InputFile:
        return self.opened or open_one(self.name)


class JoinedFile(InputFile):
    """At least two files, none of them empty. Only the first has a byte order mark."""

    def __init__(self, inputs: Paths, parts: Sequence[Part]) -> None:
        self.inputs, self.name, self.path, self.parts = inputs, name_of(inputs), None, list(parts)
        self.rewindable = all(part.size is not None for part in parts)
        self.size = sum(part.size or 0 for part in parts) if self.rewindable else None
        self.compression = None
        self._fd = None
        self._plain = all(part.plain and part.opened is not None for part in parts)
        for part in parts[1:]:
            part.skipped = len(_BYTE_ORDER_MARK) if part.first_line.startswith(_BYTE_ORDER_MARK) else 0
        self._native: native.JoinedFiles | None = None
        self._lines_before = [0]  # each part whose beginning is known
        self.head = self._joined_head()

    def _joined_head(self) -> bytes:
        head = b""
        for part in self.parts:
            if len(head) >= HEAD or (head and not part.head):
                break
            head += b"\n" * (bool(head) and not head.endswith(b"\n")) + part.head[part.skipped :]
            if len(part.head) >= HEAD:
                break
        return head[:HEAD]

    @property
    def first(self) -> InputFile:
        return self.parts[0].open()

    @property
    def plain(self) -> bool:
        return self._plain

    @property
    def length(self) -> int | None:
        return self.native_source().size if self._plain else None

    def native_source(self) -> native.JoinedFiles:
        if self._native is None:
            self._native = native.JoinedFiles()
            for part in self.parts:
                assert part.opened is not None
                assert part.size is not None
                fd = part.opened.fileno()
                part.lacks_newline = part is not self.parts[-1] and os.pread(fd, 1, part.size - 1) != b"\n"
                if part.size > part.skipped:
                    self._native.add(fd, part.skipped, part.size, part.lacks_newline)
        return self._native

    def stream(self) -> Stream:
        joined = _JoinedStream(self)
        return Stream(joined, joined, self)

    def leave_out_repeated_first_lines(self) -> None:
        first = self.parts[0].first_line.removeprefix(_BYTE_ORDER_MARK).rstrip(b"\r\n")
        for part in self.parts[1:]:
            if part.first_line[part.skipped :].rstrip(b"\r\n") == first:
                part.skipped = len(part.first_line)

    def place(self, line: int) -> tuple[str, int]:
        """Lines are counted when the first one is asked for; a stream counts its lines as it is read."""
        lines_before = self._lines_before
        while self._plain and lines_before[-1] < line and len(lines_before) < len(self.parts):
            self._count_lines(self.parts[len(lines_before) - 1])
        k = bisect_right(lines_before, line - 1) - 1
        part = self.parts[k]
        return part.name, line - lines_before[k] + (1 if part.skipped > len(_BYTE_ORDER_MARK) else 0)

    def _count_lines(self, part: Part) -> None:
        with part.open().stream() as stream:
            stream.read(part.skipped)
            count = int(part.lacks_newline)
            while data := stream.read(_PIECE):
                count += data.count(b"\n")
        self.lines_end(self._lines_before[-1] + count)

    def lines_end(self, lines: int) -> None:
        """The next part begins after so many lines of the whole."""
        self._lines_before.append(lines)

    def warnings(self) -> list[str]:
        return [warning for part in self.parts if part.opened is not None for warning in part.opened.warnings()]


class _JoinedStream(io.RawIOBase):
    """The bytes of all parts in order; it counts their lines."""

    def __init__(self, file: JoinedFile) -> None:
        self._file = file
        self._part = -1
        self._stream: Stream | None = None
        self._bytes_before = self._lines = 0
        self._last = b"\n"

    @property
    def bytes_read(self) -> int:
        return self._bytes_before + (self._stream.bytes_read if self._stream is not None else 0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _read(self, size: int) -> bytes:
        while True:
            data = b"" if self._stream is None else self._stream.read1(size)
            if data:
                self._lines += data.count(b"\n")
                self._last = data[-1:]
                return data
            if self._part + 1 == len(self._file.parts):
                return b""
            if self._last != b"\n":
                self._lines += 1
                self._last = b"\n"
                return b"\n"
            self._begin_next()

    def _begin_next(self) -> None:
        if self._stream is not None:
            self._bytes_before += self._stream.bytes_read
            self._stream.close()
        self._part += 1
        part = self._file.parts[self._part]
        if self._part and len(self._file._lines_before) == self._part:
            self._file.lines_end(self._lines)
        self._stream = part.open().stream()
        self._stream.read(part.skipped)


def open_one(path: str) -> InputFile:
    if is_http(path):
        from rosenblatt.readers.inputs.http_file import HttpFile  # loads urllib

        return HttpFile(path)
    return RemoteFile(path) if is_url(path) else InputFile(path)


def open_inputs(inputs: Paths, check: Callable[[InputFile], None]) -> InputFile:
    """The file, or all the files as one; empty ones among the files of a folder or a pattern are left out.

    Each is passed to `check` while it is open: of many files not all stay open.
    """
    files = find_files(inputs)
    if len(files) == 1 and not files[0].keys:
        return open_one(files[0].path)
    parts: list[Part] = []
    head_bytes = 0
    for file in files:
        if not file.named and os.path.isfile(file.path) and os.path.getsize(file.path) == 0:
            continue
        opened = open_one(file.path)
        check(opened)
        newline = opened.head.find(b"\n")
        keep = not opened.rewindable or len(files) <= _OPEN_FILES
        part = Part(
            file,
            opened.size,
            opened.plain,
            opened.head if head_bytes < HEAD else b"",
            opened.head[: newline + 1] or opened.head,
            opened if keep else None,
        )
        head_bytes += len(opened.head)
        parts.append(part)
    if not parts:
        name = name_of(inputs)
        raise DataError(f"{name}: all files are empty: there are no examples in them.", file=name)
    _refuse_other_keys(parts)
    if len(parts) == 1 and not parts[0].file.keys:
        return parts[0].open()
    return JoinedFile(inputs, parts)


def _refuse_other_keys(parts: Sequence[Part]) -> None:
    """Either all files lie in folders that name the same columns, or none does."""
    first = parts[0]
    for part in parts:
        if list(part.file.keys) != list(first.file.keys):
            named = [", ".join(f"{key}=" for key in other.file.keys) or "no key" for other in (part, first)]
            raise DataError(
                f"{part.name}: its folders name {named[0]}, and those of {first.name} {named[1]}; give files whose "
                "folders name the same columns.",
                file=part.name,
            )
