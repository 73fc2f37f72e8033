"""Running text -> hashed words: lines of `label<TAB>text`, or text alone with its labels in a second file.

Words are runs of letters, marks, numbers and underscores in any script, lower-cased; a Han or kana character and a
symbol such as an emoji are each a word. A feature is a word, or a phrase of up to `ngrams` words in a row; its column
is its hash. Bytes that are not UTF-8 separate words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.lazy import np
from rosenblatt.readers.formats.detect import sample
from rosenblatt.readers.formats.lines import LineSource, Parsed, Part, parts
from rosenblatt.readers.hashing.column_names import LIMIT, collisions, column_names
from rosenblatt.readers.hashing.settings import hashing_of, hashing_settings
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.labels import LONGEST
from rosenblatt.readers.labels_file import label_lines
from rosenblatt.readers.ordered_map import ordered
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace, SourceBlock

_HEADERS = ("label", "class", "category", "target", "y", "sentiment")
_TEXTS = ("text", "message", "body", "sentence", "review", "comment", "content", "document")


def open(opened: InputFile, reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """The texts of a file; with a `space`, hashed as the model's own texts were, and labels may be lacking."""
    return TextSource(opened, reading, space)


class TextSource(LineSource):
    def __init__(self, opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> None:
        super().__init__(opened, reading)
        self._frozen = space
        self._chosen = hashing_settings(reading, space)
        self._hashing = hashing_of(self._chosen)
        self._names = native.Names(self._chosen.bits, LIMIT) if space is None else None
        self._named = False  # every name was met: a later pass need not look
        self._kind = "plain" if reading.labels_from else "labelled" if space is None else "either"
        self._header = self._has_header() if reading.header is None else reading.header
        self.features = 2**self._chosen.bits

    @property
    def space(self) -> FeatureSpace:
        if self._frozen is not None:
            return self._frozen
        return FeatureSpace(
            "hashed",
            bits=self._chosen.bits,
            ngrams=self._chosen.ngrams,
            names=column_names(self._names),
            settings={
                "format": "text",
                "features": self.features,
                **self._chosen.settings,
                "collisions": dict(collisions(self._names)),
            },
        )

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        self.skipped, self.bad_rows = 0, []
        if self._names is not None and not self._named:  # a reading that was broken off leaves no names
            self._names = native.Names(self._chosen.bits, LIMIT)
        labels = _LabelLines(self.name, self.reading.labels_from) if self.reading.labels_from else None
        rows = lines = 0
        for done, parsed, candidates in ordered(parts(self.opened), self._parse_text, threads):
            self._judge(parsed, lines)
            if self._names is not None and not self._named:
                self._names.merge(candidates)
            if self._header and lines == 0 and len(parsed.labels):
                parsed = _without_header(parsed)
            lines += parsed.lines
            if labels is not None:
                parsed = labels.beside(parsed)
            if len(parsed.labels):
                yield self._chunk(parsed, rows, done)
                rows += len(parsed.labels)
        if labels is not None:
            labels.end(rows)
        if rows == 0:
            raise DataError(self._nothing())
        self._named = True

    def _parse_text(self, part: Part) -> tuple[int, Parsed, native.Candidates]:
        try:
            parsed, candidates = native.parse_text(
                part.source,
                part.begin,
                part.end,
                kind=self._kind,
                hashing=self._hashing,
                names=None if self._named else self._names,
                skip=self.reading.on_bad_row == "skip",
            )
        except OSError as fault:
            raise DataError(f"{self.name}: cannot be read: {fault.strerror or fault}.") from fault
        return part.done, Parsed(*parsed), candidates

    def _has_header(self) -> bool:
        """Whether the first line is like `label<TAB>text` itself."""
        lines = sample(self.opened.head)
        cells = [cell.strip().lower() for cell in lines[0].split("\t")] if lines else []
        return self._kind != "plain" and len(cells) == 2 and cells[0] in _HEADERS and cells[1] in _TEXTS


class _LabelLines:
    """The labels of a second file, taken as the rows of the first come."""

    def __init__(self, name: str, path: str) -> None:
        self._name, self._path = name, path
        self._blocks = label_lines(path)
        self._ready: list[str] = []
        self._taken = 0

    def beside(self, parsed: Parsed) -> Parsed:
        """The parsed rows with their labels."""
        wanted = len(parsed.labels)
        while len(self._ready) < wanted and (block := next(self._blocks, None)) is not None:
            self._ready += block
        taken, self._ready = self._ready[:wanted], self._ready[wanted:]
        if len(taken) < wanted:
            line = self._taken + len(taken) + 1
            raise DataError(
                f"{self._path}: ends after {line - 1} labels, and line {line} of {self._name} has none; "
                "there must be one label for each line."
            )
        for i, token in enumerate(taken):
            if not token:
                raise DataError(f"{self._path}:{self._taken + i + 1}:1: expected a label, found an empty line.")
            if len(token.encode()) > LONGEST:
                raise DataError(
                    f"{self._path}:{self._taken + i + 1}:1: the label that begins with {token[:20]!r} has more than "
                    f"{LONGEST:,} bytes; there must be one label a line."
                )
        self._taken += wanted
        numbers: dict[bytes, int] = {}
        codes = [numbers.setdefault(token.encode(), len(numbers)) for token in taken]
        return replace(parsed, labels=np.array(codes, dtype=np.int32), tokens=list(numbers))

    def end(self, rows: int) -> None:
        more: Any = self._ready or next(self._blocks, None)
        if more:
            raise DataError(
                f"{self._path}: goes on after {rows} labels, and {self._name} ends with line {rows}; "
                "there must be one label for each line."
            )


def _without_header(parsed: Parsed) -> Parsed:
    """All but the first row, a header that was read as a label and a text."""
    first = int(parsed.indptr[1])
    labels, tokens = np.asarray(parsed.labels)[1:], parsed.tokens
    if not (labels == 0).any():  # its label is no label
        labels, tokens = np.where(labels > 0, labels - 1, labels).astype(np.int32), tokens[1:]
    return replace(
        parsed,
        indptr=np.asarray(parsed.indptr)[1:] - first,
        indices=parsed.indices[first:],
        values=parsed.values[first:],
        labels=labels,
        tokens=tokens,
        checked=None,
    )
