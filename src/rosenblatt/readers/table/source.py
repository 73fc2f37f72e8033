"""Tables as a source: csv, tsv, parquet and arrow, through pyarrow.

Columns of numbers come first; then, in order of their first occurrence, `column=value` for each word of a column of
words and `column=missing` for a missing number, which itself counts as 0 (when scaled: as the mean). A missing word
gives no feature. Crossed columns also give `feature ^ feature`, the product of a feature of one and one of the other.
Running text is hashed into the columns after the numbers, and so are the words beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosenblatt.errors import DataError, ModelError, listed, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.hashing.cross import pairs_of_model, pairs_of_table
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.labels import LONGEST_LABEL
from rosenblatt.readers.parallel_map import ordered_map
from rosenblatt.readers.source import FileSource, ReadOptions
from rosenblatt.readers.table.batch import BadCells, Batch, WordColumn, parse_batch
from rosenblatt.readers.table.cells import decimal_comma
from rosenblatt.readers.table.csv import CsvFile, RaggedRow, separator_of
from rosenblatt.readers.table.encode import Encoder
from rosenblatt.readers.table.layout import Layout, kind_of_cells, kind_of_type, label_column, layout_of, usual_label
from rosenblatt.readers.table.parquet_arrow import TypedFile
from rosenblatt.readers.table.scale import Moments
from rosenblatt.records import FeatureSpace, Floats, SourceBlock


class TableSource(FileSource):
    bad_rows_shown = 5

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None) -> None:
        super().__init__(file, reading, model_space)
        self._ragged_lines: list[int] = []
        self._table: CsvFile | TypedFile
        settings = {} if model_space is None else dict(model_space.settings)
        if self.format in ("csv", "tsv"):
            header = settings.get("header") if reading.header is None else reading.header
            self._table = CsvFile(file, separator_of(self.format, file.head), header, reading.label)
        else:
            self._table = TypedFile(file, self.format)
        self._layout = self._find_layout() if model_space is None else self._layout_of_model(settings)
        if model_space is None:
            pairs = pairs_of_table(self.name, self._layout, self._table.columns, reading.cross)
        else:
            pairs = pairs_of_model(model_space)
        self._encoder = Encoder(self._layout, reading, model_space, pairs)
        if reading.scale and model_space is None and not self.rewindable:
            raise DataError(
                f"{self.name}: {option('scale', True)} reads the data twice, and this is a stream; save it to a file, "
                f"or leave {option('scale', True)} out.",
                file=self.name,
            )

    @property
    def space(self) -> FeatureSpace:
        label = self._layout.label
        return self._encoder.space(
            format=self.format,
            header=self._table.header,
            label=label,
            position=self._table.columns.index(label) if label in self._table.columns else None,
        )

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        if self.reading.scale and self._encoder.shift is None:
            self._encoder.shift, self._encoder.scale = self._shift_and_scale(threads)
        self.forget_bad_rows()
        self._encoder.restart()
        n_seen = n_given = 0
        for batch in self._batches(threads):
            good = self._good_rows(batch, n_seen)
            n_seen += batch.n_rows
            count = int(good.sum())
            if count:
                values, labels = self._encoder.encode(batch, good), self._labels(batch, good)
                yield SourceBlock(values, labels, None, n_given, batch.bytes_read)
            n_given += count
        if n_given == 0:
            raise DataError(self._no_examples(), file=self.name)
        self._encoder.finish()

    def _no_examples(self) -> str:
        if self.skipped:
            return f"{self.name}: holds no examples: all rows are bad. The first: {self.bad_rows[0].sentence}."
        return f"{self.name}: holds no examples, only the names of its columns."

    def _batches(self, threads: int) -> Iterator[Batch]:
        self._ragged_lines = []
        table = self._table
        batches = table.batches(self._refuse_ragged) if isinstance(table, CsvFile) else table.batches()
        return ordered_map(batches, lambda task: parse_batch(task[0], self._layout, task[1]), threads)

    def _shift_and_scale(self, threads: int) -> tuple[Floats, Floats]:
        moments = Moments(len(self._layout.numbers))
        for batch in self._batches(threads):
            moments.add(np.where(np.isinf(batch.numbers), np.nan, batch.numbers))
        return moments.shift_and_scale()

    def _good_rows(self, batch: Batch, n_seen: int) -> NDArray[np.bool_]:
        good = np.ones(batch.n_rows, dtype=bool)
        bad = [*batch.bad, *self._encoder.overflowing_products(batch)]
        if batch.label is not None and self.model_space is None:
            bad += self._bad_labels(batch.label)
        for row, what in sorted(bad):
            if good[row]:
                self._refuse(self._line(n_seen + row), what)
            good[row] = False
        return good

    def _bad_labels(self, label: WordColumn) -> BadCells:
        too_long = [code for code, word in enumerate(label.words) if len(word.encode()) > LONGEST_LABEL]
        faults = {"is empty; fill it in": label.codes < 0}
        if too_long:
            faults[f"has more than {LONGEST_LABEL:,} bytes; shorten it"] = np.isin(label.codes, too_long)
        return [
            (row, f"the label, column {self._layout.label!r}, {what}")
            for what, rows in faults.items()
            for row in np.flatnonzero(rows).tolist()
        ]

    def _line(self, row: int) -> int:
        """The line of a row, from 1, header and ragged rows included."""
        line = row + 1 + (self._table.header if isinstance(self._table, CsvFile) else 0)
        for ragged in sorted(self._ragged_lines):
            line += ragged <= line
        return line

    def _refuse_ragged(self, row: RaggedRow) -> None:
        self._refuse(row.line, f"expected {row.n_columns} columns, found {row.n_cells}; correct the row")
        self._ragged_lines.append(row.line)

    def _refuse(self, line: int, what: str) -> None:
        sentence = f"{self.name}:{line}: {what}"
        advice = f"or skip such rows with {option('on_bad_row', 'skip')}"
        self.skip_or_raise(line, sentence, DataError(f"{sentence}, {advice}.", file=self.name, line=line))

    def _labels(self, batch: Batch, good: NDArray[np.bool_]) -> NDArray[np.int32]:
        if batch.label is None:
            return np.full(int(good.sum()), -1, dtype=np.int32)
        codes = batch.label.codes[good]
        present = np.unique(codes[codes >= 0])
        positions = np.full(len(batch.label.words) + 1, -1, dtype=np.int32)
        positions[present] = self.numbering.positions([batch.label.words[code].encode() for code in present.tolist()])
        return positions[codes]

    def _find_layout(self) -> Layout:
        table, reading = self._table, self.reading
        label = label_column(self.name, table.columns, reading.label)
        if table.columns == [label]:
            raise DataError(
                f"{self.name}: has only one column, {label!r}, and it is the label; there is nothing to learn from.",
                file=self.name,
            )
        if isinstance(table, CsvFile):
            cells = list(zip(*table.sample, strict=True)) or [()] * len(table.columns)
            kinds = {column: kind_of_cells(cells[i]) for i, column in enumerate(table.columns)}
            self._refuse_decimal_commas(dict(zip(table.columns, cells, strict=True)), label)
        else:
            kinds = {
                column: "word" if column == label else kind_of_type(self.name, column, table.types[i], table.sample[i])
                for i, column in enumerate(table.columns)
            }
        return layout_of(self.name, kinds, label, reading.text, reading.words)

    def _refuse_decimal_commas(self, cells: dict[str, Any], label: str) -> None:
        """Numbers with a decimal comma would be taken for words, one column each."""
        known = {label, *self.reading.words, *self.reading.text}
        for column in cells:
            if column not in known and (number := decimal_comma(cells[column])):
                raise DataError(
                    f"{self.name}: column {column!r} holds numbers with a decimal comma, such as {number!r}; write "
                    f"them with a point ({number.replace(',', '.')}), or read them as words with "
                    f"{option('words', column)}.",
                    file=self.name,
                )

    def _layout_of_model(self, settings: dict[str, Any]) -> Layout:
        """The layout that the model was learned with; of its columns only the label may be missing."""
        columns, label = self._table.columns, self.reading.label
        features = [*settings["numbers"], *settings["words"], *settings["texts"]]
        if not self._table.header and len(columns) == len(features):  # no names, and none of them is the label
            order = sorted([*features, settings["label"]], key=lambda name: int(name.removeprefix("column")))
            self._table.columns[:] = [name for name in order if name != settings["label"]]
        for column in features:
            if column not in columns:
                raise ModelError(
                    f"{self.name}: the model was learned from a column {column!r}, which is missing here; "
                    f"its columns are {listed(columns)}.",
                    file=self.name,
                )
        usual = usual_label([column for column in columns if column not in features])  # for a model without a label
        name = (settings["label"] or usual) if label is None else label_column(self.name, columns, label)
        present = name if name in columns and name not in features else None
        return Layout(present, tuple(settings["numbers"]), tuple(settings["words"]), tuple(settings["texts"]))
