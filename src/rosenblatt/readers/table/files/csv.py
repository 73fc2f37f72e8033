"""Comma- and tab-separated lines -> record batches in which every column is text.

What a column holds is decided once, from the head of the file, and not by pyarrow, which would decide by its first
block and then fail at the first row that differs.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import csv as arrow_csv

from rosenblatt import native
from rosenblatt.errors import DataError, listed
from rosenblatt.lazy import np
from rosenblatt.readers.formats.line_source import available_lines
from rosenblatt.readers.inputs.input_file import HEAD, InputFile, Stream
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows, wrong_width
from rosenblatt.readers.table.columns.missing_cells import DECIMAL_COMMA, MISSING, is_number
from rosenblatt.readers.table.files.check_arrow import refuse_duplicates
from rosenblatt.readers.table.files.spans import SPAN_BYTES, SpanRows, TableSpan

_BLOCK = 6 << 20  # a third of it is read at a time, because a byte that is not UTF-8 becomes three
_LONGEST_ROW = _BLOCK // 3
_FEW_BYTES = 1 << 13  # fewer are parsed by Python in the time in which Arrow's threads wake up
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # of UTF-8


def separator_of(form: str, head: bytes) -> str:
    """A semicolon where the first line has one and commas only within numbers, as programs write it that use a
    decimal comma; otherwise a comma, or a tab for tsv.

    >>> separator_of("csv", b"a;b\\n1;2\\n"), separator_of("csv", b'"a;b",c\\n'), separator_of("tsv", b"a;b\\tc\\n")
    (';', ',', '\\t')
    >>> separator_of("csv", b"1,5;2,5;a\\n"), separator_of("csv", b"1,a;b,2\\n")
    (';', ',')
    """
    if form == "tsv":
        return "\t"
    first = re.sub(rb'"[^"]*"', b"", head).lstrip().partition(b"\n")[0]
    number = DECIMAL_COMMA.encode()
    only_in_numbers = all(re.fullmatch(number, cell.strip()) for cell in first.split(b";") if b"," in cell)
    return ";" if b";" in first and only_in_numbers else ","


class CsvFile:
    """The names of the columns, and all rows as often as the file can be read.

    Of several files that are read as one, all but the first are given the `columns` of the first. Their own first line
    may repeat these names, in another order too, or may be a row already.
    """

    typed = False
    types: Mapping[str, pa.DataType] = MappingProxyType({})

    def __init__(
        self,
        file: InputFile,
        separator: str,
        header: bool | None,
        label: str | int | None,
        model_columns: Sequence[str] = (),
        *,
        marks_missing: bool = True,
        columns: Sequence[str] | None = None,
    ) -> None:
        self.file, self._separator, self._missing = file, separator, MISSING if marks_missing else ()
        while file.live and _is_cut(file.head, separator) and file.lengthen_head():
            pass  # a quoted name of a column may hold newlines
        self._head = self._head_rows()
        if not self._head:
            raise DataError(f"{file.name}: there are no rows in it.", file=file.name)
        rows = [[cell.strip() for cell in row] for row in self._head]
        only_row = len(rows) == 1 and len(file.head) < HEAD
        if columns is not None:
            self.header = header is not False and set(rows[0]) == set(columns)
            self._refuse_other_columns(rows, columns)
        elif header is None or model_columns:
            usual = _is_header(rows, label, only_row) if header is None else header
            self.header = _names_columns(rows[0], model_columns, usual)
        else:
            self.header = header
        self._header_only = self.header and only_row and not file.live
        if self.header:
            self.columns = [cell or f"column{i}" for i, cell in enumerate(rows[0])]
        else:
            self.columns = [f"column{i}" for i in range(len(rows[0]))] if columns is None else list(columns)
        refuse_duplicates(file.name, self.columns)
        self.places = LinesOfRows(file.name, int(self.header))
        self.repeated_headers = 0
        self._n_lines = 0  # of the spans that were taken

    def _refuse_other_columns(self, rows: list[list[str]], columns: Sequence[str]) -> None:
        """A first line that names other columns, or has another number of cells."""
        first, name = rows[0], self.file.name
        common = set(first) & set(columns)
        below = [row for row in rows[1:] if len(row) == len(first)]
        named = not any(map(is_number, first)) and any(
            _above_numbers(cell, [row[i] for row in below]) for i, cell in enumerate(first)
        )
        if not self.header and (named or 2 * len(common) >= len(columns)):
            raise DataError(
                f"{name}: its columns are {listed(first)}, and the file before has {listed(columns)}; give files with "
                "the same columns.",
                file=name,
            )
        if len(first) != len(columns):
            raise DataError(
                f"{name}: has {len(first)} columns, and the file before has {len(columns)}; give files with the same "
                "columns.",
                file=name,
            )

    def batches(self, on_bad_line: Callable[[BadLine], None]) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Each batch with the bytes of the file up to its end; a ragged row is left out, or `on_bad_line` raises."""
        self.places.left_out.clear()
        self.repeated_headers = 0
        if self._header_only:
            return
        stream = self.file.stream()
        if self.file.live:
            yield from self._live_batches(stream, on_bad_line)
            return
        errors: list[DataError] = []
        n_rows = 0
        handler = _invalid_row_handler(self.file.name, on_bad_line, self.places.left_out, errors)
        try:
            for batch in arrow_csv.open_csv(_Utf8(stream, self.file.head), *self._options(handler, int(self.header))):
                batch = self._without_objects(batch, n_rows, on_bad_line)
                batch = self._without_headers(batch, n_rows) if self.header else batch
                n_rows += batch.num_rows
                yield batch, stream.bytes_read
        except pa.ArrowInvalid as error:
            raise errors[0] if errors else self._unreadable(n_rows) from error

    def spans(self) -> Iterator[TableSpan]:
        """Whole rows, about a megabyte each; found by the quotes alone, before the rows are parsed."""
        self.places.left_out.clear()
        self.repeated_headers = self._n_lines = 0
        if self._header_only:
            return
        stream, data, begin = self.file.stream(), b"", 0
        if self.file.head.startswith(_BYTE_ORDER_MARK):
            begin = len(stream.read(len(_BYTE_ORDER_MARK)))
        while more := stream.read(SPAN_BYTES):
            data += more
            size = native.whole_rows(data, self._separator)
            if size == 0 and len(data) > _BLOCK:  # lines end with \r; or the row is refused when it is parsed
                size = data.rfind(b"\r") + 1 or len(data)
            if size:
                yield self._span(data[:size], begin, stream.bytes_read)
                data, begin = data[size:], begin + size
        if data:
            yield self._span(data, begin, stream.bytes_read)

    def _span(self, data: bytes, begin: int, bytes_read: int) -> TableSpan:
        return TableSpan(begin, begin + len(data), bytes_read, None if self.file.plain else data)

    def state(self) -> dict[str, Any]:
        """What another process must know to read spans of this file."""
        return {
            "separator": self._separator,
            "missing": list(self._missing),
            "header": self._head[0] if self.header else None,
            "columns": self.columns,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any], file: InputFile) -> CsvFile:
        table = cls.__new__(cls)
        table.file, table._separator, table._missing = file, state["separator"], tuple(state["missing"])
        table.header, table._head = state["header"] is not None, [state["header"] or []]
        table.columns = state["columns"]
        return table

    def read_span(self, span: TableSpan) -> SpanRows:
        """The rows of a span; of a table that `of_state` made."""
        data = span.data
        if data is None:
            data = os.pread(self.file.fileno(), span.end - span.begin, span.begin)
        skip_rows = int(self.header and span.begin <= len(_BYTE_ORDER_MARK))
        self.places, self.repeated_headers = LinesOfRows(self.file.name, skip_rows), 0
        bad: list[BadLine] = []
        handler = _invalid_row_handler(self.file.name, bad.append, self.places.left_out, [])
        n_rows, batches = 0, []
        try:
            parsed = arrow_csv.read_csv(io.BytesIO(_as_utf8(data)), *self._options(handler, skip_rows)).to_batches()
        except pa.ArrowInvalid:
            return SpanRows([], notes={"unreadable": True})
        for batch in parsed:
            batch = self._without_objects(batch, n_rows, bad.append)
            batch = self._without_headers(batch, n_rows) if self.header else batch
            n_rows += batch.num_rows
            batches.append(batch)
        left_out = self.places.left_out
        notes = {"repeated_headers": self.repeated_headers}
        return SpanRows(
            batches, skip_rows + n_rows + len(left_out), [(row.line, row.what) for row in bad], left_out, notes
        )

    def take(self, rows: SpanRows, on_bad_line: Callable[[BadLine], None]) -> Iterator[pa.RecordBatch]:
        """The batches of the next span, which was read elsewhere."""
        if "unreadable" in rows.notes:
            raise self._unreadable(self._n_lines - int(self.header) - len(self.places.left_out))
        for line, what in rows.bad:
            on_bad_line(BadLine(self.file.name, self._n_lines + line, what))
        self.places.left_out.extend(self._n_lines + line for line in rows.left_out)
        self._n_lines += rows.lines
        self.repeated_headers += rows.notes["repeated_headers"]
        yield from rows.batches

    def _without_headers(self, batch: pa.RecordBatch, n_rows: int) -> pa.RecordBatch:
        """The batch without rows that repeat the names of the columns, as in parts that were joined with their headers.

        A cell like a mark of a missing value is read as one, and cannot be compared.
        """
        names = {i: cell for i, cell in enumerate(self._head[0]) if cell.strip() not in MISSING}
        if not names:
            return batch
        is_header: Any = True
        for i, cell in names.items():
            is_header = pc.and_(pc.fill_null(pc.equal(batch.column(i), cell), False), is_header)
            if not pc.any(is_header).as_py():
                return batch
        self.repeated_headers += sum(1 for _ in self._left_out(is_header, n_rows))
        return batch.filter(pc.invert(is_header))

    def _without_objects(
        self, batch: pa.RecordBatch, n_rows: int, on_bad_line: Callable[[BadLine], None]
    ) -> pa.RecordBatch:
        """The batch without lines of JSON, which may have as many commas as a row: each is a bad row."""
        begins = pc.fill_null(pc.starts_with(batch.column(0), '{"'), False)
        if not pc.any(begins).as_py():
            return batch
        is_object = pc.and_(begins, pc.fill_null(pc.ends_with(batch.column(batch.num_columns - 1), "}"), False))
        for line in self._left_out(is_object, n_rows):
            on_bad_line(BadLine(self.file.name, line, "is an object of JSON, not a row of a table; correct it"))
        return batch.filter(pc.invert(is_object))

    def _left_out(self, rows: Any, n_rows: int) -> Iterator[int]:
        """Note that these rows, after so many others, are left out; the line of each."""
        for n_before, row in enumerate(np.flatnonzero(rows.to_numpy(zero_copy_only=False)).tolist()):
            line = self.places.line(n_rows + row - n_before)
            self.places.left_out.append(line)
            yield line

    def warnings(self) -> list[str]:
        if not self.repeated_headers:
            return []
        some = self.repeated_headers > 1
        repeat, were = (f"{self.repeated_headers:,} lines repeat", "were") if some else ("1 line repeats", "was")
        return [f"{self.file.name}: {repeat} the names of the columns and {were} left out."]

    def _live_batches(
        self, stream: Stream, on_bad_line: Callable[[BadLine], None]
    ) -> Iterator[tuple[pa.RecordBatch, int]]:
        """The rows of a pipe as soon as they are there."""
        n_rows, n_before = 0, 0  # of earlier blocks: without and with header and ragged rows

        def whole_rows(data: bytes) -> int:
            size = native.whole_rows(data, self._separator)
            if size == 0 and len(data) > _LONGEST_ROW:
                raise self._unreadable(n_rows)
            return size

        for lines in available_lines(stream, _LONGEST_ROW, whole_rows):
            ragged: list[BadLine] = []
            skip_rows = int(self.header and n_before == 0)
            parse = self._few_rows if len(lines) < _FEW_BYTES else self._many_rows
            try:
                batches = parse(_as_utf8(lines), ragged.append, skip_rows)
            except pa.ArrowInvalid as error:
                raise self._unreadable(n_rows) from error
            for row in ragged:
                on_bad_line(replace(row, line=n_before + row.line))
                self.places.left_out.append(n_before + row.line)
            n_parsed = sum(batch.num_rows for batch in batches)
            n_before += n_parsed + len(ragged) + skip_rows
            for batch in batches:
                batch = self._without_objects(batch, n_rows, on_bad_line)
                n_rows += batch.num_rows
                yield batch, stream.bytes_read

    def _many_rows(self, lines: bytes, on_bad_line: Callable[[BadLine], None], skip_rows: int) -> list[pa.RecordBatch]:
        batches: list[pa.RecordBatch] = arrow_csv.read_csv(
            io.BytesIO(lines), *self._options(_invalid_row_handler(self.file.name, on_bad_line, [], []), skip_rows)
        ).to_batches()
        return batches

    def _few_rows(self, lines: bytes, on_bad_line: Callable[[BadLine], None], skip_rows: int) -> list[pa.RecordBatch]:
        """The same by Python's own reader: Arrow's has threads of its own, and a busy machine wakes them late."""
        reader = csv.reader(io.StringIO(lines.decode(), newline=""), delimiter=self._separator)
        rows, n_columns = [], len(self.columns)
        for number, row in enumerate(filter(None, reader), 1):
            if len(row) == n_columns:
                rows.append(row)
            elif number > skip_rows:
                on_bad_line(BadLine(self.file.name, number, wrong_width(len(row), n_columns)))
        columns = zip(*rows[skip_rows:], strict=True)
        cells = [
            pa.array([None if cell in self._missing else cell for cell in column], pa.string()) for column in columns
        ]
        return [pa.RecordBatch.from_arrays(cells, names=self.columns)] if cells else []

    def _options(self, invalid_row_handler: Callable[[Any], str], skip_rows: int) -> tuple[Any, Any, Any]:
        names = self.columns
        return (
            arrow_csv.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=names, skip_rows=skip_rows),
            arrow_csv.ParseOptions(
                delimiter=self._separator, newlines_in_values=True, invalid_row_handler=invalid_row_handler
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), null_values=self._missing, strings_can_be_null=True
            ),
        )

    def _unreadable(self, n_rows: int) -> DataError:
        return DataError(
            f"{self.file.name}: a row after row {n_rows} cannot be read, or is longer than {_LONGEST_ROW >> 20} MB; "
            "look for a quote that is opened and never closed.",
            file=self.file.name,
        )

    def _head_rows(self) -> list[list[str]]:
        """The first rows as they are written, by Python's own reader, which keeps the cells of ragged rows."""
        head = self.file.head.removeprefix(_BYTE_ORDER_MARK)
        if len(head) >= HEAD - len(_BYTE_ORDER_MARK):
            head = head[: head.rfind(b"\n") + 1] or head
        text = io.StringIO(head.decode("utf-8", errors="replace"), newline="")
        try:
            rows = [row for row in csv.reader(text, delimiter=self._separator) if row]
        except csv.Error as error:
            name = self.file.name
            raise DataError(f"{name}: cannot be read as a table: {error}.", file=name) from error
        last_is_cut = len(self.file.head) >= HEAD and len(rows) > 1  # perhaps within a quoted cell
        return rows[:-1] if last_is_cut else rows


