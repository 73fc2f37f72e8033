"""A client of the service, for Python: a call that is retried never learns an example twice."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import quote

import httpx

from rosenblatt.errors import ParameterError, ServiceError

Example = Mapping[
    str, Any
]  # {"text": ...}, {"columns": {...}}, {"features": {...}} or {"vw": ...}; with "label" to learn

_RETRIED = (429, 502, 503, 504)
_LONGEST_WAIT = 5.0
_NDJSON = "application/x-ndjson"


class _Call(NamedTuple):
    """One request."""

    method: str
    path: str
    content: bytes | None = None
    kind: str = "application/json"
    params: Mapping[str, str] | None = None
    is_safe: bool = True  # to send again, when nobody knows whether it arrived


class _Calls:
    """What both clients share: the requests, and what their answers mean."""

    def __init__(self, url: str, token: str | None = None, *, retries: int = 5, timeout: float = 30.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ParameterError(f"The address of a service begins with http:// or https://. Got {url!r} instead.")
        self._retries = retries
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._settings: dict[str, Any] = {"base_url": url, "headers": headers, "timeout": timeout}

    @staticmethod
    def _to_predict(model: str, examples: Example | Sequence[Example], at: str | int | None) -> _Call:
        params = None if at is None else {"at": str(at)}
        content, kind = _body(examples)
        return _Call("POST", f"{_path(model)}/predict", content, kind, params)

    @staticmethod
    def _to_learn(model: str, examples: Example | Sequence[Example]) -> _Call:
        """Every example gets an id, so that the service knows one that it is sent again."""
        if isinstance(examples, Mapping):
            content, kind = _body({"id": str(uuid.uuid4()), **examples})
        else:
            content, kind = _body([{"id": str(uuid.uuid4()), **example} for example in examples])
        return _Call("POST", f"{_path(model)}/learn", content, kind)

    @staticmethod
    def _to_put(model: str, file: str | None, new: Mapping[str, Any] | None) -> _Call:
        if (file is None) == (new is None):
            raise ParameterError(
                "Put either the path of a model file, or what a new model is: classes and what it reads."
            )
        if file is None:
            return _Call("PUT", _path(model), json.dumps(new).encode(), is_safe=False)
        try:
            opened = open(file, "rb")  # noqa: SIM115 - closed below
        except OSError as error:
            raise ParameterError(f"{file}: cannot be read: {error.strerror}.") from None
        with opened:
            return _Call("PUT", _path(model), opened.read(), "application/octet-stream", is_safe=False)

    def _waits(self) -> Iterator[float]:
        """Seconds to wait before each further attempt."""
        return iter([min(0.1 * 2**k, _LONGEST_WAIT) for k in range(self._retries)])

    @staticmethod
    def _request(call: _Call) -> dict[str, Any]:
        headers = {} if call.content is None else {"content-type": call.kind}
        return {
            "method": call.method,
            "url": call.path,
            "content": call.content,
            "headers": headers,
            "params": call.params,
        }


def _path(model: str) -> str:
    return f"/v1/models/{quote(model, safe='')}"


def _body(examples: Example | Sequence[Example]) -> tuple[bytes, str]:
    if isinstance(examples, Mapping):
        return _json(examples), "application/json"
    return b"\n".join(_json(example) for example in examples), _NDJSON


def _json(example: Any) -> bytes:
    """As JSON, where numpy's numbers are numbers, and one that is missing in a column is null."""
    if isinstance(example, Mapping) and isinstance(example.get("columns"), Mapping):
        columns = {name: None if _is_missing(value) else value for name, value in example["columns"].items()}
        example = {**example, "columns": columns}
    try:
        return json.dumps(example, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ParameterError(f"An example cannot be sent as JSON: {error}.") from None


def _is_missing(value: Any) -> bool:
    """NaN, and what pandas has for it: neither is equal to itself."""
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA does not even say so
        return True
    except ValueError:  # an array
        return False


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"it has a value of type {type(value).__name__}")


def _content(answer: Any) -> Any:
    """What an answer says; ServiceError where it is a refusal."""
    if answer.status_code >= 400:
        try:
            problem = answer.json()
            raise ServiceError(problem["error"], answer.status_code, problem.get("field"), problem.get("line"))
        except (ValueError, KeyError, TypeError):
            raise ServiceError(f"The service answered {answer.status_code}.", answer.status_code) from None
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind == _NDJSON:
        return [json.loads(line) for line in answer.text.splitlines()]
    return answer.json() if kind == "application/json" else answer.content


def _wait_of(answer: Any, wait: float) -> float:
    """Seconds that the service asks to wait."""
    seconds = answer.headers.get("retry-after", "")
    return max(wait, min(float(seconds), _LONGEST_WAIT)) if seconds.isdecimal() else wait


def _unreachable(error: Exception) -> ServiceError:
    return ServiceError(f"The service does not answer: {error or type(error).__name__}.", 0)


