"""Arrays saved by numpy and scipy: npy, read some rows at a time, and npz.

An npy file holds one matrix, whose last column is the label unless another is named. An npz file holds a matrix and
its labels under two names, or a sparse matrix as scipy saves it. Pickled objects are never loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from rosenblatt.errors import DataError, ModelError, ParameterError, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.block_rows import stack_sparse, take_rows
from rosenblatt.readers.formats.arrays.stored_arrays import StoredArray, damage_refused, stored_arrays
from rosenblatt.readers.formats.line_source import numbers_of_tokens, task_of_tokens
from rosenblatt.readers.inputs.input_file import InputFile, plain_path
from rosenblatt.readers.inputs.joined_file import JoinedFile
from rosenblatt.readers.labels_file import read_labels
from rosenblatt.readers.number_targets import LARGEST, Task, look_like_numbers, what_is_wrong
from rosenblatt.readers.source import FileSource, ReadOptions
from rosenblatt.readers.table.scale import Moments, scaled
from rosenblatt.records import Csr, FeatureSpace, Floats, SourceBlock, Values

_CELLS = 1 << 18  # in a dense block, approximately: two megabytes
_SPARSE_ROWS = 1 << 14
_HEAD_ROWS = 1000  # rows whose labels decide whether all labels are classes or numbers
_MATRIX_NAMES = ("X", "x", "data", "features", "arr_0")
_LABEL_NAMES = ("y", "Y", "labels", "label", "target", "targets", "arr_1")


class ArraySource(FileSource):
    bad_rows_shown = 5

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None) -> None:
        super().__init__(file, reading, model_space)
        known_features = None
        self._shift = self._scale = None
        if model_space is not None:
            known_features = len(model_space.columns) or model_space.settings.get("features")
            self._shift, self._scale = model_space.shift, model_space.scale
        self._parts: list[tuple[int, str]] = []  # for several files: the number of rows before each, and its name
        self._matrix, self._label_array = self._arrays(file, reading, known_features)
        n_rows, self._features = self._matrix.shape
        if known_features is not None and self._features != known_features:
            raise ModelError(
                f"{self.name}: has {self._features} columns, and the model was learned from {known_features}; "
                "give it examples of the same kind.",
                file=self.name,
            )
        if self._label_array is not None and len(self._label_array) != n_rows:
            raise DataError(
                f"{self.name}: has {n_rows} rows and {len(self._label_array)} labels; give one label for each row.",
                file=self.name,
            )
        if self.task is None:
            self.task = self._task_of_labels()

    def _arrays(self, file: InputFile, reading: ReadOptions, features: int | None) -> tuple[Any, NDArray[Any] | None]:
        """The matrix and the labels; `features` is the width of a model, whose examples need no labels."""
        if isinstance(file, JoinedFile):
            return self._joined_arrays(file, reading, features)
        plain_path(file, self.format)
        matrix, labels = _matrix_and_labels(file.name, stored_arrays(file), reading, features)
        if labels is not None and (labels.ndim != 1 or labels.dtype.kind not in "biufUS"):
            raise DataError(
                f"{file.name}: its labels are of type {labels.dtype} and shape {labels.shape}; expected one number or "
                "word for each row.",
                file=file.name,
            )
        return matrix, labels

    def _joined_arrays(
        self, file: JoinedFile, reading: ReadOptions, features: int | None
    ) -> tuple[Any, NDArray[Any] | None]:
        if reading.labels_from is not None:
            raise ParameterError(
                f"{file.name}: {option('labels_from')} gives the labels of one file of arrays, and there are "
                f"{len(file.parts)}: save the labels in each of them."
            )
        parts = [self._arrays(part.open(), reading, features) for part in file.parts]
        matrices = [matrix for matrix, _ in parts]
        labels = [of_part[: len(of_part)] for _, of_part in parts if of_part is not None]
        first = matrices[0]
        for part, matrix in zip(file.parts, matrices, strict=True):
            if matrix.shape[1] != first.shape[1] or isinstance(matrix, Csr) != isinstance(first, Csr):
                raise DataError(
                    f"{part.name}: has {matrix.shape[1]} columns{' and is sparse' * isinstance(matrix, Csr)}, and "
                    f"{file.parts[0].name} has {first.shape[1]}; give matrices of one kind.",
                    file=part.name,
                )
            self._parts.append((sum(matrix.shape[0] for matrix in matrices[: len(self._parts)]), part.name))
        joined = stack_sparse(matrices) if isinstance(first, Csr) else _Joined(matrices)
        return joined, np.concatenate(labels) if len(labels) == len(parts) else None

    @property
    def space(self) -> FeatureSpace:
        if self.model_space is not None:
            return self.model_space
        settings = {"format": self.format, "features": self._features}
        return FeatureSpace("index", shift=self._shift, scale=self._scale, settings=settings)

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        if self._is_scaled and self._shift is None:
            self._find_scale()
        self.forget_bad_rows()
        n_yielded = 0
        n_rows = max(1, self._matrix.shape[0])
        for start, rows in self._slices():
            good = self._good_rows(rows, start)
            if self.task == "number" and (self.model_space is None or self.reading.grow):
                good &= self._good_targets(start, good)
            values = rows if good.all() else take_rows(rows, np.flatnonzero(good))
            labels, targets = self._labels_and_targets(start, len(good), good)
            if len(labels):
                bytes_read = (self.size or 0) * (start + len(good)) // n_rows
                yield SourceBlock(self._scaled(values), labels, None, n_yielded, bytes_read, targets=targets)
            n_yielded += len(labels)
        if n_yielded == 0:
            raise DataError(f"{self.name}: holds no examples.", file=self.name)

    @property
    def _is_scaled(self) -> bool:
        """Whether to scale the columns; by default only those of a dense matrix that is learned."""
        if self.reading.scale is None:
            return self.reading.decide and not isinstance(self._matrix, Csr)
        return self.reading.scale

    def _slices(self) -> Iterator[tuple[int, Values]]:
        """Some rows at a time, and the number of the first of them."""
        n_rows, features = self._matrix.shape
        sparse = isinstance(self._matrix, Csr)
        step = _SPARSE_ROWS if sparse else max(1, min(_CELLS // max(1, features), 1 << 16))
        for start in range(0, n_rows, step):
            stop = min(n_rows, start + step)
            if isinstance(self._matrix, Csr):
                yield start, _slice(self._matrix, start, stop)
            else:
                yield start, np.ascontiguousarray(self._matrix[start:stop], dtype=np.float64)

    def _good_rows(self, rows: Values, start: int) -> NDArray[np.bool_]:
        """Which rows are free of NaN and infinity; the others raise, or are skipped and counted."""
        if isinstance(rows, Csr):
            good: NDArray[np.bool_] = np.ones(rows.shape[0], dtype=bool)
            bad = np.flatnonzero(~np.isfinite(rows.values))
            good[np.searchsorted(rows.indptr, bad, side="right") - 1] = False
        else:
            good = np.asarray(np.isfinite(rows).all(axis=1))
        for row in np.flatnonzero(~good).tolist():
            n_before, name = self._part_of(start + row)
            what = f"{name}: row {start + row - n_before} (from 0) holds NaN or infinity"
            advice = f"correct it, or skip such rows with {option('on_bad_row', 'skip')}"
            self.skip_or_raise(start + row, what, DataError(f"{what}; {advice}.", file=name))
        return good

    def _part_of(self, row: int) -> tuple[int, str]:
        """The file that holds this row: the number of rows before it, and its name."""
        return next((part for part in reversed(self._parts) if part[0] <= row), (0, self.name))

    def _labels_and_targets(
        self, start: int, count: int, good: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], Floats | None]:
        if self.task != "number":
            return self._label_positions(start, count)[good], None
        targets = self._targets(start, count)[good]
        return np.where(np.isnan(targets), -1, 0).astype(np.int32), np.nan_to_num(targets)

    def _targets(self, start: int, count: int) -> Floats:
        """The target of each row; NaN where there is none that can be learned."""
        if self._label_array is None:
            return np.full(count, np.nan)
        labels = self._label_array[start : start + count]
        if labels.dtype.kind in "US":
            return numbers_of_tokens([_label_text(label).encode() for label in labels])[0]
        numbers = np.array(labels, dtype=np.float64)
        numbers[~(np.abs(numbers) <= LARGEST)] = np.nan
        return numbers

    def _good_targets(self, start: int, good: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows have a target that can be learned; others in `good` raise, or are skipped and counted."""
        missing = np.isnan(self._targets(start, len(good)))
        for row in np.flatnonzero(missing & good).tolist():
            n_before, name = self._part_of(start + row)
            label = "" if self._label_array is None else _label_text(self._label_array[start : start + len(good)][row])
            what = f"{name}: row {start + row - n_before} (from 0): {what_is_wrong(label)}"
            advice = f"or skip such rows with {option('on_bad_row', 'skip')}"
            self.skip_or_raise(start + row, what, DataError(f"{what}, {advice}.", file=name))
        return ~missing

    def _task_of_labels(self) -> Task:
        """Whether the labels are classes or numbers to predict, decided by the first ones."""
        if self._label_array is None:
            return "classes"
        head = self._label_array[:_HEAD_ROWS]
        if head.dtype.kind not in "iuf":
            tokens, codes = np.unique(head, return_inverse=True)
            return task_of_tokens(codes, [_label_text(token).encode() for token in tokens], self.name) or "classes"
        values, counts = np.unique(head[np.isfinite(head)], return_counts=True)
        return "number" if look_like_numbers(values.tolist(), len(head), counts.tolist) else "classes"

    def _label_positions(self, start: int, count: int) -> NDArray[np.int32]:
        if self._label_array is None:
            return np.full(count, -1, dtype=np.int32)
        labels = self._label_array[start : start + count]
        distinct, first_row, inverse = np.unique(labels, return_index=True, return_inverse=True)
        order = np.argsort(first_row)
        positions = np.empty(len(distinct), dtype=np.int32)
        positions[order] = self.numbering.positions([_label_text(distinct[i]).encode() for i in order.tolist()])
        return positions[inverse.ravel()]

    def _scaled(self, values: Values) -> Values:
        if self._shift is None or self._scale is None or isinstance(values, Csr):
            return values
        return scaled(values, self._shift, self._scale)

    def _find_scale(self) -> None:
        if isinstance(self._matrix, Csr):
            raise DataError(
                f"{self.name}: {option('scale', True)} would make a sparse matrix dense; leave it out here.",
                file=self.name,
            )
        moments = Moments(self._features)
        for _, rows in self._slices():
            assert not isinstance(rows, Csr)
            moments.add(np.where(np.isfinite(rows), rows, np.nan))
        self._shift, self._scale = moments.shift_and_scale()


