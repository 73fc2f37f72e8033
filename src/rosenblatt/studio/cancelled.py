"""Work that nobody waits for any more is given up: a question whose page went away, or asked a newer one."""

from contextvars import ContextVar
from threading import Event
from typing import Any

given_up: ContextVar[Event | None] = ContextVar("given_up", default=None)


class GoneError(Exception):
    """Nobody waits for this answer."""


def still_there(*_: Any) -> None:
    """Called now and then by whatever takes long: raises GoneError once nobody waits for the answer."""
    event = given_up.get()
    if event is not None and event.is_set():
        raise GoneError
