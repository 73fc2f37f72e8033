"""Ctrl-C between two blocks, when every run has learned the same rows."""

import signal
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")


class Interrupt:
    """Delays SIGINT until `check`; only while waiting for a block does it take effect at once.

    A second signal is not delayed. Outside the main thread, where no signal arrives, nothing is changed.
    """

    def __init__(self) -> None:
        self._waiting = False
        self._pending = False
        self._handler: Any = None  # the handler of SIGINT that was installed before

    def __enter__(self) -> Self:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            self._handler = handler
            try:
                signal.signal(signal.SIGINT, self._receive)
            except ValueError:  # not in the main thread
                self._handler = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def waiting_for(self, blocks: Iterator[T]) -> Iterator[T]:
        """The blocks; a signal takes effect at once while the next one is read."""
        while True:
            self._waiting = True
            try:
                block = next(blocks, None)
            finally:
                self._waiting = False
            if block is None:
                return
            yield block

    def check(self) -> None:
        """Call the handler now if a signal is pending."""
        if self._pending:
            self._deliver(None)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self._waiting or self._pending:
            self._deliver(frame)
        self._pending = True

    def _deliver(self, frame: FrameType | None) -> None:
        handler = self._handler
        self._restore()
        self._pending = False
        if handler is not None:
            handler(signal.SIGINT, frame)

    def _restore(self) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            self._handler = None
