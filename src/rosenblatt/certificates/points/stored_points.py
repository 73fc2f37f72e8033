"""Points that do not fit into memory: code that needs all of them goes through them part by part."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.check_input import check_values, signs_of, two_classes
from rosenblatt.certificates.points.points import ExactNumber, Points
from rosenblatt.readers.block_rows import stack_rows, take_rows
from rosenblatt.readers.stored_examples import StoredExamples
from rosenblatt.records import Csr


class StoredPoints(Points):
    """Points in a temporary file; only their signs and one part of them at a time are in memory."""

    _examples: StoredExamples

    def __init__(self, examples: StoredExamples) -> None:
        labels = np.array(examples.labels)
        classes = two_classes(labels[np.unique(examples.codes)])
        signs = signs_of(labels, classes)[examples.codes]
        vars(self).update(_examples=examples, signs=signs, labels=classes)
        sizes = [(part.max_abs, part.max_row_entries, part.max_norm, part.fits_float64) for _, part in self.parts()]
        max_abs, max_row_entries, max_norm, fits_float64 = zip(*sizes, strict=True)
        vars(self).update(max_abs=max(max_abs), max_row_entries=max(max_row_entries), max_norm=max(max_norm))
        vars(self).update(fits_float64=all(fits_float64))

    @property
    def n_rows(self) -> int:
        return len(self.signs)

    @property
    def n_features(self) -> int:
        return self._examples.features

    @property
    def sparse(self) -> bool:
        return self._examples.sparse

    def parts(self) -> Iterator[tuple[int, Points]]:
        for first, matrix in self._examples.matrices():
            values = check_values(matrix)
            yield first, Points(values, self.signs[first : first + values.shape[0]], self.labels)

    def take(self, rows: NDArray[np.intp]) -> NDArray[Any] | Csr:
        order = np.argsort(rows, kind="stable")
        ascending = rows[order]
        parts: list[NDArray[Any] | Csr] = []
        for first, part in self.parts():
            start, end = np.searchsorted(ascending, (first, first + part.n_rows))
            if start < end:
                parts.append(part.take(ascending[start:end] - first))
            if end == len(ascending):
                break
        return take_rows(stack_rows(parts), np.argsort(order, kind="stable"))

    def exact_rows(self, rows: Sequence[int]) -> Iterator[dict[int, ExactNumber]]:
        return self.subset(np.array(rows, dtype=np.intp)).exact_rows(range(len(rows)))

    def exact_row(self, index: int) -> dict[int, ExactNumber]:
        return next(self.exact_rows([index]))

    def __repr__(self) -> str:
        return f"StoredPoints({self.n_rows:,} rows, {self.n_features:,} columns)"
