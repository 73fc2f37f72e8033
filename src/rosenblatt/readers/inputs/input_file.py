"""An input file or standard input: its bytes, decompressed where they are compressed."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, Protocol, TypeAlias

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.compression import Decompressed, compression_of, may_be_compressed

HEAD = 1 << 16
_BUFFER = 1 << 18
_PIPE_BYTES = 1 << 20  # that the system may store between the writer of a pipe and us
_TRIES, _PAUSE = 20, 0.01  # how often, and after how many seconds, to look for the rest of a line being written
_LINE_BYTES = 1 << 12  # read at a time while the first line of a live pipe is awaited

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]  # one input, or several
NativeSource: TypeAlias = int | native.JoinedFiles  # what the native parsers read at any offset
ReadMore = Callable[[int], bytes]  # gives up to this many further bytes, b"" at the end


class InputFile:
    """What a reader reads: `head`, from which the format is found, then `fileno` of a plain file, or a `stream`.

    `size` and the `bytes_read` of a stream count the bytes on the disk, compressed or not, so that their ratio says how
    far a reader has come. Only a regular file has a size, and only a regular file can be read twice.

    Reading a `live` pipe never waits for more than its next line: its head is its first line.
    """

    name: str  # as the user wrote it; '-' is standard input
    path: str | None
    inputs: Paths  # what was opened, to open it again
    size: int | None = None
    rewindable: bool = False
    compression: str | None
    head: bytes  # the first 64 KB, decompressed
    live: bool = False

    def __init__(self, path: str | os.PathLike[str], *, live: bool = False) -> None:
        self.name = self.inputs = os.fspath(path)
        self.path = None if self.name == "-" else self.name
        self._fd: int | None = None
        if not self.name:
            raise DataError("The name of the file is empty: name one, or '-' for standard input.")
        self._only_stream: Stream | None = None  # of a pipe, until it is taken
        self._unread = b""  # of a live pipe: what follows its head
        self._read_more: ReadMore = _read_nothing
        read_more = self._open_stdin() if self.path is None else self._open_path(self.path)
        start = _read_while(read_more, may_be_compressed) if live else _read_fully(read_more, 8)
        self.compression = compression_of(start)
        if self.rewindable:
            with self.stream() as stream:
                self.head = stream.read(HEAD)
        elif live and self.compression is None:
            self.live, self.head = True, b""
            self._unread, self._read_more = start, read_more
            while not _has_content(self.head) and self.lengthen_head():
                pass
        else:
            # Wait until a pipe has given 64 KB, so that the format found never depends on how fast it is.
            inner = self._decompress(_Counted(read_more, start))
            self.head = inner.read(HEAD)
            self._only_stream = Stream(_Counted(inner.read, self.head), inner, self)
        if not self.head:
            raise DataError(f"{self.name}: is empty: there are no examples in it.", file=self.name)

    def lengthen_head(self) -> bool:
        """Add the next line of a live pipe to its head, before the stream is taken; False at the end of the pipe."""
        while b"\n" not in self._unread and len(self._unread) < HEAD:
            more = self._read_more(_LINE_BYTES)
            if not more:
                break
            self._unread += more
        line = self._unread[: self._unread.find(b"\n") + 1] or self._unread
        self._unread = self._unread[len(line) :]
        self.head += line
        return bool(line)

    @property
    def first(self) -> InputFile:
        """The first of several files."""
        return self

    @property
    def plain(self) -> bool:
        """Whether the examples can be read at any offset of `fileno`: a regular file that is not compressed."""
        return self.rewindable and self.compression is None

    @property
    def length(self) -> int | None:
        """How many bytes the native parsers read."""
        return self.size

    def native_source(self) -> NativeSource:
        """A plain file for the native parsers."""
        return self.fileno()

    def random_access(self, format: str) -> Any:
        """What pyarrow opens to read a format that cannot be streamed."""
        return plain_path(self, format)

    def place(self, line: int) -> tuple[str, int]:
        """The name of the file that has this line of the whole, and the number of the line in it."""
        return self.name, line

    def leave_out_repeated_first_lines(self) -> None:
        """Where there are several files: leave out the first line of each that repeats the first line of all."""

    def warnings(self) -> list[str]:
        """What a person should know about the file after it was read, a sentence each."""
        if self._fd is None or self.size is None:
            return []
        grown = os.fstat(self._fd).st_size - self.size
        return [f"{self.name}: grew by {grown:,} bytes while it was read, which are left out."] if grown > 0 else []

    def fileno(self) -> int:
        """The descriptor of a regular file; it stays open as long as this object lives."""
        if self._fd is None:
            raise ValueError("a pipe is read by its stream")
        return self._fd

    def stream(self) -> Stream:
        """The decompressed bytes from the beginning: any number of times for a regular file, once for a pipe."""
        if self.rewindable:
            read_more = _read_at(self.fileno(), self.name, self.size, finish_line=self.compression is None)
            return self._decompress(_Counted(read_more))
        if self.live and self._read_more is not _read_nothing:
            counted = _Counted(self._read_more, self.head + self._unread)
            self._read_more = _read_nothing
            return Stream(counted, counted, self)
        if self._only_stream is None:
            raise DataError(f"{self.name}: can be read only once; save it to a file and read that.", file=self.name)
        stream, self._only_stream = self._only_stream, None
        return stream

    def _decompress(self, counted: _Counted) -> Stream:
        if self.compression is None:
            return Stream(counted, counted, self)
        compressed: BinaryIO = io.BufferedReader(counted, _BUFFER)
        return Stream(Decompressed(self.name, self.compression, compressed), counted, self)

    def _open_path(self, path: str) -> ReadMore:
        try:
            fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError as error:
            raise cannot_read(self.name, error) from error
        weakref.finalize(self, os.close, fd)
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise DataError(
                f"{self.name}: is a directory; give the file in it that holds the examples.", file=self.name
            )
        self._use_regular_file(fd)
        if self.rewindable:
            return _read_at(fd, self.name, self.size)
        _widen_pipe(fd)
        return _read_pipe(lambda size: os.read(fd, size), self.name)

    def _open_stdin(self) -> ReadMore:
        stdin: Any = getattr(sys.stdin, "buffer", sys.stdin)
        if stdin is None or stdin.closed:
            raise DataError("-: standard input is closed; give a file instead.", file="-")
        try:
            fd = os.dup(stdin.fileno())
        except OSError:  # replaced by an object without a descriptor, in a test or a notebook
            return _read_pipe(stdin.read, self.name)
        weakref.finalize(self, os.close, fd)
        if not stat.S_ISREG(os.fstat(fd).st_mode) or os.lseek(fd, 0, os.SEEK_CUR) != 0:
            _widen_pipe(fd)
            # Not through the buffer of sys.stdin: a thread blocked in it would crash the interpreter at its exit.
            return _read_pipe(lambda size: os.read(fd, size), self.name)
        self._use_regular_file(fd)  # `rosenblatt fit - < file`
        return _read_at(fd, self.name, self.size)

    def _use_regular_file(self, fd: int) -> None:
        """A regular file can be rewound and has a size; anything else (a pipe, a device) is a stream."""
        status = os.fstat(fd)
        if stat.S_ISREG(status.st_mode):
            self._fd, self.size, self.rewindable = fd, status.st_size, True


TABLE_NAME = "the table"  # how messages name rows that are in memory or in a cluster


class MemoryFile(InputFile):
    """Examples in memory, with the interface of a file; `data` holds them if they are lines."""

    def __init__(self, name: str, size: int, data: bytes = b"") -> None:
        self.name, self.path, self.size, self.rewindable = name, None, size, True
        self.inputs, self._fd = name, None
        self.compression, self.head, self._data = None, data[:HEAD], data

    @property
    def plain(self) -> bool:
        return False

    def stream(self) -> Stream:
        counted = _Counted(io.BytesIO(self._data).read)
        return Stream(counted, counted, self)


class Counting(Protocol):
    """Anything that counts the bytes read from the disk."""

    @property
    def bytes_read(self) -> int: ...


class Stream(io.BufferedReader):
    """Decompressed bytes in order; `bytes_read` counts the bytes on the disk that they came from."""

    def __init__(self, raw: io.RawIOBase, counted: Counting, file: InputFile) -> None:
        super().__init__(raw, _BUFFER)
        self._counted = counted
        self._file = file  # keeps the descriptor open

    @property
    def bytes_read(self) -> int:
        return self._counted.bytes_read

    @property
    def file_name(self) -> str:
        return self._file.name


class _Counted(io.RawIOBase):
    """A raw file over a function that reads more bytes, after some that were read already; it counts them."""

    def __init__(self, read_more: ReadMore, start: bytes = b"") -> None:
        self._read_more, self._start = read_more, start
        self.bytes_read: int = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start[: len(buffer)] or self._read_more(len(buffer))
        self._start = self._start[len(data) :]
        buffer[: len(data)] = data
        self.bytes_read += len(data)
        return len(data)


def _read_at(fd: int, name: str, end: int | None, *, finish_line: bool = False) -> ReadMore:
    """Read a regular file at its own offset, which other readers of the descriptor do not move.

    A file that ends before the `end` that it had was cut meanwhile: what is left of it must not pass for the whole.
    What is appended meanwhile is not read, so that every pass reads the same; with `finish_line` only the rest of a
    line that had been written in part.
    """
    offset, in_line = 0, False

    def read_more(size: int) -> bytes:
        nonlocal offset, in_line
        try:
            data = os.pread(fd, size if end is None else max(min(size, end - offset), 0), offset)
            if finish_line and not data and size and in_line:
                data = _rest_of_line(fd, size, offset, wait=offset != end)
        except OSError as error:
            raise cannot_read(name, error) from error
        if size and not data and offset < (end or 0):
            raise cannot_read(name, OSError(0, "the file became shorter while it was read"))
        offset += len(data)
        in_line = not data.endswith(b"\n") if data else in_line
        return data

    return read_more


def _rest_of_line(fd: int, size: int, offset: int, *, wait: bool) -> bytes:
    """More of a line whose writer has not ended it yet; `wait` a moment for one that is writing it."""
    for _ in range(_TRIES if wait else 1):
        if data := os.pread(fd, size, offset):
            return b"".join(data.partition(b"\n")[:2])
        time.sleep(_PAUSE if wait else 0.0)
    return b""


def _read_pipe(read: ReadMore, name: str) -> ReadMore:
    def read_more(size: int) -> bytes:
        try:
            return read(size)
        except OSError as error:
            raise cannot_read(name, error) from error

    return read_more


def _widen_pipe(fd: int) -> None:
    """Let the writer of a pipe run ahead, so that one read gives as many lines as there are; where the system can."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _read_nothing(size: int) -> bytes:
    return b""


