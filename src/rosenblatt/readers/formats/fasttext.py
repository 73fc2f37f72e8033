"""fastText's lines: `__label__spam the text`, in which the label is a word like any other. Read as label, tab, text.

A line may have several labels, or none, where several are to be learned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rosenblatt.readers.formats.bad_lines import Kind
from rosenblatt.readers.formats.text import TextSource
from rosenblatt.readers.inputs.input_file import NativeSource
from rosenblatt.readers.labels import Labels
from rosenblatt.readers.several_labels import SeveralLabels

_LABEL = re.compile(rb"^[ \t]*+__label__(\S++)[ \t\r]*+(?!__label__)", re.MULTILINE)
_LABELS = re.compile(rb"^(?=[^\S\n]*+\S)[ \t\r]*+((?:__label__\S++[ \t\r]*+)*+)", re.MULTILINE)
_MARK = b"__label__"


class FastTextSource(TextSource):
    """The labels of a line are at its beginning."""

    reads_bytes = True

    def parse(self, source: NativeSource | bytes, begin: int, end: int) -> tuple[Any, ...]:
        assert isinstance(source, bytes)
        labels = _LABELS if self.reading.multi_label else _LABEL
        lines = labels.sub(rb"\1\t", source.replace(b"\t", b" "))
        *parsed, bad, count, stopped, rows, names = super().parse(lines, 0, len(lines))
        return (*parsed, [_fault(*fault) for fault in bad], count, stopped, rows, names)

    def _has_header(self) -> bool:
        return False

    @property
    def separator_between_labels(self) -> str | None:
        return " "

    def _numbering(self) -> Labels:
        if not self.reading.multi_label:
            return super()._numbering()
        return _MarkedLabels(self.name, self.separator_between_labels, self.reading.classes)


class _MarkedLabels(SeveralLabels):
    """Labels that are words with a mark before them."""

    def positions(self, tokens: Sequence[bytes]) -> list[int]:
        return super().positions([b" ".join(word.removeprefix(_MARK) for word in token.split()) for token in tokens])


def _fault(kind: int, line: int, column: int, token: bytes, about: bytes) -> tuple[Any, ...]:
    """A line that did not become label, tab, text has no label or more than one."""
    if kind != Kind.NO_TAB:
        return kind, line, column, token, about
    several = token.lstrip().startswith(_MARK)
    return (Kind.SEVERAL_LABELS if several else Kind.NO_MARKED_LABEL), line, 1, token, about
