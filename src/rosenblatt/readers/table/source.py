"""Tables -> chunks: csv, tsv, parquet and arrow, through pyarrow.

Columns of numbers come first, as they are; then, in the order they are met, `column=value` for each word of a column of
words and `column=missing` for a missing number, which itself counts as 0 (with --scale: as the mean). A missing word is
no feature. Of crossed columns each feature of the one and each of the other give `feature ^ feature`, their product.
Running text is hashed into the columns after the numbers, and so are the words beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosenblatt.errors import DataError, ModelError
from rosenblatt.lazy import np
from rosenblatt.readers.hashing.cross import Pair, pairs_of_model, pairs_of_table
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.labels import LONGEST, Labels
from rosenblatt.readers.ordered_map import ordered
from rosenblatt.readers.source import BadRow, ReadOptions, Source
from rosenblatt.readers.table.columns import (
    Coded,
    Layout,
    Prepared,
    kind_of,
    kind_of_type,
    label_of,
    layout_of,
    listed,
    prepare,
    usual_label,
)
from rosenblatt.readers.table.csv import CsvFile, decimal_comma, separator_of
from rosenblatt.readers.table.encode import Encoder
from rosenblatt.readers.table.parquet import TypedFile
from rosenblatt.readers.table.scale import Moments
from rosenblatt.records import FeatureSpace, SourceBlock

_SHOWN = 5  # bad rows that are kept to be shown


def open(opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    return TableSource(opened, reading, space)


class TableSource(Source):
    def __init__(self, opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> None:
        self.format = reading.format or "csv"
        self.name, self.size, self.rewindable = opened.name, opened.size, opened.rewindable
        self.skipped, self.bad_rows = 0, []
        self._reading, self._frozen = reading, space is not None
        self._ragged: list[int] = []
        self._file: CsvFile | TypedFile
        settings = {} if space is None else dict(space.settings)
        if self.format in ("csv", "tsv"):
            header = settings.get("header") if reading.header is None else reading.header
            self._file = CsvFile(opened, separator_of(self.format, opened.head), header, reading.label)
        else:
            self._file = TypedFile(opened, self.format)
        self._layout = self._new_layout() if space is None else self._known_layout(settings)
        self._encoder = Encoder(self._layout, reading, space, self._pairs(space))
        self._numbering = Labels(self.name, reading.classes)
        self.labels = self._numbering.met
        if reading.scale and space is None and not self.rewindable:
            raise DataError(
                f"{self.name}: --scale reads the data twice, and this is a stream; save it to a file, or leave it out."
            )

    def _pairs(self, space: FeatureSpace | None) -> tuple[Pair, ...]:
        if space is not None:
            return pairs_of_model(space)
        return pairs_of_table(self.name, self._layout, self._file.columns, self._reading.cross)

    @property
    def space(self) -> FeatureSpace:
        asked = self._layout.label
        return self._encoder.space(
            format=self.format,
            header=self._file.header,
            label=asked,
            position=self._file.columns.index(asked) if asked in self._file.columns else None,
        )

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        if self._reading.scale and self._encoder.shift is None:
            self._encoder.shift, self._encoder.scale = self._moments(threads)
        self.skipped, self.bad_rows = 0, []
        self._encoder.begin()
        seen = given = 0
        for prepared in self._prepared(threads):
            kept = self._kept(prepared, seen)
            seen += prepared.rows
            count = int(kept.sum())
            if count:
                yield SourceBlock(
                    self._encoder.values(prepared, kept), self._labels(prepared, kept), None, given, prepared.done
                )
            given += count
        if given == 0:
            raise DataError(self._nothing())
        self._encoder.named = True

    def _nothing(self) -> str:
        if self.skipped:
            return f"{self.name}: holds no examples: all rows are bad. The first: {self.bad_rows[0].sentence}"
        return f"{self.name}: holds no examples, only the names of its columns."

    def _prepared(self, threads: int) -> Iterator[Prepared]:
        self._ragged = []
        batches = self._file.batches(self._refuse) if isinstance(self._file, CsvFile) else self._file.batches()
        return ordered(batches, lambda task: prepare(task[0], self._layout, task[1]), threads)

    def _moments(self, threads: int) -> Any:
        moments = Moments(len(self._layout.numbers))
        for prepared in self._prepared(threads):
            moments.add(np.where(np.isinf(prepared.numbers), np.nan, prepared.numbers))
        return moments.shift_and_scale()

    def _kept(self, prepared: Prepared, seen: int) -> Any:
        kept = np.ones(prepared.rows, dtype=bool)
        bad = [*prepared.bad, *self._encoder.too_large(prepared)]
        if prepared.label is not None and not self._frozen:
            bad += self._bad_labels(prepared.label)
        for row, why in sorted(bad):
            if kept[row]:
                line = self._line(seen + row)
                self._refuse(line, f"{self.name}:{line}: {why}, or leave such rows out with --on-bad-row skip.")
            kept[row] = False
        return kept

    def _bad_labels(self, label: Coded) -> list[tuple[int, str]]:
        long = [code for code, value in enumerate(label.values) if len(value.encode()) > LONGEST]
        faults = {"is empty; fill it in": label.codes < 0}
        if long:
            faults[f"has more than {LONGEST:,} bytes; shorten it"] = np.isin(label.codes, long)
        return [
            (row, f"column {self._layout.label!r}, the label, {why}")
            for why, rows in faults.items()
            for row in np.flatnonzero(rows).tolist()
        ]

    def _line(self, row: int) -> int:
        """The row of the file, from 1, the header and ragged rows counted."""
        line = row + 1 + (self._file.header if isinstance(self._file, CsvFile) else 0)
        for ragged in sorted(self._ragged):
            line += ragged <= line
        return line

    def _refuse(self, line: int, sentence: str) -> None:
        if self._reading.on_bad_row == "fail":
            raise DataError(sentence)
        if "cells, and the table has" in sentence:
            self._ragged.append(line)
        self.skipped += 1
        if len(self.bad_rows) < _SHOWN:
            self.bad_rows.append(BadRow(line, sentence))

    def _labels(self, prepared: Prepared, kept: Any) -> Any:
        if prepared.label is None:
            return np.full(int(kept.sum()), -1, dtype=np.int32)
        codes = prepared.label.codes[kept]
        present = np.unique(codes[codes >= 0])
        numbers = np.full(len(prepared.label.values) + 1, -1, dtype=np.int32)
        numbers[present] = self._numbering.positions(
            [prepared.label.values[code].encode() for code in present.tolist()]
        )
        return numbers[codes]

    def _new_layout(self) -> Layout:
        file, reading = self._file, self._reading
        label = label_of(self.name, file.columns, reading.label)
        if file.columns == [label]:
            raise DataError(
                f"{self.name}: has one column only, {label!r}, and it is the label; there is nothing to learn from."
            )
        if isinstance(file, CsvFile):
            cells = list(zip(*file.sample, strict=True)) or [()] * len(file.columns)
            kinds = {column: kind_of(cells[i]) for i, column in enumerate(file.columns)}
            self._refuse_commas(dict(zip(file.columns, cells, strict=True)), label)
        else:
            kinds = {
                column: "word" if column == label else kind_of_type(self.name, column, file.types[i], file.sample[i])
                for i, column in enumerate(file.columns)
            }
        return layout_of(self.name, kinds, label, reading.text, reading.words)

    def _refuse_commas(self, cells: dict[str, Any], label: str) -> None:
        """Numbers with a decimal comma would be taken for words, each a column of its own."""
        known = {label, *self._reading.words, *self._reading.text}
        for column in cells:
            if column not in known and (found := decimal_comma(cells[column])):
                raise DataError(
                    f"{self.name}: column {column!r} holds numbers with a comma, as {found!r}; write them with a point "
                    f"({found.replace(',', '.')}), or say that they are words, with --words {column}."
                )

    def _known_layout(self, settings: dict[str, Any]) -> Layout:
        """The layout of a model; of its columns only the label may be lacking."""
        columns, label = self._file.columns, self._reading.label
        wanted = [*settings["numbers"], *settings["words"], *settings["texts"]]
        if not self._file.header and len(columns) == len(wanted):  # no names, and none of them is the label
            order = sorted([*wanted, settings["label"]], key=lambda name: int(name.removeprefix("column")))
            self._file.columns[:] = [name for name in order if name != settings["label"]]
        for column in wanted:
            if column not in columns:
                raise ModelError(
                    f"{self.name}: the model was learned from a column {column!r}, which is not here; "
                    f"its columns are {listed(columns)}."
                )
        usual = usual_label([column for column in columns if column not in wanted])  # of a model that knows no label
        name = (settings["label"] or usual) if label is None else label_of(self.name, columns, label)
        found = name if name in columns and name not in wanted else None
        return Layout(found, tuple(settings["numbers"]), tuple(settings["words"]), tuple(settings["texts"]))