def _has_content(head: bytes) -> bool:
    """Whether a head has a line that is neither blank nor a comment, or is long enough without one."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    return len(head) >= HEAD or any(line.strip() and not line.startswith(b"#") for line in lines)


def _read_while(read_more: ReadMore, needs_more: Callable[[bytes], bool]) -> bytes:
    """The first bytes: as many as `needs_more` wants, or all there are."""
    data = b""
    while needs_more(data) and (more := read_more(_LINE_BYTES)):
        data += more
    return data


def _read_fully(read_more: ReadMore, size: int) -> bytes:
    parts, missing = [], size
    while missing and (data := read_more(missing)):
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)


def counted_stream(file: InputFile, read_more: ReadMore) -> Stream:
    """The decompressed bytes that come from a function which reads more of the file."""
    return file._decompress(_Counted(read_more))


def plain_path(file: InputFile, format: str) -> str:
    """The path of a file of a format that cannot be streamed; DataError for a stream or a compressed file.

    A file that is standard input, as in `fit - < table.parquet`, has one as well where the system names descriptors.
    """
    of_descriptor = f"/dev/fd/{file.fileno()}" if file.path is None and file.plain else ""
    if of_descriptor and os.path.exists(of_descriptor):
        return of_descriptor
    if file.path is None or not file.plain:
        raise DataError(
            f"{file.name}: {format} is read from a plain file, not from a stream or a compressed file; "
            "save or decompress it and give that file.",
            file=file.name,
        )
    return file.path


def cannot_read(name: str, error: OSError) -> DataError:
    """The error for a file that the operating system cannot open or read."""
    if isinstance(error, FileNotFoundError):
        what = "no such file; check the path"
    elif isinstance(error, PermissionError):
        what = "permission denied"
    else:
        what = f"cannot be read: {error.strerror or error}"
    return DataError(f"{name}: {what}.", file=name)
