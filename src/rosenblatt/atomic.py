"""Files that are written atomically: whole, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


def write_atomic(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a temporary file beside `path`, sync it to the disk, then rename it; any failure leaves the old file.

    An OSError says what failed, with the path as its filename.
    """
    path = os.fspath(path)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as device:  # a device or a pipe has no old content to lose; a directory raises
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
    """A temporary file that replaces the file at the end of the block; on an error nothing has changed."""
    replacement = Replacement(path)
    try:
        yield replacement.file
        replacement.commit()
    except BaseException:
        replacement.discard()
        raise


class Replacement:
    """A temporary file beside `path` that takes its place with `commit`, or is removed with `discard`.

    It has the permissions of the file that it replaces; of a new file they are `mode`. Nobody else can have made it.
    """

    def __init__(self, path: str | os.PathLike[str], mode: int | None = None) -> None:
        _remove_leftovers(path)
        folder, name = os.path.split(path)
        self._path = path
        self._temporary = os.path.join(folder, f".{name[:60]}.{os.getpid()}.{int.from_bytes(os.urandom(6))}.part")
        self._mode = mode
        with suppress(OSError):
            self._mode = os.stat(path).st_mode & 0o7777
        with self._naming_path():
            self.file = _open_locked(self._temporary, 0o666 if self._mode is None else self._mode & 0o666)

    def commit(self) -> None:
        with self._naming_path():
            self.file.flush()
            with suppress(OSError):
                if self._mode is not None:
                    os.chmod(self._temporary, self._mode)
            os.replace(self._temporary, self._path)
        self.file.close()

    @contextmanager
    def _naming_path(self) -> Iterator[None]:
        """An OSError that names the file that was to be written, not the temporary one."""
        try:
            yield
        except OSError as error:
            raise type(error)(error.errno, error.strerror or str(error), self._path) from None

    def discard(self) -> None:
        with suppress(OSError):  # what could not be flushed is no longer needed
            self.file.close()
        with suppress(OSError):
            os.unlink(self._temporary)


def _open_locked(path: str, mode: int) -> BinaryIO:
    """A new file, locked while it is open: one without a lock was left behind by a killed process."""
    while True:
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115 - closed later
        _lock(file, wait=True)
        if os.fstat(file.fileno()).st_nlink:  # not removed as a leftover before it was locked
            return file
        file.close()


def _remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files of writers of this file that were killed."""
    folder, name = os.path.split(path)
    prefix, suffix = f".{name[:60]}.", ".part"

    def is_leftover(other: str) -> bool:
        if not (other.startswith(prefix) and other.endswith(suffix)):
            return False
        numbers = other.removeprefix(prefix).removesuffix(suffix).split(".")
        return len(numbers) == 2 and all(map(str.isdecimal, numbers))

    with suppress(OSError):
        for leftover in [entry.path for entry in os.scandir(folder or ".") if is_leftover(entry.name)]:
            with suppress(OSError), open(leftover, "rb") as file:
                if _lock(file, wait=False):
                    os.unlink(leftover)


def _lock(file: BinaryIO, *, wait: bool) -> bool:
    """Lock a file; False where another process has the lock, or files cannot be locked."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True


def sync_folder(folder: str) -> None:
    """Sync a folder, without which a new name is not on the disk; some file systems cannot do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
