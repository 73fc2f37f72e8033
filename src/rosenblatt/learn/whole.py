"""Files that are written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident

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
    beside = path.with_name(f".{path.name[:60]}.{os.getpid()}.{get_ident()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            with suppress(OSError):
                beside.chmod(path.stat().st_mode & 0o7777)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """A new name is on the disk only when its folder is; some file systems cannot be asked."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
