"""Parquet and Arrow files -> record batches whose columns have types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows
from rosenblatt.readers.table.files.check_arrow import readable, refuse_duplicates
from rosenblatt.readers.table.files.spans import SpanRows, TableSpan

_CELLS = 1 << 20  # cells of a batch, approximately
_LARGE_GROUP = 1 << 26  # bytes of a row group that is read in parts, for the sake of memory
_SPAN_ROWS = 1 << 16


class TypedFile:
    """The names of the columns, and all rows as often as needed. Nothing is mapped: a file may shrink meanwhile."""

    header = typed = True

    def __init__(self, file: InputFile, format: str) -> None:
        self.file, self._format = file, format
        self._streamed = format == "arrow" and not file.head.startswith(b"ARROW1") and not file.plain
        self._stream_reader: Any = None  # of a pipe, which was opened to see its columns
        if not self._streamed:
            file.random_access(format)  # refuses what cannot be read at any place
        self.places = LinesOfRows(file.name, 0)
        with self._damage_refused(), self._open() as table:
            schema = self._schema(table)
            if self._streamed and not file.rewindable:
                self._stream_reader = table
            self.columns: list[str] = list(schema.names)
            refuse_duplicates(file.name, self.columns)
            empty = pa.RecordBatch.from_arrays([pa.nulls(0, type_) for type_ in schema.types], names=self.columns)
            self.types = dict(zip(self.columns, readable(empty).schema.types, strict=True))

    def refuse_empty(self) -> None:
        if self._streamed:
            return  # it is found when the rows are read
        with self._damage_refused(), self._open() as table:
            first = next(self._batches(table), None)
        if first is None or not self.columns:
            raise DataError(f"{self.file.name}: there are no rows in it.", file=self.file.name)

    def warnings(self) -> list[str]:
        return []

    def batches(self, on_bad_line: Callable[[BadLine], None] | None = None) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Each batch with the bytes of the file up to its end, estimated from its share of the rows."""
        size, n_rows = self.file.size or 0, 0
        with self._damage_refused(), self._open() as table:
            total = table.metadata.num_rows if self._format == "parquet" else 0
            for batch in self._batches(table):
                n_rows += batch.num_rows
                yield batch, size * n_rows // total if total else 0

    def spans(self) -> Iterator[TableSpan]:
        """The row groups of Parquet, large ones in parts; the batches of Arrow."""
        size = self.file.size or 0
        with self._damage_refused(), self._open() as table:
            if self._format == "parquet":
                groups = [table.metadata.row_group(i) for i in range(table.num_row_groups)]
                parts = [max(1, -(-group.total_byte_size // _LARGE_GROUP)) for group in groups]
            else:
                parts = [1] * table.num_record_batches
        for i, n_parts in enumerate(parts):
            bytes_read = size * (i + 1) // len(parts)
            yield from (TableSpan(i, i + 1, bytes_read, None, part, n_parts) for part in range(n_parts))

    @property
    def can_be_divided(self) -> bool:
        return not self._streamed and (self._format == "parquet" or self.file.head.startswith(b"ARROW1"))

    def state(self) -> dict[str, Any]:
        return {"format": self._format}

    @classmethod
    def of_state(cls, state: Mapping[str, Any], file: InputFile) -> TypedFile:
        return cls(file, state["format"])

    def read_span(self, span: TableSpan) -> SpanRows:
        with self._damage_refused(), self._open() as table:
            if self._format != "parquet":
                batch = table.get_batch(span.begin)
                return SpanRows([readable(batch)] if batch.num_rows else [])
            n_rows = table.metadata.row_group(span.begin).num_rows
            first, end = (n_rows * k // span.parts for k in (span.part, span.part + 1))
            batches, n_before = [], 0
            for batch in table.iter_batches(batch_size=_SPAN_ROWS, row_groups=[span.begin]):
                inside = batch.slice(max(first - n_before, 0), max(end - max(first, n_before), 0))
                n_before += batch.num_rows
                if inside.num_rows:
                    batches.append(readable(inside))
                if n_before >= end:
                    break
            return SpanRows(batches)

    def take(self, rows: SpanRows, on_bad_line: Callable[[BadLine], None]) -> Iterator[pa.RecordBatch]:
        """The batches of the next span, which was read elsewhere."""
        yield from rows.batches

    @contextmanager
    def _damage_refused(self) -> Iterator[None]:
        """Turns all errors of pyarrow about a damaged file into a DataError that names the file."""
        try:
            yield
        except (DataError, MemoryError):
            raise
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            why = " ".join(str(error).split())[:300].rstrip(".")
            raise DataError(
                f"{self.file.name}: cannot be read as {self._format}: {why}.", file=self.file.name
            ) from error

    @contextmanager
    def _open(self) -> Iterator[Any]:
        from pyarrow import parquet

        if self._streamed:
            reader, self._stream_reader = self._stream_reader or pa.ipc.open_stream(self.file.stream()), None
            yield reader
            return
        if self._format == "parquet":
            table = parquet.ParquetFile(self.file.random_access(self._format), pre_buffer=False)
        else:
            open_arrow = pa.ipc.open_file if self.file.head.startswith(b"ARROW1") else pa.ipc.open_stream
            place = self.file.random_access(self._format)
            table = open_arrow(pa.OSFile(place) if isinstance(place, str) else place)
        with table:
            yield table

    def _schema(self, table: Any) -> Any:
        return table.schema_arrow if self._format == "parquet" else table.schema

    def _batches(self, table: Any) -> Iterator[pa.RecordBatch]:
        """Checked batches that are not empty."""
        batch_rows = max(1024, _CELLS // max(1, len(self._schema(table).names)))
        if self._format == "parquet":
            batches = table.iter_batches(batch_size=batch_rows)
        else:
            count = getattr(table, "num_record_batches", None)
            batches = iter(table) if count is None else (table.get_batch(i) for i in range(count))
        for batch in batches:
            checked = readable(batch)
            for start in range(0, batch.num_rows, batch_rows):
                yield checked.slice(start, batch_rows)
