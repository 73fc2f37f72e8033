"""The labels of a source: tokens as they stand in the file -> positions in one list, in the order they are met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.records import Label

MOST = 10_000
_MOST_FRACTIONS = 1_000
LONGEST = 1_000  # bytes, as in cpp/parsed.hpp


class Labels:
    """Numbers compare as numbers, so '+1', '1' and '1.0' are one label; one word among them makes words of all."""

    def __init__(self, name: str, known: Iterable[Label] = ()) -> None:
        self.met: list[Label] = []
        self._name = name
        self._spelled: list[str] = []  # as each was first written
        self._position: dict[bytes, int] = {}
        self._of_number: dict[float, int] = {}
        self._words = False
        for label in known:
            self._add(str(label).encode())

    def positions(self, tokens: Sequence[bytes]) -> list[int]:
        """The position of each token; a new one is given the next."""
        return [self._position[token] if token in self._position else self._add(token) for token in tokens]

    def renumbered(self, codes: Any, tokens: Sequence[bytes]) -> Any:
        """Codes of a chunk's own tokens -> positions in `met`; -1, no label, stays."""
        positions = self.positions(tokens)
        return codes if positions == list(range(len(positions))) else native.coded(codes, positions)[0]

    def _add(self, token: bytes) -> int:
        if len(token) > LONGEST:
            begins = token[:20].decode("utf-8", errors="replace")
            raise DataError(
                f"{self._name}: a label that begins with {begins!r} has {len(token):,} bytes, and {LONGEST:,} are the "
                "most; is it the label, and is this the right format?"
            )
        number = _number(token)
        position = len(self._spelled) if number is None else self._of_number.get(number, len(self._spelled))
        self._position[token] = position
        if number is not None:
            self._of_number[number] = position
        if position == len(self._spelled):
            self._spelled.append(token.decode("utf-8", errors="backslashreplace"))
            self._extend(number)
        return position

    def _extend(self, number: float | None) -> None:
        if number is None and not self._words:
            self._words = True
            self.met[:] = self._spelled[:-1]
        if self._words or number is None:
            self.met.append(self._spelled[-1])
        else:
            self.met.append(int(number) if number.is_integer() else number)
        if len(self.met) > _MOST_FRACTIONS and not self._words:
            fractions = sum(isinstance(label, float) for label in self.met)
            if 2 * fractions > len(self.met) or len(self.met) > MOST:
                raise DataError(
                    f"{self._name}: more than {len(self.met) - 1} different numbers as labels; this looks like "
                    "regression, and Rosenblatt learns classes, so make classes of the numbers first."
                )
        if len(self.met) > MOST:
            raise DataError(f"{self._name}: more than {MOST} different labels; is the right column the label?")


def _number(token: bytes) -> float | None:
    """The number it is, in digits: Python reads nan, inf and 1_000 as numbers too, and a label of that kind is a word.

    >>> _number(b"-2.5e3"), _number(b"1_000"), _number(b"inf")
    (-2500.0, None, None)
    """
    if token.strip(b"+-.0123456789eE"):
        return None
    try:
        return float(token)
    except ValueError:
        return None
