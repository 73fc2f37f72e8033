"""Closes connections that stall: uvicorn itself waits for ever for the rest of a request, and for who reads an answer.

It relies on internals of uvicorn's protocols, h11 and httptools: `cycle`, `connections`, `timeout_keep_alive_task`.
"""

import asyncio
from collections import OrderedDict
from itertools import islice
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
_MOST_CONSIDERED = 64  # connections that may be dropped for a new one
_LEAST_READ = 1 << 16  # bytes of an answer that a client takes in this time, or all of it


class StallGuard:
    """A mix-in for a protocol: closes a connection on which no request is complete after `HEADER_SECONDS`, or whose
    client does not read what it asked for."""

    loop: Any
    cycle: Any
    connections: Any
    transport: Any
    timeout_keep_alive_task: Any
    server_state: Any
    max_connections = 128  # above it, one of those that have been silent for longest is dropped for a new one

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self._unsent = 0
        self._schedule_check()
        self._by_silence: OrderedDict[StallGuard, None]  # of this server, the longest first
        self._by_silence = vars(self.server_state).setdefault("by_silence", OrderedDict())
        self._by_silence[self] = None
        if len(self._by_silence) > self.max_connections:
            self._drop_one()

    def data_received(self, data: bytes) -> None:
        if self in self._by_silence:  # it may have been dropped
            self._by_silence.move_to_end(self)
        super().data_received(data)  # type: ignore[misc]

    def _drop_one(self) -> None:
        """Clients that stall, even by the thousand, must not keep others out: first go those that have begun a request
        and not ended it, or have not begun one, then those that are idle between two."""
        silent = [other for other in islice(self._by_silence, _MOST_CONSIDERED) if not other._is_busy]
        incomplete = [other for other in silent if not other._is_between_requests]
        dropped = next(iter([*incomplete, *silent]), self)
        del self._by_silence[dropped]
        dropped.transport.abort()

    def _schedule_check(self) -> None:
        self._timer: asyncio.TimerHandle = self.loop.call_later(HEADER_SECONDS, self._close_if_stalled)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _is_busy(self) -> bool:
        """Whether a request is complete and its answer is not."""
        return self._answering and not self.cycle.more_body

    @property
    def _is_between_requests(self) -> bool:
        return self.cycle is not None and self.cycle.response_complete

    def _close_if_stalled(self) -> None:
        before, self._unsent = self._unsent, self.transport.get_write_buffer_size()
        if before and self._unsent > max(before - _LEAST_READ, 0):
            self.transport.abort()
        elif self.transport.is_closing():
            if self._unsent:  # it closes when all is sent
                self._schedule_check()
        elif self._unsent or self._answering or self.timeout_keep_alive_task is not None:
            self._schedule_check()
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        self._by_silence.pop(self, None)
        super().connection_lost(exc)  # type: ignore[misc]


class TimeoutProtocol(StallGuard, H11Protocol):
    """HTTP/1.1 in Python, with that guard."""