class _Utf8(io.RawIOBase):
    """A stream without a byte order mark, with U+FFFD in place of what is not UTF-8, which pyarrow would refuse."""

    def __init__(self, stream: Any, head: bytes) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        if head.startswith(_BYTE_ORDER_MARK):
            stream.read(len(_BYTE_ORDER_MARK))

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size // 3)
        if data.isascii() and not self._decoder.getstate()[0]:
            return data
        while not (clean := self._decoder.decode(data, final=not data).encode()) and data:
            data = self._stream.read(size // 3)
        return clean


def _as_utf8(lines: bytes) -> bytes:
    """Whole lines as `_Utf8` gives them."""
    return lines if lines.isascii() else lines.decode("utf-8", errors="replace").encode()


def _invalid_row_handler(
    name: str, on_bad_line: Callable[[BadLine], None], lines: list[int], errors: list[DataError]
) -> Callable[[Any], str]:
    """pyarrow's callback for ragged rows, which adds their lines to `lines`; an exception goes to `errors`, because
    pyarrow would swallow it."""

    def handler(row: Any) -> str:
        try:
            on_bad_line(BadLine(name, row.number or 0, wrong_width(row.actual_columns, row.expected_columns)))
        except DataError as error:
            errors.append(error)
            return "error"
        lines.append(row.number or 0)
        return "skip"

    return handler


def _is_header(rows: list[list[str]], label: str | int | None, only_row: bool) -> bool:
    """The first row names the columns when it holds no number, and stands above numbers, or none of its cells occurs
    again below it, or it is the only row."""
    first, rest = rows[0], [row for row in rows[1:] if row != rows[0]]  # parts may have been joined with their headers
    if isinstance(label, str) and label in first:
        return True
    if any(is_number(cell) for cell in first):
        return False
    below = [row for row in rest if len(row) == len(first)]
    if any(_above_numbers(cell, [row[i] for row in below]) for i, cell in enumerate(first)):
        return True
    if any(cell in MISSING for cell in first) or len(set(first)) < len(first):
        return False
    if only_row:
        return True
    return bool(below) and not any(row[i] == cell for row in below for i, cell in enumerate(first))


def _names_columns(first: list[str], model_columns: Sequence[str], usual: bool) -> bool:
    """Whether the first row names the columns of a model; one with numbers and none of the names is an example, such
    as `tail` gives from the middle of a file."""
    if model_columns and set(model_columns) <= set(first):
        return True
    return usual and not (model_columns and set(model_columns).isdisjoint(first) and any(map(is_number, first)))


def _is_cut(head: bytes, separator: str) -> bool:
    return native.whole_rows(head, separator) < len(head) < _LONGEST_ROW


def _above_numbers(cell: str, below: list[str]) -> bool:
    present = [other for other in below if other not in MISSING]
    return cell not in MISSING and bool(present) and all(map(is_number, present))
