"""Tables that the user pastes, uploads or names on the command line."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.readers.read import read
from rosenblatt.studio.request import MAX_CLASSES, MAX_COLUMNS, MAX_COORDINATE, MAX_POINTS, is_number


def table(request: Mapping[str, Any]) -> dict[str, Any]:
    """A table that was pasted or uploaded as `text`, read like a file; the class is its last column.

    >>> table({"text": "height,width,kind\\n1,2,a\\n3,4,b\\n"})["columns"]
    ['height', 'width']
    """
    text = request.get("text")
    if not isinstance(text, str) or not text.strip():
        raise DataError("There is nothing to read: paste a table with a row for each example, its class last.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.tsv" if "\t" in text.lstrip().splitlines()[0] else "table.csv")
        path.write_text(text.strip() + "\n", encoding="utf-8")
        try:
            return read_file(path)
        except RosenblattError as error:
            raise DataError(error.spelled(_as_argument_of_read).replace(str(path), "the table")) from None


def _as_argument_of_read(name: str, value: str | None) -> str:
    """The page has no control for how a table is read, but `rosenblatt.read` has the parameter."""
    return f"{name} of rosenblatt.read" if value is None else f"rosenblatt.read(file, {name}={value!r})"


def read_file(path: Any, **reading: Any) -> dict[str, Any]:
    """The table in a file, of any format that `rosenblatt.read` knows."""
    examples = read(path, **reading)
    if examples.X.shape[1] > MAX_COLUMNS:
        raise DataError(f"The studio shows up to {MAX_COLUMNS} columns, and the table has {examples.X.shape[1]:,}.")
    return table_for_page(examples.X, examples.y, examples.space.columns)


def table_for_page(X: Any, y: Any, columns: Sequence[str] = (), description: str = "") -> dict[str, Any]:
    """Rows and labels in the form the page expects: classes sorted, labels as indices into them."""
    values = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    if y is None or not values.size:
        raise DataError(
            "The table needs rows of numbers and a class: the last column, or one called label, is the class."
        )
    columns = list(columns)
    if values.shape[1] == 1:  # drawn along the first axis
        values, columns = np.column_stack([values, np.zeros(len(values))]), [*(columns or ["x1"]), "0"]
    labels = np.asarray(y)
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():  # a class is a word or a whole number
        labels = np.array([str(label) for label in labels.tolist()])
    classes, index = np.unique(labels, return_inverse=True)
    _check_table(values, classes.tolist())
    return {
        "rows": values.tolist(),
        "labels": index.tolist(),
        "classes": classes.tolist(),
        "columns": columns if len(columns) == values.shape[1] else [f"x{j + 1}" for j in range(values.shape[1])],
        "description": description,
    }


def _check_table(values: Any, classes: list[Any]) -> None:
    sizes = {"rows": (len(values), MAX_POINTS), "columns": (values.shape[1], MAX_COLUMNS)}
    for name, (count, limit) in (sizes | {"classes": (len(classes), MAX_CLASSES)}).items():
        if count > limit:
            raise DataError(f"The studio shows up to {limit:,} {name}, and the table has {count:,}: use a part of it.")
    if not (np.abs(values) <= MAX_COORDINATE).all():
        raise DataError("The table has a value that is too large or not a finite number: correct it or remove the row.")
    if not all(isinstance(name, str) or is_number(name) for name in classes):
        raise DataError("The number of a class is too large: name the classes by words or smaller numbers.")
