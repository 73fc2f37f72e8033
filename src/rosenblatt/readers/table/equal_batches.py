"""The rows of a table in batches that depend on its cells alone, and the first batches of it, its head.

So a table gives the same features in the same blocks as CSV, TSV, Parquet or Arrow, from a file or from a pipe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyarrow import compute as pc

HEAD_BYTES = 16 << 20
SAMPLE = 1000  # rows from which the kind of a column is found
_CELL = 8  # bytes of a number
_BATCH_CELLS = 1 << 18
_MIN_ROWS, _MAX_ROWS = 256, 1 << 15
_TEXT_ROWS = 1 << 11  # texts may be long

RawBatch = tuple[pa.RecordBatch, int]  # and the bytes of the file up to its end


def rows_of_batch(n_columns: int, *, texts: bool) -> int:
    """
    >>> rows_of_batch(10, texts=False), rows_of_batch(10, texts=True), rows_of_batch(10_000, texts=False)
    (26214, 2048, 256)
    """
    return min(max(_BATCH_CELLS // max(n_columns, 1), _MIN_ROWS), _TEXT_ROWS if texts else _MAX_ROWS)


def equal_batches(batches: Iterator[RawBatch], n_rows: int) -> Iterator[RawBatch]:
    """The same rows in batches of `n_rows` each; only the last has fewer."""
    parts: list[pa.RecordBatch] = []
    missing, bytes_read = n_rows, 0
    for batch, bytes_read in batches:
        start = 0
        while batch.num_rows - start >= missing:
            yield _joined([*parts, batch.slice(start, missing)]), bytes_read
            start, missing, parts = start + missing, n_rows, []
        if start < batch.num_rows:
            parts.append(batch.slice(start))
            missing -= batch.num_rows - start
    if parts:
        yield _joined(parts), bytes_read


def _joined(parts: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    if len(parts) == 1:
        return parts[0]
    arrays = [_concatenated([_plain(part.column(i)) for part in parts]) for i in range(parts[0].num_columns)]
    return pa.RecordBatch.from_arrays(arrays, names=parts[0].schema.names)


def _concatenated(arrays: Sequence[pa.Array]) -> pa.Array:
    """One column. A worker parses the cells of a part if all of them are numbers. Next to cells of text these become
    text again, in digits that give the same number."""
    if any(array.type != arrays[0].type for array in arrays):
        arrays = [pc.cast(array, pa.string()) for array in arrays]
    return pa.concat_arrays(arrays)


def _plain(array: pa.Array) -> pa.Array:
    """Each batch of a column of words may have a dictionary of its own, and such arrays cannot be joined."""
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def first_rows(batches: Iterator[RawBatch], n_rows: int) -> tuple[list[RawBatch], pa.RecordBatch | None]:
    """The batches up to this many rows, and these rows; None where there are no rows."""
    read: list[RawBatch] = []
    while sum(batch.num_rows for batch, _ in read) < n_rows and (raw := next(batches, None)) is not None:
        read.append(raw)
    parts = [batch for batch, _ in read if batch.num_rows]
    return read, _joined(parts).slice(0, n_rows) if parts else None


def take_head(batches: Iterator[RawBatch], texts: Sequence[str]) -> list[RawBatch]:
    """The first batches, up to about HEAD_BYTES of numbers and texts."""
    head: list[RawBatch] = []
    size = 0
    while size < HEAD_BYTES and (raw := next(batches, None)) is not None:
        head.append(raw)
        batch = raw[0]
        size += batch.num_rows * batch.num_columns * _CELL
        size += sum(pc.sum(pc.binary_length(batch.column(column))).as_py() or 0 for column in texts)
    return head
