"""What a command writes: results on stdout (`write`, `write_json`), messages on stderr (`say`), files.

Colours appear only on a terminal, and not with NO_COLOR; messages do not appear with --quiet. Output files are checked
before the work begins, and written atomically.
"""

import errno
import json
import math
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from typing import IO, Any

import click

from rosenblatt.atomic import Replacement, replacing, write_atomic
from rosenblatt.cli.printable import printable, printable_json

_QUIET = "rosenblatt.quiet"  # a key of click's context
_COLOURS = r"\033\[[0-9;]*m"


def set_quiet(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Remember --quiet for the rest of the command."""
    context.meta[_QUIET] = value


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def command_line() -> str:
    """The command line that is being run, quoted for a shell."""
    return shlex.join(["rosenblatt", *click.get_current_context().obj])


def options_given() -> dict[str, str]:
    """The options on the command line that is being run, by the name of their parameter, quoted for a shell."""
    context = click.get_current_context()
    parameters = [parameter for parameter in context.command.params if isinstance(parameter, click.Option)]
    by_flag = {flag: one for one in parameters for flag in (*one.opts, *one.secondary_opts)}
    by_name: dict[str, str] = {}
    words = iter(context.obj)
    for word in words:
        parameter = by_flag.get(word.partition("=")[0])
        if parameter is not None:
            needs_value = not parameter.is_flag and "=" not in word
            typed = [word, next(words, "")] if needs_value else [word]
            name = str(parameter.name)
            by_name[name] = " ".join(filter(None, [by_name.get(name), shlex.join(typed)]))
    return by_name


def say(message: str = "") -> None:
    """Print a message for a person on stderr, unless --quiet."""
    if not is_quiet() and sys.stderr is not None:
        _print(message, sys.stderr)


def warn(warnings: Iterable[str]) -> None:
    """Print warnings on stderr, unless --quiet."""
    for sentence in warnings:
        say(f"\033[33mwarning:\033[0m {sentence}")


def write(text: str) -> None:
    """Print a result on stdout."""
    _print(text, stdout())


def write_lines(lines: Iterable[str]) -> None:
    for line in lines:
        write(line)


def stdout() -> IO[str]:
    if sys.stdout is None:
        raise OSError(0, "standard output is closed; open it, or name a file with -o")
    return sys.stdout


def _print(text: str, stream: IO[str]) -> None:
    shown = printable(text)
    stream.write((shown if has_colours(stream) else re.sub(_COLOURS, "", shown)) + "\n")
    stream.flush()


def write_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout; its keys are the Python attribute names, and NaN and infinity are null."""
    write(printable_json(json.dumps(plain(record), ensure_ascii=False, allow_nan=False)))


def plain(value: Any) -> Any:
    """A value that can be written as JSON: converts records, tuples, and the numbers and arrays of numpy."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_terminal(stream: Any) -> bool:
    """Whether the stream is a terminal."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colours(stream: Any) -> bool:
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def check_output(path: str | None, *others: str | None) -> None:
    """Refuse, before any work, a path that cannot be written, or one that names another file of the command."""
    if path is None or path == "-":
        return
    for other in others:
        if other not in (None, "-") and _same_file(path, str(other)):
            raise click.UsageError(f"{path!r} would overwrite another file of this command: choose another name.")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"cannot be written: there is no folder {folder!r}", path)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "is a directory: name a file", path)
    try:
        _try_to_write(path)
    except OSError as error:
        raise type(error)(error.errno, f"cannot be written: {error.strerror}", path) from None


def _try_to_write(path: str) -> None:
    """Raises OSError if a file of this name cannot be created; nothing is left behind."""
    with suppress(FileNotFoundError):
        os.lstat(path)  # a name may be too long
    if os.path.exists(path) and not os.path.isfile(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    else:
        Replacement(os.path.realpath(path)).discard()


def _same_file(path: str, other: str) -> bool:
    """Whether two paths are the same regular file; writing to a device overwrites nothing."""
    if not os.path.exists(path):
        return os.path.realpath(path) == os.path.realpath(other)
    return os.path.isfile(path) and os.path.exists(other) and os.path.samefile(path, other)


@contextmanager
def open_output(path: str | None) -> Iterator[IO[bytes]]:
    """A stream of bytes into a file, or into stdout if the path is None or '-'."""
    if path is None or path == "-":
        stdout().flush()
        yield _OnTerminal(stdout()) if stdout().isatty() else stdout().buffer  # type: ignore[attr-defined,misc]
        stdout().buffer.flush()  # type: ignore[attr-defined]
        return
    try:
        yield from _open_file(path)
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):
            error.filename = path
        raise


class _OnTerminal:
    """Writes bytes, in whole lines, to a terminal, without control characters."""

    def __init__(self, terminal: IO[str]) -> None:
        self._terminal = terminal

    def write(self, content: bytes) -> None:
        self._terminal.write(printable(content.decode("utf-8", errors="replace")))

    def flush(self) -> None:
        self._terminal.flush()


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
