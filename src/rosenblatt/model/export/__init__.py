"""A model for other programs: ONNX, JSON, SQL."""

from rosenblatt.errors import ModelError
from rosenblatt.model.linear import LinearModel
from rosenblatt.options import EXPORT_FORMATS


def exported(model: LinearModel, to: str, table: str) -> bytes:
    """The model in another format, as the bytes of a file."""
    if model.run.final_weights.votes is not None:
        raise ModelError(
            "A voted answer is all the hyperplanes of its run, too many for another format: "
            "learn it with --keep average, which decides much alike."
        )
    if to == "onnx":
        from rosenblatt.model.export.onnx import to_onnx

        return to_onnx(model)
    if to == "sql":
        from rosenblatt.model.export.sql import to_sql

        return to_sql(model, table).encode()
    from rosenblatt.model.export.json import to_json

    assert to in EXPORT_FORMATS
    return to_json(model).encode()
