"""Tables for the page: the examples that come with it, and what the user pastes, uploads or names."""

import csv
import re
import tempfile
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError, RosenblattError
from rosenblatt.logic.limits import wraparound_limit
from rosenblatt.studio.request import FURTHEST, MOST_CLASSES, MOST_COLUMNS, MOST_POINTS, is_number

_LETTERS = ("A", "B", "C", "D", "E")


def table_of(X: Any, y: Any, names: Any = (), words: str = "") -> dict[str, Any]:
    """Rows and labels as the page takes them: classes sorted, labels as places among them."""
    values = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    if y is None or not values.size:
        raise DataError(
            "The table needs rows of numbers and a class: the last column, or one called label, is the class."
        )
    if values.shape[1] == 1:  # a line of points is drawn on the first axis
        values, names = np.column_stack([values, np.zeros(len(values))]), [*(list(names) or ["x1"]), "0"]
    classes, index = np.unique(np.asarray(y), return_inverse=True)
    for count, most, what in (
        (len(values), MOST_POINTS, "rows"),
        (values.shape[1], MOST_COLUMNS, "columns"),
        (len(classes), MOST_CLASSES, "classes"),
    ):
        if count > most:
            raise DataError(f"The studio shows up to {most:,} {what}, and the table has {count:,}: use a part of it.")
    if not (np.abs(values) <= FURTHEST).all():
        raise DataError(
            "The table has a value that is not a finite number, or too large: correct it or leave the row out."
        )
    if not all(isinstance(name, str) or is_number(name) for name in classes.tolist()):
        raise DataError("A class is named by a number that is too large: name the classes by words or smaller numbers.")
    columns = list(names) if len(names) == values.shape[1] else [f"x{j + 1}" for j in range(values.shape[1])]
    return {
        "rows": values.tolist(),
        "labels": index.tolist(),
        "classes": classes.tolist(),
        "columns": columns,
        "words": words,
    }


# -- examples ---------------------------------------------------------------------------------------------------------


def _gate(targets: list[int], words: str) -> Callable[[], dict[str, Any]]:
    return lambda: table_of(np.array(list(product([0.0, 1.0], repeat=2))), np.array(targets), words=words)


def _blobs() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal([-1.6, -1.0], 0.8, (30, 2)), rng.normal([1.6, 1.2], 0.8, (30, 2))])
    return _mixed(X, 30, "Two clouds with a gap between them.")


def _rings() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    angle = rng.uniform(0, 2 * np.pi, 80)
    radius = np.repeat([1.0, 2.6], 40) + rng.normal(0, 0.18, 80)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return _mixed(X, 40, "One class around the other: no line can do it, an ellipse can.")


def _moons() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, np.pi, (2, 40))
    upper = np.column_stack([np.cos(angle[0]), np.sin(angle[0])])
    lower = np.column_stack([1 - np.cos(angle[1]), 0.45 - np.sin(angle[1])])
    return _mixed(np.concatenate([upper, lower]) + rng.normal(0, 0.08, (80, 2)), 40, "Two half circles, interlocked.")


def _five() -> dict[str, Any]:
    rng = np.random.default_rng(6)
    angle = 2 * np.pi * np.arange(5) / 5 + np.pi / 2
    centres = 3.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    index = np.tile(np.arange(5), 16)
    X = np.round(centres[index] + rng.normal(0, 0.6, (80, 2)), 2)
    return table_of(
        X, np.array(_LETTERS)[index], words="Five classes: one unit for each, or one for each pair, decide."
    )


def _wraparound() -> dict[str, Any]:
    """Two patterns of three pixels on a ring of eight, in all their shifts (the lectures' limit of one unit)."""
    X, y = wraparound_limit("1101", "1011", 8)
    words = "1101 and 1011 on a ring of 8 pixels, in all shifts: both light each pixel equally often, so no unit can."
    pixels = [f"pixel {k + 1}" for k in range(8)]
    return table_of(X, np.array(["1011", "1101"])[1 - y], pixels, words) | {"axes": [0, 2]}


