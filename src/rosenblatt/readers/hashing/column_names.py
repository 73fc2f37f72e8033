"""The names of hashed columns, as far as the bounded dictionary has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from rosenblatt import native

LIMIT = 1 << 19  # names kept; half of them are reserved for single words, which phrases would crowd out


class ColumnNames(Mapping[int, str]):
    """Column -> the name met there first, as far as the native dictionary has come when they are first asked for."""

    def __init__(self, names: native.Names, first: int) -> None:
        self._names, self._first = names, first

    @cached_property
    def memory(self) -> tuple[memoryview, memoryview, bytes]:
        """(columns, ends, text), as a model file has them: columns rise, and the ends bound the names in the text."""
        return self._names.by_column(self._first)

    def __getitem__(self, column: int) -> str:
        from bisect import bisect_left  # nobody asks a fit of numbers for names

        columns, ends, text = self.memory
        at = bisect_left(columns, column)
        if at == len(columns) or columns[at] != column:
            raise KeyError(column)
        return text[ends[at - 1] if at else 0 : ends[at]].decode("utf-8", errors="ignore")

    def __iter__(self) -> Iterator[int]:
        return iter(self.memory[0].tolist())

    def __len__(self) -> int:
        return len(self.memory[0])


def column_names(names: native.Names | None, first: int = 0) -> Mapping[int, str]:
    """The native dictionary as a mapping; `first` is the column of hash 0."""
    return {} if names is None else ColumnNames(names, first)


def collisions(names: native.Names | None) -> Mapping[str, object]:
    """What a collision report is made of: how many names there were, how many columns they use, how many share one.

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
