"""Reads the pages of a damaged database one by one: https://sqlite.org/fileformat2.html#b_tree_pages

SQLite finds rows by a tree. If a page near its root is damaged, all rows below it are still in the file, but cannot be
reached. The checksum of a group shows that one put together from pages is the one that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from typing import Any

from rosenblatt.lazy import np
from rosenblatt.serve.store.damaged_wal import page_size_of
from rosenblatt.serve.store.log import Group

_ROWS, _KEYS, _INNER_KEYS = 0x0D, 0x0A, 0x02  # kinds of pages: leaves of a table, leaves and inner pages of an index
_BYTES_OF_INTEGER = (0, 1, 2, 3, 4, 6, 8)  # by the type of a column
_DAMAGED = (IndexError, ValueError, UnicodeDecodeError)  # raised by bytes that are not a page


def groups_of_pages(path: str) -> Iterator[tuple[Group, int]]:
    """Every group that begins in some page, and the checksum it was written with."""
    for columns in _records(path, _ROWS):
        if len(columns) == 7 and all(isinstance(columns[k], int) for k in (0, 1, 2, 6)):
            version, size, time, lines, labels, weights, checksum = columns
            if isinstance(lines, bytes) and isinstance(labels, bytes) and isinstance(weights, bytes | None):
                yield Group(version, size, time, lines, labels, weights), checksum


def ids_of_pages(path: str) -> Iterator[tuple[str, int]]:
    """Every id with its version: the table stores (id, version), its index (version, id)."""
    for kind in (_KEYS, _INNER_KEYS):
        for columns in _records(path, kind):
            if len(columns) == 2:
                first, second = columns
                if isinstance(first, str) and isinstance(second, int):
                    yield first, second
                elif isinstance(first, int) and isinstance(second, str):
                    yield second, first


def _records(path: str, kind: int) -> Iterator[list[Any]]:
    page_size = page_size_of(path)
    with open(path, "rb") as file, suppress(ValueError), mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        n_pages = len(data) // page_size
        first_bytes = np.frombuffer(data, np.uint8, n_pages * page_size).reshape(n_pages, page_size)[:, 0]
        numbers = np.flatnonzero(first_bytes == kind).tolist()
        del first_bytes
        for number in numbers:
            page = data[number * page_size : (number + 1) * page_size]
            for k in range(int.from_bytes(page[3:5], "big")):
                with suppress(*_DAMAGED):
                    yield _record(data, page, kind, k, page_size)


def _record(data: mmap, page: bytes, kind: int, k: int, page_size: int) -> list[Any]:
    """The columns of cell `k` of a page; the row number replaces the column that is the integer key of the table."""
    pointers = 12 if kind == _INNER_KEYS else 8
    at = int.from_bytes(page[pointers + 2 * k : pointers + 2 * k + 2], "big") + (4 if kind == _INNER_KEYS else 0)
    size, at = _varint(page, at)
    row = None
    if kind == _ROWS:
        row, at = _varint(page, at)
    most = page_size - 35 if kind == _ROWS else (page_size - 12) * 64 // 255 - 23
    least = (page_size - 12) * 32 // 255 - 23
    n_here = size
    if size > most:
        n_here = least + (size - least) % (page_size - 4)
        n_here = n_here if n_here <= most else least
    payload = page[at : at + n_here]
    if size > most:
        payload += _overflow(data, int.from_bytes(page[at + n_here : at + n_here + 4], "big"), size - n_here, page_size)
    if len(payload) != size:
        raise ValueError("it ends too early")
    columns = _columns(payload)
    return [row, *columns[1:]] if kind == _ROWS else columns


def _overflow(data: mmap, number: int, size: int, page_size: int) -> bytes:
    """The rest of a record that does not fit into its page, from a chain of overflow pages."""
    parts, n = [], 0
    while n < size:
        at = (number - 1) * page_size
        if not 0 < number <= len(data) // page_size:
            raise ValueError("there is no such page")
        part = data[at + 4 : at + 4 + min(page_size - 4, size - n)]
        number = int.from_bytes(data[at : at + 4], "big")
        parts.append(part)
        n += len(part)
    return b"".join(parts)


def _columns(payload: bytes) -> list[Any]:
    end, at = _varint(payload, 0)
    types = []
    while at < end:
        type_, at = _varint(payload, at)
        types.append(type_)
    columns: list[Any] = []
    for type_ in types:
        n = _BYTES_OF_INTEGER[type_] if type_ <= 6 else 0 if type_ <= 9 else (type_ - 12) // 2
        content = payload[at : at + n]
        at += n
        if type_ == 0:
            columns.append(None)
        elif type_ in (8, 9):
            columns.append(type_ - 8)
        elif type_ <= 6:
            columns.append(int.from_bytes(content, "big", signed=True))
        else:
            columns.append(content.decode() if type_ % 2 else content)
    return columns


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of up to nine bytes, and the position after it."""
    value = 0
    for k in range(8):
        byte = data[at + k]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + k + 1
    return value << 8 | data[at + 8], at + 9
