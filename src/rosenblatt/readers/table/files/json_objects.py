"""One JSON object -> its cells, by Python's own reader: for the few lines that the native parser leaves to it.

These are lines with a fault, whose error says what is wrong, and lines with something rare, such as a key twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

# What each key holds: numbers, flags, words or lists, None where there is only null, or the keys of an object; numerals
# are numbers that are read as words.
Shape: TypeAlias = dict[str, Any]

_NAMES = {
    "numbers": "a number",
    "numerals": "a number",
    "flags": "true or false",
    "words": "a string",
    "lists": "a list",
}
_HALF_OF_PAIR = re.compile("[\ud800-\udfff]")


def object_of(line: bytes) -> dict[str, Any]:
    """The object on a line; ValueError says why there is none."""
    text = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    try:
        value = json.loads(text, parse_int=_integer)
    except json.JSONDecodeError as error:
        message = error.msg.removesuffix(" at")  # of a string that "starts at" somewhere
        what = f"{message[0].lower()}{message[1:]} at character {error.pos + 1}"
        raise ValueError(f"is not a whole JSON object: {what}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise ValueError(f"holds a number that is too long: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"expected an object in braces, found {text[:20]!r}")
    return _without_halves(value) if "\\u" in text else value


def _integer(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)


def _without_halves(value: Any) -> Any:
    """U+FFFD in place of half of a surrogate pair, which no text can hold."""
    if isinstance(value, str):
        return _HALF_OF_PAIR.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_halves(item) for item in value]
    if isinstance(value, dict):
        return {_without_halves(key): _without_halves(of_key) for key, of_key in value.items()}
    return value


def merge(shape: Shape, value: Mapping[str, Any]) -> None:
    """Add what the keys of an object hold. Of two kinds the first stays: the line of the second is refused later."""
    for key, of_key in value.items():
        before = shape.setdefault(key, {} if isinstance(of_key, dict) else _kind_of(of_key))
        if before is None and of_key is not None:
            before = shape[key] = {} if isinstance(of_key, dict) else _kind_of(of_key)
        if isinstance(before, dict) and isinstance(of_key, dict):
            merge(before, of_key)


def put(shape: Shape, path: Sequence[str], kind: str) -> None:
    """Add a column of a model that no line had yet."""
    *parents, key = path
    for parent in parents:
        inner = shape.setdefault(parent, {})
        if not isinstance(inner, dict):
            return
        shape = inner
    if shape.get(key) is None:
        shape[key] = kind


def numbers_as_words(shape: Shape, columns: Collection[str], path: str = "") -> Shape:
    """The shape with these columns as words, where they hold numbers."""
    return {
        key: numbers_as_words(kind, columns, f"{path}{key}.")
        if isinstance(kind, dict)
        else "numerals"
        if kind == "numbers" and f"{path}{key}" in columns
        else kind
        for key, kind in shape.items()
    }


def _kind_of(value: Any) -> str | None:
    if isinstance(value, bool):
        return "flags"
    if isinstance(value, int | float):
        return "numbers"
    if isinstance(value, str):
        return "words"
    return "lists" if isinstance(value, list) else None


def cells_of(value: Mapping[str, Any], shape: Shape, path: str = "") -> Iterator[tuple[str, Any]]:
    """The cells of an object by column; ValueError where a key holds something else than in the first lines."""
    for key, kind in shape.items():
        cell, column = value.get(key), f"{path}{key}"
        if isinstance(kind, dict):
            if cell is not None and not isinstance(cell, dict):
                raise _mismatch(column, cell, "an object")
            yield from cells_of(cell or {}, kind, f"{column}.")
        elif cell is None or kind is None:
            yield column, None
        elif isinstance(cell, dict) or _kind_of(cell) != kind.replace("numerals", "numbers"):
            raise _mismatch(column, cell, _NAMES[kind.replace("numerals", "numbers")])
        elif kind == "lists":
            yield column, [_word(item) for item in cell if item is not None]
        elif kind == "numerals":
            yield column, _word(cell)
        else:
            yield column, _float(cell) if kind == "numbers" else cell


def _float(number: int | float) -> float:
    """Infinite where it is too large for a float, as 1e400 is."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _word(item: Any) -> str:
    """An item of a list: a number without needless digits, a list or an object as JSON."""
    if isinstance(item, float) and item.is_integer() and abs(item) < 2**53:
        return str(int(item))
    return item if isinstance(item, str) else json.dumps(item)


def _mismatch(column: str, cell: Any, expected: str) -> ValueError:
    kind = "an object" if isinstance(cell, dict) else _NAMES[_kind_of(cell) or "lists"]
    return ValueError(f"key {column!r} holds {kind}, and in the first lines {expected}")
