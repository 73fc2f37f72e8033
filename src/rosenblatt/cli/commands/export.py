"""`rosenblatt export`: a model for other programs."""

import sys
from pathlib import PurePath

from rosenblatt import options
from rosenblatt.cli import common, declared
from rosenblatt.cli.invocation import UsageError


@declared.command("export")
@common.model_argument
@declared.option(options.to)
@declared.option(options.output, "-o", help="Write to this file instead of stdout.")
@declared.option(options.table_name)
@common.output_options
def command(model: str, to: str | None, output: str | None, table: str, as_json: bool) -> None:
    """Write MODEL for other programs: ONNX, JSON or SQL. `rosenblatt export m.model -o m.onnx`."""
    from rosenblatt.model.export.export import EXPORTS, export_model
    from rosenblatt.model.file import load_linear_model

    to = to or PurePath(output or "").suffix.lower().removeprefix(".")
    if to not in EXPORTS:
        raise UsageError("Say which format: --to onnx, --to json or --to sql.")
    if to == "onnx" and output is None and common.on_terminal(sys.stdout):
        raise UsageError("ONNX is not for the terminal: give -o a file.")
    common.check_output(output, model)
    found = export_model(load_linear_model(model, "exported"), to, table)
    if as_json and output in (None, "-"):
        raise UsageError("With --json the model needs a file of its own: give -o one.")
    common.write_file(output or "-", found)
    if as_json:
        common.as_json({"model": model, "to": to, "output": output, "bytes": len(found)})
    elif output not in (None, "-"):
        common.say(f"{output}: {to}, {len(found):,} bytes")
