"""Saves every group that can be read of a damaged log, and keeps the damaged file."""

from __future__ import annotations

import os
import sqlite3
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from itertools import islice

from rosenblatt.atomic import sync_folder
from rosenblatt.serve.store.damaged_wal import merge, remove_files
from rosenblatt.serve.store.log import Group, Log
from rosenblatt.serve.store.page_scan import groups_of_pages, ids_of_pages

_WHOLE = ".whole"  # suffix of a rescued log that is complete
_AT_ONCE = 256  # groups in one transaction


def salvage(path: str, learned: int = 0) -> tuple[str, int, int]:
    """Write a new log of the groups that can be read. Returns the new path of the damaged log, and how many of its
    examples are lost and saved, as far as can be known. Examples before version `learned` are in a model, so that
    their ids are kept even if they are lost."""
    rescued_path, merged = f"{path}.rescued", f"{path}.merged"
    remove_files(rescued_path)
    remove_files(merged)
    merge(path, merged)
    with closing(sqlite3.connect(merged, isolation_level=None)) as connection, closing(Log(rescued_path)) as log:
        sizes = _save_groups(connection, merged, log)
        end = _save_ids(_ids(connection, merged), log, sizes, learned)
        first = min(sizes, default=0)
        with suppress(sqlite3.DatabaseError), log.transaction():
            for table in ("minutes", "notes"):
                log.append_rows(table, connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall())
            first = log.begins
    remove_files(merged)
    os.rename(rescued_path, path + _WHOLE)
    damaged_path = finish_salvage(path)
    n_saved = sum(sizes.values())
    return damaged_path, max(end - first - n_saved, 0), n_saved


def finish_salvage(path: str) -> str:
    """Replace the damaged log by the rescued one, also if a process was killed before that; returns the new path of
    the damaged one.

    The -wal and -shm files belong to the damaged database, and move with it before the other takes its place.
    """
    damaged_path = f"{path}.damaged-{time.time_ns()}"
    if os.path.exists(path + _WHOLE):
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.rename(path + suffix, damaged_path + suffix)
        os.rename(path + _WHOLE, path)
        sync_folder(os.path.dirname(path))
    return damaged_path


def _save_groups(connection: sqlite3.Connection, path: str, log: Log) -> Mapping[int, int]:
    """Save the groups that SQLite can read and, if it cannot read all, the others found in pages; the size of each."""
    sizes: dict[int, int] = {}
    problems: list[str] = []
    _append(log, _of_tree(connection, problems), sizes)
    if problems:
        checksums = _others_of_pages(path, sizes)
        others = (group for group, _ in groups_of_pages(path) if checksums.get(group.version) == group.checksum)
        _append(log, others, sizes)
    return sizes


def _append(log: Log, groups: Iterator[Group], sizes: dict[int, int]) -> None:
    while batch := list(islice(groups, _AT_ONCE)):
        with log.transaction():
            for group in batch:
                if group.version not in sizes:
                    log.append(group, ())
                    sizes[group.version] = group.size


def _of_tree(connection: sqlite3.Connection, problems: list[str]) -> Iterator[Group]:
    try:
        for row in connection.execute("SELECT * FROM groups ORDER BY version"):
            group = Group(*row[:6])
            if group.is_whole(row[6]):
                yield group
    except sqlite3.DatabaseError as error:
        problems.append(str(error))


def _others_of_pages(path: str, sizes: Mapping[int, int]) -> Mapping[int, int]:
    """The checksums of undamaged groups that SQLite cannot reach, by their version.

    Free pages may still hold groups that were compacted or undone. These are left out: the former begin before all
    others, and the version of the latter belongs to another group now.
    """
    newest: dict[int, tuple[int, int, int]] = {}
    for group, checksum in groups_of_pages(path):
        if group.is_whole(checksum) and group.time >= newest.get(group.version, (0,))[0]:
            newest[group.version] = group.time, group.size, checksum
    first, end = min(sizes, default=0), 0
    others = {}
    for version in sorted({*sizes, *newest}):
        if version in sizes:
            end = max(end, version + sizes[version])
        elif version >= max(first, end):
            _, size, others[version] = newest[version]
            end = version + size
    return others


def _ids(connection: sqlite3.Connection, path: str) -> Iterator[tuple[str, int]]:
    try:
        yield from connection.execute("SELECT id, version FROM ids")
    except sqlite3.DatabaseError:
        yield from ids_of_pages(path)


def _save_ids(ids: Iterator[tuple[str, int]], log: Log, sizes: Mapping[int, int], learned: int) -> int:
    """Save all ids but those of lost examples, which may be sent again; returns the version after the last example."""
    starts = sorted(sizes)
    end = starts[-1] + sizes[starts[-1]] if starts else 0
    with log.transaction():
        for id_, version in ids:
            end = max(end, version + 1)
            start = starts[bisect_right(starts, version) - 1] if starts else 0
            if version < learned or start <= version < start + sizes.get(start, 0):
                log.append_id(id_, version)
    return end
