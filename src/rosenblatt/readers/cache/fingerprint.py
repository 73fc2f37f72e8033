"""Whether a file is still the same: its size, its times, and a checksum of its content."""

from __future__ import annotations

import os
import time
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.readers.inputs.input_file import cannot_read

_PIECE = 1 << 14
_PIECES = 64
_YOUNG = 2.0  # seconds within which a file may change twice and its times only once


def fingerprint(path: str, *, all_content: bool) -> dict[str, Any]:
    """Size, times of the last change to content and inode, and a checksum of evenly spaced pieces.

    The times change with any write; the pieces are for file systems that do not keep them reliably. Where the times
    cannot tell yet, because the file is young, the checksum is over the whole content.
    """
    try:
        fd = os.open(path, os.O_RDONLY)
        try:
            times = size_and_times(fd)
            content = _checksum(fd, times["bytes"], all_content)
        finally:
            os.close(fd)
    except OSError as error:
        raise cannot_read(path, error) from None
    return {**times, "whole": all_content, "content": f"{content:016x}"}


def size_and_times(path: str | int) -> dict[str, int]:
    status = os.stat(path)
    return {"bytes": status.st_size, "modified": status.st_mtime_ns, "changed": status.st_ctime_ns}


def is_young(path: str) -> bool:
    """Whether it changed so recently that a further change might not show in its times."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    return time.time() - max(status.st_mtime, status.st_ctime) < _YOUNG


def _checksum(fd: int, size: int, all_content: bool) -> int:
    """The checksum of the checksums of all pieces, or of evenly spaced ones and the last."""
    piece, step = (1 << 20, 1 << 20) if all_content else (_PIECE, max((size - _PIECE) // (_PIECES - 1), _PIECE))
    starts = [*range(0, size, step), max(size - piece, 0)]
    sums = [native.checksum(np.frombuffer(os.pread(fd, piece, start), dtype=np.uint8)) for start in starts]
    return native.checksum(np.array(sums, dtype=np.uint64).view(np.uint8))
