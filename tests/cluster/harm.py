"""Workers that are killed or slow, for every engine: they call these instead of `read_piece`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rosenblatt.cluster.line_pieces import read_piece
from rosenblatt.cluster.table_pieces import read_table_piece

_SLOW = 0.05  # seconds


def kill_once(marker: str, after: int, piece: bytes) -> bytes:
    kill_once_before(marker, after)
    return read_piece(piece)


def kill_once_before(marker: str, after: int) -> None:
    """Of the workers that have read so many pieces in all, one is killed, as by a system that is out of memory."""
    counted = Path(marker).with_suffix(".count")
    with counted.open("ab") as file:
        file.write(b".")
    if counted.stat().st_size > after and _is_first(marker):
        os.kill(os.getpid(), signal.SIGKILL)


def kill_once_table(marker: str, after: int, piece: bytes) -> bytes:
    kill_once_before(marker, after)
    return read_table_piece(piece)


def slow_once_in_three(marker: str, after: int, piece: bytes) -> bytes:
    if hash(piece) % 3 == 0:
        time.sleep(_SLOW)
    return read_piece(piece)


def own_number(piece: bytes) -> bytes:
    return str(os.getpid()).encode()


def kill_always(piece: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _is_first(marker: str) -> bool:
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


class Harmed:
    """An engine whose workers come to harm; it outlives a fit, and counts the answers, in all and to each reading."""

    def __init__(
        self,
        engine: Any,
        harm: Callable[[str, int, bytes], bytes] | None = None,
        marker: Path | None = None,
        after: int = 4,
    ):
        self._engine, self.name, self.window, self.readings = engine, engine.name, engine.window, list[int]()
        self._harm = None if harm is None else partial(harm, str(marker), after)

    @property
    def answers(self) -> int:
        return sum(self.readings)

    def in_order(self, read: Any, pieces: Iterator[bytes]) -> Iterator[bytes]:
        self.readings.append(0)
        for answer in self._engine.in_order(self._harm or read, pieces):
            self.readings[-1] += 1
            yield answer

    def notes(self) -> list[str]:
        notes: list[str] = self._engine.notes()
        return notes

    def __enter__(self) -> Harmed:
        return self

    def __exit__(self, *error: object) -> None: ...
