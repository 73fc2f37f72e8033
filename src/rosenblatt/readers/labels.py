"""The labels of a source: what is written in the file -> positions in one list, in order of first occurrence."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.records import Label

MAX_LABELS = 10_000
_INT64 = 2**63
LONGEST_LABEL = 1_000  # bytes, as in cpp/parse/parsed_lines.hpp


class Labels:
    """Numbers compare as numbers, so '+1', '1' and '1.0' are one label; one word among them makes all of them words."""

    def __init__(self, file_name: str, known: Iterable[Label] = ()) -> None:
        self.labels: list[Label] = []
        self._file_name = file_name
        self._spellings: list[str] = []  # as each was first written
        self._position_of_token: dict[bytes, int] = {}
        self._position_of_number: dict[int | float, int] = {}
        self._has_words = False
        for label in known:
            self._add(str(label).encode())

    def positions(self, tokens: Sequence[bytes]) -> list[int]:
        """The position of each token; a new label gets the next one."""
        known = self._position_of_token
        return [known[token] if token in known else self._add(token) for token in tokens]

    def renumbered(self, codes: Any, tokens: Sequence[bytes]) -> Any:
        """Positions in the tokens of one block -> positions in `labels`; -1, no label, stays."""
        positions = self.positions(tokens)
        return codes if positions == list(range(len(positions))) else native.renumber_labels(codes, positions)[0]

    def _add(self, token: bytes) -> int:
        if len(token) > LONGEST_LABEL:
            start = token[:20].decode("utf-8", errors="replace")
            raise DataError(
                f"{self._file_name}: a label that begins with {start!r} has {len(token):,} bytes, at most "
                f"{LONGEST_LABEL:,} are allowed; check which column is the label, and the format.",
                file=self._file_name,
            )
        number = _number(token)
        position = new = len(self._spellings)
        if number is not None:
            position = self._position_of_number.setdefault(number, new)
        self._position_of_token[token] = position
        if position == new:
            self._spellings.append(token.decode("utf-8", errors="backslashreplace"))
            self._append(number)
        return position

    def _append(self, number: int | float | None) -> None:
        if number is None and not self._has_words:
            self._has_words = True
            self.labels[:] = self._spellings[:-1]
        self.labels.append(self._spellings[-1] if self._has_words or number is None else number)
        self._refuse_too_many()

    def _refuse_too_many(self) -> None:
        if len(self.labels) <= MAX_LABELS:
            return
        if self._has_words:
            what = "labels; check which column is the label."
        else:
            what = (
                "numbers as labels; this looks like regression: predict them with "
                f"{option('task', 'number')}, or divide the numbers into classes first."
            )
        raise DataError(f"{self._file_name}: more than {MAX_LABELS} different {what}", file=self._file_name)


def _number(token: bytes) -> int | float | None:
    """The number that digits stand for, whole numbers exactly; nan, inf and 1_000, which Python also reads as numbers,
    are words as labels, and so are numbers of more than 64 bits, which are names.

    >>> _number(b"-2.5e3"), _number(b"1_000"), _number(b"inf"), _number(b"1" * 30)
    (-2500, None, None, None)
    >>> _number(b"9007199254740993"), _number(b"0.5")
    (9007199254740993, 0.5)
    """
    if token.strip(b"+-.0123456789eE"):
        return None
    try:
        number = float(token)
    except ValueError:
        return None
    if not number.is_integer():
        return number if isfinite(number) else None
    integer = int(number) if token.strip(b"+-0123456789") else int(token)
    return integer if -_INT64 <= integer < 2 * _INT64 else None
