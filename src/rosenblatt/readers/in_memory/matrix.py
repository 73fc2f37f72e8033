"""A numpy matrix or a sparse one as a source, read as the same matrix in an npy or npz file would be."""

from __future__ import annotations

from typing import Any

from rosenblatt.input_checks import not_finite
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.formats.arrays.npy import ArraySource
from rosenblatt.readers.in_memory.targets import NAME, MemorySource, Targets
from rosenblatt.readers.inputs.input_file import InputFile, MemoryFile
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr, FeatureSpace, Values

FORMAT = "npy"  # of a model: it reads numbered features


class MemoryMatrix(MemorySource, ArraySource):
    """The rows of a matrix, copied a block at a time where they are not doubles, row after row."""

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
        """All rows; NaN and infinity are refused, and where they are is said as the other estimators say it."""
        values = rows.values if isinstance(rows, Csr) else rows
        finite = np.isfinite(values)
        if not finite.all():
            at = int(np.argmin(finite))
            if isinstance(rows, Csr):
                row, column = int(np.searchsorted(rows.indptr, at, side="right")) - 1, int(rows.indices[at])
            else:
                row, column = divmod(at, rows.shape[1])
            raise not_finite(NAME, "NaN" if np.isnan(values.flat[at]) else "infinity", start + row, column)
        return np.ones(rows.shape[0], dtype=bool)