def _hair() -> dict[str, Any]:
    """Points on both sides of x2 = x1/2 + 3, some as near as 0.02: separable, with a large bound on the mistakes."""
    rng = np.random.default_rng(3)
    along = rng.uniform(-2, 2, 40)
    away = rng.uniform(0.02, 1.2, 40) * np.repeat([-1.0, 1.0], 20)
    away[[0, 1, 20, 21]] = [-0.02, -0.02, 0.02, 0.02]
    along[[0, 1, 20, 21]] = [-1.8, 1.8, -1.5, 1.5]
    X = np.column_stack([along - 0.447 * away, along / 2 + 3 + 0.894 * away])
    return _mixed(X, 20, "Separable by a hair's breadth: few lines fit, and finding one takes many mistakes.")


def _mixed(X: Any, first: int, words: str) -> dict[str, Any]:
    """The classes in turn, so that the order given is no order of classes; two decimals, as a person would write."""
    order = np.argsort(np.concatenate([np.arange(first), np.arange(len(X) - first) + 0.5]), kind="stable")
    labels = np.array(_LETTERS)[(order >= first).astype(int)]
    return table_of(np.round(X[order], 2), labels, words=words)


def _iris(*kinds: str) -> Callable[[], dict[str, Any]]:
    def make() -> dict[str, Any]:
        with Path(__file__).parents[1].joinpath("iris.csv").open(encoding="utf-8", newline="") as file:
            head, *rows = list(csv.reader(file))
        kept = [row for row in rows if row[-1] in kinds]
        X, y = np.array([row[:-1] for row in kept], dtype=float), np.array([row[-1] for row in kept])
        table = table_of(X, y, head[:-1], f"Fisher's irises (1936): {' and '.join(kinds)}, 50 of each.")
        return table | {"axes": [2, 3]}

    return make


EXAMPLES: Mapping[str, Callable[[], dict[str, Any]]] = {
    "AND": _gate([-1, -1, -1, 1], "True only if both are: the run that the lectures go through by hand."),
    "OR": _gate([-1, 1, 1, 1], "True if one of the two is."),
    "XOR": _gate([-1, 1, 1, -1], "True if exactly one is: no line can do it, and four rows prove it."),
    "two blobs": _blobs,
    "rings": _rings,
    "moons": _moons,
    "hair's breadth": _hair,
    "iris: setosa, versicolor": _iris("setosa", "versicolor"),
    "iris: versicolor, virginica": _iris("versicolor", "virginica"),
    "iris: all three": _iris("setosa", "versicolor", "virginica"),
    "five classes": _five,
    "wrap-around patterns": _wraparound,
}


def example(request: Mapping[str, Any]) -> dict[str, Any]:
    """One of the examples, by its name.

    >>> example({"name": "AND"})["labels"]
    [0, 0, 0, 1]
    """
    name = request.get("name")
    if not isinstance(name, str) or name not in EXAMPLES:
        raise ParameterError(f"There is no example {name!r}; the examples are {', '.join(EXAMPLES)}.")
    return EXAMPLES[name]() | {"name": name}


# -- pasted and uploaded ----------------------------------------------------------------------------------------------


def table(request: Mapping[str, Any]) -> dict[str, Any]:
    """A table that was pasted or uploaded as text, read as `rosenblatt.readers` reads a file; the class comes last.

    >>> table({"text": "height,width,kind\\n1,2,a\\n3,4,b\\n"})["columns"]
    ['height', 'width']
    """
    text = request.get("text")
    if not isinstance(text, str) or not text.strip():
        raise DataError("There is nothing to read: paste a table with a row for each example, its class last.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.tsv" if "\t" in text.lstrip().splitlines()[0] else "table.csv")
        file.write_text(text.strip() + "\n", encoding="utf-8")
        try:
            return table_from(file)
        except RosenblattError as error:
            raise DataError(without_options(str(error)).replace(str(file), "the table")) from None


def without_options(sentence: str) -> str:
    """The sentence without the advice that names an option of the command line, which a page does not have.

    >>> without_options("row 3 is bad; mend it, or leave such rows out with --on-bad-row skip.")
    'row 3 is bad; mend it.'
    """
    first, *others = re.split("(?=; |, or )", sentence.removesuffix("."))
    return first + "".join(part for part in others if not re.search(r"\B--[a-z]", part)) + "."


def table_from(path: Any, **reading: Any) -> dict[str, Any]:
    """The table in a file, of any format that can be read."""
    from rosenblatt.readers.read import read

    found = read(path, **reading)
    if found.X.shape[1] > MOST_COLUMNS:
        raise DataError(f"The studio shows up to {MOST_COLUMNS} columns, and the table has {found.X.shape[1]:,}.")
    return table_of(found.X, found.y, found.space.columns)