def _label_text(label: Any) -> str:
    """A label as text.

    >>> [_label_text(label) for label in (np.float32(1), np.int8(-3), np.str_("ham"), np.bytes_(b"spam"))]
    ['1.0', '-3', 'ham', 'spam']
    """
    return label.decode("utf-8", errors="replace") if isinstance(label, bytes) else str(label.item())


def _slice(rows: Csr, start: int, stop: int) -> Csr:
    first, last = int(rows.indptr[start]), int(rows.indptr[stop])
    indptr = rows.indptr[start : stop + 1].astype(np.int64) - first
    return Csr(indptr, rows.indices[first:last], np.asarray(rows.values[first:last], dtype=np.float64), rows.features)


def _matrix_and_labels(
    name: str, arrays: Mapping[str, StoredArray], reading: ReadOptions, features: int | None
) -> tuple[Any, NDArray[Any] | None]:
    """The matrix and the labels; `features` is the width of a model, whose examples need no labels."""
    if "" in arrays:
        return _split_columns(name, _checked(name, arrays[""]), reading, features)
    matrix = _matrix_in(name, arrays)
    label = _label_name(name, arrays, reading)
    if label is not None:
        return matrix, arrays[label].load()
    if reading.labels_from is not None:
        return matrix, np.array(read_labels(reading.labels_from))
    if isinstance(matrix, Csr):
        if features is None:
            raise DataError(
                f"{name}: holds no labels; give a second file with one label a line, with {option('labels_from')}.",
                file=name,
            )
        return matrix, None
    if isinstance(reading.label, int):
        return _split_columns(name, matrix, reading, features)
    if features is None:
        raise DataError(
            f"{name}: holds no array of labels named y, labels or target; name it with {option('label')}, give the "
            f"position of a column of the matrix, such as {option('label', -1)}, or a second file with one label a "
            f"line, with {option('labels_from')}.",
            file=name,
        )
    has_label_column = matrix.shape[1] == features + 1
    return _split_columns(name, matrix, reading, features) if has_label_column else (matrix, None)


