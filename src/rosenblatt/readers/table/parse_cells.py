"""A record batch of a table -> its numbers, words, texts and labels, without knowledge of other batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import compute as pc

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.number_targets import LARGEST, what_is_wrong
from rosenblatt.readers.table.bad_rows import BadCells, not_a_date, not_a_number, number_too_large
from rosenblatt.readers.table.columns import dates
from rosenblatt.readers.table.columns.kinds import is_one_of
from rosenblatt.readers.table.columns.layout import Layout
from rosenblatt.readers.table.columns.missing_cells import FLAGS, MISSING, is_number
from rosenblatt.readers.table.columns.written_numbers import NumberForm, plain_numbers, without_marks
from rosenblatt.readers.table.files.check_arrow import naming_column
from rosenblatt.records import Floats

LARGEST_WHOLE = 2.0**53  # a float holds all whole numbers up to it

T = TypeVar("T")

_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


@dataclass(frozen=True)
class WordColumn:
    """A column of words: the position of each cell's word in `words`; -1 where it is missing."""

    codes: NDArray[np.int32]
    words: Sequence[str]
    more_codes: Sequence[NDArray[np.int32]] = ()  # of lists: the second word of each cell, the third and so on


@dataclass(frozen=True)
class Batch:
    """Some rows of a table, their columns sorted by what they hold."""

    n_rows: int
    numbers: Floats  # rows x number columns; NaN where a number is missing
    words: list[WordColumn]  # the weekdays and hours of the dates after the others
    texts: list[tuple[Any, NDArray[np.int64]]]  # the bytes of a column, and the offsets of its cells and of its end
    label: WordColumn | None
    bad: BadCells
    bytes_read: int  # bytes of the file up to the end of the batch
    passed: Sequence[pa.Array] = ()  # columns that are passed through
    targets: Floats | None = None  # where a number is predicted; NaN where it is missing
    bad_targets: Sequence[tuple[int, str]] = ()  # rows whose target is not a number that can be learned

    def naming(self, before: Layout, after: Layout) -> Batch:
        """The batch with those columns of numbers as words that are words in the second layout."""
        names = [column for column in after.names if column in before.numbers]
        numbers = [j for j, column in enumerate(before.numbers) if column in after.numbers]
        n_words = len(before.words)
        words = [_words_of_numbers(self.numbers[:, before.numbers.index(column)]) for column in names]
        return replace(
            self, numbers=self.numbers[:, numbers], words=[*self.words[:n_words], *words, *self.words[n_words:]]
        )

    def restricted(self, before: Layout, after: Layout) -> Batch:
        """The batch without the columns that the second layout leaves out."""
        if before.left_out == after.left_out:
            return self
        numbers = [j for j, column in enumerate(before.numbers) if column in after.numbers]
        words, remain = zip(before.word_columns, self.words, strict=True), set(after.word_columns)
        texts = zip(before.texts, self.texts, strict=True)
        return replace(
            self,
            numbers=self.numbers[:, numbers],
            words=[words for column, words in words if column in remain],
            texts=[text for column, text in texts if column in after.texts],
        )


def parse_batch(
    batch: pa.RecordBatch, layout: Layout, bytes_read: int, passed: Sequence[str] = (), *, marks_missing: bool = True
) -> Batch:
    """`passed` columns are given as they are. `marks_missing`: the reader has put null in place of missing values."""
    bad: BadCells = []
    as_they_are = [batch.column(column) for column in passed]
    if not marks_missing:
        batch = _with_missing(batch)
    numbers = np.empty((batch.num_rows, len(layout.numbers)))
    words = [_read(_names if column in layout.names else _words, batch, column) for column in layout.words]
    plain = []
    for j, column in enumerate(layout.numbers):
        if column in layout.dates:
            micros = _read(_micros, batch, column, column, layout.dates[column].form, layout.written.get(column), bad)
            numbers[:, j] = dates.days(micros)
            words += _date_words(micros, hours=layout.dates[column].hours)
        else:
            floats = _read(_numbers, batch, column, column, layout.written.get(column), bad)
            valid, data = floats.buffers()
            plain.append((j, data, valid, floats.offset))
    for j in native.put_numbers(numbers, plain):
        what = number_too_large(layout.numbers[j])
        bad += [(row, what) for row in np.flatnonzero(np.isinf(numbers[:, j])).tolist()]
    label = layout.label
    targets, bad_targets = (None, []) if label is None or not layout.predicts_number else _targets(batch, layout, label)
    return Batch(
        batch.num_rows,
        numbers,
        words,
        [_read(_text_bytes, batch, column) for column in layout.texts],
        None if label is None or layout.predicts_number else _read(_words, batch, label),
        bad,
        bytes_read,
        as_they_are,
        targets,
        bad_targets,
    )


