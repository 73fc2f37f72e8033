"""A numpy or sparse matrix as a source, read like the same matrix in an npy or npz file."""

from __future__ import annotations

from typing import Any

from rosenblatt.input_checks import not_finite
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.formats.arrays.npy import ArraySource
from rosenblatt.readers.in_memory.targets import NAME, MemorySource, Targets
from rosenblatt.readers.inputs.input_file import InputFile, MemoryFile
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr, FeatureSpace, Values

FORMAT = "npy"  # what a model that was learned from a matrix has as its format: it reads numbered features


class MemoryMatrix(MemorySource, ArraySource):
    """The rows of a matrix. A block is copied only if it is not stored as float64, row after row."""

    def __init__(
        self,
        values: Values,
        reading: ReadOptions,
        model_space: FeatureSpace | None = None,
        targets: Targets | None = None,
    ) -> None:
        self._values = values
        size = values.entries if isinstance(values, Csr) else values.size
        super().__init__(MemoryFile(NAME, 8 * size), reading._replace(format=FORMAT), model_space, targets)

    def _arrays(self, file: InputFile, reading: ReadOptions, features: int | None) -> tuple[Any, NDArray[Any] | None]:
        return self._values, None if self.targets is None else self.targets.codes

    def _good_rows(self, rows: Values, start: int) -> NDArray[np.bool_]:
        """All rows; NaN or infinity raises the same error, with its row and column, as in the other estimators."""
        values = rows.values if isinstance(rows, Csr) else rows
        finite = np.isfinite(values)
        if not finite.all():
            position = int(np.argmin(finite))
            if isinstance(rows, Csr):
                row, column = int(np.searchsorted(rows.indptr, position, side="right")) - 1, int(rows.indices[position])
            else:
                row, column = divmod(position, rows.shape[1])
            raise not_finite(NAME, "NaN" if np.isnan(values.flat[position]) else "infinity", start + row, column)
        return np.ones(rows.shape[0], dtype=bool)
