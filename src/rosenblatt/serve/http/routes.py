"""All routes but predict and learn: models, their files and their state, health, metrics, the page."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from rosenblatt.errors import RosenblattError
from rosenblatt.serve.http.app import bug, require
from rosenblatt.serve.http.bodies import read_body, send_bytes
from rosenblatt.serve.http.metrics import metrics_text
from rosenblatt.serve.http.openapi import OPENAPI
from rosenblatt.serve.learning.served_model import ServedModel
from rosenblatt.serve.messages import RequestError, encode
from rosenblatt.serve.model_info import details, heaviest, summary
from rosenblatt.serve.new_model import NewModel, empty_model
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.log import is_damage
from rosenblatt.storage.container import container_bytes
from rosenblatt.web.other_sites import CONTENT_POLICY, SECURITY_HEADERS
from rosenblatt.web.page_files import page_files

_HEADERS = {"content-security-policy": CONTENT_POLICY + "'none'", **SECURITY_HEADERS}
_MODEL_FILE = "application/octet-stream"
_PAUSE = 10.0  # after a request for weights, as a multiple of the time that it took


def make_routes(service: Service) -> Starlette:
    answers = _Answers(service)
    paths = page_files("rosenblatt.serve")
    files = [Route(f"/{path}", _file(path), methods=["GET"]) for path in paths if path != "index.html"]
    model = "/v1/models/{name}"
    routes = [
        Route("/", _file("index.html"), methods=["GET"]),
        *files,
        Route("/healthz", answers.health, methods=["GET"]),
        Route("/readyz", answers.ready, methods=["GET"]),
        Route("/metrics", answers.metrics, methods=["GET"]),
        Route("/openapi.json", answers.openapi, methods=["GET"]),
        Route("/v1/models", answers.models, methods=["GET"]),
        Route(model, answers.model, methods=["GET"]),
        Route(model, answers.put, methods=["PUT"]),
        Route(model, answers.delete, methods=["DELETE"]),
        Route(f"{model}/learn", answers.elsewhere, methods=["POST"]),
        Route(f"{model}/predict", answers.elsewhere, methods=["GET", "POST"]),
        Route(f"{model}/model", answers.file, methods=["GET"]),
        Route(f"{model}/model", answers.put, methods=["PUT"]),
        Route(f"{model}/weights", answers.weights, methods=["GET"]),
        Route(f"{model}/snapshot", answers.snapshot, methods=["POST"]),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: _http_error, RequestError: _refusal, Exception: _unexpected}
    application = Starlette(routes=routes, exception_handlers=handlers)
    application.router.redirect_slashes = False  # a 404 says in a sentence what is wrong, a redirect does not
    return application


def _file(path: str) -> Callable[[Request], Response]:
    content, media_type = page_files("rosenblatt.serve")[path]
    return lambda request: Response(content, media_type=media_type, headers=_HEADERS)


def _json(content: Any, status: int = 200) -> Response:
    return Response(encode(content), status, media_type="application/json", headers=_HEADERS)


class _LargeResponse(Response):
    """A response that is sent in parts, as fast as the client reads."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [header for header in self.raw_headers if header[0] != b"content-length"]
        await send_bytes(send, self.status_code, bytes(self.body), *headers)


