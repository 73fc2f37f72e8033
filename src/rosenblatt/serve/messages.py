"""The messages about examples that clients send, and the answers."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from rosenblatt.records import Label
from rosenblatt.serve.learning.example_lines import Features
from rosenblatt.serve.limits import Limits


class PredictExample(Features, forbid_unknown_fields=True):
    """An example to predict; with an id it is remembered for a while, so that its label can be sent later."""

    id: str | None = None


class LearnExample(Features, forbid_unknown_fields=True):
    """An example to learn; with the id of a prediction it needs no features."""

    label: str | int | float | bool | None = None
    weight: float = 1.0
    id: str | None = None


class Problem(msgspec.Struct, omit_defaults=True):
    """Every error, in one form: a sentence, the field it is about, the line of the body (from 1), the status."""

    error: str
    status: int
    field: str | None = None
    line: int | None = None


class RequestError(Exception):
    """A request that is refused."""

    def __init__(
        self, status: int, sentence: str, field: str | None = None, line: int | None = None, retry: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.status, self.retry = status, retry
        self.problem = Problem(sentence, status, field, line)

    @property
    def body(self) -> bytes:
        return encode(self.problem)


_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_FEW_BYTES = 1 << 20  # a body of this size cannot hold too many objects
_FIELD = re.compile(r"unknown field `([^`]{0,80})`")

encode = msgspec.json.Encoder().encode
_one_to_learn, _one_to_predict = msgspec.json.Decoder(LearnExample), msgspec.json.Decoder(PredictExample)
_many_to_learn, _many_to_predict = (
    msgspec.json.Decoder(list[LearnExample]),
    msgspec.json.Decoder(list[PredictExample]),
)


def _decoded(one: Any, many: Any, body: bytes, lines: bool, limits: Limits) -> Any:
    """One example, or a list of them: NDJSON, or an array."""
    is_array = not lines and body.lstrip()[:1] == b"["
    # Count before decoding: that is quick, and takes no memory.
    if lines and body.count(b"\n") > limits.examples:
        raise _too_many(limits)
    if len(body) > _FEW_BYTES and body.count(b"{") + body.count(b"[") > limits.objects:  # slow to decode
        if is_array:
            raise _too_many(limits)
        raise RequestError(413, f"A body may have up to {limits.objects:,} JSON objects and lists: send it in parts.")
    try:
        if not (lines or is_array):
            return one.decode(body)
        examples = one.decode_lines(body) if lines else many.decode(body)
    except _UNREADABLE as error:
        raise _unreadable(one, body, lines, error) from None
    if len(examples) > limits.examples:
        raise _too_many(limits)
    return examples


def _too_many(limits: Limits) -> RequestError:
    return RequestError(413, f"A body may have up to {limits.examples:,} examples: send them in several.")


def _unreadable(one: Any, body: bytes, lines: bool, error: Exception) -> RequestError:
    number = None
    for k, line in enumerate(body.split(b"\n") if lines else ()):  # its number helps more than a byte of the body
        try:
            if line.strip():
                one.decode(line)
        except _UNREADABLE as of_line:
            error, number = of_line, k + 1
            break
    if isinstance(error, RecursionError):
        return RequestError(400, "The example cannot be read: it is nested too deeply.", line=number)
    if isinstance(error, UnicodeDecodeError):
        return RequestError(400, "The example cannot be read: it is not UTF-8.", line=number)
    return unreadable(error, number)


def unreadable(error: Exception, number: int | None = None) -> RequestError:
    """The error for a message that msgspec cannot read."""
    problem, _, place = str(error).partition(" - at `$")
    field = place.rstrip("`").lstrip(".[]0123456789").partition("[")[0] or None
    unknown = _FIELD.search(problem)
    if unknown is not None:
        problem, field = f"there is no field {unknown[1]!r}", unknown[1]
    status = 422 if isinstance(error, msgspec.ValidationError) else 400
    return RequestError(status, f"The example cannot be read: {problem[:300].rstrip('.')}.", field, number)


def decode_learn(body: bytes, lines: bool, limits: Limits) -> LearnExample | list[LearnExample]:
    examples: LearnExample | list[LearnExample] = _decoded(_one_to_learn, _many_to_learn, body, lines, limits)
    return examples


def decode_predict(body: bytes, lines: bool, limits: Limits) -> PredictExample | list[PredictExample]:
    examples: PredictExample | list[PredictExample] = _decoded(_one_to_predict, _many_to_predict, body, lines, limits)
    return examples


def check_id(id_: str, limits: Limits, line: int | None = None) -> None:
    if not id_ or len(id_.encode("utf-8", errors="replace")) > limits.id_bytes:
        raise RequestError(422, f"An id has 1 to {limits.id_bytes} bytes.", "id", line)


class Prediction(msgspec.Struct, omit_defaults=True):
    """The answer to one example: its class and how sure the model is of it, or its number and the bounds between which
    it lies; and the version of the model."""

    label: Label
    score: float
    version: int
    probability: float | None = None
    probabilities: dict[str, float] | None = None
    low: float | None = None
    high: float | None = None
    quantiles: dict[str, float] | None = None
    id: str | None = None


class Learned(msgspec.Struct):
    """The answer to examples that were learned; duplicates are those whose id was learned before."""

    learned: int
    duplicates: int
    version: int
    durability: str
