"""Whether a file is still the same: its size, its times, and a look at its content."""

from __future__ import annotations

import os
import time
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.lazy import np

_PIECE = 1 << 14
_PIECES = 64
_YOUNG = 2.0  # seconds within which a file may change twice and its times only once


def facts_of(path: str, *, whole: bool) -> dict[str, Any]:
    """Size, time of the last change to its content and to its entry, and a checksum of evenly spaced pieces.

    Both times differ after any writing, so the pieces are for file systems that keep them badly; where the times could
    not yet tell, the checksum is over the `whole` content.
    """
    try:
        fd = os.open(path, os.O_RDONLY)
        try:
            times = times_of(fd)
            content = _checksum(fd, times["bytes"], whole)
        finally:
            os.close(fd)
    except OSError as fault:
        raise DataError(f"{path}: cannot be read: {fault.strerror or fault}.") from None
    return {**times, "whole": whole, "content": f"{content:016x}"}


def times_of(path: str | int) -> dict[str, int]:
    """Size and times only."""
    found = os.stat(path)
    return {"bytes": found.st_size, "modified": found.st_mtime_ns, "changed": found.st_ctime_ns}


def is_young(path: str) -> bool:
    """Was it changed so lately that a further change might not show in its times?"""
    try:
        found = os.stat(path)
    except OSError:
        return False
    return time.time() - max(found.st_mtime, found.st_ctime) < _YOUNG


def _checksum(fd: int, size: int, whole: bool) -> int:
    """Of the checksums of pieces: of all of them, or of some that are evenly spaced and the last one."""
    piece, step = (1 << 20, 1 << 20) if whole else (_PIECE, max((size - _PIECE) // (_PIECES - 1), _PIECE))
    starts = [*range(0, size, step), max(size - piece, 0)]
    sums = [native.checksum(np.frombuffer(os.pread(fd, piece, at), dtype=np.uint8)) for at in starts]
    return native.checksum(np.array(sums, dtype=np.uint64).view(np.uint8))
