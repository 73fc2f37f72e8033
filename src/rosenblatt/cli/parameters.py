"""Click options made from rosenblatt.options, which hold their names, defaults, bounds, choices and help.

A command receives the options of reading as one ReadOptions, `reading`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rosenblatt import options
from rosenblatt.cli.output import set_quiet
from rosenblatt.options import Option
from rosenblatt.readers.source import ReadOptions

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rosenblatt.model.model import Model

F = TypeVar("F", bound=Callable[..., Any])

WIDEST_METAVAR = 32  # longer lists of choices are shown in the help instead
_METAVARS = {"int": "N", "float": "X", "seed": "N", "str": "NAME", "path": "FILE", "class weights": "LABEL=W,..."}
_READING_METAVARS = {
    **dict.fromkeys(("label", "text", "words", "drop", "keep"), "COLUMN"),
    "as_": "KIND:COLUMN",
    "cross": "A:B",
    "classes": "LABELS",
    "label_separator": "TEXT",
}
# For new data only the format, and where the labels are, may differ; the model knows all other options of reading.
_NEW_DATA = ("format", "label", "labels_from", "header", "index_base", "on_bad_row")
_LEARNING = {*options.FIT_FILE, "task"} - {"test"}

data_argument = click.argument("data", metavar="DATA", type=click.Path(allow_dash=True))
several_data_argument = click.argument(
    "data", metavar="DATA...", nargs=-1, required=True, type=click.Path(allow_dash=True)
)
model_argument = click.argument("model", metavar="MODEL", type=click.Path())


def option(source: Option[Any], *short_flags: str, **changes: Any) -> Callable[[F], F]:
    """`click.option` for an Option; `changes` replace settings that would come from it."""
    name = source.name.rstrip("_").replace("_", "-")
    switch = source.kind == "bool"
    flags = f"--{name}/--no-{name}" if switch and source.default is not False else f"--{name}"
    settings: dict[str, Any] = {"help": _help(source), "default": source.default} | changes
    if switch:
        settings["is_flag"] = True
    elif source.kind == "strs":
        settings |= {"multiple": True, "default": None}
    else:
        settings |= {"type": OptionType(source), "show_default": settings["default"] is not None}
    return click.option(flags, *short_flags, source.name, **settings)


def _help(option: Option[Any]) -> str:
    """The help of an option, with its choices if neither the text nor the metavar lists them."""
    explained = all(choice in option.help for choice in option.choices)
    if explained or len("|".join(option.choices)) <= WIDEST_METAVAR:
        return option.help
    return f"{option.help} One of {', '.join(option.choices)}."


class OptionType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in newer clicks only
    """The values that an Option accepts, converted from the word on the command line."""

    def __init__(self, option: Option[Any]) -> None:
        self.option = option
        self.name = option.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or value in self.option.choices:
            return value
        if self.option.kind == "class weights":
            return self._class_weights(value, param, ctx)
        for convert in (int, float, str):
            try:
                converted = convert(value)
            except ValueError:
                continue
            if self.option.accepts(converted):
                return converted
        typed = self.option.but(none_allowed=False)  # None cannot be typed, only left out
        self.fail(f"{value!r} is not {typed.expected}.", param, ctx)

    def _class_weights(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The weights in LABEL=WEIGHT,LABEL=WEIGHT; a label may contain = but no comma."""
        weights = {}
        for part in value.split(","):
            label, equals_sign, weight = part.rpartition("=")
            if not equals_sign or not self.option.accepts({label: _number_or_word(weight)}):
                self.fail(f"{part!r} is not LABEL=WEIGHT, a weight of at least 0: as in spam=1,ham=5.", param, ctx)
            weights[_number_or_word(label)] = float(weight)
        return weights

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        kind = _METAVARS.get(self.option.kind or "")
        metavar = "|".join([*self.option.choices, *([kind] if kind else [])])
        return metavar if len(metavar) <= WIDEST_METAVAR else self.option.name.upper()

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        if self.option.kind == "path":
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(choice) for choice in self.option.choices if choice.startswith(incomplete)]


def output_options(function: F) -> F:
    """Add --json, passed to the command as `as_json`, and --quiet, which `output.say` obeys."""
    function = click.option(
        *("--quiet", "-q"),
        is_flag=True,
        expose_value=False,
        callback=set_quiet,
        help="Print nothing but errors and the result.",
    )(function)
    return click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object on stdout.")(
        function
    )


class SectionedCommand(click.Command):
    """A command whose help lists its options in sections: Options, Learning, Reading."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Learning": [], "Reading": []}
        learns = any(parameter.name == "passes" for parameter in self.params)
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections[_section(parameter.name or "", learns)].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _section(name: str, learns: bool) -> str:
    if name in options.READ or name in options.LABEL_SETS:
        return "Reading"
    return "Learning" if learns and name in _LEARNING else "Options"


def sectioned_command(name: str, *examples: str) -> Callable[[Callable[..., Any]], SectionedCommand]:
    """`click.command` with options in sections, and examples at the end of the help."""
    epilog = "\n".join(["\b", "For example:", *(f"  {example}" for example in examples)]) if examples else None
    return click.command(name, cls=SectionedCommand, epilog=epilog)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add every option of reading."""
    return _add(options.READ, command)


def several_labels_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add every option of reading, and those of examples with several labels."""
    return _add({**options.READ, **options.LABEL_SETS}, command)


def new_data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of reading that make sense for new data when a model is given."""
    return _add(_NEW_DATA, command)


def like_training_data(reading: ReadOptions, model: Model) -> ReadOptions:
    """The options of reading, with the format and the header of the training data unless these are given."""
    training = model.provenance.get("reading", {})
    missing = [name for name in ("format", "header") if getattr(reading, name) is None and name in training]
    return reading._replace(**{name: training[name] for name in missing})


def _add(names: Iterable[str], command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def with_reading(**parameters: Any) -> Any:
        reading = {name: parameters.pop(name) for name in names}
        return command(reading=_read_options(reading), **parameters)

    for name in reversed(list(names)):
        settings = {"metavar": _READING_METAVARS[name]} if name in _READING_METAVARS else {}
        with_reading = option({**options.READ, **options.LABEL_SETS}[name], **settings)(with_reading)
    return with_reading


def _read_options(values: dict[str, Any]) -> ReadOptions:
    label = values.get("label")
    if isinstance(label, str) and label.lstrip("-").isdecimal():
        values["label"] = int(label)
    for name in ("text", "words", "cross", "drop", "keep", "as_", "classes"):
        if name in values:
            values[name] = tuple(part for value in values[name] for part in value.split(",") if part)
    if "classes" in values:
        values["classes"] = tuple(map(_number_or_word, values["classes"]))
    return ReadOptions(**values)


def _number_or_word(word: str) -> int | float | str:
    for convert in (int, float):
        try:
            number = convert(word)
        except ValueError:
            continue
        return number if math.isfinite(number) else word
    return word
