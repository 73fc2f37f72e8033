"""What the commands share: options made from the room `options`, what goes to stdout, what goes to stderr.

Data goes to stdout (`data`, `as_json`), words to stderr (`say`, silent with --quiet).
"""

import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rosenblatt import options
from rosenblatt.options import Option

F = TypeVar("F", bound=Callable[..., Any])
_QUIET = "rosenblatt.quiet"


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
        self.fail(f"{value!r} is not {self.option.expected}.", param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        kinds = {"int": "N", "float": "X", "seed": "N", "str": "NAME", "path": "FILE"}
        word = kinds.get(self.option.kind or "", "")
        return "|".join([*self.option.choices, *([word] if word else [])])

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        if self.option.kind == "path":
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(choice) for choice in self.option.choices if choice.startswith(incomplete)]


def option(of: Option[Any], *more: str, **changes: Any) -> Callable[[F], F]:
    """The click option of a parameter: its name, default and help are those of the room `options`."""
    flag = "--" + of.name.replace("_", "-")
    if of.kind == "bool":
        kind: dict[str, Any] = {"is_flag": True, "default": of.default}
    elif of.kind == "strs":
        kind = {"multiple": True, "metavar": "NAME"}
    else:
        shown = of.default is not None
        kind = {"type": Accepted(of), "default": of.default, "show_default": shown}
    return click.option(flag, *more, of.name, **({"help": of.help} | kind | changes))


def several(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Decorators as one; the help lists them in this order."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


data_argument = click.argument("data", metavar="DATA", type=click.Path(allow_dash=True))
model_argument = click.argument("model", metavar="MODEL", type=click.Path())

READING = ("format", "label", "text", "labels_from", "header", "index_base", "bits", "ngrams", "scale", "classes")
reading_options = several(
    option(options.format),
    option(options.label),
    option(options.text),
    option(options.labels_from),
    click.option("--header/--no-header", default=options.header.default, help=options.header.help),
    option(options.index_base),
    option(options.bits),
    option(options.ngrams),
    option(options.scale),
    option(options.classes),
    option(options.on_bad_row),
)


def reading(asked: dict[str, Any]) -> Any:
    """Take the reading options out of what was asked, as the record `Reading`."""
    from rosenblatt.read import Reading

    taken = {name: asked.pop(name) for name in (*READING, "on_bad_row")}
    label = taken["label"]
    if isinstance(label, str) and label.lstrip("-").isdecimal():
        taken["label"] = int(label)
    taken["text"] = _split(taken["text"])
    taken["classes"] = tuple(_number(word) for word in _split(taken["classes"]))
    return Reading(**taken)


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
    "--quiet", "-q", is_flag=True, expose_value=False, callback=_hush, help="No words on stderr but errors."
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


def on_terminal(stream: Any = None) -> bool:
    """Is a person watching? Then progress may be shown."""
    stream = sys.stderr if stream is None else stream
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def coloured(stream: Any) -> bool:
    """May colours be used: on a terminal, unless NO_COLOR says otherwise."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR")
