"""Running text -> hashed words: lines of `label<TAB>text`, or text alone with its labels in a second file.

Words are runs of letters, marks, numbers and underscores in any script, lower-cased; of scripts without spaces each
character with its marks is a word (Han, kana, Thai, Lao, Khmer, Myanmar), and so is a symbol such as an emoji. A
feature is a word, a phrase of up to `ngrams` words in a row, or with `chars` a part of a word; its column is its hash.
Bytes that are not UTF-8 separate words.
"""

from __future__ import annotations

from typing import Any

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.readers.formats.first_lines import sample_lines
from rosenblatt.readers.formats.hashed_lines import HashedLineSource
from rosenblatt.readers.formats.line_source import Parsed
from rosenblatt.readers.hashing.settings import hashing_settings, native_hashing
from rosenblatt.readers.inputs.input_file import InputFile, NativeSource
from rosenblatt.readers.labels_file import LabelsFile
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace

_LABEL_HEADERS = ("label", "class", "category", "target", "y", "sentiment")
_TEXT_HEADERS = ("text", "message", "body", "sentence", "review", "comment", "content", "document")


class TextSource(HashedLineSource):
    """Lines of text; those to predict may lack a label, and are hashed as the texts of the model were."""

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None = None) -> None:
        self._settings = hashing_settings(reading, model_space)
        super().__init__(file, reading, model_space, self._settings.bits)
        self._hashing = native_hashing(self._settings)
        labelled = "several" if reading.multi_label else "labelled"
        self._line_kind = (
            "plain" if reading.labels_from else labelled if model_space is None or reading.grow else "either"
        )
        self._header = self._has_header() if reading.header is None else reading.header
        if self._header:
            file.leave_out_repeated_first_lines()
        self._labels_file: LabelsFile | None = None

    def new_space(self) -> FeatureSpace:
        return FeatureSpace(
            "hashed",
            bits=self._settings.bits,
            ngrams=self._settings.ngrams,
            names=self._names.by_column(),
            settings={
                "format": "text",
                "features": self.features,
                **self._settings.for_model,
                "collisions": self._names.collisions(),
            },
        )

    def start(self) -> None:
        super().start()
        path = self.reading.labels_from
        self._labels_file = LabelsFile(path, self.name) if path else None

    def parse(self, source: NativeSource | bytes, begin: int, end: int) -> tuple[Any, ...]:
        parsed, candidates = native.parse_text(
            source,
            begin,
            end,
            kind=self._line_kind,
            hashing=self._hashing,
            names=self._names.dictionary,
            skip=self.reading.on_bad_row == "skip",
        )
        return (*parsed, candidates)

    def prepare(self, parsed: Parsed, lines_before: int) -> Parsed:
        parsed = super().prepare(parsed, lines_before)
        if self._header and lines_before == 0 and len(parsed.labels):
            parsed = _without_header(parsed)
        if self._labels_file is not None:
            parsed = _with_labels(parsed, self._labels_file)
        return parsed

    def finish(self, n_rows: int) -> None:
        if self._labels_file is not None:
            self._labels_file.check_end(n_rows)
        super().finish(n_rows)

    def _has_header(self) -> bool:
        """Whether the first line is like `label<TAB>text` itself."""
        lines = sample_lines(self.file.head)
        cells = [cell.strip().lower() for cell in lines[0].split("\t")] if lines else []
        return (
            self._line_kind != "plain" and len(cells) == 2 and cells[0] in _LABEL_HEADERS and cells[1] in _TEXT_HEADERS
        )


def _with_labels(parsed: Parsed, labels_file: LabelsFile) -> Parsed:
    positions: dict[bytes, int] = {}
    codes = [positions.setdefault(label, len(positions)) for label in labels_file.take(len(parsed.labels))]
    return parsed._replace(labels=np.array(codes, dtype=np.int32), tokens=list(positions))


def _without_header(parsed: Parsed) -> Parsed:
    """All but the first row, a header that was parsed as a label and a text."""
    first = int(parsed.indptr[1])
    labels, tokens = np.asarray(parsed.labels)[1:], parsed.tokens
    if not (labels == 0).any():  # the header's label occurs nowhere else
        labels, tokens = np.where(labels > 0, labels - 1, labels).astype(np.int32), tokens[1:]
    return parsed._replace(
        indptr=np.asarray(parsed.indptr)[1:] - first,
        indices=parsed.indices[first:],
        values=parsed.values[first:],
        labels=labels,
        tokens=tokens,
        checked=None,
    )
