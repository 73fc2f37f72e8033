"""Rows of a table -> a matrix: the feature of each number, word, text and product."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from itertools import islice
from typing import Any, TypeAlias

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.block_rows import take_sparse_rows
from rosenblatt.readers.hashing.column_names import LIMIT, NameCollector
from rosenblatt.readers.hashing.cross import BETWEEN, Factor, Pair
from rosenblatt.readers.hashing.settings import hashed_column, hashing_settings, native_hashing
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.bad_rows import BadCells, product_too_large
from rosenblatt.readers.table.columns.layout import Layout
from rosenblatt.readers.table.parse_cells import Batch, WordColumn
from rosenblatt.readers.table.scale import Scaling, with_logs
from rosenblatt.records import Csr, FeatureSpace, Floats, Values, logs_of

# The code of each row, the feature of each code (None: the codes are features), and the value of each row (None: 1).
_Column: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32] | None, Floats | None]"


class Encoder:
    """Numbers the features in order of their first occurrence, row by row and in a row by column, so that no number
    depends on where a file or a batch ends; with the space of a model, unknown ones are left out."""

    scaling: Scaling | None = None
    _indicators: frozenset[str] | None = None  # columns of numbers whose missing values have a feature; None: all

    def __init__(
        self, layout: Layout, reading: ReadOptions, model_space: FeatureSpace | None, pairs: Sequence[Pair] = ()
    ) -> None:
        self._layout, self._pairs, self._model_space = layout, pairs, model_space
        self._fixed = model_space is not None and not reading.grow
        self._n_numbers = len(layout.numbers)
        self._vocabulary: dict[str, int] = {}
        self._hashing = hashing_settings(reading, model_space) if layout.texts else None
        bits = self._hashing.bits if self._hashing else 0
        collect = bool(self._hashing) and (not self._fixed or reading.name_rows)
        counted = [column - self._n_numbers for column in reading.count_names if column >= self._n_numbers]
        self._names = NameCollector(bits, collect=collect, count=counted)
        self._word_names: dict[int, str] = {}  # hashed column -> word or product
        self._first_text = None if model_space is None else model_space.settings.get("first_text")
        self.unknown_words: dict[str, tuple[int, str]] = {}  # column -> cells with a word of no feature, and the first
        self.unmarked_gaps: dict[str, int] = {}  # column -> missing numbers without an indicator
        if model_space is not None:
            if "missing" in model_space.settings.get("columns", {}):
                self._indicators = frozenset(model_space.settings["columns"]["missing"])
            self._vocabulary = {name: j for j, name in enumerate(model_space.columns) if j >= self._n_numbers}
            if model_space.shift is not None and model_space.scale is not None:
                logs = {layout.numbers.index(column): (log[0], log[1]) for column, log in logs_of(model_space).items()}
                shift, scale = (array[: self._n_numbers] for array in (model_space.shift, model_space.scale))
                self.scaling = Scaling(shift, scale, logs)
        # Products of numbers have their columns from the beginning: a table of nothing but numbers stays dense.
        self._number_pairs = [pair for pair in pairs if set(pair) <= set(layout.numbers)]
        for a, b in self._number_pairs:
            self._feature(a + BETWEEN + b)

    def expect_missing(self, columns: Sequence[str]) -> None:
        """Only these columns of numbers get an indicator of missing values; elsewhere a missing one is the mean.

        Where there are no words, the indicators have their columns from the beginning, so that all blocks are alike.
        """
        self._indicators = frozenset(columns)
        for column in columns if self._layout.dense else ():
            self._feature(f"{column}=missing")

    def space(self, **settings: Any) -> FeatureSpace:
        known = self._model_space
        if known is not None and self._fixed:
            return known
        layout, hashing = self._layout, self._hashing
        columns = (*layout.numbers, *self._vocabulary)
        settings |= {"numbers": list(layout.numbers), "words": list(layout.words), "texts": list(layout.texts)}
        if layout.dates:
            settings["dates"] = {column: list(astuple(form)) for column, form in layout.dates.items()}
        if layout.written:
            settings["written"] = {column: list(astuple(form)) for column, form in layout.written.items()}
        if self._pairs:
            settings["cross"] = [list(pair) for pair in self._pairs]
        shift = scale = None
        if self.scaling is not None:
            shift, scale = np.zeros(len(columns)), np.ones(len(columns))
            shift[: self._n_numbers], scale[: self._n_numbers] = self.scaling.shift, self.scaling.scale
        if hashing is None:
            return FeatureSpace("columns", columns=columns, shift=shift, scale=scale, settings=settings)
        names = ChainMap(self._word_names, self._names.by_column(self._n_numbers))  # type: ignore[arg-type]
        if known is not None:
            names = ChainMap(known.names, *names.maps)  # type: ignore[arg-type]
        settings |= {**hashing.for_model, "collisions": self._names.collisions()}
        return FeatureSpace(
            "columns",
            columns=columns,
            bits=hashing.bits,
            ngrams=hashing.ngrams,
            shift=shift,
            scale=scale,
            names=names,
            settings=settings,
        )

    def restart(self) -> None:
        """Forget the names of hashed columns, and what was counted, from a reading that was broken off."""
        self.unknown_words, self.unmarked_gaps = {}, {}
        if self._names.dictionary is not None:
            self._names.restart()
            self._word_names = {}

    @property
    def hashes(self) -> bool:
        """Whether some of its columns are hashed."""
        return self._hashing is not None

    def take_names(self) -> Mapping[int, str]:
        """The names of the hashed columns since they were last taken."""
        names = ChainMap(self._word_names, self._names.by_column(self._n_numbers))  # type: ignore[arg-type]
        self._names.restart()
        self._word_names = {}
        return names

    def common_names(self) -> Mapping[int, str]:
        return self._names.most_common(self._n_numbers)

    def finish(self) -> None:
        """Every name has occurred: later readings need not look."""
        self._names.finish()

    @property
    def features(self) -> int:
        if self._model_space is not None and self._fixed and not self._hashing:
            return len(self._model_space.columns)
        return self._n_numbers + (2**self._hashing.bits if self._hashing else len(self._vocabulary))

    def encode(self, batch: Batch, good: NDArray[np.bool_]) -> Values:
        """The matrix of the good rows: dense while there is nothing but numbers."""
        complete, in_numpy = bool(good.all()), bool(self._pairs) or self._layout.dense
        n_known = len(self._vocabulary)
        numbers = batch.numbers if complete and not (in_numpy and self.scaling is None) else batch.numbers[good]
        missing = np.isnan(numbers)
        if missing.any():
            self._count_unmarked(missing)
        columns: list[_Column] = [
            self._word_features(column, words.words, codes if complete else codes[good])
            for column, words in self._words(batch)
            for codes in (words.codes, *words.more_codes)
        ]
        columns += [(self._missing_feature(j, missing[:, j]), None, None) for j in self._with_missing(missing)]
        if in_numpy:
            numbers = self.scaled(numbers)
            numbers[missing] = 0.0
            products = self._products(batch, good, numbers, missing)
            if self._layout.dense and self.features == self._n_numbers + len(self._number_pairs):
                return np.column_stack([numbers, *(values for _, values in products)]) if products else numbers
            columns += [(features, None, values) for features, values in products]
            columns = self._numbered_by_rows(columns, n_known)
            rows = Csr(*native.encode_table(numbers, None, None, columns), self.features)
        else:
            scaling = self.scaling
            shift, scale = (None, None) if scaling is None else (scaling.shift, scaling.scale)
            numbers = numbers if scaling is None else with_logs(numbers, scaling.logs)
            columns = self._numbered_by_rows(columns, n_known)
            rows = Csr(*native.encode_table(numbers, shift, scale, columns), self.features)
        return self._with_texts(rows, batch, good) if self._hashing else rows

    def _numbered_by_rows(self, columns: list[_Column], n_known: int) -> list[_Column]:
        """Renumber the new features, which were numbered column by column, in the order of the rows."""
        n_new = len(self._vocabulary) - n_known
        if n_new < 2:
            return columns
        start = self._n_numbers + n_known
        occurrence = np.full(n_new, np.iinfo(np.int64).max)  # row and column of the first one
        for k, (codes, features, _) in enumerate(columns):
            if features is not None and not (features >= start).any():
                continue
            rows = np.flatnonzero(codes >= 0)
            of_rows = codes[rows] if features is None else features[codes[rows]]
            is_new = of_rows >= start
            np.minimum.at(occurrence, of_rows[is_new] - start, rows[is_new] * len(columns) + k)
        order = np.argsort(occurrence)
        names = list(islice(reversed(self._vocabulary), n_new))[::-1]
        for name in names:
            del self._vocabulary[name]
        self._vocabulary |= {names[old]: start + new for new, old in enumerate(order.tolist())}
        number = np.empty(n_new, dtype=np.int32)
        number[order] = np.arange(start, start + n_new)

        def numbered(features: NDArray[np.int32]) -> NDArray[np.int32]:
            return np.where(features < start, features, number[np.maximum(features - start, 0)])

        return [
            (numbered(codes) if features is None else codes, None if features is None else numbered(features), values)
            for codes, features, values in columns
        ]

    def _products(
        self, batch: Batch, good: NDArray[np.bool_], numbers: Floats, missing: NDArray[np.bool_]
    ) -> list[tuple[NDArray[np.int32], Floats]]:
        """The product feature of each row and its value, for each pair of factors of crossed columns."""
        if not self._pairs:
            return []
        word_columns = dict(self._words(batch))

        def factors_of(column: str) -> list[Factor]:
            if column in word_columns:
                words = word_columns[column]
                names = [f"{column}={word}" for word in words.words]
                return [Factor(codes[good], names) for codes in (words.codes, *words.more_codes)]
            j = self._layout.numbers.index(column)
            factors = [Factor(np.zeros(len(numbers), dtype=np.int32), [column], numbers[:, j])]
            if j in self._with_missing(missing):
                factors.append(Factor(missing[:, j].astype(np.int32) - 1, [f"{column}=missing"]))
            return factors

        factors = {column: factors_of(column) for pair in self._pairs for column in pair}
        return [left.times(right, self._feature) for a, b in self._pairs for left in factors[a] for right in factors[b]]

    def overflowing_products(self, batch: Batch) -> BadCells:
        """Rows in which the product of two crossed numbers overflows."""
        bad = []
        for a, b in self._number_pairs:
            left, right = (self.scaled(batch.numbers)[:, self._layout.numbers.index(column)] for column in (a, b))
            with np.errstate(over="ignore"):
                rows = np.flatnonzero(np.isinf(left * right)).tolist()
            bad += [(row, product_too_large(a, b)) for row in rows]
        return bad

    def scaled(self, numbers: Floats) -> Floats:
        return numbers if self.scaling is None else self.scaling.apply(numbers)

    def _words(self, batch: Batch) -> list[tuple[str, WordColumn]]:
        return list(zip(self._layout.word_columns, batch.words, strict=True))

    def _word_features(self, column: str, words: Sequence[str], codes: NDArray[np.int32]) -> _Column:
        """The feature of each code; -1 where it has none."""
        features = np.full(len(words), -1, dtype=np.int32)
        codes = np.ascontiguousarray(codes)
        order, counts = native.codes_in_order(codes, len(words))
        for code in order.tolist():
            features[code] = self._feature(f"{column}={words[code]}")
            if features[code] < 0:
                count, first = self.unknown_words.get(column, (0, words[code]))
                self.unknown_words[column] = count + int(counts[code]), first
        return codes, features, None

    def _count_unmarked(self, missing: NDArray[np.bool_]) -> None:
        counts = missing.sum(axis=0)
        for j in np.flatnonzero(counts).tolist():
            column = self._layout.numbers[j]
            if not self._is_indicator(column) and column not in self._layout.absent:
                self.unmarked_gaps[column] = self.unmarked_gaps.get(column, 0) + int(counts[j])

    def _with_missing(self, missing: NDArray[np.bool_]) -> list[int]:
        """The columns of numbers in which some are missing, and which have an indicator of it."""
        columns: list[int] = np.flatnonzero(missing.any(axis=0)).tolist()
        return [j for j in columns if self._is_indicator(self._layout.numbers[j])]

    def _is_indicator(self, column: str) -> bool:
        """Whether a missing number of this column has a feature."""
        if self._fixed and self._hashing is None:
            return f"{column}=missing" in self._vocabulary
        return self._indicators is None or column in self._indicators

    def _missing_feature(self, j: int, rows: NDArray[np.bool_]) -> NDArray[np.int32]:
        return np.where(rows, self._feature(f"{self._layout.numbers[j]}=missing"), -1).astype(np.int32)

    def _feature(self, name: str) -> int:
        if self._hashing is not None:
            column = hashed_column(name, self._hashing.bits, self._n_numbers)
            if self._names.dictionary is not None and len(self._word_names) < LIMIT:
                self._word_names.setdefault(column, name)
            return column
        if self._fixed:
            return self._vocabulary.get(name, -1)
        return self._vocabulary.setdefault(name, self._n_numbers + len(self._vocabulary))

    def _with_texts(self, rows: Csr, batch: Batch, good: NDArray[np.bool_]) -> Csr:
        """The words and phrases of the texts after the other features of each row."""
        assert self._hashing is not None
        # The words of a single column of texts, or of one that was the only one at first, are hashed without a seed.
        alone = [*self._layout.texts] if len(self._layout.texts) == 1 else [self._first_text]
        columns = [
            (data, starts, 0 if column in alone else native.hash_name(column.encode(), 0))
            for column, (data, starts) in zip(self._layout.texts, batch.texts, strict=True)
        ]
        starts, indices, values, candidates = native.hash_columns(
            columns, native_hashing(self._hashing, self._n_numbers), self._names.dictionary
        )
        self._names.merge(candidates)
        texts = Csr(starts, indices, values, self.features)
        return _side_by_side(rows, texts if good.all() else take_sparse_rows(texts, np.flatnonzero(good)))


def _side_by_side(left: Csr, right: Csr) -> Csr:
    """Each row of the one followed by the same row of the other."""
    starts = left.indptr + right.indptr
    is_left = np.ones(int(starts[-1]), dtype=bool)
    after = np.repeat(left.indptr[1:], np.diff(right.indptr))
    is_left[after + np.arange(len(right.indices))] = False
    indices, values = np.empty(len(is_left), dtype=np.int32), np.empty(len(is_left))
    indices[is_left], indices[~is_left] = left.indices, right.indices
    values[is_left], values[~is_left] = left.values, right.values
    return Csr(starts.astype(np.int64), indices, values, left.features)