def _targets(batch: pa.RecordBatch, layout: Layout, label: str) -> tuple[Floats, BadCells]:
    bad: BadCells = []
    floats = _read(_numbers, batch, label, label, layout.written.get(label), bad)
    targets = floats.to_numpy(zero_copy_only=False).astype(np.float64)
    with np.errstate(invalid="ignore"):
        beyond = np.flatnonzero(np.abs(targets) > LARGEST).tolist()
    if beyond:
        targets = targets.copy()
    for row in beyond:
        bad.append((row, what_is_wrong(str(batch.column(label)[row].as_py()), label)))
        targets[row] = np.nan
    return targets, bad


def _read(read: Callable[..., T], batch: pa.RecordBatch, column: str, *more: Any) -> T:
    with naming_column(column):
        return read(batch.column(column), *more)


def _with_missing(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Columns of text with null in place of the marks of a missing value, as the reader of CSV gives them otherwise."""
    null = pa.scalar(None, pa.string())
    cells = [pc.if_else(is_one_of(column, MISSING), null, column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(cells, names=batch.schema.names)


def _date_words(micros: pa.Array, *, hours: bool) -> list[WordColumn]:
    weekday, hour = dates.weekday_and_hour(micros)
    columns = [WordColumn(weekday, dates.WEEKDAYS)]
    return [*columns, WordColumn(hour, dates.HOURS)] if hours else columns


def _micros(array: pa.Array, column: str, form: str, written: NumberForm | None, bad: BadCells) -> pa.Array:
    """Microseconds since 1970 of a column of dates, whatever its type; a cell that is not a date is noted as bad."""
    if pa.types.is_date(array.type) or pa.types.is_timestamp(array.type):
        return dates.micros_of_type(array)
    strings = pc.cast(array, pa.string())
    trimmed = _trimmed(strings if written is None else without_marks(strings, written))
    micros = dates.micros_of_text(trimmed, form if form != dates.TYPED else dates.ISO)
    for row in np.flatnonzero(pc.and_(pc.is_null(micros), pc.is_valid(trimmed))).tolist():
        bad.append((row, not_a_date(column, form, trimmed[row].as_py())))
    return micros


def _numbers(array: pa.Array, column: str, written: NumberForm | None, bad: BadCells) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = array if written is None else plain_numbers(array, written)
        floats = _cast_strings(array)
        if floats is None:
            trimmed = _trimmed(array)
            floats = _cast_strings(trimmed)
            floats = _cast_flags(trimmed) if floats is None else floats
            floats = _parse_cells(array, column, bad) if floats is None else floats
    else:
        floats = _cast_typed(array)
    return floats


def _cast_strings(array: pa.Array) -> pa.Array | None:
    """Strings as floats; None where one of them is not a number."""
    try:
        return pc.cast(array, pa.float64())
    except pa.ArrowInvalid:
        return None


def _cast_flags(trimmed: pa.Array) -> pa.Array | None:
    """true and false as 1 and 0; None where a cell is something else."""
    lower = pc.utf8_lower(trimmed)
    if not pc.all(is_one_of(lower.drop_null(), FLAGS)).as_py():
        return None
    return pc.cast(pc.cast(pc.equal(lower, FLAGS[1]), pa.uint8()), pa.float64())


def _trimmed(array: pa.Array) -> pa.Array:
    trimmed = pc.ascii_trim_whitespace(array)
    return pc.if_else(is_one_of(trimmed, MISSING), pa.scalar(None, trimmed.type), trimmed)


def _parse_cells(array: pa.Array, column: str, bad: BadCells) -> pa.Array:
    """Cells as floats, one by one; those that are not numbers become missing, and are noted as bad."""
    cells: list[str | None] = [None if cell is None else cell.strip() for cell in array.to_pylist()]
    for row, cell in enumerate(cells):
        if cell in MISSING:
            cells[row] = None
        elif cell is not None and not is_number(cell):
            bad.append((row, not_a_number(column, cell)))
            cells[row] = None
    return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())


def _cast_typed(array: pa.Array) -> pa.Array:
    """Booleans as 0 and 1, dates and times as days since 1970, durations and times of day as seconds."""
    type_ = array.type
    if pa.types.is_timestamp(type_) or pa.types.is_date(type_):
        return pc.divide(pc.cast(dates.micros_of_type(array), pa.float64(), safe=False), 86_400e6)
    if pa.types.is_duration(type_) or pa.types.is_time(type_):
        ticks = pc.cast(array, pa.int32() if pa.types.is_time32(type_) else pa.int64())
        return pc.divide(pc.cast(ticks, pa.float64(), safe=False), _PER_SECOND[type_.unit])
    if pa.types.is_boolean(type_):
        return pc.cast(pc.cast(array, pa.uint8()), pa.float64())
    return pc.cast(array, pa.float64(), safe=False)


def _as_strings(array: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    is_string = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    return array if is_string else pc.cast(array, pa.large_string())


def _words(array: pa.Array) -> WordColumn:
    """Words without the spaces around them; null and the marks of a missing value are -1."""
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return _words_of_lists(array)
    strings = _as_strings(array)
    wide, (valid, starts, data) = pa.types.is_large_string(strings.type), strings.buffers()
    codes, distinct = native.encode_words(starts, data, valid, strings.offset, len(strings), wide)
    positions: dict[str, int] = {}
    position_of_code = [
        -1 if word in MISSING else positions.setdefault(word, len(positions)) for word in map(str.strip, distinct)
    ]
    if len(positions) < len(distinct):
        codes = np.array([*position_of_code, -1], dtype=np.int32)[codes]
    return WordColumn(codes, list(positions))


def _names(array: pa.Array) -> WordColumn:
    """Words; whole numbers are written in one way, however the file writes them."""
    words = _words(array)
    positions: dict[str, int] = {}
    codes = [positions.setdefault(whole_number(word), len(positions)) for word in words.words]
    return WordColumn(np.array([*codes, -1], dtype=np.int32)[words.codes], list(positions))


def _words_of_numbers(values: Floats) -> WordColumn:
    """The same for whole numbers that are parsed already; NaN where one is missing."""
    numbers, codes = np.unique(values, return_inverse=True)
    words = [str(int(number)) for number in numbers[~np.isnan(numbers)].tolist()]
    return WordColumn(np.where(codes < len(words), codes, -1).astype(np.int32), words)


def whole_number(word: str) -> str:
    """
    >>> [whole_number(word) for word in ("007", "7.0", "-1e3", "2.5", "K1A", "nan")]
    ['7', '7', '-1000', '2.5', 'K1A', 'nan']
    """
    value = float(word) if is_number(word) else math.nan
    return str(int(value)) if abs(value) < LARGEST_WHOLE and value == int(value) else word


def _words_of_lists(array: pa.Array) -> WordColumn:
    """Each word of a list once."""
    words, rows = _words(array.flatten()), pc.list_parent_indices(array).to_numpy(zero_copy_only=False)
    present = words.codes >= 0
    pairs = rows[present].astype(np.int64) * max(len(words.words), 1) + words.codes[present]
    first_of_each = np.sort(np.unique(pairs, return_index=True)[1])
    rows, codes = rows[present][first_of_each], words.codes[present][first_of_each]
    n_words = np.bincount(rows, minlength=len(array))
    place = np.arange(len(rows)) - np.repeat(np.cumsum(n_words) - n_words, n_words)
    columns = [np.full(len(array), -1, dtype=np.int32) for _ in range(max(int(n_words.max(initial=0)), 1))]
    for k, column in enumerate(columns):
        column[rows[place == k]] = codes[place == k]
    return WordColumn(columns[0], words.words, columns[1:])


def _text_bytes(array: pa.Array) -> tuple[Any, NDArray[np.int64]]:
    array = pc.fill_null(pc.cast(_as_strings(array), pa.large_string()), pa.scalar("", pa.large_string()))
    _, starts, data = array.buffers()
    offsets = np.frombuffer(starts, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return (b"" if data is None else data), np.ascontiguousarray(offsets)
