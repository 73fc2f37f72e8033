"""One example, given as words on the command line, and what each of its features adds to the decision."""

import csv
import io
import re
import tempfile
from pathlib import Path
from typing import Any

from rosenblatt.errors import DataError
from rosenblatt.model.linear import LinearModel
from rosenblatt.model.model import Model
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import SourceBlock
from rosenblatt.report.weights import bias, contributions


def explained(model: LinearModel, example: str) -> dict[str, Any]:
    """The decision about one example: the class, its score, and what each feature adds to it, the largest first."""
    chunk = read_example(model, example)
    unit_scores = model.scores(chunk.values)
    decided = int(model.predicted_classes(unit_scores)[0])
    scores = model.class_scores(unit_scores)[0]
    score = float(scores[0] if decided == 1 else -scores[0]) if model.scheme == "binary" else float(scores[decided])
    return {
        "label": model.classes[decided],
        "score": score,
        "bias": bias(model, decided),
        "contributions": contributions(model, chunk.values, 0, decided),
    }


def read_example(model: Model, example: str) -> SourceBlock:
    """The example read as the model reads files."""
    kind, line = _as_line(model, example)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example"
        path.write_text(line, encoding="utf-8")
        try:
            source = open_source(str(path), ReadOptions(format=kind), model.space)
            chunk = next((chunk for chunk in source.blocks() if chunk.values.shape[0]), None)
        except DataError as error:
            raise DataError(f"The example cannot be read{_where(str(error), str(path), kind)}") from None
    if chunk is None:
        raise DataError("The example is empty: write it as in a file of the model's format.")
    return chunk


_LABEL = "0 "  # svmlight has a label before the features


def _where(error: str, path: str, kind: str) -> str:
    """What is wrong with the example, at its own character instead of the place in the file it was put into."""
    place = re.fullmatch(rf"{re.escape(path)}:1:(\d+): (.*)", error)
    if place is None:
        return f": {error.removeprefix(path + ': ')}"
    return f" at character {int(place[1]) - len(_LABEL) * (kind == 'svmlight')}: {place[2]}"


def _as_line(model: Model, example: str) -> tuple[str, str]:
    """The format the model reads, and the example as a line of it without a label."""
    space = model.space
    of_file = model.provenance.get("data", {}).get("format")
    kind = str(of_file or {"index": "svmlight", "columns": "csv"}.get(space.kind, "text"))
    one_line = " ".join(example.split())
    if kind == "svmlight" or space.kind == "index":
        return "svmlight", f"{_LABEL}{one_line}\n"
    if kind == "vw":
        return "vw", (one_line if "|" in one_line else f"| {one_line}") + "\n"
    if kind == "text":
        return "text", f"{one_line}\n"
    return "csv", _as_table(example)


def _as_table(example: str) -> str:
    """`age=39, job=clerk` as a table of one row."""
    pairs = [pair.partition("=") for pair in next(csv.reader([example], skipinitialspace=True))]
    if not pairs or any(not found for _, found, _ in pairs):
        raise DataError("Write the example as column=value, column=value: this model was learned from a table.")
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow([name.strip() for name, _, _ in pairs])
    writer.writerow([value.strip() for _, _, value in pairs])
    return table.getvalue()
