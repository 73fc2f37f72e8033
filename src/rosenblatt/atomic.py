"""Files that are written atomically: whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


def write_atomic(path: str | os.PathLike[str], content: bytes) -> None:
    """Write beside the file, force it to the disk, then take its name; whatever fails leaves the old file.

    OSError says what failed, with the path as its filename.
    """
    path = os.fspath(path)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as device:  # a device or a pipe has no old content to lose; a folder raises
                device.write(content)
            return
        _replace(os.path.realpath(path), content)
    except OSError as error:
        raise type(error)(error.errno, error.strerror or str(error), path) from None


def _replace(path: str, content: bytes) -> None:
    with replacing(path) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(os.path.dirname(path))


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file beside this one, which takes its name at the end; where that fails, nothing has changed."""
    _remove_left_over(path)
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f".{name[:60]}.{os.getpid()}.{int.from_bytes(os.urandom(6))}.part")
    try:
        with _open_locked(beside) as file:
            yield file
            file.flush()
            with suppress(OSError):
                os.chmod(beside, os.stat(path).st_mode & 0o7777)
            os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _open_locked(path: str) -> BinaryIO:
    """A new file, locked as long as it is open: a file of that kind without a lock has lost its writer."""
    while True:
        file = open(path, "xb")  # noqa: SIM115 - it is given back open
        _lock(file, wait=True)
        if os.fstat(file.fileno()).st_nlink:  # not taken for a left-over one before it was locked
            return file
        file.close()


def _remove_left_over(path: str | os.PathLike[str]) -> None:
    """Remove what writers of this very file left beside it when they were killed."""
    folder, name = os.path.split(path)
    begins, ends = f".{name[:60]}.", ".part"

    def left_over(found: str) -> bool:
        if not (found.startswith(begins) and found.endswith(ends)):
            return False
        numbers = found.removeprefix(begins).removesuffix(ends).split(".")
        return len(numbers) == 2 and all(map(str.isdecimal, numbers))

    with suppress(OSError):
        for old in [entry.path for entry in os.scandir(folder or ".") if left_over(entry.name)]:
            with suppress(OSError), open(old, "rb") as file:
                if _lock(file, wait=False):
                    os.unlink(old)


def _lock(file: BinaryIO, *, wait: bool) -> bool:
    """False where another has it, or where files cannot be locked."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True


def sync_folder(folder: str) -> None:
    """A new name is on the disk only when its folder is; some file systems cannot be asked."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
