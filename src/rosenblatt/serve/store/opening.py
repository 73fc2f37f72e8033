"""Opens the log of a model; if it is damaged, warns and saves what can be read."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable

from rosenblatt.serve.store.damaged_wal import damage_of
from rosenblatt.serve.store.log import Log, is_damage
from rosenblatt.serve.store.salvage import finish_salvage, salvage


def open_log(path: str, durability: str, learned: int, warn: Callable[[str], None]) -> Log:
    """The log at `path`, salvaged if it is damaged; `learned` is the version of the newest snapshot."""
    finish_salvage(path)
    damage = damage_of(path)
    if damage is None:
        try:
            return _readable_log(path, durability)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            damage = str(error)
    return salvaged_log(path, durability, damage, learned, warn)


def _readable_log(path: str, durability: str) -> Log:
    """The log, after a test that its small tables can be read; groups and ids are read when they are needed."""
    log = Log(path, durability=durability)
    try:
        _ = log.end, log.minutes(0)
    except BaseException:
        log.close()
        raise
    return log


def salvaged_log(path: str, durability: str, what: str, learned: int, warn: Callable[[str], None]) -> Log:
    """A new log with all that can be read of the damaged one."""
    warn(f"the log is damaged: {what.rstrip('.')}")
    damaged_path, n_lost, n_saved = salvage(path, learned)
    file = os.path.basename(damaged_path)
    warn(f"{n_saved:,} examples of the log were saved and {n_lost:,} lost; the damaged file is {file}")
    log = Log(path, durability=durability)
    with log.transaction():
        log.note("damage", {"lost": n_lost, "saved": n_saved, "file": file})
    return log


def check_end(log: Log, snapshot: int, warn: Callable[[str], None]) -> None:
    """Warn if the log ends before the newest snapshot: what a snapshot has was in the log, so that its end is lost."""
    end = log.end
    if end < snapshot:
        what = "the examples between them are learned, but their ids are lost"
        warn(f"the log ends at version {end:,}, and there is a snapshot of version {snapshot:,}: {what}")
        with log.transaction():
            log.begin_at(snapshot)
            log.note("damage", {"lost": snapshot - end, "saved": 0, "file": ""})
