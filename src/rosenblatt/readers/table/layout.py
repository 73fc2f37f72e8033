"""Which column of a table holds the label, numbers, words or running text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pyarrow import DataType, types

from rosenblatt.errors import DataError, listed
from rosenblatt.readers.table.cells import MISSING, is_number

ColumnKind: TypeAlias = Literal["number", "word", "text"]

# Usual names of a label column, the most likely first.
_LABEL_NAMES = ("label", "target", "class", "y")
_TEXT_WORDS = 4  # a column with this many words per cell, most cells different, is running text


@dataclass(frozen=True)
class Layout:
    """Which column holds what; `label` is None where a file to predict has none."""

    label: str | None
    numbers: tuple[str, ...]
    words: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def dense(self) -> bool:
        return not self.words and not self.texts


def usual_label(columns: Sequence[str]) -> str:
    """The column with the most likely label name, or ''; a y after an x is a coordinate, unless it is last.

    >>> usual_label(["x", "y", "label"]), usual_label(["x", "Y"]), usual_label(["x", "y", "kind"])
    ('label', 'Y', '')
    """
    position = {column.lower(): i for i, column in reversed(list(enumerate(columns)))}
    for name in _LABEL_NAMES:
        i = position.get(name)
        if i is not None and not (name == "y" and position.get("x") == i - 1 and i < len(columns) - 1):
            return columns[i]
    return ""


def label_column(file: str, columns: Sequence[str], label: str | int | None) -> str:
    """The label column by its name or position; a usual one, or the last, where the user names none."""
    if label is None:
        return usual_label(columns) or columns[-1]
    if label in columns:
        return str(label)
    try:
        return columns[int(label)]
    except (ValueError, IndexError):
        raise DataError(
            f"{file}: there is no label column {label!r}; its columns are {listed(columns)}. "
            "Name one of them, or give its position from 0.",
            file=file,
        ) from None


def kind_of_cells(cells: Sequence[str | None]) -> ColumnKind:
    """What a column holds, by a sample of its cells; None and the usual marks are missing values.

    >>> kind_of_cells(["1", "2.5", "?"]), kind_of_cells(["1", "low"]), kind_of_cells(["it goes on so", "on it goes so"])
    ('number', 'word', 'text')
    """
    present = [cell for cell in cells if cell is not None and cell not in MISSING]
    if present and all(map(is_number, present)):
        return "number"
    n_words = sum(len(cell.split()) for cell in present)
    is_text = present and n_words >= _TEXT_WORDS * len(present) and 2 * len(set(present)) > len(present)
    return "text" if is_text else "word"


def kind_of_type(file: str, column: str, type_: DataType, cells: Sequence[Any]) -> ColumnKind:
    """What a typed column holds, by its Arrow type, and for strings by a sample of its cells."""
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_temporal)
    if any(is_numeric(type_) for is_numeric in numeric):
        return "number"
    if types.is_string(type_) or types.is_large_string(type_):
        kind = kind_of_cells(["x" if cell is None else f"{cell}" for cell in cells])
        return "word" if kind == "number" else kind
    if types.is_dictionary(type_) or types.is_null(type_) or getattr(types, "is_string_view", lambda _: False)(type_):
        return "word"
    raise DataError(
        f"{file}: column {column!r} holds {type_}, which is neither numbers nor words nor times; "
        "leave it out, or split it into columns.",
        file=file,
    )


def layout_of(
    file: str, kinds: Mapping[str, ColumnKind], label: str, text: Sequence[str], words: Sequence[str]
) -> Layout:
    """The layout of a table: what its columns seem to hold, except for those that the user says hold text or words."""
    for column in (*text, *words):
        if column not in kinds:
            raise DataError(f"{file}: there is no column {column!r}; its columns are {listed(list(kinds))}.", file=file)
    kinds = {**kinds, **dict.fromkeys(words, "word"), **dict.fromkeys(text, "text")}

    numbers, word_columns, texts = (
        tuple(column for column in kinds if kinds[column] == kind and column != label)
        for kind in ("number", "word", "text")
    )
    return Layout(label, numbers, word_columns, texts)
