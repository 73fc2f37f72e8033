"""One example as a person writes it: like a line in a file of the model's format, or for a table in other forms too."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rosenblatt.errors import DataError, listed
from rosenblatt.readers.inputs.input_file import MemoryFile
from rosenblatt.readers.open import open_source, source_of
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace, SourceBlock

_NAME = "The example"
_SVMLIGHT_LABEL = "0 "  # a placeholder: svmlight has a label before the features
_QUOTED = r'"(?:[^"]|"")*"'


def read_example(space: FeatureSpace, format: str | None, example: str) -> SourceBlock:
    """The example, read as the model with this space reads a file; `format` is that of the file it was learned from."""
    format, content = _as_file(space, format, example)
    data = content.encode("utf-8", errors="replace")
    try:
        reading = ReadOptions(format=format, name_rows=True)
        source = source_of(MemoryFile(_NAME, len(data), data), reading, space)
        block = next((block for block in source.blocks() if block.rows), None)
    except DataError as error:
        raise DataError(f"The example cannot be read{_fault(error, format)}") from None
    if block is None:
        raise DataError("The example is empty: write it as in a file of the model's format.")
    return block


def read_row(path: str, reading: ReadOptions, space: FeatureSpace, number: int) -> tuple[SourceBlock, int]:
    """The block of a file that holds a row, counted from 1, and the position of the row in it."""
    n_rows = 0
    for block in open_source(path, reading, space).blocks():
        if number <= block.first_row + block.rows:
            return block, number - 1 - block.first_row
        n_rows = block.first_row + block.rows
    raise DataError(f"{path}: has {n_rows:,} rows, and there is no row {number:,}.", file=path)


def _fault(error: DataError, format: str) -> str:
    """What is wrong with the example, and at which of its characters."""
    message: str = error.args[0]
    if error.column is None:
        sentence = re.sub(rf"^{_NAME}(?::\d+)?: ", "", message)
        return f": {sentence.partition(', or skip such rows')[0].rstrip('.')}."
    character = error.column - len(_SVMLIGHT_LABEL) * (format == "svmlight")
    return f" at character {character}: {message.removeprefix(f'{_NAME}:{error.line}:{error.column}: ')}"


def _as_file(space: FeatureSpace, format: str | None, example: str) -> tuple[str, str]:
    """The format that the model reads, and the content of a file of it that holds this example without a label."""
    format = format or {"index": "svmlight", "columns": "csv"}.get(space.kind, "text")
    line = " ".join(example.split())
    if format == "svmlight" or space.kind == "index":
        return "svmlight", f"{_SVMLIGHT_LABEL}{line}\n"
    if format == "vw":
        return "vw", (line if "|" in line else f"| {line}") + "\n"
    if format in ("text", "fasttext"):
        return "text", f"{line}\n"
    cells = cells_of(space, example)
    table = io.StringIO()
    csv.writer(table).writerows([cells.keys(), cells.values()])
    return "csv", table.getvalue()


def cells_of(space: FeatureSpace, example: str) -> dict[str, str]:
    """The cell of every column that the model needs; '', which is a missing value, where the example has none.

    The example is a JSON object, `column=value, column="a value, with a comma"`, or a row of the file.
    """
    settings = space.settings
    needed = [column for kind in ("numbers", "words", "texts") for column in settings.get(kind, ())] or [*space.columns]
    every = settings.get("columns", {}).get("order") or [*needed, *filter(None, [settings.get("label")])]
    if example.lstrip().startswith("{"):
        cells = _of_json(example)
    else:
        named = _of_pairs(example, every)
        cells = _of_row(example, every, settings.get("label")) if named is None else named
    unknown = [column for column in cells if column not in every]
    if unknown:
        raise DataError(
            f"The example has a column {unknown[0]!r}, which the model does not know; its columns are {listed(needed)}."
        )
    return {column: cells.get(column, "") for column in needed}


def _of_json(example: str) -> dict[str, str]:
    try:
        record = json.loads(example)
    except ValueError as error:
        raise DataError(f"The example begins like a JSON object and is not one: {error}.") from None
    return {column: cell_of(value) for column, value in flat(record)}


def flat(record: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """The names and values of a JSON object; the names in a nested object begin with its own name and a dot."""
    pairs = []
    for name, value in record.items():
        pairs += flat(value, f"{before}{name}.") if isinstance(value, dict) else [(f"{before}{name}", value)]
    return pairs


def cell_of(value: Any) -> str:
    """A JSON value as the cell of a table."""
    if isinstance(value, list):
        return " ".join(map(cell_of, value))
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return str(value)


def _of_pairs(example: str, columns: Sequence[str]) -> dict[str, str] | None:
    """`column=value, column="value"`; None where the example is not of this form."""
    names = "|".join(re.escape(column) for column in sorted(columns, key=len, reverse=True))
    pair = re.compile(
        rf'\s*(?:"(?P<quoted>{names})"|(?P<name>{names}|[^=,"]*?))\s*=\s*(?P<value>{_QUOTED}|[^,]*?)\s*(?:,|$)'
    )
    cells, at = {}, 0
    while at < len(example.rstrip()):
        match = pair.match(example, at)
        if match is None:
            break
        value = match["value"]
        cells[match["quoted"] or match["name"]] = value[1:-1].replace('""', '"') if value[:1] == '"' else value
        at = match.end()
    complete = at >= len(example.rstrip())
    if not any(column in columns for column in cells):
        return cells if complete and len(cells) < len(columns) - 1 else None  # else perhaps a row of such cells
    if not complete:
        raise DataError(
            f"The example cannot be read at character {at + 1}: expected column=value, found "
            f'{example[at : at + 20].strip()!r}; write a value with a comma as column="a, b".'
        )
    return cells


def _of_row(example: str, columns: Sequence[str], label: str | None) -> dict[str, str]:
    """The cells of a row as the file has them, with or without the label."""
    unlabelled = [column for column in columns if column != label]
    n_cells = 0
    for separator in (",", ";", "\t"):
        row = next(csv.reader([example], delimiter=separator, skipinitialspace=True), [])
        for names in (columns, unlabelled):
            if len(row) == len(names) and len(row) > 1:
                return dict(zip(names, row, strict=True))
        n_cells = max(n_cells, len(row))
    raise DataError(
        "Write the example as column=value, column=value, as a JSON object, or as a row of the table: this model was "
        f"learned from a table with the columns {listed(columns)}, and the example has {n_cells} "
        f"cell{'' if n_cells == 1 else 's'}."
    )
