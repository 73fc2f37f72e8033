"""Files that are written whole or not at all."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rosenblatt.errors import ModelError


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the file, force it to the disk, then take its name; whatever fails leaves the old file."""
    try:
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise ModelError(f"{path}: is a directory: name a file to write to.")
            path.write_bytes(content)  # a device or a pipe has no whole to lose
            return
        _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror or error}.") from None


def _replace(path: Path, content: bytes) -> None:
    with replacing(path) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file beside this one, which takes its name at the end; where that fails, nothing has changed."""
    _remove_left_over(path)
    beside = path.with_name(f".{path.name[:60]}.{os.getpid()}.{int.from_bytes(os.urandom(6))}.part")
    try:
        with _open_locked(beside) as file:
            yield file
            file.flush()
            if path.exists():
                with suppress(OSError):
                    beside.chmod(path.stat().st_mode & 0o7777)
            beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _open_locked(path: Path) -> BinaryIO:
    """A new file, locked as long as it is open: a file of that kind without a lock has lost its writer."""
    while True:
        file = path.open("xb")
        _lock(file, wait=True)
        if os.fstat(file.fileno()).st_nlink:  # not taken for a left-over one before it was locked
            return file
        file.close()


def _remove_left_over(path: Path) -> None:
    """Remove what writers of this very file left beside it when they were killed."""
    name = re.compile(re.escape(f".{path.name[:60]}.") + r"\d+\.\d+\.part")
    with suppress(OSError):
        for old in [entry.path for entry in os.scandir(path.parent) if name.fullmatch(entry.name)]:
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


def sync_folder(folder: Path) -> None:
    """A new name is on the disk only when its folder is; some file systems cannot be asked."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
