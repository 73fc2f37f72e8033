"""The arrays in an npy or npz file: their shapes are read at once, their numbers when they are needed.

Nothing is mapped into memory, because another program may shorten the file. A header may be wrong: the file must have
all the numbers of an array, and the memory room for an array that is loaded whole.
"""

from __future__ import annotations

import io
import os
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import IO, Any

from rosenblatt.available_memory import why_too_large
from rosenblatt.errors import DataError
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.inputs.input_file import InputFile, cannot_read

_NPY = b"\x93NUMPY"
_LONGEST_HEADER = 1 << 16


def stored_arrays(file: InputFile) -> Mapping[str, StoredArray]:
    """The arrays of a plain file by name; an npy file has one, named ''."""
    with damage_refused(file.name):
        if file.head.startswith(_NPY):
            return {"": NpyArray(file)}
        archive = io.BufferedReader(_Raw(file))
        if not zipfile.is_zipfile(archive):
            raise ValueError("it is neither an npy nor an npz file")
        members = zipfile.ZipFile(archive)
        return {
            member.filename.removesuffix(".npy"): NpzArray(file.name, members, member) for member in members.infolist()
        }


@contextmanager
def damage_refused(name: str) -> Iterator[None]:
    """Whatever numpy, zipfile and the decompressors raise for damaged bytes, as a DataError that names the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy warns of headers that it had to repair
            yield
    except (DataError, MemoryError):
        raise
    except Exception as error:
        why = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise DataError(f"{name}: cannot be read: {why}.", file=name) from error


class StoredArray:
    """What the header of an npy file says: the shape and type of an array, and where its numbers begin."""

    def __init__(self, npy: IO[bytes], size: int) -> None:
        version = np.lib.format.read_magic(npy)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        self.shape, self.by_columns, self.dtype = read_header(npy)
        if self.dtype.hasobject:
            raise ValueError(
                "it holds pickled Python objects, which are never loaded; save plain arrays of numbers or words"
            )
        self.start = npy.tell()
        self.nbytes = prod(self.shape) * self.dtype.itemsize
        if min(self.shape, default=0) < 0 or self.start + self.nbytes > size:
            raise ValueError(f"it is cut off: an array of the shape {self.shape} does not fit in it")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def load(self) -> Any:
        """The array, or an object that gives some of its rows."""
        raise NotImplementedError


class NpyArray(StoredArray):
    """A matrix that fills an npy file; `[start:stop]` reads these rows."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(io.BytesIO(file.head[:_LONGEST_HEADER]), file.size or 0)
        self._file = file
        self._latest: tuple[slice | None, NDArray[Any]] = None, np.empty(0)

    def load(self) -> NpyArray:
        return self

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        if rows != self._latest[0]:  # the values of some rows are often asked for just before their labels
            self._latest = rows, self._read(*rows.indices(self.shape[0])[:2])
        return self._latest[1]

    def _read(self, start: int, stop: int) -> NDArray[Any]:
        (n_rows, columns), count = self.shape, max(stop - start, 0)
        if not self.by_columns:
            numbers = np.empty((count, columns), dtype=self.dtype)
            self._fill(numbers, start * columns)
            return numbers
        numbers = np.empty((columns, count), dtype=self.dtype)
        for column in range(columns):
            self._fill(numbers[column], column * n_rows + start)
        return numbers.T

    def _fill(self, numbers: NDArray[Any], first: int) -> None:
        buffer = numbers.reshape(-1).view(np.uint8).data
        offset, done = self.start + first * self.dtype.itemsize, 0
        while done < len(buffer):
            try:
                count = _read_into(self._file.fileno(), buffer[done:], offset + done)
            except OSError as error:
                raise cannot_read(self._file.name, error) from error
            if count == 0:
                raise cannot_read(self._file.name, OSError(0, "the file became shorter while it was read"))
            done += count


class NpzArray(StoredArray):
    """An array in an npz file, loaded whole."""

    def __init__(self, file_name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        self._file_name, self._archive, self._member = file_name, archive, member
        with archive.open(member) as npy:
            super().__init__(npy, member.file_size)

    def load(self) -> NDArray[Any]:
        why = why_too_large(self.nbytes)
        if why is not None:
            raise DataError(
                f"{self._file_name}: its array {self._member.filename!r} needs {why}; save it as an npy file.",
                file=self._file_name,
            )
        with damage_refused(self._file_name), self._archive.open(self._member) as npy:
            array: NDArray[Any] = np.lib.format.read_array(npy, allow_pickle=False)
            return array


class _Raw(io.RawIOBase):
    """A plain file with a read position of its own, as zipfile needs it."""

    def __init__(self, file: InputFile) -> None:
        self._file, self._at = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._file.size or 0}[whence]
        self._at = max(start + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        count = _read_into(self._file.fileno(), buffer, self._at)
        self._at += count
        return count


def _read_into(fd: int, buffer: memoryview, offset: int) -> int:
    if hasattr(os, "preadv"):
        return os.preadv(fd, [buffer], offset)
    data = os.pread(fd, len(buffer), offset)  # macOS
    buffer[: len(data)] = data
    return len(data)
