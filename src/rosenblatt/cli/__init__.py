"""The command line: parse, call, render. A command's module is loaded when it is asked for, so that --help is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.declared import Command
from rosenblatt.cli.exits import guarded
from rosenblatt.cli.invocation import running

if TYPE_CHECKING:
    from rosenblatt.cli.clicked import cli

__all__ = ["COMMANDS", "cli", "main"]

# name: the module that holds its `command`, and what it does in one line. The order is that of the help.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("rosenblatt.cli.commands.demo", "Spam, end to end, on mail in the package: learn, test, explain."),
    "fit": ("rosenblatt.cli.commands.fit", "Learn a model from a file, in any format."),
    "predict": ("rosenblatt.cli.commands.predict", "Decide about new examples."),
    "evaluate": ("rosenblatt.cli.commands.evaluate", "How good a model is on examples with known labels."),
    "explain": ("rosenblatt.cli.commands.explain", "What a model has learned, and why it decides as it does."),
    "export": ("rosenblatt.cli.commands.export", "Write a model as ONNX, JSON or SQL."),
    "certify": ("rosenblatt.cli.commands.certify", "Whether a hyperplane can tell the classes apart, with a proof."),
    "trace": ("rosenblatt.cli.commands.trace", "Print every step of a run, as the lectures do; draw it, animate it."),
    "compare": ("rosenblatt.cli.commands.compare", "The perceptron and its relatives on the same folds, in one table."),
    "studio": ("rosenblatt.cli.commands.studio", "A page on which a separator is seen to learn, step by step."),
    "completion": ("rosenblatt.cli.commands.completion", "Print what makes the shell complete commands and options."),
}


# They multiply no matrices; threads of numpy's that wait for some would take time from ours.
_OWN_THREADS = ("fit", "predict", "evaluate", "explain", "export")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code says how it went. No traceback reaches the user."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: _run(given))


def _run(given: list[str]) -> object:
    """A plain line is read at once; click reads those that are wrong, or ask for something else than the command."""
    name = given[0] if given and given[0] in COMMANDS else ""
    running.begin(name, given)
    if name in _OWN_THREADS:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if name and "_ROSENBLATT_COMPLETE" not in os.environ:
        command = import_module(COMMANDS[name][0]).command
        asked = command.read(given[1:]) if isinstance(command, Command) else None
        if asked is not None:
            return command.run(asked)
    from rosenblatt.cli.clicked import run

    return run(given)


def __getattr__(name: str) -> Any:
    if name != "cli":
        raise AttributeError(f"module 'rosenblatt.cli' has no attribute {name!r}")
    from rosenblatt.cli.clicked import cli

    return cli
