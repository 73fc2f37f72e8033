"""An Arrow table as a source, read as the same table in a Parquet or Arrow file would be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from rosenblatt.errors import DataError
from rosenblatt.readers.in_memory.targets import NAME, MemorySource, Targets
from rosenblatt.readers.inputs.input_file import InputFile, MemoryFile
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows
from rosenblatt.readers.table.columns.head import Head
from rosenblatt.readers.table.files.check_arrow import readable
from rosenblatt.readers.table.files.parquet_arrow import TypedFile
from rosenblatt.readers.table.table_source import TableSource
from rosenblatt.records import FeatureSpace, Floats

_BATCH_ROWS = 1 << 16


class TypedTable(TypedFile):
    """A table in memory, with the interface of `TypedFile`."""

    def __init__(self, table: pa.Table, name: str = NAME) -> None:
        self._table = table
        self.columns, self.places = list(table.column_names), LinesOfRows(name, 0)
        self.types = dict(zip(self.columns, readable(_first_row(table)).schema.types, strict=True))

    def batches(self, on_bad_line: Callable[[BadLine], None] | None = None) -> Iterator[tuple[pa.RecordBatch, int]]:
        n_rows = 0
        for batch in self._table.to_batches(max_chunksize=_BATCH_ROWS):
            n_rows += batch.num_rows
            yield readable(batch), self._table.nbytes * n_rows // self._table.num_rows


def _first_row(table: pa.Table) -> pa.RecordBatch:
    return table.slice(0, 1).combine_chunks().to_batches()[0]


class MemoryTable(MemorySource, TableSource):
    """The rows of a table; with targets, its last column holds them."""

    def __init__(
        self,
        table: pa.Table,
        reading: ReadOptions,
        model_space: FeatureSpace | None = None,
        targets: Targets | None = None,
    ) -> None:
        if targets is not None:
            labels = pa.array([str(code) for code in range(targets.n_codes)])
            table = table.append_column(targets.name, pa.DictionaryArray.from_arrays(pa.array(targets.codes), labels))
            reading = reading._replace(label=targets.name)
        self._arrow = table
        super().__init__(MemoryFile(NAME, table.nbytes), reading._replace(format="arrow"), model_space, targets)

    def _targets_of(self, head: Head) -> list[Floats] | None:
        if self.targets is None or self.targets.numbers is None:
            return None
        return [self.targets.numbers[: sum(batch.n_rows for batch in head.batches)]]

    def _open_table(self, file: InputFile, header: bool | None, model_columns: Sequence[str]) -> TypedFile:
        return TypedTable(self._arrow)

    def reopened(self, reading: ReadOptions) -> MemoryTable:
        unlabelled = self._arrow if self.targets is None else self._arrow.drop_columns([self.targets.name])
        return MemoryTable(unlabelled, reading, self.model_space, self.targets)

    def _refuse(self, file: str, line: int, what: str) -> None:
        raise DataError(f"{NAME}, row {line - 1} (from 0): {what}.")
