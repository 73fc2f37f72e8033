"""`rosenblatt export`: a model for other programs."""

import sys
from pathlib import PurePath

import click

from rosenblatt import options
from rosenblatt.cli import common

SUFFIXES = {".onnx": "onnx", ".json": "json", ".sql": "sql"}


@common.command("export")
@common.model_argument
@common.option(options.to)
@common.option(options.output, "-o", help="Write to this file instead of stdout.")
@common.option(options.table_name)
@common.quiet_option
def command(model: str, to: str | None, output: str | None, table: str) -> None:
    """Write MODEL for other programs: ONNX, JSON or SQL. `rosenblatt export m.model -o m.onnx`."""
    from rosenblatt.learn import load_model
    from rosenblatt.report.export import exported

    to = to or SUFFIXES.get(PurePath(output or "").suffix.lower())
    if to is None:
        raise click.UsageError("Say which format: --to onnx, --to json or --to sql.")
    if to == "onnx" and output is None and common.on_terminal(sys.stdout):
        raise click.UsageError("ONNX is not for the terminal: give -o a file.")
    found = exported(load_model(model), to, table)
    common.write_file(output or "-", found)
    if output not in (None, "-"):
        common.say(f"{output}: {to}, {len(found):,} bytes")