def _matrix_in(name: str, arrays: Mapping[str, StoredArray]) -> Any:
    if {"indptr", "indices", "shape", "format"} <= set(arrays):
        return _sparse(name, arrays)
    key = next((key for key in _MATRIX_NAMES if key in arrays and arrays[key].ndim == 2), None)
    if key is None:
        raise DataError(f"{name}: holds no matrix named X or data; its arrays are {_listed(arrays)}.", file=name)
    return _checked(name, arrays[key])


def _label_name(name: str, arrays: Mapping[str, StoredArray], reading: ReadOptions) -> str | None:
    label = reading.label
    if not isinstance(label, str):
        return next((key for key in _LABEL_NAMES if key in arrays and arrays[key].ndim == 1), None)
    if label not in arrays:
        raise DataError(f"{name}: there is no array {label!r} of labels; its arrays are {_listed(arrays)}.", file=name)
    return label


def _split_columns(name: str, matrix: Any, reading: ReadOptions, features: int | None) -> tuple[Any, Any]:
    """A matrix without its label column, and that column; a file to predict may have none."""
    if reading.labels_from is not None:
        return matrix, np.array(read_labels(reading.labels_from))
    count = matrix.shape[1]
    if features is not None and count == features and reading.label is None:
        return matrix, None
    try:
        column = range(count)[-1 if reading.label is None else int(reading.label)]
    except (ValueError, IndexError):
        raise DataError(
            f"{name}: there is no label column {reading.label!r}; give its position, 0 to {count - 1}.", file=name
        ) from None
    return _WithoutColumn(matrix, column), _Column(matrix, column)


