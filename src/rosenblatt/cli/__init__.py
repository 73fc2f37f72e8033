"""The command line: parse, call, render. A command's module is loaded when it is asked for, so that --help is quick."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from rosenblatt import __version__
from rosenblatt.cli.exits import guarded

__all__ = ["COMMANDS", "cli", "main"]

# name: the module that holds its `command`, and what it does in one line. The order is that of the help.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("rosenblatt.cli.demo", "Spam, end to end, on mail in the package: learn, test, explain."),
    "fit": ("rosenblatt.cli.fit", "Learn a model from a file, in any format."),
    "predict": ("rosenblatt.cli.predict", "Decide about new examples."),
    "evaluate": ("rosenblatt.cli.evaluate", "How good a model is on examples with known labels."),
    "explain": ("rosenblatt.cli.explain", "What a model has learned, and why it decides as it does."),
    "export": ("rosenblatt.cli.export", "Write a model as ONNX, JSON or SQL."),
    "certify": ("rosenblatt.cli.certify", "Whether a hyperplane can tell the classes apart, with a proof."),
    "trace": ("rosenblatt.cli.trace", "Print every step of a run, as the lectures do; draw it, animate it."),
    "compare": ("rosenblatt.cli.compare", "The perceptron and its relatives on the same folds, in one table."),
    "studio": ("rosenblatt.cli.studio", "A page on which a separator is seen to learn, step by step."),
    "completion": ("rosenblatt.cli.completion", "Print what makes the shell complete commands and options."),
}


# They multiply no matrices; threads of numpy's that wait for some would take time from ours.
_OWN_THREADS = ("fit", "predict", "evaluate", "explain", "export")


class LazyGroup(click.Group):
    """A group that knows the names and the one-line help of its commands without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        if name in _OWN_THREADS:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        command: click.Command = import_module(COMMANDS[name][0]).command
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code says how it went. No traceback reaches the user."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: _run(given))


def _run(given: list[str]) -> object:
    """Not by click's own main, which has another way to end for a broken pipe and for Ctrl-C."""
    if "_ROSENBLATT_COMPLETE" in os.environ:
        return cli.main(given, prog_name="rosenblatt")
    with cli.make_context("rosenblatt", given.copy(), obj=given) as ctx:
        return cli.invoke(ctx)
