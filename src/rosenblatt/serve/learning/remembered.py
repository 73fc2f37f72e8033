"""Examples that were predicted with an id: remembered for a while, so that feedback needs no features."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic

from rosenblatt.serve.limits import Limits


class Remembered:
    """Bounded in number, bytes and time; the oldest are forgotten first. Threads share it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lines: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, id_: str, line: bytes) -> None:
        before = self._lines.pop(id_, None)
        self._bytes += len(line) + len(id_) - (len(before[0]) + len(id_) if before else 0)
        self._lines[id_] = line, monotonic()
        self._forget()

    def get(self, id_: str) -> bytes | None:
        self._forget()
        entry = self._lines.get(id_)
        return None if entry is None else entry[0]

    def _forget(self) -> None:
        limits = self._limits
        while self._lines:
            try:
                id_, (line, added) = next(iter(self._lines.items()))
            except (RuntimeError, StopIteration):  # another thread has just changed it
                continue
            too_many = len(self._lines) > limits.remembered_examples or self._bytes > limits.remembered_bytes
            if not too_many and monotonic() - added < limits.remembered_seconds:
                return
            if self._lines.pop(id_, None) is not None:
                self._bytes -= len(line) + len(id_)
