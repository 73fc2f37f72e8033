"""Arrays saved by numpy and scipy -> chunks: npy and npz, read where they lie in the file as far as possible.

An npy file holds one matrix, its label column the last one unless another is asked for. An npz file holds a matrix and
its labels under two names, or a sparse matrix as scipy saves it. Pickled objects are never loaded.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import DataError, ModelError
from rosenblatt.lazy import np
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.labels import Labels
from rosenblatt.readers.source import BadRow, ReadOptions, Source
from rosenblatt.readers.table.scale import Moments, scaled
from rosenblatt.records import Csr, FeatureSpace, SourceBlock, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELLS = 1 << 18  # of a chunk, about: two megabytes
_MATRICES = ("X", "x", "data", "features", "arr_0")
_LABELS = ("y", "Y", "labels", "label", "target", "targets", "arr_1")
_SHOWN = 5


def open(opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    if opened.path is None or not opened.plain:
        raise DataError(
            f"{opened.name}: {reading.format} is read from a plain file, not from a stream or a packed file; "
            "save or unpack it and give that file."
        )
    return ArraySource(opened, reading, space)


class ArraySource(Source):
    def __init__(self, opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> None:
        self.format = reading.format or "npy"
        self.name, self.size, self.rewindable = opened.name, opened.size, opened.rewindable
        self.skipped, self.bad_rows = 0, []
        self._reading, self._known = reading, space
        features = None if space is None else len(space.columns) or space.settings.get("features")
        arrays = _load(opened)
        self._matrix, self._labels = _split(opened.name, arrays, reading, features)
        self._features = self._matrix.shape[1]
        if features is not None and self._features != features:
            raise ModelError(
                f"{self.name}: has {self._features} columns, and the model was learned from {features}; "
                "give it examples of its own kind."
            )
        if self._labels is not None and len(self._labels) != self._matrix.shape[0]:
            raise DataError(
                f"{self.name}: {self._matrix.shape[0]} rows and {len(self._labels)} labels; there must be as many."
            )
        self._shift = None if space is None else space.shift
        self._scale = None if space is None else space.scale
        self._numbering = Labels(self.name, reading.classes)
        self.labels = self._numbering.met

    @property
    def space(self) -> FeatureSpace:
        if self._known is not None:
            return self._known
        settings = {"format": self.format, "features": self._features}
        return FeatureSpace("index", shift=self._shift, scale=self._scale, settings=settings)

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        if self._reading.scale and self._shift is None:
            self._measure()
        self.skipped, self.bad_rows = 0, []
        given = 0
        total = max(1, self._matrix.shape[0])
        for start, rows in self._blocks():
            kept = self._kept(rows, start)
            values = _rows_of(rows, kept)
            labels = self._codes(start, len(kept))[kept]
            if len(labels):
                yield SourceBlock(
                    self._scaled(values), labels, None, given, (self.size or 0) * (start + len(kept)) // total
                )
            given += len(labels)
        if given == 0:
            raise DataError(f"{self.name}: holds no examples.")

    def _blocks(self) -> Iterator[tuple[int, Values]]:
        count, features = self._matrix.shape
        step = max(1, min(_CELLS // max(1, features), 1 << 16)) if not isinstance(self._matrix, Csr) else 1 << 14
        for start in range(0, count, step):
            stop = min(count, start + step)
            if isinstance(self._matrix, Csr):
                yield start, _slice(self._matrix, start, stop)
            else:
                yield start, np.ascontiguousarray(self._matrix[start:stop], dtype=np.float64)

    def _kept(self, rows: Values, start: int) -> NDArray[np.bool_]:
        """Rows without NaN and infinity."""
        if isinstance(rows, Csr):
            kept: NDArray[np.bool_] = np.ones(rows.shape[0], dtype=bool)
            bad = np.flatnonzero(~np.isfinite(rows.values))
            kept[np.searchsorted(rows.indptr, bad, side="right") - 1] = False
        else:
            kept = np.asarray(np.isfinite(rows).all(axis=1))
        for row in np.flatnonzero(~kept).tolist():
            self._refuse(
                start + row,
                f"{self.name}: row {start + row} (from 0) holds NaN or infinity; "
                "mend it, or leave such rows out with --on-bad-row skip.",
            )
        return kept

    def _refuse(self, row: int, sentence: str) -> None:
        if self._reading.on_bad_row == "fail":
            raise DataError(sentence)
        self.skipped += 1
        if len(self.bad_rows) < _SHOWN:
            self.bad_rows.append(BadRow(row, sentence))

    def _codes(self, start: int, count: int) -> NDArray[np.int32]:
        if self._labels is None:
            return np.full(count, -1, dtype=np.int32)
        values, first, codes = np.unique(self._labels[start : start + count], return_index=True, return_inverse=True)
        order = np.argsort(first)
        numbers = np.empty(len(values), dtype=np.int32)
        numbers[order] = self._numbering.positions([_written(values[at]).encode() for at in order.tolist()])
        return numbers[codes.ravel()]

    def _scaled(self, values: Values) -> Values:
        if self._shift is None or self._scale is None or isinstance(values, Csr):
            return values
        return scaled(values, self._shift, self._scale)

    def _measure(self) -> None:
        if isinstance(self._matrix, Csr):
            raise DataError(
                f"{self.name}: --scale would fill a sparse matrix with numbers other than 0; leave it out here."
            )
        moments = Moments(self._features)
        for _, rows in self._blocks():
            assert not isinstance(rows, Csr)
            moments.add(np.where(np.isfinite(rows), rows, np.nan))
        self._shift, self._scale = moments.shift_and_scale()


def _written(label: Any) -> str:
    """
    >>> _written(np.float32(1)), _written(np.int8(-3)), _written(np.str_("ham")), _written(np.bytes_(b"spam"))
    ('1.0', '-3', 'ham', 'spam')
    """
    return label.decode("utf-8", errors="replace") if isinstance(label, bytes) else str(label.item())


def _rows_of(rows: Values, kept: NDArray[np.bool_]) -> Values:
    if kept.all():
        return rows
    if not isinstance(rows, Csr):
        return rows[kept]
    counts = np.diff(rows.indptr)
    of_kept = np.repeat(kept, counts)
    starts = np.concatenate([[0], np.cumsum(counts[kept])]).astype(np.int64)
    return Csr(starts, rows.indices[of_kept], rows.values[of_kept], rows.features)


def _slice(rows: Csr, start: int, stop: int) -> Csr:
    first, last = int(rows.indptr[start]), int(rows.indptr[stop])
    starts = rows.indptr[start : stop + 1].astype(np.int64) - first
    return Csr(starts, rows.indices[first:last], np.asarray(rows.values[first:last], dtype=np.float64), rows.features)


def _load(opened: InputFile) -> Mapping[str, NDArray[Any]]:
    """The arrays of the file by name; an npy file has one, named ''."""
    path = opened.path or ""
    try:
        if opened.head.startswith(b"\x93NUMPY"):
            return {"": np.load(path, mmap_mode="r", allow_pickle=False)}
        with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as fault:
        why = " ".join(str(fault).split()).rstrip(".")
        if "allow_pickle" in why or "Python objects" in why:
            why = "it holds pickled Python objects, which are never loaded; save plain arrays of numbers or words"
        raise DataError(f"{opened.name}: cannot be read: {why}.") from fault


def _split(
    name: str, arrays: Mapping[str, NDArray[Any]], reading: ReadOptions, features: int | None
) -> tuple[Any, NDArray[Any] | None]:
    """The matrix and the labels, if there are any."""
    if "" in arrays:
        return _split_columns(name, arrays[""], reading, features)
    if {"indptr", "indices", "shape", "format"} <= set(arrays):
        matrix: Any = _sparse(name, arrays)
    else:
        found = next((key for key in _MATRICES if key in arrays and arrays[key].ndim == 2), None)
        if found is None:
            raise DataError(f"{name}: holds no matrix named X or data; its arrays are {_listed(arrays)}.")
        matrix = _checked(name, arrays[found])
    asked = reading.label if isinstance(reading.label, str) else None
    if asked is not None and asked not in arrays:
        raise DataError(f"{name}: there is no array {asked!r} of labels; its arrays are {_listed(arrays)}.")
    label = asked or next((key for key in _LABELS if key in arrays and arrays[key].ndim == 1), None)
    if label is not None:
        return matrix, arrays[label]
    if reading.labels_from is not None:
        return matrix, _labels_from(reading.labels_from)
    if isinstance(reading.label, int) and not isinstance(matrix, Csr):
        return _split_columns(name, matrix, reading, features)
    if features is None and isinstance(matrix, Csr):
        raise DataError(f"{name}: holds no labels; give them in a second file, one a line, with --labels-from.")
    if features is None:
        raise DataError(
            f"{name}: holds no array of labels named y, labels or target; name it with --label, count a column of the "
            "matrix with --label -1, or give a second file of one label a line with --labels-from."
        )
    labelled = not isinstance(matrix, Csr) and matrix.shape[1] == features + 1  # as it was learned, with its labels
    return _split_columns(name, matrix, reading, features) if labelled else (matrix, None)


def _split_columns(
    name: str, matrix: NDArray[Any], reading: ReadOptions, features: int | None
) -> tuple[Any, NDArray[Any] | None]:
    """A matrix whose last column, or the one asked for, is the label; a file to be predicted may have none."""
    matrix = _checked(name, matrix)
    if reading.labels_from is not None:
        return matrix, _labels_from(reading.labels_from)
    count = matrix.shape[1]
    if features is not None and count == features and reading.label is None:
        return matrix, None
    try:
        at = range(count)[-1 if reading.label is None else int(reading.label)]
    except (ValueError, IndexError):
        raise DataError(
            f"{name}: there is no label column {reading.label!r}; give its position, 0 to {count - 1}."
        ) from None
    labels = np.asarray(matrix[:, at])
    return (matrix[:, :at] if at == count - 1 else _Without(matrix, at)), labels


class _Without:
    """A matrix without one column, copied only as far as it is read."""

    def __init__(self, matrix: NDArray[Any], column: int) -> None:
        self._matrix, self._column = matrix, column
        self.shape = (matrix.shape[0], matrix.shape[1] - 1)

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        return np.delete(self._matrix[rows], self._column, axis=1)


def _checked(name: str, matrix: NDArray[Any]) -> NDArray[Any]:
    if matrix.ndim != 2:
        raise DataError(f"{name}: holds an array of {matrix.ndim} dimensions; examples are the rows of a matrix, of 2.")
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{name}: holds values of type {matrix.dtype}; examples are numbers.")
    return matrix


def _sparse(name: str, arrays: Mapping[str, NDArray[Any]]) -> Csr:
    form = arrays["format"].item()
    form = form.decode() if isinstance(form, bytes) else form
    if form != "csr":
        raise DataError(
            f"{name}: holds a sparse matrix by {form!r}; save it by rows: scipy.sparse.save_npz(file, X.tocsr())."
        )
    rows, features = (int(n) for n in arrays["shape"])
    starts, indices, values = arrays["indptr"], arrays["indices"], arrays["data"]
    sound = (
        len(starts) == rows + 1 and len(indices) == len(values) == starts[-1] and starts[0] == 0
        and bool((np.diff(starts) >= 0).all())
        and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < features))
    )  # fmt: skip
    if not sound:
        raise DataError(f"{name}: is damaged: the parts of its sparse matrix do not fit each other.")
    return Csr(starts.astype(np.int64), indices.astype(np.int32), values, features)


def _labels_from(path: str) -> NDArray[Any]:
    from rosenblatt.readers.labels_file import label_lines

    return np.array([label for block in label_lines(path) for label in block])


def _listed(arrays: Mapping[str, NDArray[Any]]) -> str:
    return ", ".join(f"{name!r} {array.shape}" for name, array in arrays.items()) or "none"
