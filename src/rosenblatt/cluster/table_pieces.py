"""Pieces of tables: the learner describes a span of rows, and a worker reads them, and the numbers in them."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from itertools import count, islice
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc

from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.messages import pack, unpack
from rosenblatt.cluster.worker_errors import check_version, error_answer, raise_error
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.readers.inputs.input_file import InputFile, MemoryFile
from rosenblatt.readers.inputs.joined_file import open_one
from rosenblatt.readers.table.files.csv import CsvFile
from rosenblatt.readers.table.files.joined_table import OneTable
from rosenblatt.readers.table.files.json_lines import JsonLines
from rosenblatt.readers.table.files.parquet_arrow import TypedFile
from rosenblatt.readers.table.files.spans import OnBadLine, SpanRows, TableBatch, TableSpan
from rosenblatt.readers.table.table_source import TableSource
from rosenblatt.version import __version__

_KINDS: Mapping[str, type[CsvFile] | type[JsonLines] | type[TypedFile]] = {
    "lines": CsvFile,
    "objects": JsonLines,
    "typed": TypedFile,
}
_SPANS = 4  # of a piece, once every worker has some; a row group is a piece of its own
_TABLES = 16  # that a worker has open at a time
_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")


# --- on the side of the learner ---------------------------------------------------------------------------------------


def read_on(engine: Engine, source: TableSource) -> None:
    """Let the workers of an engine read the table of a source."""

    def read(tables: Iterator[OneTable], on_bad_line: OnBadLine) -> Iterator[TableBatch]:
        return _in_order(tables, on_bad_line, source.plain_numbers, engine)

    source.read_elsewhere(read)


def _in_order(
    tables: Iterator[OneTable], on_bad_line: OnBadLine, numbers: Sequence[str], engine: Engine
) -> Iterator[TableBatch]:
    sent: deque[tuple[int, OneTable, TableSpan]] = deque()

    def pieces() -> Iterator[bytes]:
        n_sent = count()
        for k, table in enumerate(tables):
            job, spans = _job_of(table, numbers), table.spans()
            most = 1 if isinstance(table, TypedFile) else _SPANS
            while group := list(islice(spans, most if next(n_sent) >= engine.window else 1)):
                sent.extend((k, table, span) for span in group)
                copied = [span.data for span in group if span.data is not None]  # all of them, or none
                places = [[span.begin, span.end, span.part, span.parts] for span in group]
                yield pack({"table": job, "spans": places}, *copied)

    with closing(engine.in_order(read_table_piece, pieces())) as answers:
        for answer in answers:
            for part in unpack(answer)[1]:
                k, table, span = sent.popleft()
                rows = _rows_of(part)
                yield from ((k, table, batch, span.bytes_read) for batch in table.take(rows, on_bad_line))


def _job_of(table: OneTable, numbers: Sequence[str]) -> str:
    """What a worker must know to read spans of this table."""
    kind = next(name for name, type_ in _KINDS.items() if isinstance(table, type_))
    file = table.file
    job = {
        "version": __version__,
        "kind": kind,
        "path": _path_of(file) if file.plain or kind == "typed" else None,
        "name": file.name,
        "size": file.size,
        "written": os.stat(file.path).st_mtime_ns if file.path is not None and os.path.isfile(file.path) else None,
        "numbers": list(numbers),
        "state": table.state(),
    }
    return json.dumps(job)


def _path_of(file: InputFile) -> str:
    assert isinstance(file.inputs, str)  # it is one file
    return file.inputs


def _rows_of(answer: memoryview) -> SpanRows:
    header, (batches,) = unpack(answer)
    raise_error(header)
    rows = [*pa.ipc.open_stream(pa.py_buffer(batches))] if batches else []
    bad = [(line, what) for line, what in header["bad"]]
    return SpanRows(rows, header["lines"], bad, header["left_out"], header["notes"])


# --- on the side of a worker ------------------------------------------------------------------------------------------


def read_table_piece(piece: bytes) -> bytes:
    """Read and pack the spans of a piece: see `engine.py`. After one that cannot be read come no others."""
    header, copied = unpack(piece)
    answers = []
    for k, (begin, end, part, parts) in enumerate(header["spans"]):
        try:
            table, numbers = _table(header["table"])
            rows = table.read_span(TableSpan(begin, end, 0, bytes(copied[k]) if copied else None, part, parts))
        except (RosenblattError, OSError) as error:
            answers.append(error_answer(error))
            break
        answers.append(_packed(rows, numbers))
    return pack({}, *answers)


def _packed(rows: SpanRows, numbers: frozenset[str]) -> bytes:
    header = {"lines": rows.lines, "bad": rows.bad, "left_out": rows.left_out, "notes": dict(rows.notes)}
    return pack(header, packed_batches([_with_numbers(batch, numbers) for batch in rows.batches]))


def packed_batches(batches: Sequence[pa.RecordBatch]) -> Any:
    """Batches of one schema as bytes."""
    if not batches:
        return b""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema, options=_COMPRESSED) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def _with_numbers(batch: pa.RecordBatch, numbers: frozenset[str]) -> pa.RecordBatch:
    """With numbers for the cells of a column, where each of its cells is one: as `parse_batch` reads such a column."""
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name in numbers:
            with suppress(pa.ArrowInvalid):
                column = pc.cast(column, pa.float64())
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


@lru_cache(_TABLES)
def _table(job: str) -> tuple[OneTable, frozenset[str]]:
    """The learner's table, opened by this worker, and its columns of numbers."""
    expected = json.loads(job)
    check_version(expected["version"])
    file: InputFile = MemoryFile(expected["name"], expected["size"] or 0)
    if expected["path"] is not None:
        file = open_one(expected["path"])
        if file.size != expected["size"]:
            raise DataError(
                f"{file.name}: has {file.size or 0:,} bytes here, and {expected['size']:,} where it is learned from: "
                "is it another file, or still being written?",
                file=file.name,
            )
    return _KINDS[expected["kind"]].of_state(expected["state"], file), frozenset(expected["numbers"])
