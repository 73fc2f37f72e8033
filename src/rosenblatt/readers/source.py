"""A source of examples: opened once, read from the beginning as often as it can be rewound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from rosenblatt import options
from rosenblatt.errors import DataError
from rosenblatt.records import FeatureSpace, Label, SourceBlock


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file, as the user asked; None means: find out."""

    format: str | None = options.format.default
    label: str | int | None = None  # the column that holds the label: its name, or its position from 0 (-1 the last)
    text: tuple[str, ...] = ()  # columns of running text
    words: tuple[str, ...] = ()  # columns of numbers that are to be read as words
    cross: tuple[str, ...] = ()  # pairs 'a:b' of columns or namespaces whose features are also learned together
    labels_from: str | None = None  # a second file with one label a line, for raw text
    header: bool | None = None
    index_base: int | None = None  # 0 or 1: where svmlight feature numbers begin
    bits: int | None = None
    ngrams: int | None = None
    value: str = options.value.default  # of a word in a text
    unit: bool = options.unit.default  # texts scaled to length 1
    scale: bool = options.scale.default
    classes: tuple[Label, ...] = ()  # all the labels, for a stream that cannot be read twice
    on_bad_row: str = options.on_bad_row.default

    def as_json(self) -> dict[str, Any]:
        """Every choice by its name, as JSON writes it."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    def with_format(self, format: str) -> ReadOptions:
        """The same, with the format that was found."""
        return replace(self, format=format)


@dataclass(frozen=True)
class BadRow:
    """A row that was left out, and why: the sentence names file, line and column."""

    row: int
    sentence: str


class RereadError(DataError):
    """The chunks given so far were read wrongly (a feature index 0 came late): read the source from its beginning.

    Only raised by a source that can be rewound; its next `chunks()` reads rightly.
    """


class Source(ABC):
    """Examples in order, a bounded number in memory at a time, the same for any number of threads.

    While it is read, `labels` and `space` grow; both are complete after the last chunk.
    """

    name: str  # as the user wrote it; '-' is standard input
    format: str
    size: int | None  # bytes to read, None where it cannot be known
    rewindable: bool
    labels: list[Label]  # every label met, in the order met
    skipped: int  # bad rows left out so far
    bad_rows: list[BadRow]  # the first few of them
    # What a first look has found, so that nobody need look again: the labels, and that all of them come sorted.
    labels_seen: tuple[Label, ...] = ()
    sorted_by_label: bool = False

    def read_ahead(self, threads: int) -> None:  # noqa: B027 - most have nothing to begin
        """Read ahead from now on, where the format can: who asks for the chunks first finds some ready."""

    @abstractmethod
    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        """The examples from the beginning, parsed in parallel, given in order."""

    @property
    @abstractmethod
    def space(self) -> FeatureSpace:
        """What the columns mean, as far as has been read."""


class SourceWrapper(Source):
    """Another source, whose chunks come in another way: what that one has met is what this one has."""

    def __init__(self, source: Source, rewindable: bool) -> None:
        self._source = source
        self.name, self.format, self.size, self.rewindable = source.name, source.format, source.size, rewindable

    @property
    def labels(self) -> list[Label]:  # type: ignore[override]
        return self._source.labels

    @property
    def skipped(self) -> int:  # type: ignore[override]
        return self._source.skipped

    @property
    def bad_rows(self) -> list[BadRow]:  # type: ignore[override]
        return self._source.bad_rows

    @property
    def space(self) -> FeatureSpace:
        return self._source.space
