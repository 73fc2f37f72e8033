"""Closes connections that stall: uvicorn itself waits forever for the rest of a request's headers.

It relies on internals of uvicorn's protocols, h11 and httptools: `cycle`, `connections`, `timeout_keep_alive_task`.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0


class StallGuard:
    """A mix-in for a protocol: closes a connection on which no request is complete after `HEADER_SECONDS`."""

    loop: Any
    cycle: Any
    connections: Any
    transport: Any
    timeout_keep_alive_task: Any
    max_connections = 128  # above it, the idle connection that was opened first is dropped for a new one

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self._opened_at = self.loop.time()
        self._schedule_check()
        if len(self.connections) > self.max_connections:
            self._drop_oldest_idle()

    def _drop_oldest_idle(self) -> None:
        """Clients that stall, even by the hundred, must not keep the page out."""
        others = [other for other in self.connections if isinstance(other, StallGuard) and other is not self]
        idle = [other for other in others if not other._answering and not other.transport.is_closing()]
        if idle:
            min(idle, key=lambda connection: connection._opened_at).transport.abort()

    def _schedule_check(self) -> None:
        self._timer: asyncio.TimerHandle = self.loop.call_later(HEADER_SECONDS, self._close_if_stalled)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _close_if_stalled(self) -> None:
        if self.transport.is_closing():
            return
        if self._answering or self.timeout_keep_alive_task is not None:
            self._schedule_check()
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)  # type: ignore[misc]


class TimeoutProtocol(StallGuard, H11Protocol):
    """HTTP/1.1 in Python, with that guard."""
