"""The header of a model file, checked while it is read: every value has the right type and lies within bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rosenblatt.errors import ModelError

WORD = 2**64


def damaged(what: str) -> ModelError:
    """The error for a file whose parts do not fit together; the loader puts the name of the file before it."""
    return ModelError(f"the model file is damaged: {what}")


class Header:
    """One JSON object of the header, and its place in the whole header."""

    def __init__(self, values: object, place: str = "header") -> None:
        if not isinstance(values, Mapping):
            raise damaged(f"{place} is not an object")
        self.values: Mapping[str, Any] = values
        self.place = place

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def raw(self, key: str) -> Any:
        if key not in self.values:
            raise damaged(f"{self.place} has no {key!r}")
        return self.values[key]

    def _typed(self, key: str, kind: type | tuple[type, ...], word: str) -> Any:
        value = self.raw(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise damaged(f"{key!r} of {self.place} is not {word}")
        return value

    def section(self, key: str) -> Header:
        return Header(self.raw(key), f"{self.place}.{key}")

    def sections(self, key: str) -> list[Header]:
        return [Header(item, f"{self.place}.{key}[{i}]") for i, item in enumerate(self.items(key))]

    def items(self, key: str) -> Sequence[Any]:
        items: Sequence[Any] = self._typed(key, list, "a list")
        return items

    def text(self, key: str) -> str:
        return str(self._typed(key, str, "a text"))

    def flag(self, key: str) -> bool:
        return bool(self._typed(key, bool, "true or false"))

    def count(self, key: str, below: int = WORD) -> int:
        return self.checked_count(self.raw(key), key, below)

    def checked_count(self, value: object, key: str, below: int = WORD) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
            raise damaged(f"{key!r} of {self.place} is not an integer from 0 to {below - 1}")
        return value

    def counts(self, key: str, length: int | None = None) -> list[int]:
        counts = [self.checked_count(value, key) for value in self.items(key)]
        if length is not None and len(counts) != length:
            raise damaged(f"{key!r} of {self.place} has {len(counts)} entries, expected {length}")
        return counts

    def number(self, key: str) -> float:
        return self.checked_number(self.raw(key), key)

    def checked_number(self, value: object, key: str) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not _is_finite(value):
            raise damaged(f"{key!r} of {self.place} is not a finite number")
        return float(value)

    def numbers(self, key: str) -> list[float]:
        return [self.checked_number(value, key) for value in self.items(key)]


def _is_finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond the largest float
        return False
