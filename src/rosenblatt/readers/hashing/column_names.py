"""The names of hashed columns, in a dictionary of bounded size."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from rosenblatt import native
from rosenblatt.records import FeatureSpace

LIMIT = 1 << 19  # names kept; half of them are reserved for single words, which phrases would crowd out


class NameCollector:
    """Collects the names of hashed columns during the first complete reading of a source.

    With columns to `count` it counts their names instead, to find the most common one of each.
    """

    def __init__(self, bits: int, *, collect: bool, count: Sequence[int] = ()) -> None:
        self._bits, self._counts = bits, bool(count)
        self._names = native.NameDictionary(bits, LIMIT) if collect else None
        self._complete = False
        if self._names is not None and count:
            self._names.watch(count)

    @property
    def dictionary(self) -> native.NameDictionary | None:
        """The dictionary that a parser looks names up in; None once no more names are collected."""
        return None if self._complete else self._names

    @property
    def state(self) -> str:
        """What a parser in another process must know: whether names are collected, and from every row."""
        if self.dictionary is None:
            return "complete"
        return "exact" if self.dictionary.exact else "coarse"

    def take_state(self, state: str) -> None:
        """Look names up as a collector in this `state` does, which has already merged some."""
        self._complete = state == "complete"
        if state == "coarse" and self._names is not None:
            self._names.coarsen()

    def restart(self) -> None:
        """Forget the names of a reading that was broken off."""
        if self.dictionary is not None and not self._counts:
            self._names = native.NameDictionary(self._bits, LIMIT)

    def merge(self, candidates: Any) -> None:
        if self.dictionary is not None and self._counts:
            self.dictionary.count(candidates)
        elif self.dictionary is not None:
            self.dictionary.merge(candidates)

    def finish(self) -> None:
        """Every name has occurred: later readings need not look."""
        self._complete = True

    def by_column(self, first: int = 0) -> Mapping[int, str]:
        """Column -> name; `first` is the column of hash 0."""
        return column_names(self._names, first)

    def most_common(self, first: int = 0) -> dict[int, str]:
        """Column -> the most common of its names, where they were counted."""
        if self._names is None:
            return {}
        common = self._names.most_common().items()
        return {first + column: name.decode("utf-8", errors="ignore") for column, name in common}

    def collisions(self) -> dict[str, object]:
        return dict(collisions(self._names))


class ColumnNames(Mapping[int, str]):
    """Column -> the first name hashed to it, among the names that the native dictionary has on first access; `others`
    replaces some of them by more common names."""

    def __init__(self, names: native.NameDictionary, first: int, others: Mapping[int, str] | None = None) -> None:
        self._names, self._first, self._others = names, first, dict(others or {})

    @cached_property
    def arrays(self) -> tuple[memoryview, memoryview, bytes]:
        """(columns, ends, text), as a model file has them: columns ascend, and the ends bound the names in the text."""
        return self._names.by_column(self._first, self._others)

    def with_names(self, others: Mapping[int, str]) -> ColumnNames:
        """With these names instead of the first ones."""
        return ColumnNames(self._names, self._first, others)

    def __getitem__(self, column: int) -> str:
        from bisect import bisect_left  # rarely needed, and not loaded by a fit of numbers

        columns, ends, text = self.arrays
        at = bisect_left(columns, column)
        if at == len(columns) or columns[at] != column:
            raise KeyError(column)
        return text[ends[at - 1] if at else 0 : ends[at]].decode("utf-8", errors="ignore")

    def __iter__(self) -> Iterator[int]:
        return iter(self.arrays[0].tolist())

    def __len__(self) -> int:
        return len(self.arrays[0])


def column_names(names: native.NameDictionary | None, first: int = 0) -> Mapping[int, str]:
    """The native dictionary as a mapping; `first` is the column of hash 0."""
    return {} if names is None else ColumnNames(names, first)


def with_more_names(space: FeatureSpace, names: Mapping[int, str]) -> FeatureSpace:
    """The space with names for columns that had none."""
    known: Any = space.names
    return replace(space, names=ChainMap(known, names))  # type: ignore[arg-type]


def collisions(names: native.NameDictionary | None) -> Mapping[str, object]:
    """For a report of collisions: how many names there were, how many columns they use, how many share one.

    `names_shared` counts the names that do not have their column to themselves. The numbers are counted where `exact`,
    and estimated otherwise.
    """
    if names is None:
        return {}
    return {
        "names": round(names.distinct),
        "exact": names.exact,
        "columns_used": round(names.occupied),
        "names_shared": round(names.shared),
        "names_kept": names.kept,
    }
