"""`rosenblatt export`: a model for other programs."""

import sys
from pathlib import PurePath

import click

from rosenblatt import options
from rosenblatt.cli import output as terminal
from rosenblatt.cli.output import check_output, write_file
from rosenblatt.cli.parameters import model_argument, option, output_options, sectioned_command


@sectioned_command(
    "export",
    "rosenblatt export mail.model -o mail.onnx",
    "rosenblatt export people.model --to sql --table people",
    "rosenblatt export mail.model -o spam.py && python spam.py < new-mail.txt",
)
@model_argument
@option(options.to)
@option(options.output, "-o", help="Write to this file instead of stdout.")
@option(options.table_name)
@output_options
def command(model: str, to: str | None, output: str | None, table: str, as_json: bool) -> None:
    """Write MODEL for other programs: ONNX, JSON, SQL, or a Python file that needs no package."""
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
