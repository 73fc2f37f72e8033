"""Data frames of an engine as a source: its workers turn each partition into Arrow, the learner reads them in order.

An engine with data frames has one more method than those in `engine.py`: `engine.partitions(frame, pack)` gives
`pack(partition)` for each partition, in order, a bounded number ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.table_pieces import packed_batches
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.readers.in_memory.arrow import to_arrow
from rosenblatt.readers.inputs.input_file import TABLE_NAME, InputFile, MemoryFile
from rosenblatt.readers.source import ReadOptions, Source, SourceWrapper
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows
from rosenblatt.readers.table.files.check_arrow import readable, refuse_duplicates
from rosenblatt.readers.table.files.parquet_arrow import TypedFile
from rosenblatt.readers.table.table_source import TableSource
from rosenblatt.records import FeatureSpace, SourceBlock

_PART_ROWS = 1 << 16


def pack_partition(partition: Any) -> bytes:
    """The rows of a partition, a DataFrame or a list of dicts, as an Arrow stream; empty if it has no rows."""
    if isinstance(partition, pa.Table | pa.RecordBatch):
        table = pa.table(partition)
    else:
        rows = partition if hasattr(partition, "columns") else list(partition)
        if len(rows) == 0:
            return b""
        table = to_arrow(rows)
    return bytes(packed_batches(table.combine_chunks().to_batches(max_chunksize=_PART_ROWS)))


def pack_arrow_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Like `pack_partition`, for Spark's `mapInArrow`, which gives and takes batches: the answers are one column."""
    for batch in batches:
        if batch.num_rows:
            yield pa.RecordBatch.from_arrays([pa.array([bytes(packed_batches([batch]))], pa.binary())], names=["part"])


class FrameTable(TypedFile):
    """The rows of a frame, read as often as needed; the columns are those of its first rows."""

    def __init__(self, read: Callable[[], Iterator[pa.RecordBatch]]) -> None:
        self._read = read
        batches = read()
        first = next(batches, None)
        if first is None:
            raise DataError(f"{TABLE_NAME} has no rows: there must be some.")
        self.columns, self.places = list(first.schema.names), LinesOfRows(TABLE_NAME, 0)
        refuse_duplicates(TABLE_NAME, self.columns)
        self._schema_of_first = first.schema
        self.types = dict(zip(self.columns, readable(first.slice(0, 1)).schema.types, strict=True))
        self._started: Iterator[pa.RecordBatch] | None = chain([first], batches)

    @property
    def can_be_divided(self) -> bool:
        return False  # its partitions divide it already

    def batches(self, on_bad_line: Callable[[BadLine], None] | None = None) -> Iterator[tuple[pa.RecordBatch, int]]:
        started, self._started = self._started or self._read(), None
        n_rows = 0
        for batch in started:
            try:
                alike = batch.select(self.columns).cast(self._schema_of_first)
            except (KeyError, pa.ArrowException):
                names = [f"{field.name} ({field.type})" for field in batch.schema]
                raise DataError(
                    f"{TABLE_NAME}: a partition after row {n_rows} has the columns {', '.join(names)}, of other names "
                    "or types than the first: give each column one type."
                ) from None
            n_rows += batch.num_rows
            yield readable(alike), 0


class FrameSource(TableSource):
    """The examples of a frame, read by the same rules as a table in memory."""

    def __init__(self, frame: Any, reading: ReadOptions, engine: Any, space: FeatureSpace | None = None) -> None:
        self._frame, self._engine = frame, engine
        self._frame_table = FrameTable(self._partitions)
        file = MemoryFile(TABLE_NAME, 0)
        file.size, file.inputs = None, frame
        super().__init__(file, reading._replace(format="arrow"), space)

    def _open_table(self, file: InputFile, header: bool | None, model_columns: Sequence[str]) -> TypedFile:
        return self._frame_table

    def _partitions(self) -> Iterator[pa.RecordBatch]:
        for part in self._engine.partitions(self._frame, pack_partition):
            if part:
                yield from pa.ipc.open_stream(pa.py_buffer(part))

    def reopened(self, reading: ReadOptions) -> Source:
        return FrameSource(self._frame, reading, self._engine, self.model_space)


class WithNotes(SourceWrapper):
    """A source whose warnings also report what happened to the workers."""

    def __init__(self, source: FrameSource, engine: Engine) -> None:
        super().__init__(source, rewindable=True)
        self._engine = engine

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        return self._source.blocks(threads)

    def reopened(self, reading: ReadOptions) -> Source | None:
        again = self._source.reopened(reading)
        return WithNotes(again, self._engine) if isinstance(again, FrameSource) else again

    def warnings(self) -> list[str]:
        return [*super().warnings(), *self._engine.notes()]


def open_frame(frame: Any, reading: ReadOptions, engine: Engine, space: FeatureSpace | None = None) -> SourceWrapper:
    if not hasattr(engine, "partitions"):
        raise ParameterError(
            f"The engine {engine.name} has no data frames: leave the engine out, and {type(frame).__name__} is read by "
            "the one that it lives in."
        )
    return WithNotes(FrameSource(frame, reading, engine, space), engine)
