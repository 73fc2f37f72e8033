"""The files that a command writes: checked before the work begins, and written whole or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import click

from rosenblatt.atomic import replacing, write_atomic
from rosenblatt.cli.output import stdout


def check_output(path: str | None, *others: str | None) -> None:
    """Refuse, before any work, a path in a missing folder, or one that names another file of the command."""
    if path is None or path == "-":
        return
    for other in others:
        if other not in (None, "-") and _same_file(path, str(other)):
            raise click.UsageError(f"{path!r} would overwrite another file of this command: choose another name.")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"cannot be written: there is no folder {folder!r}", path)


def _same_file(path: str, other: str) -> bool:
    """Whether two paths name one regular file; writing to a device overwrites nothing."""
    if not os.path.exists(path):
        return os.path.realpath(path) == os.path.realpath(other)
    return os.path.isfile(path) and os.path.exists(other) and os.path.samefile(path, other)


@contextmanager
def open_output(path: str | None) -> Iterator[IO[bytes]]:
    """A stream of bytes into a file, or into stdout if the path is None or '-'."""
    if path is None or path == "-":
        stdout().flush()
        yield stdout().buffer  # type: ignore[attr-defined]
        stdout().buffer.flush()  # type: ignore[attr-defined]
        return
    try:
        yield from _open_file(path)
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):
            error.filename = path
        raise


def _open_file(path: str) -> Iterator[IO[bytes]]:
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe; `open` refuses a folder
        with open(path, "wb") as file:
            yield file
        return
    with replacing(os.path.realpath(path)) as file:
        yield file


def write_file(path: str, content: bytes) -> None:
    """Write a file atomically; '-' is stdout."""
    if path == "-":
        with open_output(None) as stream:
            stream.write(content)
    else:
        write_atomic(path, content)
