"""The log of one model: every example it was given, in order, in SQLite.

Examples are written in groups, each with one commit: `synchronous=FULL` in WAL mode syncs the log before a commit
returns. A group has a checksum of its own, because SQLite has none for its pages.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from rosenblatt.errors import DataError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS groups (
    version INTEGER PRIMARY KEY,  -- examples before this group
    count INTEGER NOT NULL,
    time INTEGER NOT NULL,  -- microseconds since 1970; never goes backwards
    lines BLOB NOT NULL,
    labels BLOB NOT NULL,  -- int32, the index of each class; of a model that predicts numbers float64
    weights BLOB,  -- float64; NULL: all are 1
    checksum INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS ids (id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ids_by_version ON ids (version);
CREATE TABLE IF NOT EXISTS minutes (
    minute INTEGER PRIMARY KEY, learned INTEGER, wrong REAL, weighed REAL, predicted INTEGER
);
CREATE TABLE IF NOT EXISTS notes (time INTEGER NOT NULL, kind TEXT NOT NULL, content TEXT NOT NULL);
"""
_CACHE_SIZE = -8192  # negative: KiB of memory, not pages
_CHECKPOINT_PAGES = 4000
_IDS_AT_ONCE = 500  # looked up by one query
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Group(NamedTuple):
    """Examples that were written together."""

    version: int
    size: int  # examples
    time: int
    lines: bytes
    labels: bytes
    weights: bytes | None

    @property
    def end(self) -> int:
        return self.version + self.size

    @property
    def checksum(self) -> int:
        sum_ = zlib.crc32(f"{self.version} {self.size} {self.time}".encode())
        for part in (self.lines, self.labels, self.weights or b""):
            sum_ = zlib.crc32(part, sum_)
        return sum_

    def is_whole(self, checksum: int) -> bool:
        return checksum == self.checksum and len(self.labels) in (4 * self.size, 8 * self.size)


class DamagedLogError(DataError):
    """A group of the log cannot be read back."""


