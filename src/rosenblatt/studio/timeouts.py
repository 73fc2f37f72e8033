"""HTTP with a limit to its patience: a connection that sends half a request and stalls is closed."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
MOST = 128  # connections; beyond them, the one that has waited longest without asking makes room for a new one


class Impatient(H11Protocol):
    """uvicorn's own protocol waits for ever for the end of a request's head; a place is not to be held that long."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._since = self.loop.time()
        self._watch()
        if len(self.connections) > MOST:
            self._make_room()

    def _make_room(self) -> None:
        """Many that stall, with or without the token, keep nobody out."""
        others = [one for one in self.connections if isinstance(one, Impatient) and one is not self]
        waiting = [one for one in others if not one._answering and not one.transport.is_closing()]
        if waiting:
            min(waiting, key=lambda one: one._since).transport.abort()

    def _watch(self) -> None:
        self._watching: asyncio.TimerHandle = self.loop.call_later(SECONDS, self._look)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        if self._answering or self.timeout_keep_alive_task is not None:
            self._watch()
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._watching.cancel()
        super().connection_lost(exc)
