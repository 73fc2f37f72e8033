"""The server of the page: it listens on this machine alone, and answers only who has its token.

    GET  /TOKEN/                the page, and its files
    POST /TOKEN/api/QUESTION    a question of `answers.ANSWERS`, as JSON; an error is {"error": one sentence}

The token is a part of every address, so a page of another site cannot guess one. The Host is checked, so a name that
was bound to this machine from outside (DNS rebinding) leads nowhere; the Origin too, so no other site can ask.
"""

import asyncio
import json
import logging
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.errors import RosenblattError
from rosenblatt.report.figures.style import DARK, LIGHT, Palette
from rosenblatt.studio.cancelled import GoneError, given_up, still_there
from rosenblatt.studio.questions.registry import ANSWERS, Answer
from rosenblatt.studio.request import MOST_BYTES

LOOPBACK = "127.0.0.1"
SECONDS_TO_SEND = 10.0
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# Nothing comes from elsewhere, nothing goes elsewhere, and no other page may hold this one.
_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'"
_HEADERS = {
    "content-security-policy": _POLICY + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


drawn = threading.Event()  # a page has its first picture: what comes now may take its time


def new_token() -> str:
    """A word that nobody guesses."""
    return secrets.token_urlsafe(18)


def app_of(token: str, port: int, given: Mapping[str, Any] | None = None) -> ASGIApp:
    """The application; `given` is the table that the page opens with, if there is one."""

    drawing = anyio.CapacityLimiter(2)  # files take long: others are not to wait for them

    async def answer(request: Request) -> Response:
        name = request.path_params["question"]
        if name not in ANSWERS and name != "given":
            raise HTTPException(404, f"There is no question {name!r}; the questions are {', '.join(ANSWERS)}.")
        asked = await _asked(request)
        if name == "costs":  # which a page asks when it has drawn the run and the verdict
            drawn.set()
        if name == "given":
            return JSONResponse(given)
        return await _answered(request, ANSWERS[name], asked, drawing if name == "file" else None)

    routes = [
        Route(f"/{token}/", _file_named("index.html"), methods=["GET"]),
        Route(f"/{token}/palette.css", _palette, methods=["GET"]),
        Route(f"/{token}/{{name}}", _file, methods=["GET"]),
        Route(f"/{token}/api/{{question}}", answer, methods=["POST"]),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: _refused, RosenblattError: _sentence, Exception: _fault}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, port)


async def _answered(
    request: Request, answer: Answer, asked: dict[str, Any], limiter: anyio.CapacityLimiter | None
) -> Response:
    """The answer, worked out in a thread; when the page goes away, or asks anew, the work is given up."""
    event = threading.Event()
    given_up.set(event)  # the thread has a copy of this context

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        event.set()

    def work() -> dict[str, Any]:
        still_there()
        return answer(asked)

    watching = asyncio.ensure_future(watch())
    try:
        return JSONResponse(await anyio.to_thread.run_sync(work, limiter=limiter))
    except GoneError:
        return Response(status_code=499)  # nobody hears it
    finally:
        watching.cancel()


