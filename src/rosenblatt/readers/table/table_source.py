"""Tables as a source: csv, tsv, parquet and arrow, through pyarrow.

Columns of numbers come first; then, in order of their first occurrence, `column=value` for each word of a column of
words and `column=missing` for a missing number, which itself counts as 0 (when scaled: as the mean). A missing word
gives no feature. Crossed columns also give `feature ^ feature`, the product of a feature of one and one of the other.
Running text is hashed into the columns after the numbers, and so are the words beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any

import pyarrow as pa

from rosenblatt.errors import DataError, plural
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.hashing.cross import pairs_of_model, pairs_of_table
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.inputs.joined_file import JoinedFile
from rosenblatt.readers.labels import LONGEST_LABEL
from rosenblatt.readers.parallel_map import ordered_map
from rosenblatt.readers.several_labels import LONGEST_LABELS, UNIT, SeveralLabels
from rosenblatt.readers.source import FileSource, ReadOptions
from rosenblatt.readers.table.bad_rows import BadCells, BadLine, bad_row_error, label_missing, label_too_long
from rosenblatt.readers.table.columns.find_layout import find_layout, layout_of_model, refuse_unknown
from rosenblatt.readers.table.columns.head import Head, read_head
from rosenblatt.readers.table.columns.label_column import label_column
from rosenblatt.readers.table.columns.new_columns import absence, extended, with_absent
from rosenblatt.readers.table.encode_rows import Encoder
from rosenblatt.readers.table.equal_batches import SAMPLE, RawBatch, equal_batches, first_rows, rows_of_batch
from rosenblatt.readers.table.files.check_arrow import refuse_types
from rosenblatt.readers.table.files.csv import CsvFile, separator_of
from rosenblatt.readers.table.files.joined_table import JoinedTable, OneTable
from rosenblatt.readers.table.files.json_lines import JsonLines
from rosenblatt.readers.table.files.parquet_arrow import TypedFile
from rosenblatt.readers.table.files.spans import ReadTables, read_in_turn
from rosenblatt.readers.table.label_cells import LabelCells, label_cells
from rosenblatt.readers.table.parse_cells import Batch, WordColumn, parse_batch
from rosenblatt.records import FeatureSpace, Floats, SourceBlock


class TableSource(FileSource):
    """A table in one file or several, or in memory. Its rows may be read by other processes (`read_elsewhere`)."""

    bad_rows_shown = 5

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None) -> None:
        super().__init__(file, reading, model_space)
        self._n_unlabelled = 0
        self._read: ReadTables = read_in_turn
        settings = {} if model_space is None else dict(model_space.settings)
        header, names = reading.header, ()
        if header is None and model_space is not None:
            header = settings.get("header")
            names = (*settings["numbers"], *settings["words"], *settings["texts"])
        self._table = self._open_table(file, header, names)
        self._label_cells = self._find_label_cells(settings) if reading.multi_label else None
        self._decided: dict[str, Any] = {}
        self._about_columns: tuple[str, ...] = ()  # sentences about new columns
        self._absent: tuple[str, ...] = ()  # columns of the model that the table does not have
        self._unread_head: Head | None = None  # a reading that was begun, and whose batches are not given yet
        if model_space is None:
            with self._arrow_errors_refused():
                self._begin()
        else:
            grow = reading.grow and bool(settings.get("columns"))
            columns, header = self._columns, self._table.header
            self._layout = layout = layout_of_model(self.name, columns, settings, self._label, header, grow=grow)
            self._absent = layout.absent
            if self._table.typed:
                used = [*layout.features, *([] if layout.label is None else [layout.label])]
                types = {
                    **self._table.types,
                    **({} if self._label_cells is None else {self._label_cells.label: pa.string()}),
                }
                refuse_types(self.name, types, used, layout.label, layout.words)
            refuse_unknown(self.name, columns, reading.with_)
            if reading.grow:
                with self._arrow_errors_refused():
                    model_space = self.model_space = self._take_in(model_space)
            self._encoder = Encoder(self._layout, reading, model_space, pairs_of_model(model_space))
        self.task = "number" if self._layout.predicts_number else "classes"

    @contextmanager
    def _arrow_errors_refused(self) -> Iterator[None]:
        """Values that Arrow cannot convert, such as a date that overflows, as a DataError."""
        try:
            yield
        except pa.ArrowException as error:
            if isinstance(error, MemoryError):
                raise
            why = " ".join(str(error).split())[:300].rstrip(".")
            raise DataError(f"{self.name}: cannot be read: {why}.", file=self.name) from error

    def _find_label_cells(self, settings: Mapping[str, Any]) -> LabelCells | None:
        """The labels, if they are lists or several columns of 0 and 1; then no separator stands between them."""
        types = self._table.types if self._table.typed else {}
        cells = label_cells(self.name, self._table.columns, types, self.reading, settings)
        if isinstance(self.numbering, SeveralLabels) and (cells is not None or self.numbering.separator == UNIT):
            self.numbering.separator = None if cells is None else UNIT
        return cells

    @property
    def _label(self) -> str | int | None:
        """The label column that the user names."""
        named = self.reading.label is not None and self._label_cells is not None
        return self._label_cells.label if named and self._label_cells is not None else self.reading.label

    @property
    def _columns(self) -> list[str]:
        """The columns of the table, with its labels in one."""
        columns = self._table.columns
        return columns if self._label_cells is None else self._label_cells.remaining(columns)

    def _begin(self) -> None:
        """Find out what the columns hold from the first rows; then decide what to make of them from the whole head."""
        table, reading = self._table, self.reading
        batches = self._raw_batches()
        read, sample = first_rows(batches, SAMPLE)
        columns = self._columns
        cells = [pa.array([], pa.string())] * len(columns) if sample is None else sample.columns
        by_name = dict(zip(columns, cells, strict=True))
        if self._label_cells is not None:
            reading = reading._replace(label=self._label_cells.label)
        elif isinstance(table, JoinedTable):
            reading = reading._replace(label=table.label(reading.label))
        layout = find_layout(self.name, by_name, reading, typed=table.typed)
        pairs = pairs_of_table(self.name, layout, columns, reading.cross)
        self._batch_rows = rows_of_batch(len(columns), texts=bool(layout.texts))
        batches = equal_batches(chain(read, batches), self._batch_rows)
        scale = reading.decide if reading.scale is None else reading.scale
        head = read_head(batches, layout, reading) if scale or reading.decide else Head(layout, [], batches)
        if reading.decide and reading.scale is not False and not reading.multi_label:
            head = head.naming(reading, self._targets_of(head))
        self._layout, self._encoder = head.layout, Encoder(head.layout, reading, None, pairs)
        if reading.decide:
            missing = head.with_missing()
            self._encoder.expect_missing(missing)
            self._decided = {**head.decided, "missing": missing}
        if scale:
            as_numbers = [text.removeprefix("number:") for text in reading.as_]
            scaling = self._encoder.scaling = head.scaling(as_numbers, self._targets_of(head), logs=reading.decide)
            if scaling.logs:
                self._decided["logs"] = {head.layout.numbers[j]: list(log) for j, log in scaling.logs.items()}
        self._unread_head = head

    def _targets_of(self, head: Head) -> list[Floats] | None:
        """The numbers to predict of each batch of the first rows."""
        return head.targets

    def _take_in(self, model_space: FeatureSpace) -> FeatureSpace:
        """Look for columns that the model has not met; the space of the model with them."""
        table, layout = self._table, self._layout
        self._batch_rows = rows_of_batch(len(table.columns), texts=bool(layout.texts))
        unseen = table.unseen if isinstance(table, JsonLines | JoinedTable) else ()
        absent = [column for column in layout.features if column in self._absent or column in unseen]
        columns = [column for column in table.columns if column not in absent]
        after = extended(
            self.name,
            layout,
            model_space,
            self.reading,
            equal_batches(self._raw_batches(), self._batch_rows),
            columns,
            absent=absent,
            typed=table.typed,
        )
        self._layout, self._about_columns = after.layout, after.sentences
        self._unread_head = Head(after.layout, [], after.batches)
        return after.space

    def _open_table(self, file: InputFile, header: bool | None, model_columns: Sequence[str]) -> OneTable | JoinedTable:
        reading, separator = self.reading, separator_of(self.format, file.first.head)

        def open_one(file: InputFile, first: OneTable | None = None) -> OneTable:
            if self.format == "jsonl":
                shape = first.shape if isinstance(first, JsonLines) else None
                known = {} if self.model_space is None else _kinds_of(self.model_space)
                late = self.model_space is None or reading.grow
                return JsonLines(file, shape, known, as_words=self._needed_as_words, name_late_keys=late)
            if self.format not in ("csv", "tsv"):
                return TypedFile(file, self.format)
            columns, missing = None if first is None else first.columns, not reading.with_
            return CsvFile(
                file, separator, header, reading.label, model_columns, marks_missing=missing, columns=columns
            )

        if isinstance(file, JoinedFile):
            return JoinedTable(file, open_one)
        table = open_one(file)
        if isinstance(table, TypedFile):
            table.refuse_empty()
        return table

    def _needed_as_words(self, columns: Sequence[str]) -> set[str]:
        """The label, the columns that are passed through, and those that are read as words."""
        reading, settings = self.reading, {} if self.model_space is None else self.model_space.settings
        words = [text.removeprefix("word:") for text in reading.as_]
        needed = {*reading.with_, *reading.words, *words, *settings.get("words", ())}
        if self.model_space is not None and reading.label is None:
            return {*needed, settings["label"]}
        with suppress(DataError):  # a label that is not a column is refused later, or folders name it
            needed.add(label_column(self.name, columns, reading.label))
        return needed

    @property
    def space(self) -> FeatureSpace:
        label = self._layout.label
        settings = {"columns": self._decided} if self._decided else {}
        if self.model_space is not None:
            return self._encoder.space(**self.model_space.settings)
        return self._encoder.space(
            format=self.format,
            header=self._table.header,
            label=label,
            position=self._columns.index(label) if label in self._columns else None,
            **settings,
            **({} if self._label_cells is None else {"label_columns": list(self._label_cells.columns)}),
        )

    def common_names(self) -> Mapping[int, str]:
        return self._encoder.common_names()

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        self._encoder.restart()
        n_seen = n_given = 0
        with self._arrow_errors_refused():
            for batch in self._batches(threads):
                good = self._good_rows(batch, n_seen)
                n_seen += batch.n_rows
                count = int(good.sum())
                if count:
                    values, labels = self._encoder.encode(batch, good), self._labels(batch, good)
                    targets = None if batch.targets is None else np.nan_to_num(batch.targets[good])
                    passed = [column if count == batch.n_rows else column.filter(good) for column in batch.passed]
                    names = self._encoder.take_names() if self._names_rows else None
                    yield SourceBlock(values, labels, None, n_given, batch.bytes_read, passed, names, targets=targets)
                n_given += count
        if n_given == 0:
            raise DataError(self._no_examples(), file=self.name)
        self._encoder.finish()

    @property
    def _names_rows(self) -> bool:
        return self.reading.name_rows and self._encoder.hashes

    def warnings(self) -> list[str]:
        """Rows without a label, words that the model never saw, and numbers that are missing where none was."""
        count, has = self._n_unlabelled, "have" if self._n_unlabelled > 1 else "has"
        unlabelled = (
            [f"{plural(count, 'row')} {has} no label in column {self._layout.label!r}: left out."] if count else []
        )
        count_as = "0" if self._encoder.scaling is None else "the mean of the column"
        unknown = [
            f"{plural(count, 'cell')} of column {column!r} {'hold' if count > 1 else 'holds'} what the model never "
            f"saw, such as {word!r}: it adds nothing to the score."
            for column, (count, word) in self._encoder.unknown_words.items()
        ]
        missing = [
            f"{plural(count, 'number')} of column {column!r} {'are' if count > 1 else 'is'} missing, and none was in "
            f"the rows that decided what to learn: each counts as {count_as}."
            for column, count in self._encoder.unmarked_gaps.items()
        ]
        of_cells = [f"{self.name}: {sentence}" for sentence in (*unlabelled, *unknown, *missing)]
        absent = [absence(self.name, self._absent)] if self._absent and not self.reading.grow else []
        return [*super().warnings(), *self._table.warnings(), *self._about_columns, *absent, *of_cells]

    def _no_examples(self) -> str:
        if self._n_unlabelled and not self.skipped:
            return f"{self.name}: holds no examples: no row has a label in column {self._layout.label!r}."
        if self.skipped:
            return f"{self.name}: holds no examples: all rows are bad. The first: {self.bad_rows[0].sentence}."
        return f"{self.name}: holds no examples, only the names of its columns."

    def _batches(self, threads: int) -> Iterator[Batch]:
        head, self._unread_head = self._unread_head, None
        if head is not None:
            return chain(head.batches, self._parsed(head.rest, threads))
        self.forget_bad_rows()
        self._n_unlabelled = 0
        batches = self._raw_batches()
        if self.model_space is None or self.reading.grow:
            batches = equal_batches(batches, self._batch_rows)
        elif self._names_rows:
            batches = ((batch.slice(i, 1), read) for batch, read in batches for i in range(batch.num_rows))
        return self._parsed(batches, threads)

    def read_elsewhere(self, read: ReadTables) -> None:
        """From now on other processes read the table, from its beginning."""
        self._unread_head, self._read = None, read

    @property
    def can_be_divided(self) -> bool:
        """Whether other processes can read spans of it."""
        first = self._table.first if isinstance(self._table, JoinedTable) else self._table
        return not isinstance(first, TypedFile) or first.can_be_divided

    @property
    def plain_numbers(self) -> list[str]:
        """Columns of text that another process may send as numbers, because only their values are used."""
        layout = self._layout
        if self._table.typed or self.reading.with_:
            return []
        return [column for column in layout.numbers if column not in layout.dates and column not in layout.written]

    def _table_batches(self) -> Iterator[RawBatch]:
        table = self._table
        if isinstance(table, JoinedTable):
            table.read = self._read
            return table.batches(self._refuse_line)
        return ((batch, bytes_read) for _, _, batch, bytes_read in self._read(iter([table]), self._refuse_line))

    def _raw_batches(self) -> Iterator[RawBatch]:
        batches = self._table_batches()
        cells = self._label_cells
        if cells is not None:
            batches = ((cells.joined(batch), bytes_read) for batch, bytes_read in batches)
        return with_absent(batches, self._absent)

    def _parsed(self, batches: Iterator[RawBatch], threads: int) -> Iterator[Batch]:
        passed, marks_missing = self.reading.with_, not self.reading.with_ or self._table.typed

        def parse(task: RawBatch) -> Batch:
            return parse_batch(task[0], self._layout, task[1], passed, marks_missing=marks_missing)

        return ordered_map(batches, parse, threads)

    def _good_rows(self, batch: Batch, n_seen: int) -> NDArray[np.bool_]:
        good = np.ones(batch.n_rows, dtype=bool)
        bad = [*batch.bad, *self._encoder.overflowing_products(batch)]
        if batch.label is not None and (self.model_space is None or self.reading.grow):
            bad += self._bad_labels(batch.label)
            if self.reading.decide and not self.reading.multi_label:
                good &= batch.label.codes >= 0
                self._n_unlabelled += int(np.count_nonzero(~good))
        if batch.targets is not None and (self.model_space is None or self.reading.grow):
            good &= ~np.isnan(batch.targets)
            bad_rows = [row for row, _ in batch.bad_targets]
            self._n_unlabelled += int(np.count_nonzero(~good)) - len(bad_rows)
            good[bad_rows] = True
            bad += batch.bad_targets
        for row, what in sorted(bad):
            if good[row]:
                self._refuse(*self._place(n_seen + row), what)
            good[row] = False
        return good

    def _bad_labels(self, label: WordColumn) -> BadCells:
        several = self.reading.multi_label
        most = LONGEST_LABELS if several else LONGEST_LABEL
        too_long = [code for code, word in enumerate(label.words) if len(word.encode()) > most]
        column = self._layout.label
        faults = {} if self.reading.decide or several else {label_missing(column): label.codes < 0}
        if too_long:
            faults[label_too_long(column, most)] = np.isin(label.codes, too_long)
        return [(row, what) for what, rows in faults.items() for row in np.flatnonzero(rows).tolist()]

    def _place(self, row: int) -> tuple[str, int]:
        """The file and the line of a row; the line from 1, header and lines that were left out included."""
        if isinstance(self._table, JoinedTable):
            return self._table.place(row)
        return self._table.places.file, self._table.places.line(row)

    def _refuse_line(self, bad: BadLine) -> None:
        self._refuse(bad.file, bad.line, bad.what)

    def _refuse(self, file: str, line: int, what: str) -> None:
        sentence = f"{file}:{line}: {what}"
        self.skip_or_raise(line, sentence, bad_row_error(file, line, sentence))

    def _labels(self, batch: Batch, good: NDArray[np.bool_]) -> NDArray[np.int32]:
        if batch.targets is not None:
            return np.where(np.isnan(batch.targets[good]), -1, 0).astype(np.int32)
        if batch.label is None:
            return np.full(int(good.sum()), -1, dtype=np.int32)
        codes = batch.label.codes[good]
        present = np.unique(codes[codes >= 0])
        positions = np.full(len(batch.label.words) + 1, -1, dtype=np.int32)
        positions[present] = self.numbering.positions([batch.label.words[code].encode() for code in present.tolist()])
        return positions[codes]


def _kinds_of(space: FeatureSpace) -> dict[str, str]:
    """The columns of a model, and what JSON holds in them where the first lines have only null."""
    settings, flags = space.settings, space.settings.get("columns", {}).get("flags", ())
    as_text = {*settings.get("dates", {}), *settings.get("written", {})}
    numbers = {
        column: "flags" if column in flags else "numbers" for column in settings["numbers"] if column not in as_text
    }
    return numbers | dict.fromkeys([*settings["words"], *settings["texts"], *as_text], "words")
