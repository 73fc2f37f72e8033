"""HTTP with a limit to its patience: a connection that sends half a request and stalls is closed."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0


class Impatient(H11Protocol):
    """uvicorn's own protocol waits for ever for the end of a request's head; a place is not to be held that long."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def _watch(self) -> None:
        self._watching: asyncio.TimerHandle = self.loop.call_later(SECONDS, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering or self.timeout_keep_alive_task is not None:
            self._watch()
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._watching.cancel()
        super().connection_lost(exc)
