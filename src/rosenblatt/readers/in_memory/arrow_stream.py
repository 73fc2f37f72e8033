"""Tables that come in batches, from anything that supports Arrow, as a source: read like the same rows in a file.

What has all its rows (a DataFrame, an Arrow table) can be read again; a stream of batches is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from rosenblatt.errors import DataError
from rosenblatt.readers.in_memory.arrow import is_table, to_arrow
from rosenblatt.readers.in_memory.table import TypedTable
from rosenblatt.readers.inputs.input_file import TABLE_NAME, InputFile, MemoryFile
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows
from rosenblatt.readers.table.files.check_arrow import readable, refuse_duplicates
from rosenblatt.readers.table.files.parquet_arrow import TypedFile
from rosenblatt.readers.table.table_source import TableSource
from rosenblatt.records import FeatureSpace


def is_arrow(inputs: Any) -> bool:
    """Whether these are rows in memory, not names of files: a table, a stream, or an iterator of tables."""
    return hasattr(inputs, "__arrow_c_stream__") or is_table(inputs) or isinstance(inputs, Iterator)


class ArrowSource(TableSource):
    """The rows of a table, or of batches as they come."""

    def __init__(self, inputs: Any, reading: ReadOptions, model_space: FeatureSpace | None = None) -> None:
        self._arrow: TypedFile
        if is_table(inputs) and hasattr(inputs, "__len__"):
            table = to_arrow(inputs)
            self._arrow, size = TypedTable(table, TABLE_NAME), table.nbytes
        else:
            self._arrow, size = _BatchesTable(_batches_of(inputs)), None
        file = MemoryFile(TABLE_NAME, size or 0)
        file.size, file.rewindable = size, size is not None
        file.inputs = inputs
        super().__init__(file, reading._replace(format="arrow"), model_space)

    def _open_table(self, file: InputFile, header: bool | None, model_columns: Sequence[str]) -> TypedFile:
        return self._arrow

    def reopened(self, reading: ReadOptions) -> ArrowSource:
        return ArrowSource(self.file.inputs, reading, self.model_space)


def _batches_of(inputs: Any) -> Iterator[pa.RecordBatch]:
    if hasattr(inputs, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(inputs)
        return
    for item in inputs:
        yield from [item] if isinstance(item, pa.RecordBatch) else to_arrow(item).to_batches()


class _BatchesTable(TypedFile):
    """Batches, of which the first says what the columns are."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            raise DataError(f"{TABLE_NAME} has no rows: there must be some.")
        self.columns, self.places = list(first.schema.names), LinesOfRows(TABLE_NAME, 0)
        refuse_duplicates(TABLE_NAME, self.columns)
        self._schema_of_first = first.schema
        self.types = dict(zip(self.columns, readable(first.slice(0, 1)).schema.types, strict=True))
        self._unread: Iterable[pa.RecordBatch] | None = chain([first], batches)

    def batches(self, on_bad_line: Callable[[BadLine], None] | None = None) -> Iterator[tuple[pa.RecordBatch, int]]:
        unread, self._unread = self._unread, None
        if unread is None:
            raise DataError(
                f"{TABLE_NAME} comes in batches, which can be read only once: give it whole, or save it to a file."
            )
        n_rows = 0
        for batch in unread:
            try:
                cast_batch = batch.select(self.columns).cast(self._schema_of_first)
            except (KeyError, pa.ArrowException):
                names = [*batch.schema.names]
                raise DataError(
                    f"{TABLE_NAME}: a batch after row {n_rows} has the columns {names} of other names or types than "
                    f"the first, {self.columns}: give batches of one schema."
                ) from None
            n_rows += batch.num_rows
            if batch.num_rows:
                yield readable(cast_batch), 0
