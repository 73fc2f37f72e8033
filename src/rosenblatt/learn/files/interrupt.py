"""Ctrl-C at a moment that suits: between two chunks, when every run has learned the same rows."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupt:
    """While it is open, SIGINT waits for `check`; only while `waiting` for a chunk is it let through at once.

    A second one does not wait. Outside the main thread, where no signal arrives, nothing is changed.
    """

    def __init__(self) -> None:
        self.waiting = False
        self.heard = False
        self._old: Any = None

    def __enter__(self) -> Self:
        old = signal.getsignal(signal.SIGINT)
        if callable(old):
            self._old = old
            try:
                signal.signal(signal.SIGINT, self._hear)
            except ValueError:  # not in the main thread
                self._old = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def check(self) -> None:
        """Let the signal through if it came."""
        if self.heard:
            self._let_through(None)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.waiting or self.heard:
            self._let_through(frame)
        self.heard = True

    def _let_through(self, frame: FrameType | None) -> None:
        old = self._old
        self._restore()
        self.heard = False
        if old is not None:
            old(signal.SIGINT, frame)

    def _restore(self) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, self._old)
            self._old = None
