"""A file or standard input, opened: its bytes as they lie, unpacked where they are packed, faults as sentences."""

from __future__ import annotations

import io
import os
import stat
import sys
import weakref
from collections.abc import Callable
from typing import Any, BinaryIO

from rosenblatt.errors import DataError
from rosenblatt.readers.compression import Unpacked, packing_of

HEAD = 1 << 16
_BUFFER = 1 << 18


class InputFile:
    """What a reader reads: `head` to know the format by, then `pread` at any place of a plain file, or a `stream`.

    `size` and the `done` of a stream count the bytes of the file as it lies, packed or not, so that their ratio says
    how far a reader has come. Only a regular file has a size, and only it can be read twice.
    """

    name: str  # as the user wrote it; '-' is standard input
    path: str | None
    size: int | None = None
    rewindable: bool = False
    compression: str | None
    head: bytes  # the first 64 KB, unpacked

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        self.path = None if self.name == "-" else self.name
        self._fd: int | None = None
        self._once: Stream | None = None  # of a pipe: its only stream, until it is given out
        self._more = self._open_stdin() if self.path is None else self._open_path(self.path)
        if self.rewindable:
            self.compression = packing_of(_filled(self._more, 8))
            with self.stream() as stream:
                self.head = stream.read(HEAD)
        else:
            # A pipe is waited for until it has given 64 KB, so that what is found in them never depends on its speed.
            start = _filled(self._more, 8)
            self.compression = packing_of(start)
            inner = self._stream(_Counted(self._more, start))
            self.head = inner.read(HEAD)
            self._once = Stream(_Counted(inner.read, self.head), inner, self)
        if not self.head:
            raise DataError(f"{self.name}: is empty: there are no examples in it.")

    @property
    def plain(self) -> bool:
        """Whether `pread` can be used: the bytes of the file are those of the examples."""
        return self.rewindable and self.compression is None

    def fileno(self) -> int:
        """The descriptor of a regular file; it stays open as long as this object lives."""
        if self._fd is None:
            raise ValueError("a pipe is read by its stream")
        return self._fd

    def pread(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes of a plain file from `offset`; fewer only at its end. Threads may read at once."""
        return _filled(_reader(self.fileno(), self.name, offset), size)

    def stream(self) -> Stream:
        """The unpacked bytes from the beginning: of a regular file as often as wanted, of a pipe once."""
        if self.rewindable:
            return self._stream(_Counted(_reader(self.fileno(), self.name)))
        if self._once is None:
            raise DataError(f"{self.name}: can be read only once; save it to a file and give that instead.")
        once, self._once = self._once, None
        return once

    def _stream(self, counted: _Counted) -> Stream:
        if self.compression is None:
            return Stream(counted, counted, self)
        packed: BinaryIO = io.BufferedReader(counted, _BUFFER)
        return Stream(Unpacked(self.name, self.compression, packed), counted, self)

    def _open_path(self, path: str) -> Callable[[int], bytes]:
        try:
            fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError as fault:
            raise DataError(_cannot_open(self.name, fault)) from fault
        weakref.finalize(self, os.close, fd)
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise DataError(f"{self.name}: is a directory; give the file in it that holds the examples.")
        self._learn(fd)
        return _reader(fd, self.name) if self.rewindable else _piped(lambda size: os.read(fd, size), self.name)

    def _open_stdin(self) -> Callable[[int], bytes]:
        stdin: Any = getattr(sys.stdin, "buffer", sys.stdin)
        if stdin is None or stdin.closed:
            raise DataError("-: standard input is closed; give a file instead.")
        try:
            fd = os.dup(stdin.fileno())
        except OSError:  # not a file of the system: what a test or a notebook put in its place
            return _piped(stdin.read, self.name)
        weakref.finalize(self, os.close, fd)
        if not stat.S_ISREG(os.fstat(fd).st_mode) or os.lseek(fd, 0, os.SEEK_CUR) != 0:
            # Not through the buffer of sys.stdin: a thread that waits in it would break the end of the interpreter.
            return _piped(lambda size: os.read(fd, size), self.name)
        self._learn(fd)  # `rosenblatt fit - < file`
        return _reader(fd, self.name)

    def _learn(self, fd: int) -> None:
        """A regular file can be rewound and has a size; anything else (a pipe, a device) is a stream."""
        facts = os.fstat(fd)
        if stat.S_ISREG(facts.st_mode):
            self._fd, self.size, self.rewindable = fd, facts.st_size, True


class Stream(io.BufferedReader):
    """Unpacked bytes in order; `done` is how many bytes of the file as it lies have been taken for them."""

    def __init__(self, raw: io.RawIOBase, counted: _Counted | Stream, opened: InputFile) -> None:
        super().__init__(raw, _BUFFER)
        self._counted = counted
        self._opened = opened  # the descriptor is closed with the last who needs it

    @property
    def done(self) -> int:
        return self._counted.done


class _Counted(io.RawIOBase):
    """A raw file over a function that gives the next bytes, after some that were taken already."""

    def __init__(self, more: Callable[[int], bytes], first: bytes = b"") -> None:
        self._more, self._first = more, first
        self.done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._first[: len(buffer)] or self._more(len(buffer))
        self._first = self._first[len(data) :]
        buffer[: len(data)] = data
        self.done += len(data)
        return len(data)


def _reader(fd: int, name: str, offset: int = 0) -> Callable[[int], bytes]:
    """The next bytes of a regular file, from a place of its own: other readers of the same file do not move it."""

    def more(size: int) -> bytes:
        nonlocal offset
        try:
            data = os.pread(fd, size, offset)
        except OSError as fault:
            raise DataError(_cannot_read(name, fault)) from fault
        offset += len(data)
        return data

    return more


def _piped(read: Callable[[int], bytes], name: str) -> Callable[[int], bytes]:
    def more(size: int) -> bytes:
        try:
            return read(size)
        except OSError as fault:
            raise DataError(_cannot_read(name, fault)) from fault

    return more


def _filled(more: Callable[[int], bytes], size: int) -> bytes:
    parts, missing = [], size
    while missing and (data := more(missing)):
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)


def _cannot_open(name: str, fault: OSError) -> str:
    if isinstance(fault, FileNotFoundError):
        return f"{name}: there is no such file; look at the path from the folder you are in."
    if isinstance(fault, PermissionError):
        return f"{name}: may not be read by you; ask its owner, or change its permissions."
    return _cannot_read(name, fault)


def _cannot_read(name: str, fault: OSError) -> str:
    return f"{name}: cannot be read: {fault.strerror or fault}."
