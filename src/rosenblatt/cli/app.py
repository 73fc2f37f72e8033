"""The program `rosenblatt`: its commands, each loaded when it is called, and `main`."""

import os
import sys
from collections.abc import Mapping, Sequence

import click

from rosenblatt.cli.exits import exit_code
from rosenblatt.version import __version__

NAME = "rosenblatt"
# In the order of `rosenblatt --help`, each with its line there.
COMMANDS: Mapping[str, str] = {
    "demo": "Learn, test and explain a spam filter on mail that comes with the package.",
    "fit": "Learn a model from a file, in any format.",
    "predict": "Predict the labels of new examples.",
    "evaluate": "Measure how good a model is on examples with known labels.",
    "explain": "Show what a model has learned, and why it decides as it does.",
    "export": "Write a model as ONNX, JSON, SQL or Python.",
    "certify": "Prove that a hyperplane can separate the classes, or that none can.",
    "trace": "Print every step of a run, as the lectures do; draw it, animate it.",
    "compare": "Compare the perceptron with its relatives on the same folds.",
    "studio": "Watch a separator learn, step by step, on a local page.",
    "serve": "Serve models over HTTP that learn while they answer, and lose nothing.",
    "completion": "Print the script that makes the shell complete commands and options.",
}
# These commands multiply no matrices, and idle BLAS threads would slow down ours.
_WITHOUT_BLAS = ("fit", "predict", "evaluate", "explain", "export", "serve")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of the process, and return its exit code. No traceback reaches the user."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return exit_code(lambda: _run(words))


def _run(words: list[str]) -> object:
    if f"_{NAME.upper()}_COMPLETE" in os.environ:  # set by the script that `rosenblatt completion` prints
        return program.main(words, prog_name=NAME)
    # Not by click's own `main`, whose exit codes and error messages differ from those of exits.py.
    with program.make_context(NAME, words.copy(), obj=words) as context:
        return program.invoke(context)


class LazyGroup(click.Group):
    """Lists the commands and their one-line help without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(_unknown_command(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def load_command(name: str) -> click.Command:
    command: click.Command
    match name:
        case "demo":
            from rosenblatt.cli.commands.demo import command
        case "fit":
            from rosenblatt.cli.commands.fit import command
        case "predict":
            from rosenblatt.cli.commands.predict import command
        case "evaluate":
            from rosenblatt.cli.commands.evaluate import command
        case "explain":
            from rosenblatt.cli.commands.explain import command
        case "export":
            from rosenblatt.cli.commands.export import command
        case "certify":
            from rosenblatt.cli.commands.certify import command
        case "trace":
            from rosenblatt.cli.commands.trace import command
        case "compare":
            from rosenblatt.cli.commands.compare import command
        case "studio":
            from rosenblatt.cli.commands.studio import command
        case "serve":
            from rosenblatt.cli.commands.serve import command
        case "completion":
            from rosenblatt.cli.commands.completion import command
    return command


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
