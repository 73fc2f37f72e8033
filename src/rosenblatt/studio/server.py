"""The studio's HTTP server, for this machine only.

GET  /TOKEN/                the page, and its files
POST /TOKEN/api/QUESTION    a question of `questions.registry`, as JSON; an error is {"error": one sentence}
"""

import asyncio
import logging
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.studio.access import AccessGuard, error_response
from rosenblatt.studio.cancellation import AnswerCancelledError, cancel_event, raise_if_cancelled
from rosenblatt.studio.error_sentence import bug, no_such_question
from rosenblatt.studio.lessons.registry import lessons_answer
from rosenblatt.studio.questions.registry import QUESTIONS, Question
from rosenblatt.studio.request import MAX_BYTES, read_json
from rosenblatt.web.listening import listen as listen
from rosenblatt.web.page_files import page_files

BODY_SECONDS = 10.0
_DOWNLOADS_AT_ONCE = 2  # they take long, and other questions must not wait for them
_LASTING = {"cache-control": "private, max-age=3600"}  # for the files of the page; each start has a new address

first_picture_shown = threading.Event()  # set when a page has drawn its first run: slow imports may start


def make_app(
    token: str,
    port: int,
    opening_table: Mapping[str, Any] | None = None,
    ticket: str | None = None,
    lessons: str | Path | None = None,
) -> ASGIApp:
    """The application; the page opens with `opening_table`, or with an example. /`ticket` leads to the page once.

    `lessons` is a folder with more lessons.
    """
    downloads = anyio.CapacityLimiter(_DOWNLOADS_AT_ONCE)
    fixed = {"opening_table": opening_table, "lessons": lessons_answer(lessons)}

    async def answer(request: Request) -> Response:
        name = request.path_params["question"]
        if name not in QUESTIONS and name not in fixed:
            return error_response(404, no_such_question(name, QUESTIONS))
        body = await _read_body(request)
        if name in fixed:
            return JSONResponse(fixed[name])
        if name == "loss_history":  # asked by the page once the run and the verdict are drawn
            first_picture_shown.set()
        return await _answer_in_thread(request, QUESTIONS[name], body, downloads if name == "download" else None)

    files = [
        Route(f"/{token}/{path}", send_file(path, _LASTING), methods=["GET"])
        for path in page_files("rosenblatt.studio")
    ]
    routes = [
        Route(f"/{token}/", send_file("index.html"), methods=["GET"]),
        Route(f"/{token}/api/{{question}}", answer, methods=["POST"]),
        *files,
    ]
    return AccessGuard(Starlette(routes=routes, exception_handlers=ERROR_HANDLERS), token, port, ticket)


def send_file(path: str, headers: Mapping[str, str] | None = None) -> Any:
    """An endpoint that sends a file of the page."""
    content, media_type = page_files("rosenblatt.studio")[path]

    def respond(request: Request) -> Response:
        return Response(content, media_type=media_type, headers=headers)

    return respond


# -- questions --------------------------------------------------------------------------------------------------------


async def read_bytes(request: Request, max_bytes: int = MAX_BYTES) -> bytes:
    """The question that was sent, limited in size and time."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "A question must be sent as application/json.")
    body = bytearray()
    try:
        with anyio.fail_after(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > max_bytes:
                    raise HTTPException(413, f"A question may have up to {max_bytes:,} bytes: send fewer points.")
    except TimeoutError:
        raise HTTPException(408, f"The question did not arrive within {BODY_SECONDS:.0f} seconds.") from None
    except ClientDisconnect:
        raise HTTPException(400, "The page disconnected before the question was complete.") from None
    return bytes(body)


async def _read_body(request: Request) -> dict[str, Any]:
    try:
        return read_json(await read_bytes(request))
    except DataError as error:
        raise HTTPException(400, str(error)) from None


async def _answer_in_thread(
    request: Request, question: Question, body: dict[str, Any], limiter: anyio.CapacityLimiter | None
) -> Response:
    """The answer, computed in a thread; if the page disconnects, the work is cancelled."""
    event = threading.Event()
    cancel_event.set(event)  # the thread gets a copy of this context

    async def cancel_on_disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        event.set()

    def work() -> dict[str, Any]:
        raise_if_cancelled()
        return question(body)

    watcher = asyncio.ensure_future(cancel_on_disconnect())
    try:
        return JSONResponse(await anyio.to_thread.run_sync(work, limiter=limiter))
    except AnswerCancelledError:
        return Response(status_code=499)  # client closed request
    finally:
        watcher.cancel()


# -- errors -----------------------------------------------------------------------------------------------------------


def _http_error(request: Request, error: HTTPException) -> Response:
    from_routing = {404: "The studio has no such page.", 405: "This method is not allowed here."}
    return error_response(error.status_code, from_routing.get(error.status_code, error.detail))


def _rosenblatt_error(request: Request, error: RosenblattError) -> Response:
    return error_response(422, str(error))


def _unexpected_error(request: Request, error: Exception) -> Response:
    return error_response(500, bug(error))


ERROR_HANDLERS: Mapping[Any, Any] = {
    HTTPException: _http_error,
    RosenblattError: _rosenblatt_error,
    Exception: _unexpected_error,
}


# -- running ----------------------------------------------------------------------------------------------------------


def serve(
    listener: socket.socket,
    token: str,
    opening_table: Mapping[str, Any] | None = None,
    ticket: str | None = None,
    lessons: str | Path | None = None,
) -> None:
    """Serve one user of this machine until interrupted; the KeyboardInterrupt is not raised again."""
    from rosenblatt.web.stalled_clients import TimeoutProtocol

    app = make_app(token, listener.getsockname()[1], opening_table, ticket, lessons)
    serve_app(listener, app, TimeoutProtocol, at_once=256)


def serve_app(listener: socket.socket, app: ASGIApp, protocol: Any, at_once: int) -> None:
    """Serve an application until interrupted, so many requests at once."""
    import uvicorn

    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # malformed requests are not worth a log line
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        http=protocol,
        ws="none",
        limit_concurrency=at_once,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
