"""Cancels work whose answer is no longer needed: the page was closed, or it has asked again."""

from contextvars import ContextVar
from threading import Event
from typing import Any

cancel_event: ContextVar[Event | None] = ContextVar("cancel_event", default=None)


class AnswerCancelledError(Exception):
    """Nobody waits for this answer."""


def raise_if_cancelled(*_: Any) -> None:
    """Call this regularly during long work; it ignores its arguments, so that it can serve as a callback."""
    event = cancel_event.get()
    if event is not None and event.is_set():
        raise AnswerCancelledError
