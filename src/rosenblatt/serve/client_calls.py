"""The requests of the clients of the service, and how they read its answers; the connections are in `client`."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from rosenblatt.errors import ParameterError, ServiceError

# {"text": ...}, {"columns": {...}}, {"features": {...}} or {"vw": ...}; with "label" to learn
Example = Mapping[str, Any]

RETRIED = (429, 502, 503, 504)
_LONGEST_WAIT = 5.0
_NDJSON = "application/x-ndjson"


class Call(NamedTuple):
    """One request."""

    method: str
    path: str
    content: bytes | None = None
    kind: str = "application/json"
    params: Mapping[str, str] | None = None
    is_safe: bool = True  # to send again if it is not known whether it arrived


class Calls:
    """What both clients share: how requests are made."""

    def __init__(self, url: str, token: str | None = None, *, retries: int = 5, timeout: float = 30.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ParameterError(f"The address of a service begins with http:// or https://. Got {url!r} instead.")
        self._retries = retries
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._settings: dict[str, Any] = {"base_url": url, "headers": headers, "timeout": timeout}

    @staticmethod
    def _to_predict(model: str, examples: Example | Sequence[Example], at: str | int | None) -> Call:
        params = None if at is None else {"at": str(at)}
        content, kind = body_of(examples)
        return Call("POST", f"{model_path(model)}/predict", content, kind, params)

    @staticmethod
    def _to_learn(model: str, examples: Example | Sequence[Example]) -> Call:
        """Each example gets an id, by which the service recognises one that is sent again."""
        if isinstance(examples, Mapping):
            content, kind = body_of({"id": str(uuid.uuid4()), **examples})
        else:
            content, kind = body_of([{"id": str(uuid.uuid4()), **example} for example in examples])
        return Call("POST", f"{model_path(model)}/learn", content, kind)

    @staticmethod
    def _to_put(model: str, file: str | None, new: Mapping[str, Any] | None) -> Call:
        if (file is None) == (new is None):
            raise ParameterError(
                "Give `put` either the path of a model file, or the settings of a new model, such as classes and reads."
            )
        if file is None:
            return Call("PUT", model_path(model), json.dumps(new).encode(), is_safe=False)
        try:
            opened = open(file, "rb")  # noqa: SIM115 - closed below
        except OSError as error:
            raise ParameterError(f"{file}: cannot be read: {error.strerror}.") from None
        with opened:
            return Call("PUT", model_path(model), opened.read(), "application/octet-stream", is_safe=False)

    def _waits(self) -> Iterator[float]:
        """Seconds to wait before each further attempt."""
        return iter([min(0.1 * 2**k, _LONGEST_WAIT) for k in range(self._retries)])

    @staticmethod
    def _request(call: Call) -> dict[str, Any]:
        headers = {} if call.content is None else {"content-type": call.kind}
        return {
            "method": call.method,
            "url": call.path,
            "content": call.content,
            "headers": headers,
            "params": call.params,
        }


def model_path(model: str) -> str:
    return f"/v1/models/{quote(model, safe='')}"


def body_of(examples: Example | Sequence[Example]) -> tuple[bytes, str]:
    if isinstance(examples, Mapping):
        return _json(examples), "application/json"
    return b"\n".join(_json(example) for example in examples), _NDJSON


def _json(example: Any) -> bytes:
    """An example as JSON: numbers of numpy become plain numbers, and missing values of columns null."""
    if isinstance(example, Mapping) and isinstance(example.get("columns"), Mapping):
        columns = {name: None if _is_missing(value) else value for name, value in example["columns"].items()}
        example = {**example, "columns": columns}
    try:
        return json.dumps(example, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ParameterError(f"An example cannot be sent as JSON: {error}.") from None


def _is_missing(value: Any) -> bool:
    """Whether a value is NaN, or the NaT or NA of pandas: none of them is equal to itself."""
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA != pandas.NA is NA, which has no truth value
        return True
    except ValueError:  # an array
        return False


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"it has a value of type {type(value).__name__}")


def content_of(answer: Any) -> Any:
    """The content of an answer; raises ServiceError if its status is an error."""
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


def wait_of(answer: Any, wait: float) -> float:
    """Seconds that the service asks to wait."""
    seconds = answer.headers.get("retry-after", "")
    return max(wait, min(float(seconds), _LONGEST_WAIT)) if seconds.isdecimal() else wait


def unreachable(error: Exception) -> ServiceError:
    return ServiceError(f"The service does not answer: {error or type(error).__name__}.", 0)
