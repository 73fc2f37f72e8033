"""The names of hashed columns, as far as the bounded dictionary has them."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels

LIMIT = 1 << 19  # names kept; half of them are reserved for single words, which phrases would crowd out


class ColumnNames(Mapping[int, str]):
    """Column -> the name met there first. As arrays, for a model file: `columns` rises, `ends` bound the names in
    `text`.

    >>> names = ColumnNames(np.array([7, 3, 7]), np.array([2, 5, 6]), b"hiyouX")
    >>> dict(names), names.get(4)
    ({3: 'you', 7: 'hi'}, None)
    """

    def __init__(self, columns: NDArray[np.integer], ends: NDArray[np.integer], text: bytes) -> None:
        sorted_columns, first = np.unique(np.asarray(columns, dtype=np.int64), return_index=True)
        ends = np.asarray(ends, dtype=np.int64)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]]) if len(ends) else ends
        self.columns, self._starts, self._ends, self._text = sorted_columns, starts[first], ends[first], text

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], bytes]:
        """(columns, ends, text) of the names that are kept, without those a column had besides."""
        parts = [self._text[a:b] for a, b in zip(self._starts.tolist(), self._ends.tolist(), strict=True)]
        return self.columns, np.cumsum([len(part) for part in parts], dtype=np.int64), b"".join(parts)

    def __getitem__(self, column: int) -> str:
        at = int(np.searchsorted(self.columns, column))
        if at == len(self.columns) or self.columns[at] != column:
            raise KeyError(column)
        return self._text[self._starts[at] : self._ends[at]].decode("utf-8", errors="ignore")

    def __iter__(self) -> Iterator[int]:
        return iter(self.columns.tolist())

    def __len__(self) -> int:
        return len(self.columns)


def column_names(names: kernels.Names | None, first: int = 0) -> Mapping[int, str]:
    """The native dictionary as a mapping; `first` is the column of hash 0."""
    if names is None:
        return {}
    return ColumnNames(names.columns.astype(np.int64) + first, names.ends, names.text)


def collisions(names: kernels.Names | None, bits: int) -> Mapping[str, object]:
    """What a collision report is made of: how many names there were, how many columns they use, how many share one.

    `names_shared` counts the names that do not have their column to themselves.
    """
    if names is None:
        return {}
    distinct, size = names.distinct, 2.0**bits
    if names.exact:
        _, counts = np.unique(names.columns, return_counts=True)
        shared = int(counts[counts > 1].sum())
    else:
        shared = round(distinct * -np.expm1((distinct - 1) * np.log1p(-1 / size)))
    return {
        "names": round(distinct),
        "exact": names.exact,
        "columns_used": names.occupied,
        "names_shared": shared,
        "names_kept": len(names.columns),
    }
