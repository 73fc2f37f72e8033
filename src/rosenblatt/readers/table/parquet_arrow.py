"""Parquet and Arrow files -> record batches whose columns have types."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from rosenblatt.errors import DataError
from rosenblatt.readers.input_file import InputFile, plain_path

_CELLS = 1 << 20  # cells of a batch, approximately


class TypedFile:
    """The names of the columns, and all rows as often as needed."""

    header = True

    def __init__(self, file: InputFile, format: str) -> None:
        self._file, self._format, self._path = file, format, plain_path(file, format)
        with self._open() as table:
            schema = self._schema(table)
            self.columns: list[str] = list(schema.names)
            first = next(self._batches(table), None)
        if not self.columns or first is None or first.num_rows == 0:
            raise DataError(f"{file.name}: there are no rows in it.", file=file.name)

    def batches(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Each batch with the bytes of the file up to its end, estimated from its share of the rows."""
        size, n_rows = self._file.size or 0, 0
        try:
            with self._open() as table:
                total = table.metadata.num_rows if self._format == "parquet" else 0
                for batch in self._batches(table):
                    n_rows += batch.num_rows
                    yield batch, size * n_rows // total if total else 0
        except (pa.ArrowException, OSError) as error:
            raise self._unreadable(error) from error

    def _open(self) -> Any:
        from pyarrow import parquet

        try:
            if self._format == "parquet":
                return parquet.ParquetFile(self._path, pre_buffer=False)
            if self._file.head.startswith(b"ARROW1"):
                return pa.ipc.open_file(self._path)
            return pa.ipc.open_stream(self._path)
        except (pa.ArrowException, OSError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> DataError:
        why = " ".join(str(error).split()).rstrip(".")
        return DataError(f"{self._file.name}: cannot be read as {self._format}: {why}.", file=self._file.name)

    def _schema(self, table: Any) -> Any:
        return table.schema_arrow if self._format == "parquet" else table.schema

    def _batches(self, table: Any) -> Iterator[pa.RecordBatch]:
        batch_rows = max(1024, _CELLS // max(1, len(self._schema(table).names)))
        if self._format == "parquet":
            yield from table.iter_batches(batch_size=batch_rows)
            return
        count = getattr(table, "num_record_batches", None)
        batches = iter(table) if count is None else (table.get_batch(i) for i in range(count))
        for batch in batches:
            for start in range(0, batch.num_rows, batch_rows):
                yield batch.slice(start, batch_rows)
