"""Examples that were predicted with an id: remembered for a while, so that feedback needs no features."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from time import monotonic

from rosenblatt.serve.limits import Limits


class Remembered:
    """Bounded in number, bytes and time; the oldest are forgotten first. Threads share it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lines: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, id_: str, line: bytes) -> None:
        with self._lock:
            self._forget(id_)
            self._lines[id_] = line, monotonic()
            self._bytes += len(line) + len(id_)
            self._forget_oldest()

    def get(self, id_: str) -> bytes | None:
        with self._lock:
            self._forget_oldest()
            entry = self._lines.get(id_)
        return None if entry is None else entry[0]

    def _forget(self, id_: str) -> None:
        entry = self._lines.pop(id_, None)
        if entry is not None:
            self._bytes -= len(entry[0]) + len(id_)

    def _forget_oldest(self) -> None:
        limits = self._limits
        while self._lines:
            id_, (_, added) = next(iter(self._lines.items()))
            too_many = len(self._lines) > limits.remembered_examples or self._bytes > limits.remembered_bytes
            if not too_many and monotonic() - added < limits.remembered_seconds:
                return
            self._forget(id_)
