"""Cancels work whose answer nobody waits for any more: the page was closed, or it has asked again."""

from contextvars import ContextVar
from threading import Event
from typing import Any

cancel_event: ContextVar[Event | None] = ContextVar("cancel_event", default=None)


class AnswerCancelledError(Exception):
    """Nobody waits for this answer."""


def raise_if_cancelled(*_: Any) -> None:
    """To be called regularly by long work; as a callback it takes, and ignores, any arguments."""
    event = cancel_event.get()
    if event is not None and event.is_set():
        raise AnswerCancelledError
