"""The pages that SQLite has written beside the database, and not yet into it: https://sqlite.org/fileformat2.html#walformat

SQLite takes the first frame whose checksum is wrong for the end of what was written, and forgets all after it without
a word. Where a page went bad on the disk, that would be examples that were acknowledged. A frame's checksum begins with
that of the frame before it, so each can be checked by itself.
"""

from __future__ import annotations

import os
import shutil
import struct
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from rosenblatt.lazy import np

_HEADER, _FRAME_HEADER = 32, 24
_MAGIC = 0x377F0682  # the last bit: whether checksums are of big-endian words
_SHARED_HEADER = struct.Struct("=16xI")  # of the index in shared memory: how many frames are committed
_SHARED_BYTES = 48
_ATTEMPTS = 3


class _Frames(NamedTuple):
    """Those of one use of the file: it is written from the beginning again and again, each time with another salt."""

    page_size: int
    pages: Any  # the number of each
    sizes: Any  # pages of the database after it, where it ends a transaction; else 0
    is_whole: Any
    contents: Any
    salt: bytes

    @property
    def first_damaged(self) -> int:
        wrong = np.flatnonzero(~self.is_whole)
        return int(wrong[0]) if len(wrong) else len(self.pages)

    @property
    def ends(self) -> Any:
        """The frames that end a transaction."""
        return np.flatnonzero((self.sizes > 0) & self.is_whole)


def damage_of(path: str) -> str | None:
    """What is wrong with the pages beside the database at this path; None where they are whole."""
    for _ in range(_ATTEMPTS):
        frames = _frames(path)
        if frames is None:
            return None
        if frames.first_damaged >= _committed(path, frames):
            return None
        again = _frames(path)  # unless another process has just begun to write it from the beginning
        if again is not None and again.salt == frames.salt:
            n_wrong = int((~frames.is_whole).sum())
            return f"{path}-wal: {n_wrong:,} of its {len(frames.pages):,} pages cannot be read back"
    return None


def merge(path: str, target: str) -> None:
    """A copy of the database with all pages beside it that are whole, up to the end of the last transaction."""
    shutil.copyfile(path, target)
    frames = _frames(path)
    if frames is None:
        return
    ends = frames.ends
    ends = ends[ends < _committed(path, frames)]
    if not len(ends):
        return
    last = int(ends[-1])
    with open(target, "r+b") as file:
        for k in np.flatnonzero(frames.is_whole[: last + 1]).tolist():
            file.seek((int(frames.pages[k]) - 1) * frames.page_size)
            file.write(frames.contents[k].tobytes())
        file.truncate(int(frames.sizes[last]) * frames.page_size)


def _frames(path: str) -> _Frames | None:
    try:
        with open(f"{path}-wal", "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None
    if len(data) < _HEADER:
        return None
    magic, _, page_size = struct.unpack(">III", data[:12])
    if magic & ~1 != _MAGIC or page_size < 512 or page_size & (page_size - 1):
        return None
    frame_size = _FRAME_HEADER + page_size
    n = (len(data) - _HEADER) // frame_size  # none, where the process was killed after the header
    frames = np.frombuffer(data, np.uint8, n * frame_size, _HEADER).reshape(n, frame_size)
    salt = data[16:24]
    is_ours = (frames[:, 8:16] == np.frombuffer(salt, np.uint8)).all(axis=1)
    frames = frames[: int(np.flatnonzero(is_ours)[-1]) + 1 if is_ours.any() else 0]
    heads = np.ascontiguousarray(frames[:, :_FRAME_HEADER]).view(">u4")
    words = np.concatenate([frames[:, :8], frames[:, _FRAME_HEADER:]], axis=1).view(">u4" if magic & 1 else "<u4")
    before = np.concatenate([np.frombuffer(data, ">u4", 2, 24)[None, :], heads[:-1, 4:6]]).astype(np.uint32)
    is_whole = (_checksums(before, words.astype(np.uint32)) == heads[:, 4:6]).all(axis=1) & is_ours[: len(frames)]
    return _Frames(page_size, heads[:, 0], heads[:, 1], is_whole, frames[:, _FRAME_HEADER:], salt)


def _checksums(before: Any, words: Any) -> Any:
    """Of each row of words: for each two of them, a += x + b and then b += y + a. That is linear, modulo 2^32."""
    of_state, of_words = _coefficients(words.shape[1])
    return before @ of_state + words @ of_words


@cache
def _coefficients(n_words: int) -> tuple[Any, Any]:
    """What the state before, and each word, add to the two sums after."""
    step = np.array([[1, 1], [1, 2]], np.uint32)  # (a, b) -> (a + b, a + 2b)
    power = np.eye(2, dtype=np.uint32)
    of_words = np.empty((n_words, 2), np.uint32)
    for k in range(n_words - 2, -1, -2):
        of_words[k], of_words[k + 1] = power[0] + power[1], power[1]  # x adds to both, y to b alone
        power = step @ power
    return power, of_words


def _committed(path: str, frames: _Frames) -> int:
    """How many frames were committed. A transaction that failed leaves frames as well, whole or not.

    The process that wrote them left the number in shared memory. Where that is lost, it is where the last transaction
    ends.
    """
    with suppress(OSError), open(f"{path}-shm", "rb") as file:
        head = file.read(_SHARED_BYTES)
        if len(head) == _SHARED_BYTES and head[32:40] == frames.salt:
            return int(_SHARED_HEADER.unpack_from(head)[0])
    return int(frames.ends[-1]) + 1 if len(frames.ends) else 0


def remove_files(path: str) -> None:
    """A database, with what is beside it."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)
