"""Click options made from rosenblatt.options, which hold their names, defaults, bounds, choices and help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rosenblatt import options
from rosenblatt.cli.output import set_quiet
from rosenblatt.options import Option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

WIDEST_METAVAR = 32  # longer lists of choices are shown in the help instead
_METAVARS = {"int": "N", "float": "X", "seed": "N", "str": "NAME", "path": "FILE"}
_LEARNING = set(options.FIT_FILE) - {"test"}

data_argument = click.argument("data", metavar="DATA", type=click.Path(allow_dash=True))
model_argument = click.argument("model", metavar="MODEL", type=click.Path())


def option(source: Option[Any], *short_flags: str, **changes: Any) -> Callable[[F], F]:
    """`click.option` for an Option; `changes` replace settings that would come from it."""
    name = source.name.replace("_", "-")
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
    """The help of an option, with its choices where they are neither in it nor in the metavar."""
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
        for convert in (int, float, str):
            try:
                converted = convert(value)
            except ValueError:
                continue
            if self.option.accepts(converted):
                return converted
        typed = self.option.but(none_allowed=False)  # None cannot be typed; it means that the option is left out
        self.fail(f"{value!r} is not {typed.expected}.", param, ctx)

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
    if name in options.READ:
        return "Reading"
    return "Learning" if learns and name in _LEARNING else "Options"


def sectioned_command(name: str, *examples: str) -> Callable[[Callable[..., Any]], SectionedCommand]:
    """`click.command` with options in sections, and examples at the end of the help."""
    epilog = "\n".join(["\b", "For example:", *(f"  {example}" for example in examples)]) if examples else None
    return click.command(name, cls=SectionedCommand, epilog=epilog)
