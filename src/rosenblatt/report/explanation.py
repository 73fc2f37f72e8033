"""Why a model decides as it does about one example, which is given as text."""

import csv
import io
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.logic.network.cascade_conversion import network_from_cascade
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.network import NetworkModel
from rosenblatt.model.model import Model, check_width
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import SourceBlock
from rosenblatt.report.weights import bias, contributions, direction

_SVMLIGHT_LABEL = "0 "  # a placeholder: svmlight has a label before the features


def explain_example(model: LinearModel, example: str) -> dict[str, Any]:
    """The predicted class, its score, and what each feature of the example adds to it, the largest first."""
    block = read_example(model, example)
    values = block.values
    unit_scores = model.scores(values)
    k = int(model.predicted_classes(unit_scores)[0])
    scores = model.class_scores(unit_scores)[0]
    score = float(scores[0] if k == 1 else -scores[0]) if model.scheme == "binary" else float(scores[k])
    return {
        "label": model.classes[k],
        "score": score,
        "bias": bias(model, k),
        "contributions": contributions(model, values, 0, direction(model, k), block.names),
    }


def explain_network_example(model: NetworkModel, example: str) -> dict[str, Any]:
    """The predicted class, its score, and the score of each unit of the network."""
    values = check_width(read_example(model, example).values, len(model.names))
    all_units = replace(model.cascade, outputs=tuple(range(len(model.cascade.coef))))
    unit_scores = all_units.scores(native.rows_of(values))[0].tolist()
    units = network_from_cascade(model.cascade, model.names, model.kinds).units
    scores = model.scores(values)
    k, binary = int(model.predicted_classes(scores)[0]), len(model.classes) == 2
    score = float(scores[0, 0 if binary else k])
    return {
        "label": model.classes[k],
        "score": 0.0 - score if binary and k == 0 else score,  # never -0
        "units": [
            {"unit": unit.name, "kind": unit.kind, "score": unit_score, "fires": unit_score > 0}
            for unit, unit_score in zip(units, unit_scores, strict=True)
        ],
    }


def read_example(model: Model, example: str) -> SourceBlock:
    """The example, read as the model reads a file: it is put into one."""
    format, content = _as_file(model, example)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example"
        path.write_text(content, encoding="utf-8")
        try:
            source = open_source(str(path), ReadOptions(format=format, name_rows=True), model.space)
            block = next((block for block in source.blocks() if block.values.shape[0]), None)
        except DataError as error:
            raise DataError(f"The example cannot be read{_fault(error, str(path), format)}") from None
    if block is None:
        raise DataError("The example is empty: write it as in a file of the model's format.")
    return block


def _fault(error: DataError, path: str, format: str) -> str:
    """What is wrong with the example, and at which of its characters rather than where in the temporary file."""
    message: str = error.args[0]
    if error.column is None:
        return f": {message.removeprefix(f'{path}: ')}"
    character = error.column - len(_SVMLIGHT_LABEL) * (format == "svmlight")
    return f" at character {character}: {message.removeprefix(f'{path}:{error.line}:{error.column}: ')}"


def _as_file(model: Model, example: str) -> tuple[str, str]:
    """The format that the model reads, and the content of a file of it that holds this example without a label."""
    space = model.space
    training_format = model.provenance.get("data", {}).get("format")
    format = str(training_format or {"index": "svmlight", "columns": "csv"}.get(space.kind, "text"))
    line = " ".join(example.split())
    if format == "svmlight" or space.kind == "index":
        return "svmlight", f"{_SVMLIGHT_LABEL}{line}\n"
    if format == "vw":
        return "vw", (line if "|" in line else f"| {line}") + "\n"
    if format == "text":
        return "text", f"{line}\n"
    return "csv", _as_table(example)


def _as_table(example: str) -> str:
    """`age=39, job=clerk` as a CSV table of one row."""
    pairs = [pair.partition("=") for pair in next(csv.reader([example], skipinitialspace=True))]
    if not pairs or any(not equals for _, equals, _ in pairs):
        raise DataError("Write the example as column=value, column=value: this model was learned from a table.")
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow([name.strip() for name, _, _ in pairs])
    writer.writerow([value.strip() for _, _, value in pairs])
    return table.getvalue()
