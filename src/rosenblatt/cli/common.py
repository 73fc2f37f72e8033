"""What the commands share: options made from the room `options`, what goes to stdout, what goes to stderr.

Data goes to stdout (`data`, `as_json`), words to stderr (`say`, silent with --quiet).
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli.declared import argument, parameter, switch, takes
from rosenblatt.cli.invocation import UsageError, running

if TYPE_CHECKING:
    from rosenblatt.model.model import Model
    from rosenblatt.readers.source import ReadOptions

data_argument = takes(argument("data"))
model_argument = takes(argument("model", dash=False))

_TAKES = {"label": "COLUMN", "text": "COLUMN", "words": "COLUMN", "cross": "A:B", "classes": "LABELS"}
_reading = {
    name: parameter(of, **({"metavar": _TAKES[name]} if name in _TAKES else {})) for name, of in options.READ.items()
}
reading_options = takes(*_reading.values())
# What is not in the model: how the new file is written, and where its labels are.
new_data_options = takes(
    *(_reading[name] for name in ("format", "label", "labels_from", "header", "index_base", "on_bad_row"))
)


def reading(asked: dict[str, Any], model: Model | None = None) -> ReadOptions:
    """Take the reading options out of what was asked, as the record `ReadOptions`.

    What was said of the file that a model was learned from holds for new files too, unless something else is said.
    """
    from rosenblatt.readers.source import ReadOptions

    taken = {name: asked.pop(name) for name in options.READ if name in asked}
    before = model.provenance.get("reading", {}) if model is not None else {}
    taken |= {name: before[name] for name in _REMEMBERED if taken.get(name) is None and name in before}
    label = taken.get("label")
    if isinstance(label, str) and label.lstrip("-").isdecimal():
        taken["label"] = int(label)
    taken |= {name: _split(taken[name]) for name in ("text", "words", "cross") if name in taken}
    taken["classes"] = tuple(_number(word) for word in _split(taken.get("classes", ())))
    return ReadOptions(**taken)


def load_model(path: str, data: str) -> Model:
    """The model of a command that also reads data; the two may have changed places."""
    from rosenblatt.errors import ModelError
    from rosenblatt.model.file import is_model_file, load_scorer

    try:
        return load_scorer(path)
    except ModelError:
        if is_model_file(data):
            raise UsageError(f"The model comes first, then the data: {data} {path}.") from None
        raise


_REMEMBERED = ("format", "header")


def _split(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for given in words for word in given.split(",") if word)


def _number(word: str) -> int | float | str:
    for read in (int, float):
        try:
            found = read(word)
        except ValueError:
            continue
        return found if math.isfinite(found) else word
    return word


output_options = takes(
    switch("as_json", "--json", help="Print the result as one JSON object on stdout."),
    switch("quiet", "--quiet", "-q", help="Say nothing but errors and what was asked for."),
)


def quiet() -> bool:
    return running.quiet


def say(words: str = "") -> None:
    """Words for a person, on stderr; nothing with --quiet."""
    if not quiet() and sys.stderr is not None:
        _print(words, sys.stderr)


def data(words: str) -> None:
    """What was asked for, on stdout."""
    out = sys.stdout
    if out is None:
        raise OSError(0, "standard output is closed; give -o a file, or open it")
    _print(words, out)


def _print(words: str, stream: IO[str]) -> None:
    stream.write((words if coloured(stream) else re.sub(r"\033\[[0-9;]*m", "", words)) + "\n")
    stream.flush()


def check_output(path: str | None, *read: str | None) -> None:
    """Refuse before any work what could not be written after it, or would be written over what is read."""
    if path is None or path == "-":
        return
    for other in read:
        if other not in (None, "-") and _same_file(path, str(other)):
            raise UsageError(
                f"{path!r} belongs to another file of this command and would be written over: choose another."
            )
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        from rosenblatt.errors import ModelError

        raise ModelError(f"{path}: cannot be written: there is no folder {folder!r}.")


def _same_file(one: str, other: str) -> bool:
    """By any of its names; a device has nothing to lose."""
    if not os.path.exists(one):
        return os.path.realpath(one) == os.path.realpath(other)
    return os.path.isfile(one) and os.path.exists(other) and os.path.samefile(one, other)


@contextmanager
def output_stream(path: str | None) -> Iterator[IO[bytes]]:
    """Where lines go, as bytes: a file, or stdout where there is no path or it is '-'."""
    if path is None or path == "-":
        if sys.stdout is None:
            raise OSError(0, "standard output is closed; give -o a file, or open it")
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        yield from _file_stream(path)
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):
            error.filename = path
        raise


def _file_stream(path: str) -> Iterator[IO[bytes]]:
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe; a directory is refused by open
        with open(path, "wb") as file:
            yield file
        return
    from rosenblatt.atomic import replacing

    with replacing(os.path.realpath(path)) as file:  # a fault in the middle leaves no half file behind
        yield file


def write_file(path: str, content: bytes) -> None:
    """A file, whole or not at all; '-' is stdout."""
    from rosenblatt.atomic import write_atomic

    if path == "-":
        with output_stream(None) as out:
            out.write(content)
    else:
        write_atomic(path, content)


def as_json(record: Mapping[str, Any]) -> None:
    """One JSON object on stdout; its keys are the Python attribute names, numbers that are not finite are null."""
    data(json.dumps(plain(record), ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """The same as JSON can hold it: numpy's numbers and arrays, tuples, records and numbers that are not finite."""
    fields = getattr(value, "__record__", None) or getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return {name: plain(getattr(value, name)) for name in fields}
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def repeat() -> str:
    """The command line that is being run, to be given again."""
    return running.repeat()


def on_terminal(stream: Any = None) -> bool:
    """Is a person watching? Then progress may be shown."""
    stream = sys.stderr if stream is None else stream
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def coloured(stream: Any) -> bool:
    """May colours be used: on a terminal, unless NO_COLOR says otherwise."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR")


def coloured_stderr() -> bool:
    return coloured(sys.stderr)


def two_columns(words: str | None, names: Sequence[str] = (), count: int | None = None) -> tuple[int, int] | None:
    """What --columns asks for: two positions of `count`, each given as such or by its name."""
    if not words:
        return None
    parts = [part.strip() for part in words.split(",")]
    found = [names.index(p) if p in names else int(p) if p.isdecimal() else -1 for p in parts]
    if len(found) != 2 or -1 in found:
        known = f" The columns are {', '.join(names)}." if names else ""
        raise UsageError(f"--columns takes two columns, as in 0,1. Got {words!r}.{known}")
    if count is not None and (max(found) >= count or found[0] == found[1]):
        raise UsageError(f"--columns takes two different columns of 0 to {count - 1}. Got {words!r}.")
    return found[0], found[1]
