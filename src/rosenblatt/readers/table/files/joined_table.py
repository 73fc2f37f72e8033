"""Several files as one table: the same columns by name, their rows one after another.

The names of folders, `key=value`, are columns too, after those of the files.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import pyarrow as pa

from rosenblatt.errors import DataError, listed
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.inputs.joined_file import JoinedFile, Part
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows
from rosenblatt.readers.table.columns.label_column import label_column
from rosenblatt.readers.table.files.csv import CsvFile
from rosenblatt.readers.table.files.json_lines import JsonLines
from rosenblatt.readers.table.files.parquet_arrow import TypedFile
from rosenblatt.readers.table.files.spans import ReadTables, read_in_turn

OneTable: TypeAlias = CsvFile | TypedFile | JsonLines


class JoinedTable:
    """The names of all columns, and all rows as often as the files can be read."""

    read: ReadTables = staticmethod(read_in_turn)  # replaced where other processes read the files

    def __init__(self, file: JoinedFile, open_table: Callable[[InputFile, OneTable | None], OneTable]) -> None:
        """`open_table(file, first)` opens a file; given the table of the first file, it must have the same columns."""
        self._file, self._open_table = file, open_table
        first = self.first = open_table(file.first, None)
        self.typed = first.typed
        self.unseen = first.unseen if isinstance(first, JsonLines) else set[str]()
        self.header, self._names = first.header, list(first.columns)
        self._schema: pa.Schema | None = None
        if isinstance(first, TypedFile):
            self._schema = self._common_schema(first)
        elif isinstance(first, CsvFile):
            for part in file.parts[1:]:
                open_table(part.open(), first)
        self._keys = _keys_of(file.parts, self._names, typed=self.typed)
        self.columns = [*self._names, *self._keys]
        self.types: dict[str, pa.DataType] = {}
        if self.typed:
            types_of_files = first.types.values() if self._schema is None else self._schema.types
            types_of_keys = {key: values[0].type for key, values in self._keys.items()}
            self.types = dict(zip(self._names, types_of_files, strict=True)) | types_of_keys
        self._places: list[tuple[int, LinesOfRows]] = []  # the number of rows before each file, and its lines
        self._tables_read: list[OneTable] = []  # so far

    def label(self, label: str | int | None) -> str:
        """The label column: by default a column of the files, not one from the names of folders."""
        return label_column(self._file.name, self._names if label is None else self.columns, label)

    def batches(self, on_bad_line: Callable[[BadLine], None]) -> Iterator[tuple[pa.RecordBatch, int]]:
        """The batches of all files in turn, with the bytes of all of them up to the end of each."""
        self._places, self._tables_read = [], []
        parts = self._file.parts
        bytes_before = [0, *accumulate(part.size or 0 for part in parts)]
        n_rows, last = 0, -1
        tables = (self._open_table(part.open(), self.first) if k else self.first for k, part in enumerate(parts))
        for k, table, batch, bytes_read in self.read(tables, on_bad_line):
            if k != last:
                self._places.append((n_rows, table.places))
                self._tables_read.append(table)
                last = k
            n_rows += batch.num_rows
            yield self._with_common_columns(batch, k), bytes_before[k] + bytes_read

    def place(self, row: int) -> tuple[str, int]:
        k = bisect_right(self._places, row, key=lambda place: place[0]) - 1
        n_before, places = self._places[k]
        return places.file, places.line(row - n_before)

    def warnings(self) -> list[str]:
        return [warning for table in self._tables_read for warning in table.warnings()]

    def _with_common_columns(self, batch: pa.RecordBatch, k: int) -> pa.RecordBatch:
        """A batch of part k with the columns of the first file, in the types common to all files, and the keys."""
        if batch.schema.names != self._names:
            batch = batch.select(self._names)
        if self._schema is not None and not batch.schema.equals(self._schema):
            batch = batch.cast(self._schema)
        arrays = [pa.repeat(values[k], batch.num_rows) for values in self._keys.values()]
        if not arrays and batch.schema.names == self.columns:
            return batch
        return pa.RecordBatch.from_arrays([*batch.columns, *arrays], names=self.columns)

    def _common_schema(self, first: TypedFile) -> pa.Schema:
        """Types that can hold the cells of all files: float64 if one file has integers and another has fractions."""
        schema, name = pa.schema(list(first.types.items())), self._file.parts[0].name
        for part in self._file.parts[1:]:
            other = pa.schema(list(self._open_table(part.open(), first).types.items()))
            missing = [column for column in schema.names if column not in other.names]
            added = [column for column in other.names if column not in schema.names]
            if missing or added:
                what = f"has no column {missing[0]!r}" if missing else f"has a column {added[0]!r}"
                has = "has one" if missing else f"has none: its columns are {listed(schema.names)}"
                raise DataError(
                    f"{part.name}: {what}, and {name} {has}; give files with the same columns.", file=part.name
                )
            schema = pa.schema([_common_field(part.name, name, field, other.field(field.name)) for field in schema])
        return schema


def _common_field(file: str, first: str, left: pa.Field, right: pa.Field) -> pa.Field:
    if left.type.equals(right.type):
        return left.with_nullable(True)
    try:
        plain = [pa.schema([field.with_type(_plain(field.type)).with_nullable(True)]) for field in (left, right)]
        return pa.unify_schemas(plain, promote_options="permissive").field(0)
    except pa.ArrowException:
        raise DataError(
            f"{file}: column {left.name!r} holds {right.type}, and in {first} it holds {left.type}; write it with one "
            "type.",
            file=file,
        ) from None


def _plain(type_: pa.DataType) -> pa.DataType:
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _keys_of(parts: Sequence[Part], names: Sequence[str], *, typed: bool) -> dict[str, list[Any]]:
    """The value of each key for each part, as an Arrow scalar: a string, or in a typed table an int64 if all are."""
    keys: dict[str, list[Any]] = {}
    for key in parts[0].file.keys:
        if key in names:
            raise DataError(
                f"{parts[0].name}: has a column {key!r}, and so has the name of its folder; rename one of them.",
                file=parts[0].name,
            )
        values = [part.file.keys[key] for part in parts]
        are_integers = typed and all(value is None or re.fullmatch(r"-?\d{1,18}", value) for value in values)
        if are_integers:
            keys[key] = [pa.scalar(None if value is None else int(value), pa.int64()) for value in values]
        else:
            keys[key] = [pa.scalar(value, pa.string()) for value in values]
    return keys