class _Joined:
    """Matrices stacked vertically. A slice is copied only if it spans two of them."""

    def __init__(self, matrices: Sequence[Any]) -> None:
        self._matrices = matrices
        self._ends = list(accumulate(matrix.shape[0] for matrix in matrices))
        self.shape = (self._ends[-1], matrices[0].shape[1])

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        starts = [0, *self._ends]
        parts = [
            matrix[max(rows.start - start, 0) : rows.stop - start]
            for matrix, start, end in zip(self._matrices, starts, self._ends, strict=False)
            if start < rows.stop and rows.start < end
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


class _WithoutColumn:
    """A matrix without one column. Only the rows that are read are copied."""

    def __init__(self, matrix: Any, column: int) -> None:
        self._matrix, self._column = matrix, column
        self.shape = (matrix.shape[0], matrix.shape[1] - 1)

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        values: NDArray[Any] = self._matrix[rows]
        last = self._column == values.shape[1] - 1
        return values[:, :-1] if last else np.delete(values, self._column, axis=1)


class _Column:
    """One column of a matrix."""

    ndim = 1

    def __init__(self, matrix: Any, column: int) -> None:
        self._matrix, self._column = matrix, column
        self.dtype, self.shape = matrix.dtype, matrix.shape[:1]

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        column: NDArray[Any] = self._matrix[rows][:, self._column]
        return column


def _checked(name: str, matrix: StoredArray) -> Any:
    """The matrix; DataError if it is not a matrix of numbers."""
    if matrix.ndim != 2:
        raise DataError(
            f"{name}: holds an array of {matrix.ndim} dimensions; expected a matrix, with an example in each row.",
            file=name,
        )
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{name}: holds values of type {matrix.dtype}; expected numbers.", file=name)
    return matrix.load()


def _sparse(name: str, arrays: Mapping[str, StoredArray]) -> Csr:
    with damage_refused(name):
        layout = arrays["format"].load().item()
        layout = layout.decode() if isinstance(layout, bytes) else layout
        if layout != "csr":
            raise DataError(
                f"{name}: holds a sparse matrix in the format {layout!r}; "
                "save it by rows: scipy.sparse.save_npz(file, X.tocsr()).",
                file=name,
            )
        n_rows, features = (int(n) for n in arrays["shape"].load())
        indptr, indices, values = (arrays[part].load() for part in ("indptr", "indices", "data"))
        if not _is_csr(indptr, indices, values, n_rows, features):
            raise DataError(f"{name}: is damaged: the parts of its sparse matrix do not fit together.", file=name)
        index_type = np.int32 if features <= 2**31 else np.int64
        return Csr(indptr.astype(np.int64), indices.astype(index_type), values, features)


def _is_csr(indptr: NDArray[Any], indices: NDArray[Any], values: NDArray[Any], n_rows: int, features: int) -> bool:
    flat = indptr.ndim == indices.ndim == values.ndim == 1
    if not flat or indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu" or values.dtype.kind not in "biuf":
        return False
    return bool(
        len(indptr) == n_rows + 1 and len(indices) == len(values) == indptr[-1] and indptr[0] == 0
        and (indptr[1:] >= indptr[:-1]).all()
        and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < features))
    )  # fmt: skip


def _listed(arrays: Mapping[str, StoredArray]) -> str:
    return ", ".join(f"{name!r} {array.shape}" for name, array in arrays.items()) or "none"
