"""Damage in SQLite's write-ahead log, the pages not yet in the database: https://sqlite.org/fileformat2.html#walformat

SQLite takes the first frame with a wrong checksum for the end of the log, and silently drops everything after it. If a
page went bad on the disk, acknowledged examples would be lost that way. A frame's checksum continues from that of the
frame before it, so each frame can be checked by itself.
"""

from __future__ import annotations

import os
import shutil
import struct
import sys
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from rosenblatt.lazy import np

_HEADER, _FRAME_HEADER = 32, 24
_MAGIC = 0x377F0682  # the last bit: whether checksums are of big-endian words
_OF_THIS_MACHINE = _MAGIC | (sys.byteorder == "big")
_PAGE_SIZE = 4096  # SQLite's own choice
_SHARED_HEADER = struct.Struct("=16xI12x8s56xI")  # of the index in shared memory
_ATTEMPTS = 3


class _Index(NamedTuple):
    """The index that the process which wrote the frames left in shared memory."""

    n_committed: int
    salt: bytes
    n_copied: int  # frames whose pages are in the database


class _Frames(NamedTuple):
    """The frames of one use of the file: SQLite rewrites it from the beginning, each time with another salt."""

    header_is_whole: bool  # if not, SQLite takes the file for empty
    page_size: int
    pages: Any  # page number of each frame
    sizes: Any  # pages of the database after the frame if it ends a transaction, else 0
    is_whole: Any
    contents: Any
    salt: bytes

    @property
    def first_damaged(self) -> int:
        if not self.header_is_whole:
            return 0
        wrong = np.flatnonzero(~self.is_whole)
        return int(wrong[0]) if len(wrong) else len(self.pages)

    @property
    def ends(self) -> Any:
        """The frames that end a transaction."""
        return np.flatnonzero((self.sizes > 0) & self.is_whole)

    def n_committed(self, index: _Index | None) -> int:
        """How many frames are committed: a failed transaction leaves frames too. If the index is lost, those up to the
        end of the last undamaged transaction."""
        if index is not None and index.salt == self.salt:
            return index.n_committed if self.header_is_whole or index.n_copied < index.n_committed else 0
        return int(self.ends[-1]) + 1 if len(self.ends) else 0


def damage_of(path: str) -> str | None:
    """What is damaged in the write-ahead log of the database at this path; None if nothing is."""
    for _ in range(_ATTEMPTS):
        index = _index(path)  # before the frames: another process may be writing more of them
        frames = _frames(path, index)
        n_committed = frames.n_committed(index)
        if frames.first_damaged >= n_committed:
            return None
        again = _frames(path, _index(path))  # unless another process has just begun to write it from the beginning
        if again.salt == frames.salt:
            n_wrong = n_committed - int(frames.is_whole[:n_committed].sum())
            damaged = f"{n_wrong:,} of its {n_committed:,} pages" if n_wrong else "its header"
            return f"{path}-wal: {damaged} cannot be read back"
    return None


def merge(path: str, target: str) -> None:
    """Copy the database with all undamaged pages of its write-ahead log, up to the end of the last transaction."""
    shutil.copyfile(path, target)
    index = _index(path)
    frames = _frames(path, index)
    ends = frames.ends
    ends = ends[ends < frames.n_committed(index)]
    if not len(ends):
        return
    last = int(ends[-1])
    with open(target, "r+b") as file:
        for k in np.flatnonzero(frames.is_whole[: last + 1]).tolist():
            file.seek((int(frames.pages[k]) - 1) * frames.page_size)
            file.write(frames.contents[k].tobytes())
        file.truncate(int(frames.sizes[last]) * frames.page_size)


def page_size_of(path: str) -> int:
    """The page size of the database, or SQLite's default if its header is damaged."""
    with suppress(OSError), open(path, "rb") as file:
        size = int.from_bytes(file.read(18)[16:], "big")
        size = 65536 if size == 1 else size
        if size >= 512 and not size & (size - 1):
            return size
    return _PAGE_SIZE


def _index(path: str) -> _Index | None:
    with suppress(OSError), open(f"{path}-shm", "rb") as file:
        head = file.read(_SHARED_HEADER.size)
        if len(head) == _SHARED_HEADER.size and head[:48] == head[48:96]:  # it is stored twice
            return _Index(*_SHARED_HEADER.unpack(head))
    return None


def _frames(path: str, index: _Index | None) -> _Frames:
    try:
        with open(f"{path}-wal", "rb") as file:
            data = file.read()
    except FileNotFoundError:
        data = b""
    header = data[:_HEADER].ljust(_HEADER, b"\0")
    magic, _, page_size = struct.unpack(">III", header[:12])
    order = ">u4" if magic & 1 else "<u4"
    first = np.frombuffer(header, ">u4", 2, 24)[None, :]
    of_header = _checksums(np.zeros((1, 2), np.uint32), np.frombuffer(header, order, 6)[None, :].astype(np.uint32))
    is_header = magic & ~1 == _MAGIC and bool((of_header == first).all())
    if not is_header:
        page_size, order = page_size_of(path), f"{'>' if _OF_THIS_MACHINE & 1 else '<'}u4"
    frame_size = _FRAME_HEADER + page_size
    n = max(len(data) - _HEADER, 0) // frame_size  # none if the process was killed after the header
    frames = np.frombuffer(data[_HEADER : _HEADER + n * frame_size], np.uint8).reshape(n, frame_size)
    heads = np.ascontiguousarray(frames[:, :_FRAME_HEADER]).view(">u4")
    is_whole = _are_whole(frames, heads, first, order)
    if is_header:
        salt = header[16:24]
    elif index is not None:
        salt = index.salt
    else:
        salt = frames[int(np.argmax(is_whole)), 8:16].tobytes() if n else b""
    is_ours = (frames[:, 8:16] == np.frombuffer(salt.ljust(8, b"\0"), np.uint8)).all(axis=1)
    n = int(np.flatnonzero(is_ours)[-1]) + 1 if is_ours.any() else 0
    whole = (is_whole & is_ours)[:n]
    return _Frames(is_header, page_size, heads[:n, 0], heads[:n, 1], whole, frames[:n, _FRAME_HEADER:], salt)


def _are_whole(frames: Any, heads: Any, first: Any, order: str) -> Any:
    """Whether the checksum of each frame continues from that of the frame before it, or from `first`."""
    if not len(frames):
        return np.zeros(0, dtype=bool)
    words = np.concatenate([frames[:, :8], frames[:, _FRAME_HEADER:]], axis=1).view(order)
    before = np.concatenate([first, heads[:-1, 4:6]]).astype(np.uint32)
    return (_checksums(before, words.astype(np.uint32)) == heads[:, 4:6]).all(axis=1)


def _checksums(before: Any, words: Any) -> Any:
    """The checksum of each row of words: for each pair x, y of them a += x + b, then b += y + a. It is linear modulo
    2^32."""
    of_state, of_words = _coefficients(words.shape[1])
    return before @ of_state + words @ of_words


@cache
def _coefficients(n_words: int) -> tuple[Any, Any]:
    """What the state before, and each word, contribute to the two sums."""
    step = np.array([[1, 1], [1, 2]], np.uint32)  # (a, b) -> (a + b, a + 2b)
    power = np.eye(2, dtype=np.uint32)
    of_words = np.empty((n_words, 2), np.uint32)
    for k in range(n_words - 2, -1, -2):
        of_words[k], of_words[k + 1] = power[0] + power[1], power[1]  # x adds to both, y to b alone
        power = step @ power
    return power, of_words


def remove_files(path: str) -> None:
    """Remove a database with its -wal and -shm files."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)
