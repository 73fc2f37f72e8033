"""The studio's server for tests: the application without a socket, and the whole server in a thread."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio
import httpx
import uvicorn

from rosenblatt.studio import server
from rosenblatt.web import stalled_clients as timeouts

TOKEN, PORT = "a-token", 8000


def send(method: str, path: str, opening_table: Mapping[str, Any] | None = None, **arguments: Any) -> httpx.Response:
    """One request to the application itself."""
    app = server.make_app(TOKEN, PORT, opening_table)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    async def answer() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
            return await client.request(method, path, **arguments)

    return anyio.run(answer)


@contextmanager
def serving(**settings: Any) -> Iterator[tuple[str, int]]:
    """The server with its protocol and its limit, in a thread; yields host and port."""
    listener = server.listen()
    address: tuple[str, int] = listener.getsockname()
    app = server.make_app(TOKEN, address[1])
    settings = {"limit_concurrency": 256, "lifespan": "off", "log_config": None} | settings
    config = uvicorn.Config(app, http=timeouts.TimeoutProtocol, **settings)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield address
    finally:
        running.should_exit = True
        thread.join(10)
        listener.close()
