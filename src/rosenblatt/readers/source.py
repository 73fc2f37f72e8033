"""A source gives blocks of examples, from the beginning as often as it can be rewound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from rosenblatt import options
from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.input_file import InputFile, Paths
from rosenblatt.readers.labels import Labels
from rosenblatt.readers.number_targets import Task
from rosenblatt.readers.several_labels import SeveralLabels
from rosenblatt.records import FeatureSpace, Label, SourceBlock


class ReadOptions(NamedTuple):
    """How to read a file; None means: find out from the file."""

    format: str | None = options.format.default
    label: str | int | None = None  # the column that holds the label: its name, or its position from 0 (-1 the last)
    text: tuple[str, ...] = ()  # columns of running text
    words: tuple[str, ...] = ()  # columns of numbers to read as words
    cross: tuple[str, ...] = ()  # pairs 'a:b' of columns or namespaces whose products are features too
    labels_from: str | None = None  # a second file with one label a line
    header: bool | None = None
    index_base: int | None = None  # 0 or 1: the first feature number of svmlight
    bits: int | None = None
    ngrams: int | None = None
    chars: int | str | tuple[int, int] | None = None  # lengths of character n-grams, such as '3-5'
    value: str = options.value.default  # of a word in a text
    unit: bool = options.unit.default  # texts scaled to length 1
    drop: tuple[str, ...] = ()  # columns to leave out
    keep: tuple[str, ...] = ()  # columns not to leave out, whatever they hold; '*' is every column
    as_: tuple[str, ...] = ()  # 'kind:column': columns to read as number, word, text or date
    scale: bool | None = options.scale.default  # None: where `decide` is set
    grow: bool = False  # with the space of a model: add the features that it does not have, to learn on
    decide: bool = False  # scale numbers, leave out ids, split dates, so that they are learned well
    classes: tuple[Label, ...] = ()  # all the labels, for a stream that cannot be read twice
    task: str | None = None  # 'classes' or 'number'; None: with `decide` by the labels, else classes
    multi_label: bool = options.multi_label.default  # an example may have several labels
    label_separator: str | None = options.label_separator.default  # what stands between them
    on_bad_row: str = options.on_bad_row.default
    with_: tuple[str, ...] = ()  # columns of a table to pass through with each block as they are written
    count_names: tuple[int, ...] = ()  # hashed columns whose names are counted, for `Source.common_names`
    name_rows: bool = False  # give each example as a block of its own, with the names of its hashed columns

    def as_json(self) -> dict[str, Any]:
        """Every option by its name, with values that JSON can write."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in self._asdict().items()}


class BadRow(NamedTuple):
    """A row that was left out, and why: the sentence names file, line and column."""

    row: int
    sentence: str


class RereadError(DataError):
    """The blocks given so far are wrong (feature index 0 occurred late): read the source from its beginning.

    Only raised by a source that can be rewound; its next `blocks()` are right.
    """


class Source(ABC):
    """Examples in order, a bounded number in memory at a time, the same for any number of threads.

    `labels` and `space` grow while it is read, and are complete after the last block.
    """

    name: str  # as the user wrote it; '-' is standard input
    format: str
    size: int | None  # bytes to read, None where it is unknown
    rewindable: bool
    labels: list[Label]  # every label, in the order of its first occurrence
    label_sets: Sequence[tuple[int, ...]] | None = (
        None  # with `multi_label`: every set of them, as positions in `labels`
    )
    label_separator: str | None = None  # what stands between the labels of a set
    task: Task | None = "classes"  # what the labels are; for numbers, blocks have targets; None: not known yet
    skipped: int  # bad rows left out so far
    skipped_by_file: Mapping[str, int] = MappingProxyType({})  # how many of them each file has
    bad_rows: list[BadRow]  # the first few of them

    @property
    def inputs(self) -> Paths:
        """What was opened, to open it again."""
        return self.name

    def read_ahead(self, threads: int) -> None:  # noqa: B027 - most formats cannot
        """Begin to read in the background, where the format can, so that the first blocks are soon ready."""

    def warnings(self) -> list[str]:
        """What a person should know about the files and the cells read so far, a sentence each."""
        return []

    def common_names(self) -> Mapping[int, str]:
        """The most common name of each column of `ReadOptions.count_names`, as far as has been read."""
        return {}

    def reopened(self, reading: ReadOptions) -> Source | None:
        """The same examples read with other options; None if the caller can open `inputs` again for that."""
        return None

    @abstractmethod
    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        """The examples from the beginning, parsed in parallel, in order."""

    @property
    @abstractmethod
    def space(self) -> FeatureSpace:
        """What the columns mean, as far as has been read."""


