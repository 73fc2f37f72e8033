"""Rows of a table -> a matrix: which feature each number, word and text is."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.readers.hashing.column_names import LIMIT, collisions, column_names
from rosenblatt.readers.hashing.cross import BETWEEN, Pair, Part
from rosenblatt.readers.hashing.settings import hashing_of, hashing_settings
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns import Coded, Layout, Prepared
from rosenblatt.readers.table.scale import scaled
from rosenblatt.records import Csr, FeatureSpace, Floats, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Encoder:
    """Grows with the words it meets, in the order it meets them, unless it was made for the space of a model."""

    shift: Floats | None = None
    scale: Floats | None = None

    def __init__(
        self, layout: Layout, reading: ReadOptions, space: FeatureSpace | None, pairs: Sequence[Pair] = ()
    ) -> None:
        self._layout, self._frozen, self._pairs = layout, space is not None, pairs
        self._numbers = len(layout.numbers)
        self._vocabulary: dict[str, int] = {}
        self._hash = hashing_settings(reading, space) if layout.texts else None
        self._names = native.Names(self._hash.bits, LIMIT) if self._hash and space is None else None
        self._word_names: dict[int, str] = {}
        self.named = False  # every name was met: a later reading need not look
        self._space = space
        if space is not None:
            self._vocabulary = {name: j for j, name in enumerate(space.columns) if j >= self._numbers}
            if space.shift is not None and space.scale is not None:
                self.shift, self.scale = space.shift[: self._numbers], space.scale[: self._numbers]
        # Products of numbers have a place from the beginning: a table of nothing but numbers stays dense.
        self._products = [pair for pair in pairs if set(pair) <= set(layout.numbers)]
        for a, b in self._products:
            self._feature(a + BETWEEN + b)

    def space(self, **settings: Any) -> FeatureSpace:
        if self._space is not None:
            return self._space
        columns = (*self._layout.numbers, *self._vocabulary)
        layout, hashed = self._layout, self._hash
        settings |= {"numbers": list(layout.numbers), "words": list(layout.words), "texts": list(layout.texts)}
        if self._pairs:
            settings["cross"] = [list(pair) for pair in self._pairs]
        shift, scale = np.zeros(len(columns)), np.ones(len(columns))
        if self.shift is not None and self.scale is not None:
            shift[: self._numbers], scale[: self._numbers] = self.shift, self.scale
        if hashed is None:
            scaled = (shift, scale) if self.shift is not None else (None, None)
            return FeatureSpace("columns", columns=columns, shift=scaled[0], scale=scaled[1], settings=settings)
        names = ChainMap(self._word_names, column_names(self._names, self._numbers))  # type: ignore[arg-type]
        settings |= {**hashed.settings, "collisions": dict(collisions(self._names))}
        return FeatureSpace(
            "columns",
            columns=columns,
            bits=hashed.bits,
            ngrams=hashed.ngrams,
            shift=shift if self.shift is not None else None,
            scale=scale if self.shift is not None else None,
            names=names,
            settings=settings,
        )

    def begin(self) -> None:
        """A reading from the beginning: one that was broken off leaves no names of hashed columns behind."""
        if self._names is not None and self._hash is not None and not self.named:
            self._names, self._word_names = native.Names(self._hash.bits, LIMIT), {}

    @property
    def features(self) -> int:
        if self._space is not None and not self._hash:
            return len(self._space.columns)
        return self._numbers + (2**self._hash.bits if self._hash else len(self._vocabulary))

    def values(self, prepared: Prepared, kept: NDArray[np.bool_]) -> Values:
        """The matrix of the rows that are kept: dense while there is nothing but numbers."""
        numbers = prepared.numbers[kept]
        missing = np.isnan(numbers)
        numbers = self._scaled(numbers)
        numbers[missing] = 0.0
        words = [self._lookup(column, coded, kept) for column, coded in self._words(prepared)]
        words += [self._missing(j, missing[:, j]) for j in np.flatnonzero(missing.any(axis=0)).tolist()]
        crossed = self._crossed(prepared, kept, numbers, missing)
        if self._layout.dense and self.features == self._numbers + len(self._products):
            return np.column_stack([numbers, *(product for _, product in crossed)]) if crossed else numbers
        own = np.tile(np.arange(self._numbers, dtype=np.int32), (len(numbers), 1))
        indices = np.column_stack([own, *words, *(features for features, _ in crossed)])
        values = np.column_stack([numbers, *(np.ones(len(numbers)) for _ in words), *(times for _, times in crossed)])
        stored = (indices >= 0) & (values != 0)
        starts = np.concatenate([[0], np.cumsum(stored.sum(axis=1))]).astype(np.int64)
        rows = Csr(starts, indices[stored], values[stored], self.features)
        return self._with_texts(rows, prepared, kept) if self._hash else rows

    def _crossed(
        self, prepared: Prepared, kept: NDArray[np.bool_], numbers: Floats, missing: NDArray[np.bool_]
    ) -> list[tuple[NDArray[np.int32], Floats]]:
        """For each two crossed columns the feature of each row that both have something in, and its value."""
        if not self._pairs:
            return []
        named = dict(self._words(prepared))

        def parts(column: str) -> list[Part]:
            if column in named:
                return [Part(named[column].codes[kept], [f"{column}={word}" for word in named[column].values])]
            j = self._layout.numbers.index(column)
            found = [Part(np.zeros(len(numbers), dtype=np.int32), [column], numbers[:, j])]
            if missing[:, j].any():
                found.append(Part(missing[:, j].astype(np.int32) - 1, [f"{column}=missing"]))
            return found

        each = {column: parts(column) for pair in self._pairs for column in pair}
        return [left.times(right, self._feature) for a, b in self._pairs for left in each[a] for right in each[b]]

    def too_large(self, prepared: Prepared) -> list[tuple[int, str]]:
        """Rows whose numbers are fine and whose crossed ones are not, and why."""
        found = []
        for a, b in self._products:
            left, right = (self._scaled(prepared.numbers)[:, self._layout.numbers.index(column)] for column in (a, b))
            with np.errstate(over="ignore"):
                rows = np.flatnonzero(np.isinf(left * right)).tolist()
            why = f"the product of columns {a!r} and {b!r}, which are crossed, is beyond the largest float; scale them"
            found += [(row, why) for row in rows]
        return found

    def _scaled(self, numbers: Floats) -> Floats:
        return numbers if self.shift is None or self.scale is None else scaled(numbers, self.shift, self.scale)

    def _words(self, prepared: Prepared) -> list[tuple[str, Coded]]:
        return list(zip(self._layout.words, prepared.words, strict=True))

    def _lookup(self, column: str, coded: Coded, kept: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The feature of each cell; -1 where it has none."""
        codes = coded.codes[kept]
        features = np.full(len(coded.values) + 1, -1, dtype=np.int32)
        present, first = np.unique(codes, return_index=True)
        for code in present[np.argsort(first)].tolist():
            if code >= 0:
                features[code] = self._feature(f"{column}={coded.values[code]}")
        return features[codes]

    def _missing(self, j: int, rows: NDArray[np.bool_]) -> NDArray[np.int32]:
        return np.where(rows, self._feature(f"{self._layout.numbers[j]}=missing"), -1).astype(np.int32)

    def _feature(self, name: str) -> int:
        if self._hash is not None:
            at = (native.hash_of(name.encode(), 0) >> (64 - self._hash.bits)) + self._numbers
            if len(self._word_names) < LIMIT and not self._frozen and not self.named:
                self._word_names.setdefault(at, name)
            return at
        if self._frozen:
            return self._vocabulary.get(name, -1)
        return self._vocabulary.setdefault(name, self._numbers + len(self._vocabulary))

    def _with_texts(self, rows: Csr, prepared: Prepared, kept: NDArray[np.bool_]) -> Csr:
        """The words and phrases of the texts after the other features of each row."""
        assert self._hash is not None
        several = len(self._layout.texts) > 1
        columns = [
            (data, starts, native.hash_of(column.encode(), 0) if several else 0)
            for column, (data, starts) in zip(self._layout.texts, prepared.texts, strict=True)
        ]
        starts, indices, values, candidates = native.hash_columns(
            columns, hashing_of(self._hash, self._numbers), None if self.named else self._names
        )
        if self._names is not None and not self.named:
            self._names.merge(candidates)
        if not kept.all():
            of_kept = np.repeat(kept, np.diff(starts))
            indices, values = indices[of_kept], values[of_kept]
            starts = np.concatenate([[0], np.cumsum(np.diff(starts)[kept])])
        return _beside(rows, Csr(starts, indices, values, self.features))


def _beside(left: Csr, right: Csr) -> Csr:
    """Each row of the one followed by the same row of the other."""
    starts = left.indptr + right.indptr
    here = np.ones(int(starts[-1]), dtype=bool)  # where the entries of the left come
    after = np.repeat(left.indptr[1:], np.diff(right.indptr))
    here[after + np.arange(len(right.indices))] = False
    indices, values = np.empty(len(here), dtype=np.int32), np.empty(len(here))
    indices[here], indices[~here] = left.indices, right.indices
    values[here], values[~here] = left.values, right.values
    return Csr(starts.astype(np.int64), indices, values, left.features)
