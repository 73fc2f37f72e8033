"""JSON lines (JSONL, NDJSON), an object on each -> record batches whose columns have types.

Objects inside an object are columns with dots: `{"plan": {"price": 5}}` has a column plan.price. A list holds words.
Which keys there are, and what they hold, is found from the first lines; keys that come later are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from rosenblatt import native
from rosenblatt.available_cores import core_count
from rosenblatt.errors import DataError, listed, plural
from rosenblatt.lazy import np
from rosenblatt.readers.formats.line_source import LineSpan, line_spans, whole_lines
from rosenblatt.readers.inputs.input_file import HEAD, InputFile, cannot_read
from rosenblatt.readers.parallel_map import ordered_map
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows
from rosenblatt.readers.table.columns.new_columns import absence
from rosenblatt.readers.table.files.check_arrow import refuse_duplicates
from rosenblatt.readers.table.files.json_objects import Shape, cells_of, merge, numbers_as_words, object_of, put
from rosenblatt.readers.table.files.spans import SpanRows, TableSpan

_BLOCK = 1 << 20
_SAMPLE = 16  # megabytes of the first lines
_TYPES = {
    "numbers": pa.float64(), "flags": pa.bool_(), "words": pa.string(), "lists": pa.list_(pa.string()), None: pa.null(),
    "numerals": pa.string(),
}  # fmt: skip
_NOTHING: Mapping[str, Any] = {}


class _Parsed(NamedTuple):
    """What the native parser gives for some lines."""

    n_lines: int
    n_rows: int
    columns: list[tuple[Any, ...] | None]
    blank: list[int]  # lines, from 1
    odd: list[tuple[int, int, bytes]]  # lines that it leaves to Python: number, rows before it, text
    late: dict[str, int]  # keys without a column, and how many values they have
    n_late: int


class JsonLines:
    """The names of the columns, and all rows as often as the file can be read.

    Of several files that are read as one, all but the first are given the `shape` of the first.
    """

    header = typed = True

    def __init__(
        self,
        file: InputFile,
        shape: Shape | None = None,
        known: Mapping[str, str] = _NOTHING,
        *,
        as_words: Callable[[Sequence[str]], Collection[str]] = lambda _: (),
        name_late_keys: bool = True,
    ) -> None:
        """`known` are the columns of a model and what they hold, for columns whose kind the first lines do not show.

        Of all columns, `as_words` chooses those whose numbers are needed as they are written: a float rounds long ids.
        """
        self.file, self._known = file, known
        self._started: Iterator[LineSpan] | None = None  # of a pipe whose first lines were read to find the columns
        self.unseen: set[str] = set()
        if shape is None:
            shape = self._find_shape()
            columns = [column for column, _ in _flat_types("", shape)]
            refuse_duplicates(file.name, columns)  # "a.b" beside "a": {"b": ...}
            if not columns:
                raise DataError(f"{file.name}: its first objects have no keys with a value.", file=file.name)
            shape = numbers_as_words(shape, as_words(columns))
        self.shape = shape
        self._native_shape = native.JsonShape(_flat_keys(self.shape))
        self.types = dict(_flat_types("", self.shape))
        self.columns = list(self.types)
        self.places = LinesOfRows(file.name, 0)
        self._name_late_keys = name_late_keys
        self._late: Counter[str] = Counter()
        self._n_late = self._n_lines = 0
        self._never_seen = set(self.unseen)

    def _find_shape(self) -> Shape:
        first, newline, _ = self.file.head.partition(b"\n")
        if first.strip() and (newline or len(self.file.head) < HEAD):
            try:
                object_of(first)
            except ValueError as error:
                what = f"{self.file.name}:1: {error}; write one object on each line"
                raise DataError(f"{what}.", file=self.file.name, line=1) from None
        shape = self._shape_of_first_lines()
        flat = dict(_flat_types("", shape))
        self.unseen = {column for column in self._known if column not in flat}  # by the first lines
        for column, kind in self._known.items():
            if column in self.unseen:
                put(shape, column.split("."), kind)
        return shape

    def _shape_of_first_lines(self) -> Shape:
        file, size = self.file, _SAMPLE << 20
        if file.plain and file.length is not None:
            end = min(size, file.length)
            keys = native.find_json_keys(file.native_source(), 0, end)
            if keys is not None:
                return _nested(keys)
        lines = self._first_lines(size)
        keys = native.find_json_keys(lines, 0, len(lines))
        return _shape_of_lines(lines) if keys is None else _nested(keys)

    def _first_lines(self, size: int) -> bytes:
        if self.file.live:
            return self.file.head
        if self.file.rewindable:
            with self.file.stream() as stream:
                return next(whole_lines(stream, size), b"")
        first: list[LineSpan] = []
        spans = line_spans(self.file, _BLOCK)
        while sum(span.end for span in first) < size and (span := next(spans, None)) is not None:
            first.append(span)
        self._started = chain(first, spans)
        return b"".join(span.source for span in first if isinstance(span.source, bytes))

    def batches(self, on_bad_line: Callable[[BadLine], None]) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Each batch, with the bytes of the file up to its end; lines that are not objects go to `on_bad_line`."""
        self._restart()
        threads = 1 if self.file.live else core_count()
        spans, self._started = self._started or line_spans(self.file, _BLOCK), None
        for bytes_read, parsed, batch, bad in ordered_map(spans, self._parse, threads):
            rows = _rows_of(parsed, batch, bad)
            yield from ((batch, bytes_read) for batch in self.take(rows, on_bad_line))

    def _restart(self) -> None:
        self.places.left_out.clear()
        self._late.clear()
        self._n_lines = self._n_late = 0
        self._never_seen = set(self.unseen)

    def spans(self) -> Iterator[TableSpan]:
        self._restart()
        for span in line_spans(self.file, _BLOCK):
            data = span.source if isinstance(span.source, bytes) else None
            yield TableSpan(span.begin, span.end, span.bytes_read, data)

    def state(self) -> dict[str, Any]:
        """What another process must know to read spans of this file."""
        return {"shape": self.shape}

    @classmethod
    def of_state(cls, state: Mapping[str, Any], file: InputFile) -> JsonLines:
        return cls(file, state["shape"])

    def read_span(self, span: TableSpan) -> SpanRows:
        source = self.file.native_source() if span.data is None else span.data
        return _rows_of(*self._parse(LineSpan(source, span.begin, span.end, span.bytes_read))[1:])

    def take(self, rows: SpanRows, on_bad_line: Callable[[BadLine], None]) -> Iterator[pa.RecordBatch]:
        """The batches of the next span."""
        for number, what in rows.bad:
            on_bad_line(BadLine(*self.file.place(self._n_lines + number), what))
        self.places.left_out.extend(self._n_lines + number for number in rows.left_out)
        self._n_lines += rows.lines
        self._late.update(rows.notes["late"])
        self._n_late += rows.notes["n_late"]
        for batch in rows.batches:
            self._never_seen -= {name for name in self._never_seen if batch[name].null_count < batch.num_rows}
            yield batch

    def warnings(self) -> list[str]:
        """Keys that came too late; or, when a model reads the lines, its keys that no line has."""
        if not self._name_late_keys:
            return [absence(self.file.name, sorted(self._never_seen))] if self._never_seen else []
        if not self._n_late:
            return []
        values = plural(self._n_late, "value")
        keys = listed(sorted(self._late, key=lambda key: (-self._late[key], key)))
        return [
            f"{self.file.name}: {values} of keys that have none in the first {_SAMPLE} MB were left out: {keys}. "
            "To learn from them, put a line that has them first."
        ]

    def _parse(self, span: LineSpan) -> tuple[int, _Parsed, pa.RecordBatch, list[tuple[int, str]]]:
        """The bytes read, what was parsed, its batch, and the lines that are not in it with what is wrong; '' if
        they are blank."""
        try:
            parsed = _Parsed(*native.parse_json_lines(span.source, span.begin, span.end, self._native_shape))
        except OSError as error:
            raise cannot_read(self.file.name, error) from error
        arrays = [
            _array(type_, parsed.n_rows, column)
            for type_, column in zip(self.types.values(), parsed.columns, strict=True)
        ]
        bad = [(number, "") for number in parsed.blank]
        if parsed.odd:
            arrays = self._with_odd_lines(arrays, parsed, bad)
        return span.bytes_read, parsed, pa.RecordBatch.from_arrays(arrays, names=self.columns), sorted(bad)

    def _with_odd_lines(self, arrays: list[pa.Array], parsed: _Parsed, bad: list[tuple[int, str]]) -> list[pa.Array]:
        """The arrays with the rows of the lines that were left to Python; the other such lines are added to `bad`."""
        cells: list[dict[str, Any]] = []
        places = []  # of these rows among the others
        for number, row, line in parsed.odd:
            try:
                cells.append(dict(cells_of(object_of(line), self.shape)))
            except ValueError as error:
                bad.append((number, f"{error}; correct it"))
            else:
                places.append(row)
        if not cells:
            return arrays
        order = np.insert(np.arange(parsed.n_rows), places, parsed.n_rows + np.arange(len(cells)))
        odd = [pa.array([row[column] for row in cells], type_) for column, type_ in self.types.items()]
        return [pa.concat_arrays(pair).take(pa.array(order)) for pair in zip(arrays, odd, strict=True)]


