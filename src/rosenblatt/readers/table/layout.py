"""Which column of a table holds the label, numbers, dates, words or running text, and which are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import types

from rosenblatt.errors import DataError, listed
from rosenblatt.readers.table.cells import FLAGS, MISSING, is_number
from rosenblatt.readers.table.dates import DateForm, form_of_cells

ColumnKind: TypeAlias = Literal["number", "word", "text", "date"]

# Usual names of a label column, the most likely first.
_LABEL_NAMES = ("label", "target", "class", "y")
_TEXT_WORDS = 4  # a column with this many words per cell, most cells different, is running text
_SHORT_TEXT_WORDS = 3


@dataclass(frozen=True)
class Layout:
    """Which column holds what; `label` is None where a file to predict has none.

    A date is also among the numbers, as the days since 1970; its weekday and its hour are words.
    """

    label: str | None
    numbers: tuple[str, ...]
    words: tuple[str, ...]
    texts: tuple[str, ...]
    dates: Mapping[str, DateForm] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)  # column -> why
    flags: tuple[str, ...] = ()  # numbers that are written as true and false

    @property
    def dense(self) -> bool:
        return not self.words and not self.texts and not self.dates

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that a file must have."""
        return (*self.numbers, *self.words, *self.texts)

    @property
    def word_columns(self) -> tuple[str, ...]:
        """The columns of words, then the weekdays and hours of the dates, in the order of the numbers."""
        dates = [column for column in self.numbers if column in self.dates]
        return (*self.words, *(name for column in dates for name in self.date_words(column)))

    def date_words(self, column: str) -> Iterator[str]:
        yield f"{column} weekday"
        if self.dates[column].hours:
            yield f"{column} hour"

    def without(self, columns: Mapping[str, str]) -> Layout:
        """The layout with these columns left out; the mapping says why."""
        numbers, words, texts = (
            tuple(column for column in group if column not in columns)
            for group in (self.numbers, self.words, self.texts)
        )
        dates = {column: form for column, form in self.dates.items() if column not in columns}
        return replace(
            self, numbers=numbers, words=words, texts=texts, dates=dates, left_out={**self.left_out, **columns}
        )


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


def kind_of_strings(cells: pa.Array, *, dates: bool = False) -> ColumnKind:
    """What a column of text holds, by a sample of its cells; null and the usual marks are missing values.

    >>> [kind_of_strings(pa.array(cells)) for cells in (["1", "2.5", "?"], ["1", "low"], ["it goes on so", "so on it"])]
    ['number', 'word', 'word']
    >>> kind_of_strings(pa.array(["2024-02-29", None]), dates=True), kind_of_strings(pa.array(["2024-02-29"]))
    ('date', 'word')
    """
    present = present_cells(cells)
    if _are_numbers(present):
        return "number"
    if dates and are_flags(present):
        return "number"
    if dates and form_of_cells(present) is not None:
        return "date"
    n_words = sum(len(cell.split()) for cell in present.to_pylist()) / max(len(present), 1)
    n_different = pc.count_distinct(present).as_py() / max(len(present), 1)
    return "text" if _is_text(n_words, n_different, short=dates) else "word"


def _is_text(n_words: float, n_different: float, *, short: bool) -> bool:
    """Whether cells with so many words on average, of which this share differs, are running text.

    `short` texts as well: titles and descriptions. Names that all differ are none: they are left out as ids.
    """
    if short and ((n_words >= _SHORT_TEXT_WORDS and n_different > 0.2) or (n_words >= 2 and 0.5 < n_different < 1)):
        return True
    return n_words >= _TEXT_WORDS and n_different > 0.5


def are_flags(cells: pa.Array) -> bool:
    """Whether the cells are true and false, by their type or in writing."""
    if not (types.is_string(cells.type) or types.is_large_string(cells.type)):
        return bool(types.is_boolean(cells.type))
    present = present_cells(cells)
    return len(present) > 0 and pc.all(pc.is_in(pc.utf8_lower(present), pa.array(FLAGS, present.type))).as_py()


def present_cells(cells: pa.Array) -> pa.Array:
    """The cells that are not missing, without the spaces around them."""
    trimmed = pc.utf8_trim_whitespace(cells.drop_null())
    return trimmed.filter(pc.invert(pc.is_in(trimmed, pa.array(MISSING, trimmed.type))))


def _are_numbers(present: pa.Array) -> bool:
    try:
        return len(present) > 0 and pc.cast(present, pa.float64()) is not None
    except pa.ArrowInvalid:  # Python reads some more: a plus sign, spaces of Unicode
        return all(map(is_number, present.to_pylist()))


def kind_of_type(cells: pa.Array, *, dates: bool = False) -> ColumnKind:
    """What a typed column holds, by its Arrow type, and for strings by a sample of its cells."""
    type_ = cells.type
    if dates and (types.is_date(type_) or types.is_timestamp(type_)):
        return "date"
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_temporal)
    if any(is_numeric(type_) for is_numeric in numeric):
        return "number"
    if types.is_string(type_) or types.is_large_string(type_):
        kind = kind_of_strings(cells, dates=dates)
        return "word" if kind == "number" and not dates else kind  # with `dates` as the same table in CSV
    return "word"
