"""What the commands share: options made from the room `options`, what goes to stdout, what goes to stderr.

Data goes to stdout (`data`, `as_json`), words to stderr (`say`, silent with --quiet).
"""

import json
import math
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from rosenblatt import options
from rosenblatt.options import Option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rosenblatt.learn.decider import Decider
    from rosenblatt.read import Reading

F = TypeVar("F", bound=Callable[..., Any])
_QUIET = "rosenblatt.quiet"
_WIDEST = 32  # what an option takes is shown beside its name up to this width, and in its help beyond


class Accepted(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in newer clicks only
    """What an option of the room `options` accepts, read from the word on the command line."""

    def __init__(self, option: Option[Any]) -> None:
        self.option = option
        self.name = option.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or value in self.option.choices:
            return value
        for read in (int, float, str):
            try:
                found = read(value)
            except ValueError:
                continue
            if self.option.accepts(found):
                return found
        typed = self.option.but(none_allowed=False)  # what is not given is None; nobody can type it
        self.fail(f"{value!r} is not {typed.expected}.", param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        kinds = {"int": "N", "float": "X", "seed": "N", "str": "NAME", "path": "FILE"}
        word = kinds.get(self.option.kind or "", "")
        every = "|".join([*self.option.choices, *([word] if word else [])])
        return every if len(every) <= _WIDEST else self.option.name.upper()

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        if self.option.kind == "path":
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(choice) for choice in self.option.choices if choice.startswith(incomplete)]


def option(of: Option[Any], *more: str, **changes: Any) -> Callable[[F], F]:
    """The click option of a parameter: its name, default and help are those of the room `options`."""
    flag = "--" + of.name.replace("_", "-")
    said = of.help
    unsaid = [choice for choice in of.choices if choice not in said]
    if unsaid and len("|".join(of.choices)) > _WIDEST:
        said += f" One of {', '.join(of.choices)}."
    if of.kind == "bool":
        kind: dict[str, Any] = {"is_flag": True, "default": of.default}
        if of.default is not False:
            flag += "/--no-" + of.name.replace("_", "-")
    elif of.kind == "strs":
        kind = {"multiple": True, "metavar": "NAME"}
    else:
        shown = of.default is not None
        kind = {"type": Accepted(of), "default": of.default, "show_default": shown}
    return click.option(flag, *more, of.name, **({"help": said} | kind | changes))


_LEARNING = set(options.STREAMING) - {"test"}


class Command(click.Command):
    """A command whose help puts its options under headings: what to learn, how to read, what to write."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Learning": [], "Reading": []}
        parameters = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        learns = any(one.name == "passes" for one in parameters)
        for parameter in parameters:
            shown = parameter.get_help_record(ctx)
            if shown is not None:
                read, learned = parameter.name in options.READING, learns and parameter.name in _LEARNING
                sections["Reading" if read else "Learning" if learned else "Options"].append(shown)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def command(name: str, *examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """What makes a function a command of this name; its help ends with the examples."""
    return click.command(
        name, cls=Command, epilog="\b\n" + "\n".join(["For example:", *examples]) if examples else None
    )


def several(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Decorators as one; the help lists them in this order."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


data_argument = click.argument("data", metavar="DATA", type=click.Path(allow_dash=True))
model_argument = click.argument("model", metavar="MODEL", type=click.Path())

_TAKES = {"label": "COLUMN", "text": "COLUMN", "words": "COLUMN", "cross": "A:B", "classes": "LABELS"}
_reading = {
    name: option(of, **({"metavar": _TAKES[name]} if name in _TAKES else {})) for name, of in options.READING.items()
}
reading_options = several(*_reading.values())
# What is not in the model: how the new file is written, and where its labels are.
new_data_options = several(
    *(_reading[name] for name in ("format", "label", "labels_from", "header", "index_base", "on_bad_row"))
)


def reading(asked: dict[str, Any], model: "Decider | None" = None) -> "Reading":
    """Take the reading options out of what was asked, as the record `Reading`.

    What was said of the file that a model was learned from holds for new files too, unless something else is said.
    """
    from rosenblatt.read import Reading

    taken = {name: asked.pop(name) for name in options.READING if name in asked}
    before = model.provenance.get("reading", {}) if model is not None else {}
    taken |= {name: before[name] for name in _REMEMBERED if taken.get(name) is None and name in before}
    label = taken.get("label")
    if isinstance(label, str) and label.lstrip("-").isdecimal():
        taken["label"] = int(label)
    taken |= {name: _split(taken[name]) for name in ("text", "words", "cross") if name in taken}
    taken["classes"] = tuple(_number(word) for word in _split(taken.get("classes", ())))
    return Reading(**taken)


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


def _hush(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_QUIET] = value


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object on stdout.")
quiet_option = click.option(
    "--quiet",
    "-q",
    is_flag=True,
    expose_value=False,
    callback=_hush,
    help="Say nothing but errors and what was asked for.",
)
output_options = several(json_option, quiet_option)


def quiet() -> bool:
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.meta.get(_QUIET))


def say(words: str = "") -> None:
    """Words for a person, on stderr; nothing with --quiet."""
    if not quiet() and sys.stderr is not None:
        click.echo(words, err=True, color=coloured(sys.stderr))


def data(words: str) -> None:
    """What was asked for, on stdout."""
    out = sys.stdout
    if out is None:
        raise OSError(0, "standard output is closed; give -o a file, or open it")
    click.echo(words, color=coloured(out))


def check_output(path: str | None, *read: str | None) -> None:
    """Refuse before any work what could not be written after it, or would be written over what is read."""
    if path is None or path == "-":
        return
    for other in read:
        if other not in (None, "-") and _same_file(path, str(other)):
            raise click.UsageError(
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
    from rosenblatt.learn.whole import replacing

    with replacing(os.path.realpath(path)) as file:  # a fault in the middle leaves no half file behind
        yield file


def write_file(path: str, content: bytes) -> None:
    """A file, whole or not at all; '-' is stdout."""
    from rosenblatt.learn.whole import write_whole

    if path == "-":
        with output_stream(None) as out:
            out.write(content)
    else:
        write_whole(path, content)


def as_json(record: Mapping[str, Any]) -> None:
    """One JSON object on stdout; its keys are the Python attribute names, numbers that are not finite are null."""
    data(json.dumps(plain(record), ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """The same as JSON can hold it: numpy's numbers and arrays, tuples, records and numbers that are not finite."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def repeat() -> str:
    """The command line that is being run, to be given again."""
    ctx = click.get_current_context()
    arguments = ctx.obj if isinstance(ctx.obj, list) else []
    return shlex.join(["rosenblatt", *arguments])


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
        raise click.UsageError(f"--columns takes two columns, as in 0,1. Got {words!r}.{known}")
    if count is not None and (max(found) >= count or found[0] == found[1]):
        raise click.UsageError(f"--columns takes two different columns of 0 to {count - 1}. Got {words!r}.")
    return found[0], found[1]
