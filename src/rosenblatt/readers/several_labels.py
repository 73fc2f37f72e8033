"""The labels of a source whose examples may have several: what is written in the file -> sets of labels."""

from collections.abc import Iterable, Sequence
from typing import Any

from rosenblatt import native
from rosenblatt.readers.labels import Labels
from rosenblatt.records import Label

SEPARATORS = ("|", ";", ",")  # that are looked for, in this order
LONGEST_LABELS = 1 << 16  # bytes of the labels of one example, as longest_labels in cpp/parse/parsed_lines.hpp
UNIT = "\x1f"  # ASCII's unit separator: between labels that the file keeps apart by itself, as in a list


class SeveralLabels(Labels):
    """Each token names a set of labels; the sets are numbered in the order of their first occurrence.

    A label that is written twice counts once, and spaces around it do not count. Where the separator is not known,
    it is the first of SEPARATORS that stands between labels.

    >>> labels = SeveralLabels("tags.tsv", None)
    >>> labels.positions([b"a", b"b | a", b"a|b", b"|"]), labels.labels, labels.sets, labels.separator
    ([0, 1, 1, -1], ['a', 'b'], [(0,), (0, 1)], '|')
    """

    def __init__(self, file_name: str, separator: str | None, known: Iterable[Label] = ()) -> None:
        super().__init__(file_name, known)
        self.separator = separator
        self.sets: list[tuple[int, ...]] = []  # each as ascending positions in `labels`
        self._position_of_set: dict[tuple[int, ...], int] = {(): -1}
        self._set_of_token: dict[bytes, int] = {}

    def positions(self, tokens: Sequence[bytes]) -> list[int]:
        """The number of the set that each token names; -1 where it names none."""
        if self.separator is None:
            self.separator = next((mark for mark in SEPARATORS if _stands_between(mark.encode(), tokens)), None)
        known = self._set_of_token
        return [known[token] if token in known else self._add_set(token) for token in tokens]

    def renumbered(self, codes: Any, tokens: Sequence[bytes]) -> Any:
        return native.renumber_labels(codes, self.positions(tokens))[0]

    def _add_set(self, token: bytes) -> int:
        parts = [token] if self.separator is None else token.split(self.separator.encode())
        names = [part.strip() for part in parts]
        labels = tuple(sorted(set(super().positions([name for name in names if name]))))
        position = self._position_of_set.setdefault(labels, len(self.sets))
        if position == len(self.sets):
            self.sets.append(labels)
        if self.separator is not None:  # else the same token may name several labels later
            self._set_of_token[token] = position
        return position


def _stands_between(separator: bytes, tokens: Sequence[bytes]) -> bool:
    return any(separator in token.strip(separator + b" ") for token in tokens)