class Client(_Calls):
    """A service that `rosenblatt serve` has started. Calls that fail on the way are sent again, with the same ids.

    `predict` and `learn` take one example or several, `{"text": ...}`, `{"columns": {...}}`, `{"features": {...}}` or
    `{"vw": ...}`; to learn them they have a `label`. The answers are those of the service; a refusal raises
    `ServiceError`.

    Parameters
    ----------
    url : str
        Where the service listens, such as http://127.0.0.1:8000.
    token : str, optional
        A line of its token file.
    retries : int
        How often a call that failed on the way is sent again.
    timeout : float
        Seconds to wait for an answer.

    Examples
    --------
    >>> from rosenblatt import Client
    >>> Client("127.0.0.1")
    Traceback (most recent call last):
    rosenblatt.errors.ParameterError: The address of a service begins with http:// or https://. Got '127.0.0.1' instead.
    """

    def __init__(self, url: str, token: str | None = None, *, retries: int = 5, timeout: float = 30.0) -> None:
        super().__init__(url, token, retries=retries, timeout=timeout)
        self._http = httpx.Client(**self._settings)

    def predict(self, model: str, examples: Example | Sequence[Example], *, at: str | int | None = None) -> Any:
        """The label, score and probabilities of each example; with `at`, as the model said at a version or a time."""
        return self._call(self._to_predict(model, examples, at))

    def learn(self, model: str, examples: Example | Sequence[Example]) -> Any:
        """How many were learned, how many were learned before, and the version after them."""
        return self._call(self._to_learn(model, examples))

    def models(self) -> Any:
        return self._call(_Call("GET", "/v1/models"))["models"]

    def model(self, model: str) -> Any:
        """Rule, counts, errors, calibration, history."""
        return self._call(_Call("GET", _path(model)))

    def put(self, model: str, file: str | None = None, **new: Any) -> Any:
        """Serve a model file, or a new model: `put("mail", classes=["ham", "spam"], reads="text")`."""
        return self._call(self._to_put(model, file, new or None))

    def snapshot(self, model: str) -> Any:
        return self._call(_Call("POST", f"{_path(model)}/snapshot"))

    def download(self, model: str) -> Any:
        """The content of the model file as it is now."""
        return self._call(_Call("GET", f"{_path(model)}/model"))

    def delete(self, model: str) -> Any:
        return self._call(_Call("DELETE", _path(model), is_safe=False))

    def _call(self, call: _Call) -> Any:
        waits = self._waits()
        while True:
            wait = next(waits, None)
            try:
                answer = self._http.request(**self._request(call))
            except httpx.TransportError as error:
                if wait is None or not (call.is_safe or isinstance(error, httpx.ConnectError)):
                    raise _unreachable(error) from None
            else:
                if answer.status_code not in _RETRIED or wait is None:
                    return _content(answer)
                wait = _wait_of(answer, wait)
            time.sleep(wait)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(_Calls):
    """The same for asyncio: every call is awaited.

    Parameters
    ----------
    url : str
        Where the service listens, such as http://127.0.0.1:8000.
    token : str, optional
        A line of its token file.
    retries : int
        How often a call that failed on the way is sent again.
    timeout : float
        Seconds to wait for an answer.

    Examples
    --------
    >>> from rosenblatt import AsyncClient
    >>> AsyncClient("127.0.0.1")
    Traceback (most recent call last):
    rosenblatt.errors.ParameterError: The address of a service begins with http:// or https://. Got '127.0.0.1' instead.
    """

    def __init__(self, url: str, token: str | None = None, *, retries: int = 5, timeout: float = 30.0) -> None:
        super().__init__(url, token, retries=retries, timeout=timeout)
        self._http = httpx.AsyncClient(**self._settings)

    async def predict(self, model: str, examples: Example | Sequence[Example], *, at: str | int | None = None) -> Any:
        return await self._call(self._to_predict(model, examples, at))

    async def learn(self, model: str, examples: Example | Sequence[Example]) -> Any:
        return await self._call(self._to_learn(model, examples))

    async def models(self) -> Any:
        return (await self._call(_Call("GET", "/v1/models")))["models"]

    async def model(self, model: str) -> Any:
        return await self._call(_Call("GET", _path(model)))

    async def put(self, model: str, file: str | None = None, **new: Any) -> Any:
        return await self._call(self._to_put(model, file, new or None))

    async def snapshot(self, model: str) -> Any:
        return await self._call(_Call("POST", f"{_path(model)}/snapshot"))

    async def download(self, model: str) -> Any:
        return await self._call(_Call("GET", f"{_path(model)}/model"))

    async def delete(self, model: str) -> Any:
        return await self._call(_Call("DELETE", _path(model), is_safe=False))

    async def _call(self, call: _Call) -> Any:
        waits = self._waits()
        while True:
            wait = next(waits, None)
            try:
                answer = await self._http.request(**self._request(call))
            except httpx.TransportError as error:
                if wait is None or not (call.is_safe or isinstance(error, httpx.ConnectError)):
                    raise _unreachable(error) from None
            else:
                if answer.status_code not in _RETRIED or wait is None:
                    return _content(answer)
                wait = _wait_of(answer, wait)
            await asyncio.sleep(wait)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
