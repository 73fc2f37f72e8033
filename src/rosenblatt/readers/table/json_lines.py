"""JSON lines (JSONL, NDJSON), an object on each -> record batches whose columns have types.

Objects inside an object are columns with dots: `{"plan": {"price": 5}}` has a column plan.price. A list holds words.
Which keys there are, and what they hold, is found from the first lines; keys that come later are left out.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import pyarrow as pa
from pyarrow import json as arrow_json

from rosenblatt.errors import DataError
from rosenblatt.readers.formats.lines import available_lines, whole_lines
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.parallel_map import ordered_map
from rosenblatt.readers.table.bad_rows import BadLine, LinesOfRows
from rosenblatt.readers.table.check_arrow import refuse_duplicates

_BLOCK = 1 << 20
_SAMPLE = 1 << 20  # bytes of the first lines

# What a key holds: numbers, flags, words, a list of one of them, or an object; None where there is only null.
Shape: TypeAlias = "str | list[Any] | dict[str, Any] | None"
_TYPES = {"numbers": pa.float64(), "flags": pa.bool_(), "words": pa.string()}
_NOTHING: Mapping[str, Any] = {}


class JsonLines:
    """The names of the columns, and all rows as often as the file can be read.

    Of several files that are read as one, all but the first are given the `shape` of the first.
    """

    header = typed = True

    def __init__(
        self, file: InputFile, shape: dict[str, Any] | None = None, known: Mapping[str, str] = _NOTHING
    ) -> None:
        """`known` are columns of a model and what they hold, for those of which the first lines do not say it."""
        self._file = file
        self._first: bytes | None = None  # lines of a pipe that were read to find the columns
        self._blocks: Iterator[bytes] | None = None
        self.unseen: set[str] = set()
        self.shape = self._find_shape(known) if shape is None else shape
        self._schema = pa.schema([(key, _type_of(of_key)) for key, of_key in self.shape.items()])
        self.types = dict(_flat_types("", self.shape))
        self.columns = list(self.types)
        refuse_duplicates(file.name, self.columns)
        if not self.columns:
            raise DataError(f"{file.name}: its first objects have no keys with a value.", file=file.name)
        self.places = LinesOfRows(file.name, 0)

    def _find_shape(self, known: Mapping[str, str]) -> dict[str, Any]:
        if self._file.live:
            sample = self._file.head
        elif self._file.rewindable:
            with self._file.stream() as stream:
                sample = next(whole_lines(stream, _SAMPLE), b"")
        else:
            stream = self._file.stream()
            self._blocks, self._stream = whole_lines(stream, _BLOCK), stream
            sample = self._first = next(self._blocks, b"")
        shape: dict[str, Any] = {}
        for number, line in enumerate(sample.splitlines(), 1):
            if line.strip():
                try:
                    _merge(shape, _object_of(line))
                except ValueError as error:
                    if shape or number > 1:
                        continue  # it is refused or skipped where it is read
                    what = f"{self._file.name}:1: {_sentence(error)}; write one object on each line"
                    raise DataError(f"{what}.", file=self._file.name, line=1) from None
        flat = dict(_flat_types("", shape))
        self.unseen = {column for column in known if column not in flat}  # columns of a model that no first line has
        for column, kind in known.items():
            if column in self.unseen:
                _put(shape, column.split("."), kind)
        return shape

    def batches(self, on_bad_line: Callable[[BadLine], None]) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Each batch with the bytes of the file up to its end; a line that is no object is passed to `on_bad_line`."""
        self.places.left_out.clear()
        n_lines = 0
        threads = 1 if self._file.live else os.cpu_count() or 1
        for bytes_read, lines, batch, bad in ordered_map(self._lines(), self._parsed, threads):
            for number, what in bad:
                if what:
                    on_bad_line(BadLine(*self._file.place(n_lines + number), what))
                self.places.left_out.append(n_lines + number)
            n_lines += lines
            if batch.num_rows:
                yield batch, bytes_read

    def warnings(self) -> list[str]:
        return []

    def _lines(self) -> Iterator[tuple[bytes, int]]:
        if self._blocks is not None:
            stream, blocks, self._blocks = self._stream, self._blocks, None
            first = [] if self._first is None else [self._first]
            yield from ((lines, stream.bytes_read) for lines in chain(first, blocks))
            return
        with self._file.stream() as stream:
            blocks = available_lines(stream, _BLOCK) if self._file.live else whole_lines(stream, _BLOCK)
            yield from ((lines, stream.bytes_read) for lines in blocks)

    def _parsed(self, task: tuple[bytes, int]) -> tuple[int, int, pa.RecordBatch, list[tuple[int, str]]]:
        """The bytes read, the number of lines, the batch, and the lines that are not in it with what is wrong; '' if
        they are blank."""
        lines, bytes_read = task
        if not lines.isascii():
            lines = lines.decode("utf-8", errors="replace").encode()
        n_lines = lines.count(b"\n") + (not lines.endswith(b"\n"))
        try:
            table = arrow_json.read_json(
                io.BytesIO(lines),
                arrow_json.ReadOptions(use_threads=False, block_size=max(len(lines) + 1, 1 << 10)),
                arrow_json.ParseOptions(explicit_schema=self._schema, unexpected_field_behavior="ignore"),
            )
            if table.num_rows == n_lines:
                batch = table.combine_chunks().to_batches()[0] if n_lines else _empty(self._schema)
                return bytes_read, n_lines, self._flat(batch), []
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass  # the slow way says which lines are at fault
        batch, bad = self._one_by_one(lines)
        return bytes_read, n_lines, batch, bad

    def _one_by_one(self, lines: bytes) -> tuple[pa.RecordBatch, list[tuple[int, str]]]:
        cells: dict[str, list[Any]] = {column: [] for column in self.columns}
        bad: list[tuple[int, str]] = []
        for number, line in enumerate(lines.split(b"\n")[: lines.count(b"\n") + (not lines.endswith(b"\n"))], 1):
            if not line.strip():
                bad.append((number, ""))
                continue
            try:
                row = dict(_cells("", _object_of(line), self.shape))
            except ValueError as error:
                bad.append((number, f"{_sentence(error)}; correct it"))
                continue
            for column, values in cells.items():
                values.append(row.get(column))
        arrays = [pa.array(values, self.types[column]) for column, values in cells.items()]
        return pa.RecordBatch.from_arrays(arrays, names=self.columns), bad

    def _flat(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        leaves = (leaf for array in batch.columns for leaf in _leaves(array))
        arrays = [leaf.cast(type_) for leaf, type_ in zip(leaves, self.types.values(), strict=True)]
        return pa.RecordBatch.from_arrays(arrays, names=self.columns)


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(0, type_) for type_ in schema.types], schema=schema)


