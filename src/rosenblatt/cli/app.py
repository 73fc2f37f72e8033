"""The program `rosenblatt`: its commands, each loaded when it is called, and `main`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

import click

from rosenblatt.cli.exits import exit_code
from rosenblatt.version import __version__

NAME = "rosenblatt"
Loader: TypeAlias = Callable[[], click.Command]
COMMANDS: dict[str, Loader] = {}  # in the order of the help; the docstring of a loader is the command's line there

# These multiply no matrices: idle BLAS threads would only take time from ours.
_WITHOUT_BLAS = ("fit", "predict", "evaluate", "explain", "export")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of the process, and return its exit code. No traceback reaches the user."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return exit_code(lambda: _run(words))


def _run(words: list[str]) -> object:
    if f"_{NAME.upper()}_COMPLETE" in os.environ:  # set by the script that `rosenblatt completion` prints
        return program.main(words, prog_name=NAME)
    # Not click's own `main`, which has other exit codes and sentences: ours are those of exits.py.
    with program.make_context(NAME, words.copy(), obj=words) as context:
        return program.invoke(context)


class LazyGroup(click.Group):
    """Lists the commands and their one-line help without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return COMMANDS[cmd_name]() if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(_unknown_command(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, load.__doc__ or "") for name, load in COMMANDS.items()])


def _unknown_command(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"The commands are {', '.join(COMMANDS)}."
    return f"There is no command {name!r}. {hint}"


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: rosenblatt demo, or with a file of your own: rosenblatt fit FILE",
)
@click.version_option(__version__, "--version", message="rosenblatt %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """Learn, test and explain linear separators, from any file, as fast as it can be read."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
    elif context.invoked_subcommand in _WITHOUT_BLAS:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _add(load: Loader) -> Loader:
    COMMANDS[load.__name__] = load
    return load


@_add
def demo() -> click.Command:
    """Learn, test and explain a spam filter on mail that comes with the package."""
    from rosenblatt.cli.commands.demo import command

    return command


@_add
def fit() -> click.Command:
    """Learn a model from a file, in any format."""
    from rosenblatt.cli.commands.fit import command

    return command


@_add
def predict() -> click.Command:
    """Predict the labels of new examples."""
    from rosenblatt.cli.commands.predict import command

    return command


@_add
def evaluate() -> click.Command:
    """Measure how good a model is on examples with known labels."""
    from rosenblatt.cli.commands.evaluate import command

    return command


@_add
def explain() -> click.Command:
    """Show what a model has learned, and why it decides as it does."""
    from rosenblatt.cli.commands.explain import command

    return command


@_add
def export() -> click.Command:
    """Write a model as ONNX, JSON or SQL."""
    from rosenblatt.cli.commands.export import command

    return command


@_add
def certify() -> click.Command:
    """Prove that a hyperplane can separate the classes, or that none can."""
    from rosenblatt.cli.commands.certify import command

    return command


@_add
def trace() -> click.Command:
    """Print every step of a run, as the lectures do; draw it, animate it."""
    from rosenblatt.cli.commands.trace import command

    return command


@_add
def compare() -> click.Command:
    """Compare the perceptron with its relatives on the same folds."""
    from rosenblatt.cli.commands.compare import command

    return command


@_add
def studio() -> click.Command:
    """Watch a separator learn, step by step, on a local page."""
    from rosenblatt.cli.commands.studio import command

    return command


@_add
def completion() -> click.Command:
    """Print the script that makes the shell complete commands and options."""
    from rosenblatt.cli.commands.completion import command

    return command
