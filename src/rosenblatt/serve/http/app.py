"""The application: it answers predict and learn itself, and leaves all else to starlette's routes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import parse_qsl

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.serve.http.batched_predictions import PredictionBatches
from rosenblatt.serve.http.bodies import JSON, NDJSON, Room, is_ndjson, read_body, send_bytes, send_error
from rosenblatt.serve.http.tokens import EVERYTHING, Grant, Tokens
from rosenblatt.serve.learning.live_model import LiveModel, Predictions
from rosenblatt.serve.learning.served_model import ServedModel
from rosenblatt.serve.learning.submissions import Submission, checked_line
from rosenblatt.serve.limits import Limits
from rosenblatt.serve.messages import (
    PredictExample,
    RequestError,
    check_id,
    decode_predict,
    encode,
    unreadable,
)
from rosenblatt.serve.service import Service
from rosenblatt.web.other_sites import OTHER_SITE, comes_from_another_site, headers_of

_ANSWER_BYTES = 200  # about, of each example


class App:
    """Answers predict and learn; `routes` answers everything else."""

    def __init__(
        self, service: Service, tokens: Tokens | None, hosts: frozenset[bytes] | None, routes: ASGIApp
    ) -> None:
        """`hosts` are the values of the Host header to accept, None for any: a name that was pointed at this
        machine from outside (DNS rebinding) must not reach a service without tokens."""
        self._service, self._tokens, self._hosts, self._routes = service, tokens, hosts, routes
        self._batches = PredictionBatches()
        self._room = Room(service.limits.bodies_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        scope["room"] = self._room
        try:
            scope["grant"] = grant = self._grant(scope)
            path, method = scope["path"], scope["method"]
            if method == "POST" and path.startswith("/v1/models/"):
                name, _, action = path[11:].partition("/")
                if action == "predict":
                    return await self._predict(scope, receive, send, name, grant)
                if action == "learn":
                    return await self._learn(scope, receive, send, name, grant)
            elif method == "GET" and path.startswith("/v1/models/") and path.endswith("/predict"):
                return await self._predict_by_query(scope, send, path[11:-8], grant)
            await self._routes(scope, receive, send)
        except RequestError as error:
            await send_error(send, error)
        except Exception as error:
            await send_error(send, bug(error))
        finally:
            self._room.release(scope)

    def _grant(self, scope: Scope) -> Grant | None:
        """What the request may do; None if it needs a token and has none."""
        authorization, n_hosts, ours, suspicious = b"", 0, True, False
        for name, value in scope["headers"]:
            if name == b"host":
                n_hosts += 1
                ours = self._hosts is None or value.lower() in self._hosts
            elif name == b"authorization":
                if authorization:
                    raise RequestError(400, "There are two Authorization headers: send one token.")
                authorization = value
            elif name == b"origin" or name == b"sec-fetch-site":
                suspicious = True
        if n_hosts != 1 or not ours:
            raise RequestError(400 if n_hosts != 1 else 403, "The Host header is not the address of this service.")
        if suspicious:
            headers = headers_of(scope)
            if comes_from_another_site(scope, headers, set(headers["host"]), ("http", "https")):
                raise RequestError(403, OTHER_SITE)
        return EVERYTHING if self._tokens is None else self._tokens.grant(authorization)

    # -- predict ----------------------------------------------------------------------------------------------------

    async def _predict(self, scope: Scope, receive: Receive, send: Send, name: str, grant: Grant | None) -> None:
        require(grant, "predict", name)
        served = self._service.model(name)
        lines = is_ndjson(scope)
        body = await read_body(scope, receive, self._service.limits, self._room)
        if scope["query_string"]:
            return await self._predict_at(scope, send, served, body, lines)
        decoded = decode_predict(body, lines, self._service.limits)
        if isinstance(decoded, PredictExample):
            line = line_of(served.live, decoded, self._service.limits)
            answer = await self._batches.predict(served, line, decoded.id)
            return await send_bytes(send, 200, encode(answer), JSON)
        await send_bytes(send, 200, await self._predict_many(scope, served, served.live, decoded), NDJSON)

    async def _predict_many(
        self,
        scope: Scope,
        served: ServedModel,
        live: LiveModel,
        examples: Sequence[PredictExample],
        *,
        many: bool = True,
    ) -> bytes:
        """An answer for each example; if one cannot be read, all fail with an error that says which."""
        limits = self._service.limits

        def work() -> bytes:
            lines = [
                line_of(live, example, limits, number if many else None) for number, example in enumerate(examples, 1)
            ]
            ids = [example.id for example in examples]
            predictions = live.predict(lines) if lines else Predictions(live.version, [], [], None, {})
            if predictions.bad:
                position = min(predictions.bad)
                number = position + 1 if many else None
                raise RequestError(422, predictions.bad[position], live.reader.field, number)
            for id_, line in zip(ids, lines, strict=True):
                if id_ is not None:
                    served.remembered.add(id_, line)
            served.count_predicted(len(lines))
            return b"".join(encode(answer) + b"\n" for answer in served.labels.answers(predictions, ids))

        if len(examples) <= limits.predict_inline:
            return work()
        self._room.take(scope, _ANSWER_BYTES * len(examples))
        return await asyncio.to_thread(work)

    # -- predict as at a version or a time in the past --------------------------------------------------------------

    async def _predict_at(self, scope: Scope, send: Send, served: ServedModel, body: bytes, lines: bool) -> None:
        query = query_of(scope)
        unknown = [name for name in query if name != "at"]
        if unknown or "at" not in query:
            raise RequestError(400, f"There is no parameter {(unknown or [''])[0][:40]!r} here: there is `at`.")
        decoded = decode_predict(body, lines, self._service.limits)
        live = await self._service.travel(served, query["at"])
        is_one = isinstance(decoded, PredictExample)
        examples = [decoded] if isinstance(decoded, PredictExample) else decoded
        content = await self._predict_many(scope, served, live, examples, many=not is_one)
        await send_bytes(send, 200, content[:-1] if is_one else content, JSON if is_one else NDJSON)

    async def _predict_by_query(self, scope: Scope, send: Send, name: str, grant: Grant | None) -> None:
        """One example in the address: text, features, vw, or columns as JSON."""
        require(grant, "predict", name)
        served = self._service.model(name)
        query = query_of(scope)
        at = query.pop("at", None)
        if "columns" in query:
            with suppress(msgspec.MsgspecError):
                query["columns"] = msgspec.json.decode(query["columns"])
        try:
            example = msgspec.convert(query, PredictExample)
        except msgspec.ValidationError as error:
            raise unreadable(error) from None
        live = served.live if at is None else await self._service.travel(served, at)
        content = await self._predict_many(scope, served, live, [example], many=False)
        await send_bytes(send, 200, content[:-1], JSON)

    # -- learn ------------------------------------------------------------------------------------------------------

    async def _learn(self, scope: Scope, receive: Receive, send: Send, name: str, grant: Grant | None) -> None:
        require(grant, "learn", name)
        served = self._service.model(name)
        if scope["query_string"]:
            raise RequestError(400, "There are no parameters here: an example is learned once, now.")
        lines = is_ndjson(scope)
        body = await read_body(scope, receive, self._service.limits, self._room)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def on_done(_: Submission) -> None:  # no cycle of references, which would keep the body in memory
            if not future.done():
                future.set_result(None)

        submission = Submission(body, lines, on_done)
        del body
        served.submit(submission)
        await future
        extra = ((b"retry-after", b"1"),) if submission.status in (429, 503) else ()
        await send_bytes(send, submission.status, submission.answer, JSON, *extra)


def query_of(scope: Scope) -> dict[str, str]:
    """The parameters in the address, each given once."""
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    query = dict(pairs)
    if len(query) < len(pairs):
        repeated = next(name for k, (name, _) in enumerate(pairs) if name in dict(pairs[:k]))
        raise RequestError(400, f"The parameter {repeated[:40]!r} is given twice.")
    return query


def line_of(live: LiveModel, example: PredictExample, limits: Limits, number: int | None = None) -> bytes:
    if example.id is not None:
        check_id(example.id, limits, number)
    return checked_line(live.reader, example, limits, number)


def bug(error: Exception) -> RequestError:
    return RequestError(500, f"{type(error).__name__}: this is a bug of the service; please report it.")


def require(grant: Grant | None, scope: str, model: str | None = None) -> None:
    if grant is None:
        raise RequestError(401, "This needs a token: send the header `Authorization: Bearer TOKEN`.")
    if not grant.allows(scope, model):
        models = "every model" if model is None else f"{model[:80]!r}"
        raise RequestError(403, f"The token does not allow this: it needs the scope {scope!r} for {models}.")