class SourceWrapper(Source):
    """A source that gives the blocks of another one in its own way; labels, space and bad rows are the other's."""

    def __init__(self, source: Source, rewindable: bool) -> None:
        self._source = source
        self.name, self.format, self.size, self.rewindable = source.name, source.format, source.size, rewindable

    @property
    def wrapped(self) -> Source:
        return self._source

    @property
    def inputs(self) -> Paths:
        return self._source.inputs

    @property
    def labels(self) -> list[Label]:  # type: ignore[override]
        return self._source.labels

    @property
    def label_sets(self) -> Sequence[tuple[int, ...]] | None:  # type: ignore[override]
        return self._source.label_sets

    @property
    def label_separator(self) -> str | None:  # type: ignore[override]
        return self._source.label_separator

    @property
    def task(self) -> Task | None:  # type: ignore[override]
        return self._source.task

    @property
    def skipped(self) -> int:  # type: ignore[override]
        return self._source.skipped

    @property
    def skipped_by_file(self) -> Mapping[str, int]:  # type: ignore[override]
        return self._source.skipped_by_file

    @property
    def bad_rows(self) -> list[BadRow]:  # type: ignore[override]
        return self._source.bad_rows

    @property
    def space(self) -> FeatureSpace:
        return self._source.space

    def warnings(self) -> list[str]:
        return self._source.warnings()

    def common_names(self) -> Mapping[int, str]:
        return self._source.common_names()

    def reopened(self, reading: ReadOptions) -> Source | None:
        return self._source.reopened(reading)


class FileSource(Source):
    """A source that reads one file; with the `space` of a model, the examples are read into that space."""

    bad_rows_shown = 10

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None) -> None:
        assert reading.format is not None
        self.file, self.reading, self.model_space = file, reading, model_space
        self.name, self.size, self.rewindable = file.name, file.size, file.rewindable
        self.format = reading.format
        self.task = self._known_task()
        self.numbering = self._numbering()
        self.labels = self.numbering.labels
        self.forget_bad_rows()

    def _known_task(self) -> Task | None:
        """What the labels are, where the user or a model says it; None where the first of them will show it."""
        reading = self.reading
        known = reading.task
        if self.model_space is not None:
            known = self.model_space.settings.get("task", "classes")
        elif reading.multi_label or reading.classes:
            known = known or "classes"
        if known is None and reading.decide:
            return None
        return "number" if known == "number" else "classes"

    def _numbering(self) -> Labels:
        if not self.reading.multi_label:
            return Labels(self.name, self.reading.classes)
        return SeveralLabels(
            self.name, self.reading.label_separator or self.separator_between_labels, self.reading.classes
        )

    @property
    def separator_between_labels(self) -> str | None:
        """What stands between the labels of an example, where the format says it."""
        return None

    @property
    def label_sets(self) -> Sequence[tuple[int, ...]] | None:  # type: ignore[override]
        return self.numbering.sets if isinstance(self.numbering, SeveralLabels) else None

    @property
    def label_separator(self) -> str | None:  # type: ignore[override]
        return self.numbering.separator if isinstance(self.numbering, SeveralLabels) else None

    def forget_bad_rows(self) -> None:
        self.skipped = 0
        self.skipped_by_file: Counter[str] = Counter()
        self.bad_rows: list[BadRow] = []

    @property
    def inputs(self) -> Paths:
        return self.file.inputs

    def warnings(self) -> list[str]:
        return self.file.warnings()

    def skip_or_raise(self, row: int, what: str, error: DataError) -> None:
        """Count a bad row, and remember what is wrong with it; raise the error unless bad rows are to be skipped."""
        if self.reading.on_bad_row == "fail":
            raise error
        self.skipped += 1
        self.skipped_by_file[error.file or self.name] += 1
        if len(self.bad_rows) < self.bad_rows_shown:
            self.bad_rows.append(BadRow(row, what))
