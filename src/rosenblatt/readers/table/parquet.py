"""Parquet and Arrow files -> record batches; their columns have types."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import DataError
from rosenblatt.readers.input_file import InputFile

if TYPE_CHECKING:
    import pyarrow

_CELLS = 1 << 20  # of a batch, about
_SAMPLE = 1000


class TypedFile:
    """The types of the columns, a sample of the rows, and all rows as often as wanted."""

    header = True

    def __init__(self, opened: InputFile, form: str) -> None:
        if opened.path is None or not opened.plain:
            raise DataError(
                f"{opened.name}: {form} is read from a plain file, not from a stream or a packed file; "
                "save or unpack it and give that file."
            )
        self._opened, self._form, self._path = opened, form, os.fspath(opened.path)
        with self._open() as file:
            schema = self._schema(file)
            self.columns: list[str] = list(schema.names)
            self.types = list(schema.types)
            self.sample: list[list[Any]] = []
            first = next(self._batches(file), None)
        if not self.columns or first is None or first.num_rows == 0:
            raise DataError(f"{opened.name}: there are no rows in it.")
        self.sample = [column.to_pylist() for column in first.slice(0, _SAMPLE).columns]

    def batches(self) -> Iterator[tuple["pyarrow.RecordBatch", int]]:
        """Each batch with the bytes that are read once it is, by its share of the rows."""
        import pyarrow as pa

        size, rows = self._opened.size or 0, 0
        try:
            with self._open() as file:
                total = self._rows(file)
                for batch in self._batches(file):
                    rows += batch.num_rows
                    yield batch, size * rows // total if total else 0
        except (pa.ArrowException, OSError) as fault:
            raise self._fault(fault) from fault

    def _open(self) -> Any:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            if self._form == "parquet":
                return parquet.ParquetFile(self._path, pre_buffer=False)
            if self._opened.head.startswith(b"ARROW1"):
                return pa.ipc.open_file(self._path)
            return pa.ipc.open_stream(self._path)
        except (pa.ArrowException, OSError) as fault:
            raise self._fault(fault) from fault

    def _fault(self, fault: Exception) -> DataError:
        words = " ".join(str(fault).split()).rstrip(".")
        return DataError(f"{self._opened.name}: cannot be read as {self._form}: {words}.")

    def _schema(self, file: Any) -> Any:
        return file.schema_arrow if self._form == "parquet" else file.schema

    def _rows(self, file: Any) -> int:
        return int(file.metadata.num_rows) if self._form == "parquet" else 0

    def _batches(self, file: Any) -> Iterator["pyarrow.RecordBatch"]:
        most = max(1024, _CELLS // max(1, len(self._schema(file).names)))
        if self._form == "parquet":
            yield from file.iter_batches(batch_size=most)
            return
        count = getattr(file, "num_record_batches", None)
        found = iter(file) if count is None else (file.get_batch(i) for i in range(count))
        for batch in found:
            for start in range(0, batch.num_rows, most):
                yield batch.slice(start, most)