def _rows_of(parsed: _Parsed, batch: pa.RecordBatch, bad: list[tuple[int, str]]) -> SpanRows:
    left_out = [number for number, _ in bad]
    notes = {"late": parsed.late, "n_late": parsed.n_late}
    faults = [(number, what) for number, what in bad if what]
    return SpanRows([batch] if batch.num_rows else [], parsed.n_lines, faults, left_out, notes)


def _array(type_: pa.DataType, n_rows: int, column: tuple[Any, ...] | None) -> pa.Array:
    """An array over the memory of the native parser."""
    if column is None:
        return pa.nulls(n_rows, type_)
    n_nulls, valid, *values = column
    buffers = [None if buffer is None else pa.py_buffer(buffer) for buffer in (valid, *values)]
    if pa.types.is_list(type_):
        valid, list_ends, *words = buffers
        items = pa.Array.from_buffers(pa.string(), values[1].shape[0] - 1, [None, *words])
        return pa.Array.from_buffers(type_, n_rows, [valid, list_ends], n_nulls, children=[items])
    return pa.Array.from_buffers(type_, n_rows, buffers, n_nulls)


def _nested(keys: Sequence[tuple[int, str, str]]) -> Shape:
    shape: Shape = {}
    objects = [shape]
    for parent, name, kind in keys:
        objects[parent][name] = {} if kind == "object" else kind or None
        objects.append(objects[parent][name])
    return shape


def _shape_of_lines(lines: bytes) -> Shape:
    """The same for lines that the native parser does not handle: one has a key twice, or is nested deeply."""
    shape: Shape = {}
    for line in lines.split(b"\n"):
        if line.strip():
            with suppress(ValueError):  # it is refused or skipped where it is read
                merge(shape, object_of(line))
    return shape


def _flat_keys(shape: Shape) -> list[tuple[int, str, str]]:
    """Each key after the object that has it: the position of that, counted from 1 (0 is the line), name and kind."""
    keys: list[tuple[int, str, str]] = []

    def add(parent: int, shape: Shape) -> None:
        for name, kind in shape.items():
            keys.append((parent, name, "object" if isinstance(kind, dict) else kind or ""))
            if isinstance(kind, dict):
                add(len(keys), kind)

    add(0, shape)
    return keys


def _flat_types(path: str, shape: Shape) -> Iterator[tuple[str, pa.DataType]]:
    for key, kind in shape.items():
        if isinstance(kind, dict):
            yield from _flat_types(f"{path}{key}.", kind)
        else:
            yield f"{path}{key}", _TYPES[kind]
