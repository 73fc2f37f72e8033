"""Bodies as they come in and answers as they go out, both bounded: in size, in time, and all of them together."""

from __future__ import annotations

import asyncio

from starlette.types import Receive, Scope, Send

from rosenblatt.serve.limits import Limits
from rosenblatt.serve.messages import RequestError

_SMALL = 1 << 16  # bytes; smaller bodies are not counted, because the number of connections is bounded
_TAKEN = "bytes_taken"  # the key in the scope of a request

JSON = (b"content-type", b"application/json")
NDJSON = (b"content-type", b"application/x-ndjson")
_NO_STORE = (b"cache-control", b"no-store")


class Room:
    """The memory for large bodies and answers. Each request gives back what it took when it has ended."""

    def __init__(self, most: int) -> None:
        self._most, self.taken = most, 0

    def take(self, scope: Scope, size: int) -> None:
        """Raises RequestError if other requests have taken it."""
        if size > _SMALL and self.taken + size > self._most and self.taken > scope.get(_TAKEN, 0):
            raise RequestError(429, "Too many large bodies are under way: send it again soon.", retry=1)
        if size > _SMALL:
            self.taken += size
            scope[_TAKEN] = scope.get(_TAKEN, 0) + size

    def release(self, scope: Scope) -> None:
        self.taken -= scope.pop(_TAKEN, 0)


def is_ndjson(scope: Scope) -> bool:
    """Whether the body has an example on each line. Other types are refused: a page of another site can send them."""
    for name, value in scope["headers"]:
        if name == b"content-type":
            kind = value.partition(b";")[0].strip().lower()
            if kind == b"application/json":
                return False
            if kind in (b"application/x-ndjson", b"application/jsonl", b"application/ndjson"):
                return True
            break
    raise RequestError(415, "Send application/json for one example, application/x-ndjson for one on each line.")


async def read_body(scope: Scope, receive: Receive, limits: Limits, room: Room, most: int | None = None) -> bytes:
    """The body, bounded in size and time."""
    most = most or limits.body_bytes
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        body: bytes = message.get("body", b"")
        if len(body) > most:
            raise _too_large(most)
        return body
    length = _length_of(scope)
    if length > most:
        raise _too_large(most)
    parts, reserved = bytearray(message.get("body", b"")), length
    room.take(scope, reserved)
    began = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(limits.body_seconds + reserved / limits.body_rate) as timeout:
            while message.get("more_body"):
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestError(400, "The client disconnected before the body was complete.")
                parts += message.get("body", b"")
                if len(parts) > most:
                    raise _too_large(most)
                if len(parts) > reserved:  # sent in chunks, without a Content-Length
                    more = min(max(2 * len(parts), 2 * _SMALL), most) - reserved
                    room.take(scope, more)
                    reserved += more
                    timeout.reschedule(began + limits.body_seconds + reserved / limits.body_rate)
    except TimeoutError:
        raise RequestError(408, "The body did not arrive in time.") from None
    return bytes(parts)


def _length_of(scope: Scope) -> int:
    """The Content-Length of the request; 0 if it has none."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value)  # the HTTP parser has checked that it is a number
    return 0


def _too_large(most: int) -> RequestError:
    return RequestError(413, f"A body may have up to {most:,} bytes: send it in parts.")


async def send_bytes(send: Send, status: int, content: bytes, *headers: tuple[bytes, bytes]) -> None:
    """A large answer goes out in parts, as fast as the client reads."""
    length = (b"content-length", str(len(content)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    start = 0
    while len(content) - start > _SMALL:
        await send({"type": "http.response.body", "body": content[start : start + _SMALL], "more_body": True})
        start += _SMALL
    await send({"type": "http.response.body", "body": content[start:]})


async def send_error(send: Send, error: RequestError) -> None:
    extra: list[tuple[bytes, bytes]] = [_NO_STORE]
    if error.retry is not None:
        extra.append((b"retry-after", str(int(error.retry) or 1).encode()))
    if error.status == 401:
        extra.append((b"www-authenticate", b"Bearer"))
    if error.status in (408, 413):
        extra.append((b"connection", b"close"))
    await send_bytes(send, error.status, error.body, JSON, *extra)
