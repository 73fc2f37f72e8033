"""`rosenblatt export`: a model for other programs."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from rosenblatt import options
from rosenblatt.available_cores import core_count
from rosenblatt.cli import output as terminal
from rosenblatt.cli.output import check_output, write_file
from rosenblatt.cli.parameters import model_argument, option, output_options, sectioned_command
from rosenblatt.errors import ModelError

if TYPE_CHECKING:
    from rosenblatt.model.kinds.linear import LinearModel


@sectioned_command(
    "export",
    "rosenblatt export mail.model -o mail.onnx",
    "rosenblatt export people.model --to sql --table people",
    "rosenblatt export mail.model --size 1MB --test new-mail.tsv -o phone.model",
    "rosenblatt export mail.model -o spam.py && python spam.py < new-mail.txt",
)
@model_argument
@option(options.to)
@option(options.output, "-o", help="Write to this file instead of stdout.")
@option(options.table_name)
@option(options.size, metavar="SIZE")
@option(options.test)
@output_options
def command(
    model: str, to: str | None, output: str | None, table: str, size: str | int | None, test: str | None, as_json: bool
) -> None:
    """Write MODEL for other programs: ONNX, JSON, SQL, or a Python file that needs no package. With --size, write it as
    a smaller model.
    """
    if size is not None:
        return _write_small(model, to, output, size, test, as_json)
    if test is not None:
        raise click.UsageError("--test measures what a smaller model costs: give its --size.")
    from rosenblatt.model.export.export import ENDINGS, EXPORTS, export_model
    from rosenblatt.model.model_file import load_linear_model

    to_stdout = output in (None, "-")
    ending = PurePath(output or "").suffix.lower().removeprefix(".")
    to = to or ENDINGS.get(ending, ending)
    if to not in EXPORTS:
        choices = [f"--to {choice}" for choice in EXPORTS]
        raise click.UsageError(f"Choose a format: {', '.join(choices[:-1])} or {choices[-1]}.")
    if to == "onnx" and output is None and terminal.is_terminal(sys.stdout):
        raise click.UsageError("ONNX is binary and not for a terminal: name a file with -o.")
    check_output(output, model)
    content = export_model(load_linear_model(model, "exported"), to, table)
    if as_json and to_stdout:
        raise click.UsageError("With --json the model cannot go to stdout too: name a file with -o.")
    write_file(output or "-", content)
    if as_json:
        terminal.write_json({"model": model, "to": to, "output": output, "bytes": len(content)})
    elif not to_stdout:
        terminal.say(f"{output}: {to}, {len(content):,} bytes")


def _write_small(
    model: str, to: str | None, output: str | None, size: str | int, test: str | None, as_json: bool
) -> None:
    from rosenblatt.model.model_file import load_scorer, save_model, with_classes
    from rosenblatt.model.small_model import shrink

    if to is not None:
        raise click.UsageError(
            f"--size is for a model file: leave --to {to} out, and export the small model afterwards."
        )
    if output in (None, "-"):
        raise click.UsageError("Name the file of the small model with -o.")
    check_output(output, model, test)
    large = with_classes(load_scorer(model), model, "made small")
    if large.is_small:
        raise ModelError(f"{model}: is small already: make the model that it was made from smaller.", file=model)
    n_bytes = options.size_of(size)
    assert n_bytes is not None  # the option has checked it
    small = shrink(large, n_bytes)
    if test is not None:
        small = small.measured(*_errors(large, small.model, test), "examples of the test data")
    save_model(small.model, str(output))
    if as_json:
        terminal.write_json({"model": model, "output": output, **small.as_json()})
    else:
        terminal.say(f"{output}: {small.sentence}")


def _errors(large: LinearModel, small: LinearModel, test: str) -> tuple[float, float, int]:
    """The wrong decisions of both models on the test data, and how many examples these have."""
    from rosenblatt.cli.parameters import like_training_data
    from rosenblatt.model.fit.fitted import wrong_decisions
    from rosenblatt.readers.source import ReadOptions

    reading, threads = like_training_data(ReadOptions(), large), core_count()
    (before, rows), (after, _) = (wrong_decisions(each, test, reading, threads) for each in (large, small))
    return before, after, rows