def _leaves(array: pa.Array) -> Iterator[pa.Array]:
    if pa.types.is_struct(array.type):
        for child in array.flatten():
            yield from _leaves(child)
    else:
        yield array


def _object_of(line: bytes) -> dict[str, Any]:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError(f"expected an object in braces, found {str(line[:20], errors='replace')!r}")
    return value


def _sentence(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is not a whole JSON object: {error.msg[0].lower()}{error.msg[1:]} at character {error.pos + 1}"
    return str(error)


def _shape_of(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, bool):
        return "flags"
    if isinstance(value, int | float):
        return "numbers"
    if isinstance(value, str):
        return "words"
    if isinstance(value, list):
        shapes = {shape for item in value if isinstance(shape := _shape_of(item), str)}
        mixed = len(shapes) > 1 or any(isinstance(item, list | dict) for item in value)
        return ["json" if mixed else next(iter(shapes), None)]
    return {key: _shape_of(of_key) for key, of_key in value.items()}


def _merge(shape: dict[str, Any], value: Mapping[str, Any]) -> None:
    """Add what the keys of an object hold. Of two kinds the first stays: the line of the second is refused later."""
    for key, of_key in value.items():
        before, new = shape.get(key), _shape_of(of_key)
        if before is None:
            shape[key] = new
        elif isinstance(before, dict) and isinstance(of_key, dict):
            _merge(before, of_key)
        elif isinstance(before, list) and isinstance(new, list) and before[0] != new[0] and new[0] is not None:
            before[0] = new[0] if before[0] is None else "json"


def _put(shape: dict[str, Any], path: Sequence[str], kind: str) -> None:
    """Add a column of a model that no line had yet."""
    *parents, key = path
    for parent in parents:
        inner = shape.setdefault(parent, {})
        if not isinstance(inner, dict):
            return
        shape = inner
    if shape.get(key) is None:
        shape[key] = kind


def _type_of(shape: Shape) -> pa.DataType:
    if shape is None:
        return pa.null()
    if isinstance(shape, dict):
        return pa.struct([(key, _type_of(of_key)) for key, of_key in shape.items()])
    if isinstance(shape, list):
        return pa.list_(_TYPES.get(shape[0], pa.string()))
    return _TYPES[shape]


def _flat_types(path: str, shape: Mapping[str, Any]) -> Iterator[tuple[str, pa.DataType]]:
    for key, of_key in shape.items():
        if isinstance(of_key, dict):
            yield from _flat_types(f"{path}{key}.", of_key)
        else:
            yield f"{path}{key}", pa.list_(pa.string()) if isinstance(of_key, list) else _type_of(of_key)


_NAMES = {"numbers": "a number", "flags": "true or false", "words": "a string"}


def _cells(path: str, value: Mapping[str, Any], shape: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The cells of an object by column; ValueError where a key holds something else than in the first lines."""
    for key, of_key in shape.items():
        cell, column = value.get(key), f"{path}{key}"
        if isinstance(of_key, dict):
            if cell is not None and not isinstance(cell, dict):
                raise _mismatch(column, cell, "an object")
            yield from _cells(f"{column}.", cell or {}, of_key)
        elif cell is None or of_key is None:
            yield column, None
        elif isinstance(of_key, list):
            if not isinstance(cell, list):
                raise _mismatch(column, cell, "a list")
            yield column, [_word(item) for item in cell if item is not None]
        elif of_key == "numbers" and isinstance(cell, int | float) and not isinstance(cell, bool):
            yield column, float(cell)
        elif _shape_of(cell) == of_key:
            yield column, cell
        else:
            raise _mismatch(column, cell, _NAMES[of_key])


def _word(item: Any) -> str:
    """An item of a list as Arrow writes it: a number without needless digits."""
    if isinstance(item, float) and item.is_integer() and abs(item) < 2**53:
        return str(int(item))
    return item if isinstance(item, str) else json.dumps(item)


def _mismatch(column: str, cell: Any, expected: str) -> ValueError:
    shape = _shape_of(cell)
    kind = _NAMES[shape] if isinstance(shape, str) else "an object" if isinstance(shape, dict) else "a list"
    return ValueError(f"key {column!r} holds {kind}, and in the first lines {expected}")