def is_damage(error: BaseException) -> bool:
    """Whether the error means that the file is damaged."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, DamagedLogError) or (code is not None and code & 0xFF in _DAMAGED)


class Log:
    """The log file of one model. A Log is for one thread; other threads open their own."""

    def __init__(self, path: str, *, durability: str = "commit", read_only: bool = False) -> None:
        self.path = path
        exists = os.path.exists(path)
        uri = f"file:{_quoted(path)}{'?mode=ro' if read_only else ''}"
        self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10, check_same_thread=False)
        self._durability = durability
        self.last_time = 0
        try:
            if not read_only:
                self._prepare(is_new=not exists)
            self._connection.execute(f"PRAGMA cache_size={_CACHE_SIZE}")
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, *, is_new: bool) -> None:
        if is_new:
            self._connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._synchronous(full=True)
        self._connection.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
        self._connection.execute("PRAGMA journal_size_limit=67108864")
        self._connection.executescript(_SCHEMA)
        self._synchronous(full=self._durability == "commit")

    def _synchronous(self, *, full: bool) -> None:
        self._connection.execute(f"PRAGMA synchronous={'FULL' if full else 'NORMAL'}")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything that the block writes, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def sync(self) -> None:
        """Sync to the disk what was committed without a sync."""
        self._synchronous(full=True)
        try:
            with self.transaction():  # which must write something: an empty one does not sync
                self._connection.execute("DELETE FROM notes WHERE kind = 'sync'")
                self._connection.execute("INSERT INTO notes VALUES (?, 'sync', '')", (self.last_time,))
        finally:
            self._synchronous(full=self._durability == "commit")

    # -- writing ----------------------------------------------------------------------------------------------------

    def time_now(self) -> int:
        """The time of the next group: the clock's, unless that has gone back."""
        return max(time.time_ns() // 1000, self.last_time + 1)

    def append(self, group: Group, ids: Sequence[tuple[str, int]]) -> None:
        """Add a group and the ids of its examples; within a transaction."""
        self._connection.execute("INSERT INTO groups VALUES (?, ?, ?, ?, ?, ?, ?)", (*group, group.checksum))
        if ids:
            self._connection.executemany("INSERT INTO ids VALUES (?, ?)", ids)
        self.last_time = group.time

    def append_id(self, id_: str, version: int) -> None:
        self._connection.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (id_, version))

    def append_rows(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows from the same table of another log."""
        for row in rows:
            self._connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)

    def remove(self, version: int) -> None:
        """Remove the last group, which was not acknowledged."""
        with self.transaction():
            self._connection.execute("DELETE FROM groups WHERE version >= ?", (version,))
            self._connection.execute("DELETE FROM ids WHERE version >= ?", (version,))

    def known_ids(self, ids: Sequence[str]) -> set[str]:
        """Which of the ids are already in the log."""
        known: set[str] = set()
        for first in range(0, len(ids), _IDS_AT_ONCE):
            chunk = ids[first : first + _IDS_AT_ONCE]
            query = f"SELECT id FROM ids WHERE id IN ({','.join('?' * len(chunk))})"
            known.update(row[0] for row in self._connection.execute(query, chunk))
        return known

    def note(self, kind: str, content: Mapping[str, Any]) -> None:
        self._connection.execute(
            "INSERT INTO notes VALUES (?, ?, ?)", (time.time_ns() // 1000, kind, json.dumps(content))
        )
        self._connection.execute(
            "DELETE FROM notes WHERE kind = ? AND rowid NOT IN "
            "(SELECT rowid FROM notes WHERE kind = ? ORDER BY rowid DESC LIMIT 200)",
            (kind, kind),
        )

    def notes(self, kind: str) -> list[dict[str, Any]]:
        rows = self._connection.execute("SELECT time, content FROM notes WHERE kind = ? ORDER BY rowid", (kind,))
        return [{"time": time_ / 1e6, **json.loads(content)} for time_, content in rows]

    def add_minute(self, minute: int, learned: int, wrong: float, weighed: float, predicted: int) -> None:
        self._connection.execute(
            "INSERT INTO minutes VALUES (?, ?, ?, ?, ?) ON CONFLICT (minute) DO UPDATE SET "
            "learned = learned + excluded.learned, wrong = wrong + excluded.wrong, "
            "weighed = weighed + excluded.weighed, predicted = predicted + excluded.predicted",
            (minute, learned, wrong, weighed, predicted),
        )
        self._connection.execute("DELETE FROM minutes WHERE minute < ?", (minute - 7 * 24 * 60,))

    def minutes(self, since: int) -> list[tuple[int, int, float, float, int]]:
        query = "SELECT minute, learned, wrong, weighed, predicted FROM minutes WHERE minute >= ? ORDER BY minute"
        return list(self._connection.execute(query, (since,)))

    # -- reading ----------------------------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The version before the first group and the version after the last; None if there are no groups."""
        query = (
            "SELECT (SELECT version FROM groups ORDER BY version LIMIT 1), version + count, time "
            "FROM groups ORDER BY version DESC LIMIT 1"
        )
        row = self._connection.execute(query).fetchone()
        if row is None:
            return None
        self.last_time = max(self.last_time, row[2])
        return row[0], row[1]

    def groups(self, start: int, stop: int | None = None) -> Iterator[Group]:
        """The groups with examples from version `start` on, up to `stop`; DamagedLogError if one is damaged."""
        query = (
            "SELECT * FROM groups WHERE version >= coalesce((SELECT max(version) FROM groups WHERE version <= ?1), ?1) "
            "AND version < ?2 ORDER BY version"
        )
        last = start
        rows = self._connection.execute(query, (start, 2**62 if stop is None else stop))
        try:
            for row in rows:
                group = Group(*row[:6])
                if group.end <= start:
                    continue
                if not group.is_whole(row[6]):
                    raise DamagedLogError(f"{self.path}: the examples from {group.version:,} on are damaged.")
                yield group
                last = group.end
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode != sqlite3.SQLITE_CORRUPT:
                raise
            raise DamagedLogError(f"{self.path}: the examples from {last:,} on cannot be read: {error}.") from None

    def version_at(self, time_: int) -> int | None:
        """The version after the last group written at or before this time; None if the log begins later."""
        row = self._connection.execute(
            "SELECT version + count FROM groups WHERE time <= ? ORDER BY version DESC LIMIT 1", (time_,)
        ).fetchone()
        return None if row is None else int(row[0])

    def time_of(self, version: int) -> int | None:
        """When the group with the example before this version was written."""
        row = self._connection.execute(
            "SELECT time FROM groups WHERE version < ? ORDER BY version DESC LIMIT 1", (version,)
        ).fetchone()
        return None if row is None else int(row[0])

    @property
    def begins(self) -> int:
        """The version at which the log is expected to begin: earlier examples have been compacted away."""
        return max((int(note["version"]) for note in self.notes("begins")), default=0)

    @property
    def end(self) -> int:
        """The version after the last example, even if that has been compacted away."""
        bounds = self.bounds
        return max(self.begins, 0 if bounds is None else bounds[1])

    def begin_at(self, version: int) -> None:
        """Record that the log begins at this version; within a transaction."""
        self._connection.execute("DELETE FROM notes WHERE kind = 'begins'")
        self.note("begins", {"version": version})

    def compact(self, version: int) -> None:
        """Delete the groups and ids before a version."""
        with self.transaction():
            self.begin_at(version)
            self._connection.execute("DELETE FROM groups WHERE version + count <= ?", (version,))
            self._connection.execute("DELETE FROM ids WHERE version < ?", (version,))
        self._connection.execute("PRAGMA incremental_vacuum(4096)").fetchall()


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(os.path.abspath(path))