class Guard:
    """Lets through what was sent to this machine, by this page, with the token; adds the headers that keep it so."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        if scope["type"] != "http":
            return
        refused = self._refusal(scope)
        await (refused or self.app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
        if len(headers.get("host", [])) != 1 or headers["host"][0] not in self.hosts:
            return _error(403, "This address is not the studio's: open the one that rosenblatt studio printed.")
        origins = {f"http://{host}" for host in self.hosts}
        if any(origin not in origins for origin in headers.get("origin", [])):
            return _error(403, "Another site may not ask the studio.")
        if any(site not in ("same-origin", "none") for site in headers.get("sec-fetch-site", [])) and (
            scope["method"] != "GET" or headers.get("sec-fetch-mode") != ["navigate"]
        ):
            return _error(403, "Another site may not ask the studio.")
        given = scope["path"].split("/")[1]
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return _error(403, "The address lacks its token: open the one that rosenblatt studio printed.")
        return None


async def _asked(request: Request) -> dict[str, Any]:
    """The JSON object that was sent, within bounds of size and time."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "A question is asked as application/json.")
    body = bytearray()
    try:
        with anyio.fail_after(SECONDS_TO_SEND):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise HTTPException(413, f"A question holds up to {MOST_BYTES:,} bytes: send fewer points.")
    except TimeoutError:
        raise HTTPException(408, f"The question did not arrive in {SECONDS_TO_SEND:.0f} seconds.") from None
    except ClientDisconnect:
        raise HTTPException(400, "The page went away while it asked.") from None
    try:
        asked = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The question is not JSON.") from None
    if not isinstance(asked, dict):
        raise HTTPException(400, "A question is a JSON object.")
    return asked


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


# -- files ------------------------------------------------------------------------------------------------------------


@cache
def _files() -> dict[str, bytes]:
    """The files of the page by name: only these can be asked for, whatever the address says."""
    page = resources.files("rosenblatt.studio") / "page"
    return {file.name: file.read_bytes() for file in page.iterdir() if "." + file.name.split(".")[-1] in _TYPES}


def _file(request: Request) -> Response:
    return _file_named(request.path_params["name"])(request)


def _file_named(name: str) -> Callable[[Request], Response]:
    def respond(request: Request) -> Response:
        content = _files().get(name)
        if content is None:
            raise HTTPException(404, "The studio has no such page.")
        return Response(content, media_type=_TYPES["." + name.split(".")[-1]])

    return respond


def palette_css() -> str:
    """The colours of the figures, for the page."""
    dark = _variables(DARK)
    return (
        f":root {{ color-scheme: light; {_variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ color-scheme: dark; {dark} }} }}\n"
        f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}\n"
    )


def _variables(look: Palette) -> str:
    single = {name: getattr(look, name) for name in ("paper", "ink", "muted", "grid", "accent", "alarm")}
    numbered = {f"class{k}": colour for k, colour in enumerate(look.classes)}
    return " ".join(f"--{name}: {colour};" for name, colour in (single | numbered).items())


def _palette(request: Request) -> Response:
    return Response(palette_css(), media_type="text/css")


# -- errors -----------------------------------------------------------------------------------------------------------


def _error(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


def _refused(request: Request, error: HTTPException) -> Response:
    told = {404: "The studio has no such page.", 405: "The studio is not asked in this way."}
    plain = error.detail in ("Not Found", "Method Not Allowed")
    return _error(error.status_code, told[error.status_code] if plain else error.detail)


def _sentence(request: Request, error: RosenblattError) -> Response:
    return _error(422, str(error))


def _fault(request: Request, error: Exception) -> Response:
    return _error(500, f"{type(error).__name__}: this is a fault of ours; please report what you did.")


# -- running ----------------------------------------------------------------------------------------------------------


def listening(port: int = 0) -> socket.socket:
    """A socket that listens on this machine alone, on a free port unless one is named."""
    # Its protocol is named: else asyncio leaves Nagle's algorithm on, and every answer waits 40 ms to be acknowledged.
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((LOOPBACK, port))
        held.listen(64)
    except OSError:
        held.close()
        raise
    return held


def serve(held: socket.socket, token: str, given: Mapping[str, Any] | None = None) -> None:
    """Answer until interrupted; an interrupt ends it as asked for, and is not raised."""
    import uvicorn

    from rosenblatt.studio.timeouts import Impatient

    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what a hostile client sends is no news
    config = uvicorn.Config(
        app_of(token, held.getsockname()[1], given),
        log_config=None,
        access_log=False,
        lifespan="off",
        http=Impatient,
        ws="none",
        limit_concurrency=256,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    try:
        uvicorn.Server(config).run(sockets=[held])
    except KeyboardInterrupt:
        pass
    finally:
        held.close()
