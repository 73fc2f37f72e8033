"""The formats that a linear model can be exported to.

A new format is a file in this room and a line in EXPORTS.
"""

from collections.abc import Callable, Mapping

from rosenblatt.errors import ModelError, option
from rosenblatt.model.export.json import to_json
from rosenblatt.model.export.onnx import to_onnx
from rosenblatt.model.export.python import to_python
from rosenblatt.model.export.sql import to_sql
from rosenblatt.model.kinds.linear import LinearModel

# By name, as in options.EXPORT_FORMATS. The name is also the file ending, unless ENDINGS has another for it.
EXPORTS: Mapping[str, Callable[[LinearModel, str], bytes]] = {
    "onnx": lambda model, table: to_onnx(model),
    "json": lambda model, table: to_json(model).encode(),
    "sql": lambda model, table: to_sql(model, table).encode(),
    "python": lambda model, table: to_python(model).encode(),
}
ENDINGS: Mapping[str, str] = {"py": "python"}


def export_model(model: LinearModel, to: str, table: str) -> bytes:
    """The model in another format, as the bytes of a file; `table` is the table that SQL selects from."""
    if model.run.votes is not None:
        raise ModelError(
            "A voted answer is all the hyperplanes of its run, too many for another format: "
            f"learn it with {option('keep', 'average')}, which predicts much the same."
        )
    return EXPORTS[to](model, table)
