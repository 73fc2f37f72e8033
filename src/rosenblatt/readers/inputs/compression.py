"""Compressed files, known by their first bytes: gzip, zstd, bzip2 and xz, decompressed as they are read."""

import importlib
import io
import sys
from typing import Any, BinaryIO

from rosenblatt.errors import DataError

_SIGNATURES = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_SKIPPABLE = b"\x2a\x4d\x18"  # bytes 1 to 3 of a zstd frame without data, such as a seek table; byte 0 is 0x50 to 0x5f
_OPENERS = {"gzip": ("gzip", "open"), "zstd": ("compression.zstd", "ZstdFile")}
_PIECE = 1 << 18
SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


def compression_of(start: bytes) -> str | None:
    """How a file is compressed, from its first eight bytes; None where it is not.

    >>> compression_of(bytes.fromhex("1f8b0800")), compression_of(b"+1 1:0.5")
    ('gzip', None)
    """
    if start[1:4] == _SKIPPABLE and 0x50 <= start[0] <= 0x5F:
        return "zstd"
    return next((name for signature, name in _SIGNATURES.items() if start.startswith(signature)), None)


def may_be_compressed(start: bytes) -> bool:
    """Whether more bytes may turn these first ones into those of a compressed file.

    >>> may_be_compressed(b"B"), may_be_compressed(b"BZh"), may_be_compressed(b"Bob")
    (True, False, False)
    """
    return any(signature != start and signature.startswith(start) for signature in _SIGNATURES)


class Decompressed(io.RawIOBase):
    """The bytes inside a compressed stream; damage is a DataError that names the file."""

    def __init__(self, name: str, compression: str, compressed: BinaryIO) -> None:
        self._name, self._compression = name, compression
        self._inner = _open(compression, compressed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except EOFError as error:
            raise DataError(
                f"{self._name}: ends in the middle of its {self._compression} data: it is truncated; "
                "copy or compress it again.",
                file=self._name,
            ) from error
        # Each module has its own errors for damaged data; an error of the disk is an OSError with an errno.
        except Exception as error:
            if isinstance(error, DataError | MemoryError) or getattr(error, "errno", None) is not None:
                raise
            raise DataError(
                f"{self._name}: its {self._compression} data are damaged; copy or compress the file again.",
                file=self._name,
            ) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()


def _open(compression: str, compressed: BinaryIO) -> BinaryIO:
    """The decompressor; its module is loaded only when a file needs it."""
    inner: Any
    if compression == "zstd" and sys.version_info < (3, 14):
        inner = _ArrowZstd(compressed)
    elif compression in ("bzip2", "xz"):
        inner = _Members(compression, compressed)
    else:
        module, name = _OPENERS[compression]
        inner = getattr(importlib.import_module(module), name)(compressed, mode="rb")
    file: BinaryIO = inner
    return file


class _Members:
    """The members of a bzip2 or xz file, one after the other. Python's own readers stop at anything after a member that
    is not one, so that a damaged file would pass for a shorter one."""

    def __init__(self, compression: str, compressed: BinaryIO) -> None:
        self._compressed, self._is_xz = compressed, compression == "xz"
        self._member = self._next_member()

    def _next_member(self) -> Any:
        if self._is_xz:
            import lzma

            return lzma.LZMADecompressor(lzma.FORMAT_XZ)
        import bz2

        return bz2.BZ2Decompressor()

    def read(self, size: int) -> bytes:
        while True:
            if self._member.eof and not self._begin_next():
                return b""
            more = self._compressed.read(_PIECE) if self._member.needs_input else b""
            if not more and self._member.needs_input:
                raise EOFError
            data: bytes = self._member.decompress(more, size)
            if data:
                return data

    def _begin_next(self) -> bool:
        """Whether another member follows; xz files may be padded with zeros."""
        rest = self._member.unused_data
        while True:
            rest = rest.lstrip(b"\x00") if self._is_xz else rest
            if rest:
                break
            rest = self._compressed.read(_PIECE)
            if not rest:
                return False
        self._member = self._next_member()
        self._member.decompress(rest, 0)
        return True

    def close(self) -> None:
        self._compressed.close()


class _ArrowZstd:
    """zstd through pyarrow, for a Python whose standard library has none."""

    def __init__(self, compressed: BinaryIO) -> None:
        import pyarrow

        self._compressed = _NotingEnd(compressed)
        self._stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(self._compressed, "rb"), "zstd")

    def read(self, size: int) -> bytes:
        try:
            data: bytes = self._stream.read(size)
            return data
        except OSError as error:
            if self._compressed.ended:  # pyarrow asked for more than there is
                raise EOFError from error
            raise

    def close(self) -> None:
        self._stream.close()


class _NotingEnd(io.RawIOBase):
    """A file that notes when a reader has come to its end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.ended = file, False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.ended = not data
        return data
