"""Labels of rows that may have several, written as lists or as columns of 0 and 1: as one column of joined labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc

from rosenblatt.errors import DataError, listed, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.several_labels import UNIT
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns.label_column import label_column

_APPLIES = ("1", "1.0", "true", "yes", "y", "t")
_DOES_NOT = ("0", "0.0", "false", "no", "n", "f", "", "na", "nan", "null", "none")


@dataclass(frozen=True)
class LabelCells:
    """Which columns hold the labels: several columns of 0 and 1, or one column of lists."""

    file: str
    columns: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of the column that they become."""
        return ",".join(self.columns)

    def remaining(self, columns: Sequence[str]) -> list[str]:
        """The columns of the table with one column of labels, the last."""
        return [*(column for column in columns if column not in self.columns), self.label]

    def joined(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with the labels of each row in one column, with a separator that no text has between them."""
        cells = [batch.column(column) for column in self.columns]
        labels = _join_lists(cells[0]) if len(cells) == 1 else self._join_flags(cells)
        rest = [column for column in batch.schema.names if column not in self.columns]
        arrays = [*(batch.column(column) for column in rest), labels]
        return pa.RecordBatch.from_arrays(arrays, names=[*rest, self.label])

    def _join_flags(self, cells: Sequence[pa.Array]) -> pa.Array:
        applies = np.stack([self._flags(*pair) for pair in zip(self.columns, cells, strict=True)], axis=1)
        packed = np.packbits(applies, axis=1)
        rows, inverse = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_inverse=True)
        sets = np.unpackbits(rows.view(np.uint8).reshape(len(rows), -1), axis=1)[:, : len(self.columns)].tolist()
        names = [UNIT.join(name for name, flag in zip(self.columns, row, strict=True) if flag) for row in sets]
        return pa.array(names, pa.string()).take(pa.array(inverse))

    def _flags(self, column: str, array: pa.Array) -> NDArray[np.bool_]:
        """Whether the label of this column applies; a missing cell is 0."""
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        text = pc.utf8_lower(pc.utf8_trim_whitespace(pc.cast(array, pa.string())))
        applies = pc.is_in(text, pa.array(_APPLIES))
        known = pc.or_(applies, pc.or_(pc.is_null(text), pc.is_in(text, pa.array(_DOES_NOT))))
        if not pc.all(known).as_py():
            cell = text[pc.index(known, False).as_py()].as_py()
            raise DataError(
                f"{self.file}: column {column!r} holds {cell[:40]!r}, and one of several columns of labels must hold 0 "
                f"or 1: whether its label applies; name other columns in {option('label')}.",
                file=self.file,
            )
        flags: NDArray[np.bool_] = applies.to_numpy(zero_copy_only=False).astype(bool)
        return flags


def _join_lists(cells: pa.Array) -> pa.Array:
    return pc.binary_join(cells.cast(pa.list_(pa.string())), UNIT)


def label_cells(
    file: str,
    columns: Sequence[str],
    types: Mapping[str, pa.DataType],
    reading: ReadOptions,
    settings: Mapping[str, Any],
) -> LabelCells | None:
    """How the labels are written, where they are not in one cell of text; `settings` are those of a model."""
    several: Sequence[str] = settings.get("label_columns") or ()
    if reading.label is None and len(several) > 1 and set(several) <= set(columns):
        return LabelCells(file, tuple(several))
    if isinstance(reading.label, str) and "," in reading.label and reading.label not in columns:
        names = tuple(part.strip() for part in reading.label.split(",") if part.strip())
        for column in names:
            if column not in columns:
                raise DataError(
                    f"{file}: there is no label column {column!r}; its columns are {listed(columns)}.", file=file
                )
        if set(names) == set(columns):
            raise DataError(f"{file}: every column is a label; there is nothing to learn from.", file=file)
        return LabelCells(file, names)
    by_model = bool(settings) and reading.label is None
    label = settings.get("label") if by_model else label_column(file, columns, reading.label)
    of_lists = types.get(label) if label is not None else None
    is_list = of_lists is not None and (pa.types.is_list(of_lists) or pa.types.is_large_list(of_lists))
    return LabelCells(file, (str(label),)) if is_list else None
