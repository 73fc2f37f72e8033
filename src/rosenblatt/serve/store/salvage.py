"""A damaged log: save every group of it that can be read, and keep the damaged file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress

from rosenblatt.atomic import sync_folder
from rosenblatt.serve.store.log import Group, Log
from rosenblatt.serve.store.write_ahead_log import merge, remove_files


def salvage(path: str) -> tuple[str, int, int]:
    """Write a new log of the groups that can be read; where the damaged one is, how many examples of it are lost and
    how many were saved, as far as can be known."""
    damaged_path, rescued_path, merged = f"{path}.damaged-{time.time_ns()}", f"{path}.rescued", f"{path}.merged"
    remove_files(rescued_path)
    remove_files(merged)
    merge(path, merged)
    connection = sqlite3.connect(merged, isolation_level=None)
    log = Log(rescued_path)
    groups = {group.version: group for group in _readable(connection)}
    with log.transaction():
        for version in sorted(groups):
            log.append(groups[version], ())
        for id_, version in _ids(connection):
            with suppress(sqlite3.IntegrityError):
                log.append_id(id_, version)
    log.close()
    with suppress(sqlite3.Error):
        connection.close()
    remove_files(merged)
    os.rename(path, damaged_path)
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.rename(path + suffix, damaged_path + suffix)
    os.rename(rescued_path, path)
    sync_folder(os.path.dirname(path))
    n_saved = sum(group.size for group in groups.values())
    first, end = min(groups, default=0), max((group.end for group in groups.values()), default=0)
    return damaged_path, end - first - n_saved, n_saved


def _readable(connection: sqlite3.Connection) -> Iterator[Group]:
    """From the first group up to the damage, and from the last one down to it; then one by one between them."""
    bounds = [-1, 1 << 62]
    for order, side in (("ASC", 0), ("DESC", 1)):
        with suppress(sqlite3.DatabaseError):
            for row in connection.execute(f"SELECT * FROM groups ORDER BY version {order}"):
                group = Group(*row[:6])
                if group.is_whole(row[6]):
                    yield group
                bounds[side] = group.version
    with suppress(sqlite3.DatabaseError):
        query = "SELECT version FROM groups WHERE version > ? AND version < ?"
        for (version,) in connection.execute(query, bounds).fetchall():
            with suppress(sqlite3.DatabaseError):
                row = connection.execute("SELECT * FROM groups WHERE version = ?", (version,)).fetchone()
                if row is not None and Group(*row[:6]).is_whole(row[6]):
                    yield Group(*row[:6])


def _ids(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.DatabaseError):
            yield from connection.execute(f"SELECT id, version FROM ids ORDER BY id {order}")
