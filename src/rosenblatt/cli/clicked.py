"""What click makes of the commands: their help, the completion of their words, and what is wrong with a line."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rosenblatt import __version__, options
from rosenblatt.cli import COMMANDS
from rosenblatt.cli.declared import WIDEST, Command, Parameter, accepted
from rosenblatt.cli.invocation import UsageError
from rosenblatt.options import Option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_LEARNING = set(options.FIT_FILE) - {"test"}


class Accepted(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in newer clicks only
    """What an option of the room `options` accepts, read from the word on the command line."""

    def __init__(self, option: Option[Any]) -> None:
        self.option = option
        self.name = option.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return accepted(self.option, value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        kinds = {"int": "N", "float": "X", "seed": "N", "str": "NAME", "path": "FILE"}
        word = kinds.get(self.option.kind or "", "")
        every = "|".join([*self.option.choices, *([word] if word else [])])
        return every if len(every) <= WIDEST else self.option.name.upper()

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        if self.option.kind == "path":
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(choice) for choice in self.option.choices if choice.startswith(incomplete)]


class Clicked(click.Command):
    """A command whose help puts its options under headings: what to learn, how to read, what to write."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Learning": [], "Reading": []}
        parameters = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        learns = any(one.name == "passes" for one in parameters)
        for parameter in parameters:
            shown = parameter.get_help_record(ctx)
            if shown is not None:
                read, learned = parameter.name in options.READ, learns and parameter.name in _LEARNING
                sections["Reading" if read else "Learning" if learned else "Options"].append(shown)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def clicked(command: Command) -> click.Command:
    """The command as click has it."""
    return Clicked(
        command.name,
        callback=lambda **asked: command.run(asked),
        params=[_parameter(one) for one in command.takes],
        help=command.function.__doc__,
        epilog="\b\n" + "\n".join(["For example:", *command.examples]) if command.examples else None,
    )


def _parameter(one: Parameter) -> click.Parameter:
    told = dict(one.told)
    if not one.flags:
        kind = click.Path(allow_dash=told.pop("dash"))
        return click.Argument([one.name], type=kind, required=one.required, **told)
    if one.switch:
        return click.Option([*one.flags, one.name], is_flag=True, default=one.default, **told)
    if one.several:
        return click.Option([*one.flags, one.name], multiple=True, **told)
    assert one.of is not None
    return click.Option([*one.flags, one.name], type=Accepted(one.of), default=one.default, **told)


class LazyGroup(click.Group):
    """A group that knows the names and the one-line help of its commands without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        found = import_module(COMMANDS[name][0]).command
        command: click.Command = clicked(found) if isinstance(found, Command) else found
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(_no_such_command(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])


def _no_such_command(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    meant = f"Did you mean {near[0]!r}?" if near else f"The commands are {', '.join(COMMANDS)}."
    return f"There is no command {name!r}. {meant}"


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: rosenblatt demo, or with a file of your own: rosenblatt fit FILE",
)
@click.version_option(__version__, "--version", message="rosenblatt %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Learn, test and explain linear separators, from any file, as fast as it can be read."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(given: list[str]) -> object:
    """Not by click's own main, which has other ways to end: ours are those of exits.py."""
    if "_ROSENBLATT_COMPLETE" in os.environ:
        return cli.main(given, prog_name="rosenblatt")
    try:
        with cli.make_context("rosenblatt", given.copy()) as ctx:
            return cli.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        sentence = " ".join(error.format_message().split())
        raise UsageError(sentence if sentence.endswith((".", "?")) else f"{sentence}.") from None
