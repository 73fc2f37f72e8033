"""What a column holds, by its type or by a sample of its cells: numbers, words, running text or dates."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import types

from rosenblatt.lazy import np
from rosenblatt.readers.formats.first_lines import count_words
from rosenblatt.readers.table.columns.dates import form_of_cells
from rosenblatt.readers.table.columns.missing_cells import FLAGS, MISSING, is_number

ColumnKind: TypeAlias = Literal["number", "word", "text", "date"]

_TEXT_WORDS = 4  # a column with this many words per cell, most cells different, is running text
_SHORT_TEXT_WORDS = 3


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
    n_words = sum(count_words(cell) for cell in present.to_pylist()) / max(len(present), 1)
    n_different = pc.count_distinct(present).as_py() / max(len(present), 1)
    return "text" if _is_text(n_words, n_different, short=dates) else "word"


def _is_text(n_words: float, n_different: float, *, short: bool) -> bool:
    """Whether cells with so many words on average, of which this share differs, are running text.

    With `short`, titles and descriptions are, too. Short cells that all differ are names, which are left out as ids.
    """
    if short and ((n_words >= _SHORT_TEXT_WORDS and n_different > 0.2) or (n_words >= 2 and 0.5 < n_different < 1)):
        return True
    return n_words >= _TEXT_WORDS and n_different > 0.5


def is_string(type_: pa.DataType) -> bool:
    return bool(types.is_string(type_) or types.is_large_string(type_))


def are_flags(cells: pa.Array) -> bool:
    """Whether the cells are true and false, by their type or in writing."""
    if not is_string(cells.type):
        return bool(types.is_boolean(cells.type))
    first = (cells[0].as_py() if len(cells) else None) or ""
    if first.strip() not in MISSING and first.strip().lower() not in FLAGS:
        return False
    present = present_cells(cells)
    return len(present) > 0 and pc.all(is_one_of(pc.utf8_lower(present), FLAGS)).as_py()


def present_cells(cells: pa.Array) -> pa.Array:
    """The cells that are not missing, without the spaces around them."""
    trimmed = pc.utf8_trim_whitespace(cells.drop_null())
    return trimmed.filter(pc.invert(is_one_of(trimmed, MISSING)))


def is_one_of(cells: pa.Array, words: tuple[str, ...]) -> pa.Array:
    """Whether each cell is one of the words, at least one of which is not empty."""
    return pc.is_in(cells, value_set=_value_set(words, cells.type))


@cache
def _value_set(words: tuple[str, ...], type_: pa.DataType) -> pa.Array:
    encoded = [word.encode() for word in words]
    # Not pa.array: it imports pandas to check the type of its argument, which takes a tenth of a second.
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(words), buffers).cast(type_)


def _are_numbers(present: pa.Array) -> bool:
    try:
        return len(present) > 0 and pc.cast(present, pa.float64()) is not None
    except pa.ArrowInvalid:  # Python reads some more: a plus sign, spaces of Unicode
        return all(map(is_number, present.to_pylist()))


def are_plain_numbers(present: pa.Array) -> bool:
    """Whether all cells are finite or infinite numbers as programs write them.

    >>> are_plain_numbers(pa.array(["1", "-2.5e-7"])), are_plain_numbers(pa.array(["1", "nan"]))
    (True, False)
    """
    try:
        numbers = pc.cast(present, pa.float64())
    except pa.ArrowInvalid:
        return False
    return len(numbers) > 0 and not pc.any(pc.is_nan(numbers)).as_py()


def kind_of_type(cells: pa.Array, *, dates: bool = False) -> ColumnKind:
    """What a typed column holds, by its Arrow type, and for strings by a sample of its cells."""
    type_ = cells.type
    if dates and (types.is_date(type_) or types.is_timestamp(type_)):
        return "date"
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_temporal)
    if any(is_numeric(type_) for is_numeric in numeric):
        return "number"
    if is_string(type_):
        kind = kind_of_strings(cells, dates=dates)
        return "word" if kind == "number" and not dates else kind  # with `dates` as the same table in CSV
    return "word"
