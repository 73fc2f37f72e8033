"""Arrays saved by numpy and scipy: npy and npz, mapped into memory where possible.

An npy file holds one matrix, whose last column is the label unless another is named. An npz file holds a matrix and
its labels under two names, or a sparse matrix as scipy saves it. Pickled objects are never loaded.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from rosenblatt.errors import DataError, ModelError, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.readers.input_file import InputFile, plain_path
from rosenblatt.readers.labels_file import read_labels
from rosenblatt.readers.source import FileSource, ReadOptions
from rosenblatt.readers.table.scale import Moments, scaled
from rosenblatt.records import Csr, FeatureSpace, SourceBlock, Values

_NPY = b"\x93NUMPY"
_CELLS = 1 << 18  # of a dense block, approximately: two megabytes
_SPARSE_ROWS = 1 << 14
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

    def _arrays(self, file: InputFile, reading: ReadOptions, features: int | None) -> tuple[Any, NDArray[Any] | None]:
        """The matrix and the labels; `features` is the width of a model, whose examples need no labels."""
        arrays = _load(file, plain_path(file, self.format))
        return _matrix_and_labels(file.name, arrays, reading, features)

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
        n_given = 0
        n_rows = max(1, self._matrix.shape[0])
        for start, rows in self._slices():
            good = self._good_rows(rows, start)
            values = rows if good.all() else take_rows(rows, np.flatnonzero(good))
            labels = self._label_positions(start, len(good))[good]
            if len(labels):
                bytes_read = (self.size or 0) * (start + len(good)) // n_rows
                yield SourceBlock(self._scaled(values), labels, None, n_given, bytes_read)
            n_given += len(labels)
        if n_given == 0:
            raise DataError(f"{self.name}: holds no examples.", file=self.name)

    @property
    def _is_scaled(self) -> bool:
        """Whether the columns are to be scaled; where nothing is said, a matrix that is learned and is not sparse."""
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
        """Rows without NaN and infinity."""
        if isinstance(rows, Csr):
            good: NDArray[np.bool_] = np.ones(rows.shape[0], dtype=bool)
            bad = np.flatnonzero(~np.isfinite(rows.values))
            good[np.searchsorted(rows.indptr, bad, side="right") - 1] = False
        else:
            good = np.asarray(np.isfinite(rows).all(axis=1))
        for row in np.flatnonzero(~good).tolist():
            what = f"{self.name}: row {start + row} (from 0) holds NaN or infinity"
            advice = f"correct it, or skip such rows with {option('on_bad_row', 'skip')}"
            self.skip_or_raise(start + row, what, DataError(f"{what}; {advice}.", file=self.name))
        return good

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
    """
    >>> [_label_text(label) for label in (np.float32(1), np.int8(-3), np.str_("ham"), np.bytes_(b"spam"))]
    ['1.0', '-3', 'ham', 'spam']
    """
    return label.decode("utf-8", errors="replace") if isinstance(label, bytes) else str(label.item())


def _slice(rows: Csr, start: int, stop: int) -> Csr:
    first, last = int(rows.indptr[start]), int(rows.indptr[stop])
    indptr = rows.indptr[start : stop + 1].astype(np.int64) - first
    return Csr(indptr, rows.indices[first:last], np.asarray(rows.values[first:last], dtype=np.float64), rows.features)


def _load(file: InputFile, path: str) -> Mapping[str, NDArray[Any]]:
    """The arrays of the file by name; an npy file has one, named ''."""
    try:
        with Path(path).open("rb") as raw:
            if file.head.startswith(_NPY):
                _refuse_objects(raw)
                return {"": np.load(path, mmap_mode="r", allow_pickle=False)}
            if not zipfile.is_zipfile(raw):
                raise ValueError("it is neither an npy nor an npz file")
            with np.load(raw, allow_pickle=False) as archive:
                for name in archive.zip.namelist():
                    with archive.zip.open(name) as member:
                        _refuse_objects(member)
                return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        why = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"{file.name}: cannot be read: {why}.", file=file.name) from error


def _refuse_objects(npy: IO[bytes]) -> None:
    """An array of Python objects is pickled; its header says so."""
    version = np.lib.format.read_magic(npy)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    if read_header(npy)[2].hasobject:
        raise ValueError(
            "it holds pickled Python objects, which are never loaded; save plain arrays of numbers or words"
        )


def _matrix_and_labels(
    name: str, arrays: Mapping[str, NDArray[Any]], reading: ReadOptions, features: int | None
) -> tuple[Any, NDArray[Any] | None]:
    """The matrix and the labels; `features` is the width of a model, whose examples need no labels."""
    if "" in arrays:
        return _split_columns(name, arrays[""], reading, features)
    matrix = _matrix_in(name, arrays)
    label = _label_name(name, arrays, reading)
    if label is not None:
        return matrix, arrays[label]
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


def _matrix_in(name: str, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any] | Csr:
    if {"indptr", "indices", "shape", "format"} <= set(arrays):
        return _sparse(name, arrays)
    key = next((key for key in _MATRIX_NAMES if key in arrays and arrays[key].ndim == 2), None)
    if key is None:
        raise DataError(f"{name}: holds no matrix named X or data; its arrays are {_listed(arrays)}.", file=name)
    return _checked(name, arrays[key])


def _label_name(name: str, arrays: Mapping[str, NDArray[Any]], reading: ReadOptions) -> str | None:
    label = reading.label
    if not isinstance(label, str):
        return next((key for key in _LABEL_NAMES if key in arrays and arrays[key].ndim == 1), None)
    if label not in arrays:
        raise DataError(f"{name}: there is no array {label!r} of labels; its arrays are {_listed(arrays)}.", file=name)
    return label


def _split_columns(
    name: str, matrix: NDArray[Any], reading: ReadOptions, features: int | None
) -> tuple[Any, NDArray[Any] | None]:
    """A matrix without its label column, and that column; a file to predict may have none."""
    matrix = _checked(name, matrix)
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
    labels = np.asarray(matrix[:, column])
    return (matrix[:, :column] if column == count - 1 else _WithoutColumn(matrix, column)), labels


class _WithoutColumn:
    """A matrix without one column, copied only as far as it is read."""

    def __init__(self, matrix: NDArray[Any], column: int) -> None:
        self._matrix, self._column = matrix, column
        self.shape = (matrix.shape[0], matrix.shape[1] - 1)

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        return np.delete(self._matrix[rows], self._column, axis=1)


def _checked(name: str, matrix: NDArray[Any]) -> NDArray[Any]:
    if matrix.ndim != 2:
        raise DataError(
            f"{name}: holds an array of {matrix.ndim} dimensions; expected a matrix, with an example in each row.",
            file=name,
        )
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{name}: holds values of type {matrix.dtype}; expected numbers.", file=name)
    return matrix


def _sparse(name: str, arrays: Mapping[str, NDArray[Any]]) -> Csr:
    layout = arrays["format"].item()
    layout = layout.decode() if isinstance(layout, bytes) else layout
    if layout != "csr":
        raise DataError(
            f"{name}: holds a sparse matrix in the format {layout!r}; "
            "save it by rows: scipy.sparse.save_npz(file, X.tocsr()).",
            file=name,
        )
    n_rows, features = (int(n) for n in arrays["shape"])
    indptr, indices, values = arrays["indptr"], arrays["indices"], arrays["data"]
    valid = (
        len(indptr) == n_rows + 1 and len(indices) == len(values) == indptr[-1] and indptr[0] == 0
        and bool((np.diff(indptr) >= 0).all())
        and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < features))
    )  # fmt: skip
    if not valid:
        raise DataError(f"{name}: is damaged: the parts of its sparse matrix do not fit together.", file=name)
    return Csr(indptr.astype(np.int64), indices.astype(np.int32), values, features)


def _listed(arrays: Mapping[str, NDArray[Any]]) -> str:
    return ", ".join(f"{name!r} {array.shape}" for name, array in arrays.items()) or "none"
