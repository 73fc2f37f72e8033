"""The names of hashed columns, as far as the bounded dictionary has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rosenblatt import kernels
from rosenblatt.later import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIMIT = 1 << 19  # names kept; half of them are reserved for single words, which phrases would crowd out


class ColumnNames(Mapping[int, str]):
    """Column -> the name met there first. As arrays, for a model file: `columns` rises, `ends` bound the names in
    `text`.

    >>> names = ColumnNames(np.array([7, 3, 7]), np.array([2, 5, 6]), b"hiyouX")
    >>> dict(names), names.get(4)
    ({3: 'you', 7: 'hi'}, None)
    """

    def __init__(self, columns: NDArray[Any], ends: NDArray[Any], text: bytes) -> None:
        self._given: tuple[NDArray[Any], NDArray[Any], bytes] | None = (columns, ends, text)

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bytes]:
        """(columns, where each name starts, where it ends, all names): made when first asked for."""
        assert self._given is not None
        columns, first = np.unique(np.asarray(self._given[0], dtype=np.int64), return_index=True)
        ends = np.asarray(self._given[1], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]]) if len(ends) else ends
        text, self._given = self._given[2], None
        return columns, starts[first], ends[first], text

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], bytes]:
        """(columns, ends, text) of the names that are kept, without those a column had besides."""
        columns, starts, ends, text = self._sorted
        parts = [text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        return columns, np.cumsum(ends - starts), b"".join(parts)

    def __getitem__(self, column: int) -> str:
        columns, starts, ends, text = self._sorted
        at = int(np.searchsorted(columns, column))
        if at == len(columns) or columns[at] != column:
            raise KeyError(column)
        return text[starts[at] : ends[at]].decode("utf-8", errors="ignore")

    def __iter__(self) -> Iterator[int]:
        return iter(self._sorted[0].tolist())

    def __len__(self) -> int:
        return len(self._sorted[0])


class MetNames(ColumnNames):
    """The names of the native dictionary, as far as it has come when they are first asked for."""

    def __init__(self, names: kernels.Names, first: int) -> None:
        self._names, self._first = names, first

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bytes]:
        columns = self._names.columns.astype(np.int64) + self._first
        return ColumnNames(columns, self._names.ends, self._names.text)._sorted


def column_names(names: kernels.Names | None, first: int = 0) -> Mapping[int, str]:
    """The native dictionary as a mapping; `first` is the column of hash 0."""
    return {} if names is None else MetNames(names, first)


def collisions(names: kernels.Names | None) -> Mapping[str, object]:
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
