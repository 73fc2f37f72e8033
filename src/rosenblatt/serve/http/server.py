"""Runs the service: listens, serves until it is asked to stop, and finishes what is acknowledged."""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import socket
import ssl
import sys
from typing import Any

import uvicorn
import uvloop
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rosenblatt.errors import ParameterError
from rosenblatt.serve.messages import RequestError
from rosenblatt.serve.service import Service
from rosenblatt.web.stalled_clients import HEADER_SECONDS, StallGuard

_SHUTDOWN_SECONDS = 4  # for requests that are under way
_FILES = 1 << 16  # that the process may have open
_FILES_OF_MODELS = 1024  # a few for each
_SWITCH_SECONDS = 0.001  # that a prediction may wait for the thread that learns


_HEADER_BYTES = 1 << 16  # of a request; httptools itself takes any number
# Each chunk of a body has a few extra bytes. Tiny chunks, each of them a call, would keep the event loop busy.
_BODY_FOR_SURPLUS = 2  # bytes of the body that are required for each extra byte


def _answer(status: int, phrase: str, sentence: str) -> bytes:
    """The whole answer to a request that does not reach the application."""
    body = RequestError(status, sentence).body
    head = f"HTTP/1.1 {status} {phrase}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + b"connection: close\r\n\r\n" + body


_TOO_LARGE = _answer(
    431, "Request Header Fields Too Large", f"A request may have up to {_HEADER_BYTES:,} bytes of headers."
)
_NO_REQUEST = _answer(400, "Bad Request", "This is not a request of HTTP/1.1.")


class ServiceProtocol(StallGuard, HttpToolsProtocol):
    """HTTP/1.1 by httptools; closes connections that stall, and those with endless headers or tiny chunks."""

    max_connections = 1000
    _n_received = _n_of_body = 0  # bytes of this request

    def data_received(self, data: bytes) -> None:
        self._n_received += len(data)
        super().data_received(data)
        surplus = self._n_received - self._n_of_body
        if surplus > _HEADER_BYTES + self._n_of_body // _BODY_FOR_SURPLUS and not self.transport.is_closing():
            if not self._answering:
                self.transport.write(_TOO_LARGE)
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        self.transport.write(_NO_REQUEST)
        self.transport.close()

    def on_message_begin(self) -> None:
        self._n_received = self._n_of_body = 0
        super().on_message_begin()

    def on_body(self, body: bytes) -> None:
        self._n_of_body += len(body)
        super().on_body(body)


def check_certificate(certificate: str, key: str) -> None:
    """Raises ParameterError if these are not a TLS certificate and its key."""
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        reason = (error.reason or "PEM").replace("_", " ").lower()
        raise ParameterError(f"{certificate}, {key}: are not a certificate and its key in PEM: {reason}.") from None
    except OSError as error:
        raise ParameterError(f"{certificate}, {key}: cannot be used for TLS: {error.strerror or error}.") from None


def _connections(wanted: int) -> int:
    """`wanted`, or as many as the limit of open files allows beside the files of models; raises the limit if it can."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _FILES:
        soft = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or wanted + _FILES_OF_MODELS <= soft:
        return wanted
    return max(soft - _FILES_OF_MODELS, soft // 4)


class Loop(uvloop.Loop):
    """Closes connections that do not begin to speak TLS; uvicorn has no setting for that."""

    async def create_server(self, *arguments: Any, **settings: Any) -> Any:
        if settings.get("ssl") is not None:
            settings["ssl_handshake_timeout"] = HEADER_SECONDS
        return await super().create_server(*arguments, **settings)


def run(
    service: Service,
    app: ASGIApp,
    listener: socket.socket,
    certificate: str | None = None,
    key: str | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # malformed requests are not worth a log line
    sys.setswitchinterval(_SWITCH_SECONDS)
    ServiceProtocol.max_connections = _connections(service.limits.connections)

    async def with_loop(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await receive()
            service.use_loop(asyncio.get_running_loop())
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
        else:
            await app(scope, receive, send)

    config = uvicorn.Config(
        with_loop,
        log_config=None,
        access_log=False,
        lifespan="on",
        loop=f"{__name__}:Loop",
        http=ServiceProtocol,
        ws="none",
        limit_concurrency=2 * service.limits.connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        server_header=False,
        date_header=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    # uvicorn raises the signal again once it has stopped; ignore it, because there is still work to finish.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
        service.close()