class _Turn:
    """The requests for the weights of a model: one at a time, the others wait."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.waiting = 0


class _Answers:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._turns: WeakKeyDictionary[ServedModel, _Turn] = WeakKeyDictionary()

    def _served(self, request: Request, scope: str) -> ServedModel:
        name = request.path_params["name"]
        require(request.scope["grant"], scope, name)
        return self._service.model(name)

    async def elsewhere(self, request: Request) -> Response:
        """App answers these itself; the routes are there for the errors of other methods."""
        raise HTTPException(404)

    async def health(self, request: Request) -> Response:
        return _json({"status": "alive"})

    async def ready(self, request: Request) -> Response:
        service = self._service
        stuck = [name for name, served in service.models.items() if not served.is_alive]
        if not service.ready or stuck or service.failed:
            about = {"failed": service.failed, "ended": stuck} if request.scope["grant"] is not None else {}
            return _json({"status": "not ready", **about}, 503)
        return _json({"status": "ready"})

    async def metrics(self, request: Request) -> Response:
        require(request.scope["grant"], "predict")
        return Response(metrics_text(self._service), media_type="text/plain; version=0.0.4", headers=_HEADERS)

    async def openapi(self, request: Request) -> Response:
        return _json(OPENAPI)

    async def models(self, request: Request) -> Response:
        grant = request.scope["grant"]
        if grant is None:
            require(grant, "predict")
        models = [served for name, served in sorted(self._service.models.items()) if grant.allows("predict", name)]
        failed = {name: why for name, why in self._service.failed.items() if grant.allows("predict", name)}
        return _json({"models": [summary(served) for served in models], "failed": failed})

    async def model(self, request: Request) -> Response:
        served = self._served(request, "predict")
        try:
            return _json(await asyncio.to_thread(details, served))
        except sqlite3.Error as error:
            if is_damage(error):
                with suppress(RequestError):  # the queue of the model is full
                    served.run(served.repair, lambda *_: None)
            raise RequestError(503, f"The log of {served.name} cannot be read: {error}.", retry=1) from None

    async def weights(self, request: Request) -> Response:
        served = self._served(request, "predict")
        top = request.query_params.get("top", "10")
        if not (top.isascii() and top.isdecimal() and len(top) < 5 and int(top) <= 1000):
            raise RequestError(422, "`top` is a whole number up to 1000.", "top")
        async with self._pace(served):
            return _json(await self._in_model(served, lambda: heaviest(served, int(top))))

    @asynccontextmanager
    async def _pace(self, served: ServedModel) -> AsyncIterator[None]:
        """One request after the other, with pauses: together they take at most about a tenth of the model's time."""
        turn = self._turns.setdefault(served, _Turn())
        if turn.waiting >= self._service.limits.commands:
            raise RequestError(429, "Too many requests wait for the weights: send it again soon.", retry=1)
        turn.waiting += 1
        try:
            await turn.lock.acquire()
        finally:
            turn.waiting -= 1
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            yield
        finally:
            loop.call_later(_PAUSE * (loop.time() - began), turn.lock.release)

    async def put(self, request: Request) -> Response:
        """Serve a model file, or a new model, whose settings are sent as JSON."""
        name, service = request.path_params["name"], self._service
        require(request.scope["grant"], "admin", name)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ("application/json", _MODEL_FILE):
            raise RequestError(415, f"Send a model file as {_MODEL_FILE}, or application/json for a new model.")
        most = service.limits.model_bytes if kind == _MODEL_FILE else 1 << 20
        body = await read_body(request.scope, request.receive, service.limits, request.scope["room"], most)
        content = body if kind == _MODEL_FILE else _new_model(body)
        served = await asyncio.to_thread(service.put, name, content)
        return _json(summary(served), 201)

    async def delete(self, request: Request) -> Response:
        name = request.path_params["name"]
        require(request.scope["grant"], "admin", name)
        await asyncio.to_thread(self._service.delete, name)
        return _json({"deleted": name, "kept": "in the bin of the directory, for 30 days"})

    async def file(self, request: Request) -> Response:
        served = self._served(request, "admin")

        def pack() -> bytes:
            tensors: dict[str, Any] = {}
            return container_bytes(served.live.exported().pack(tensors), tensors)

        content = await self._in_model(served, pack)
        name = {"content-disposition": f'attachment; filename="{served.name}.model"'}
        return _LargeResponse(content, media_type=_MODEL_FILE, headers={**_HEADERS, **name})

    async def snapshot(self, request: Request) -> Response:
        served = self._served(request, "admin")
        await self._in_model(served, served.snapshot)
        return _json({"version": served.snapshot_version})

    async def _in_model(self, served: ServedModel, command: Callable[[], Any]) -> Any:
        """Run `command` in the thread of the model, between two groups of examples, and return its result."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def finish(result: Any, error: BaseException | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def on_done(result: Any, error: BaseException | None) -> None:
            loop.call_soon_threadsafe(finish, result, error)

        served.run(command, on_done)
        try:
            return await future
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or error
            raise RequestError(503, f"It could not be written: {reason}.", retry=1) from None
        except RosenblattError as error:
            raise RequestError(503, str(error), retry=1) from None


def _new_model(body: bytes) -> bytes:
    try:
        new = msgspec.json.decode(body, type=NewModel)
        tensors: dict[str, Any] = {}
        return container_bytes(empty_model(new).pack(tensors), tensors)
    except msgspec.MsgspecError as error:
        raise RequestError(422, f"The model cannot be read: {error}.") from None
    except RosenblattError as error:
        raise RequestError(422, str(error)) from None


# -- errors -----------------------------------------------------------------------------------------------------------


def _refusal(request: Request, error: RequestError) -> Response:
    headers = {} if error.retry is None else {"retry-after": str(int(error.retry) or 1)}
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(error.body, error.status, media_type="application/json", headers={**_HEADERS, **headers})


def _http_error(request: Request, error: HTTPException) -> Response:
    sentences = {404: "There is no such page.", 405: "This method is not allowed here."}
    sentence = sentences.get(error.status_code, error.detail)
    return _refusal(request, RequestError(error.status_code, sentence))


def _unexpected(request: Request, error: Exception) -> Response:
    return _refusal(request, bug(error))
