"""Spans of a table: rows of one file that can be read without the others, in another process too.

A table gives its `spans`, and its `state`, from which another process makes a table that can `read_span`. The rows of
the spans are given back to the first table in order (`take`), so that it names their lines as if it had read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pyarrow as pa

from rosenblatt.readers.table.bad_rows import BadLine

if TYPE_CHECKING:
    from rosenblatt.readers.table.files.joined_table import OneTable

SPAN_BYTES = 1 << 20  # of lines


class TableSpan(NamedTuple):
    """Some rows: lines of a file between two offsets, or row groups; or the lines themselves."""

    begin: int
    end: int
    bytes_read: int  # bytes of the file up to its end
    data: bytes | None = None
    part: int = 0  # of a large row group
    parts: int = 1


class SpanRows(NamedTuple):
    """What was read of a span. Lines are counted from 1 at its beginning."""

    batches: list[pa.RecordBatch]
    lines: int = 0  # in the span, those of left-out rows included
    bad: Sequence[tuple[int, str]] = ()  # lines that are no rows, and what is wrong with them
    left_out: Sequence[int] = ()
    notes: Mapping[str, Any] = MappingProxyType({})  # what else the table must know, as JSON values


OnBadLine: TypeAlias = Callable[[BadLine], None]
TableBatch: TypeAlias = "tuple[int, OneTable, pa.RecordBatch, int]"  # which table it is of, and the bytes read of that
ReadTables: TypeAlias = "Callable[[Iterator[OneTable], OnBadLine], Iterator[TableBatch]]"


def read_in_turn(tables: Iterator[OneTable], on_bad_line: OnBadLine) -> Iterator[TableBatch]:
    """The batches of several tables, one after another, read by this process."""
    for k, table in enumerate(tables):
        for batch, bytes_read in table.batches(on_bad_line):
            yield k, table, batch, bytes_read
