"""Packed files, known by their first bytes: gzip, zstd, bzip2 and xz, unpacked as they are read."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any, BinaryIO

from rosenblatt.errors import DataError

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_FILES = {
    "gzip": ("gzip", "open"),
    "zstd": ("compression.zstd", "ZstdFile"),
    "bzip2": ("bz2", "BZ2File"),
    "xz": ("lzma", "LZMAFile"),
}
SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


def packing_of(start: bytes) -> str | None:
    """How a file is packed, from its first eight bytes; None where it is not.

    >>> packing_of(bytes.fromhex("1f8b0800")), packing_of(b"+1 1:0.5")
    ('gzip', None)
    """
    return next((packing for magic, packing in _MAGIC.items() if start.startswith(magic)), None)


class Unpacked(io.RawIOBase):
    """The bytes inside a packed stream; damage is a DataError that names the file."""

    def __init__(self, name: str, packing: str, packed: BinaryIO) -> None:
        self._name, self._packing = name, packing
        self._inner = _inner(packing, packed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except EOFError as fault:
            raise DataError(
                f"{self._name}: ends in the middle of its {self._packing} data; "
                "it is truncated, so copy or pack it again."
            ) from fault
        # Each module has errors of its own for damaged data; a fault of the disk is an OSError with an errno.
        except Exception as fault:
            if isinstance(fault, DataError | MemoryError) or getattr(fault, "errno", None) is not None:
                raise
            raise DataError(
                f"{self._name}: its {self._packing} data are damaged; copy or pack the file again."
            ) from fault
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()


def _inner(packing: str, packed: BinaryIO) -> BinaryIO:
    """The unpacker of a packing; its module is loaded only when a file needs it."""
    found: Any
    if packing == "zstd" and sys.version_info < (3, 14):
        found = _Frames(packed)
    else:
        module, name = _FILES[packing]
        found = getattr(importlib.import_module(module), name)(packed, mode="rb")
    inner: BinaryIO = found
    return inner


class _Frames:
    """zstd through pyarrow."""

    def __init__(self, packed: BinaryIO) -> None:
        import pyarrow

        self._stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(packed, "rb"), "zstd")

    def read(self, size: int) -> bytes:
        try:
            more: bytes = self._stream.read(size)
            return more
        except OSError as fault:
            if "Truncated" in str(fault):
                raise EOFError from fault
            raise

    def close(self) -> None:
        self._stream.close()
