"""fastText's lines: `__label__spam the text`, in which the label is a word like any other. Read as label, tab, text."""

from __future__ import annotations

import re
from typing import Any

from rosenblatt.readers.formats.bad_lines import Kind
from rosenblatt.readers.formats.text import TextSource
from rosenblatt.readers.inputs.input_file import NativeSource

_LABEL = re.compile(rb"^[ \t]*+__label__(\S++)[ \t\r]*+(?!__label__)", re.MULTILINE)
_MARK = b"__label__"


class FastTextSource(TextSource):
    """One label a line, at its beginning."""

    reads_bytes = True

    def parse(self, source: NativeSource | bytes, begin: int, end: int) -> tuple[Any, ...]:
        assert isinstance(source, bytes)
        lines = _LABEL.sub(rb"\1\t", source.replace(b"\t", b" "))
        *parsed, bad, count, stopped, rows, names = super().parse(lines, 0, len(lines))
        return (*parsed, [_fault(*fault) for fault in bad], count, stopped, rows, names)

    def _has_header(self) -> bool:
        return False


def _fault(kind: int, line: int, column: int, token: bytes, about: bytes) -> tuple[Any, ...]:
    """A line that did not become label, tab, text has no label or more than one."""
    if kind != Kind.NO_TAB:
        return kind, line, column, token, about
    several = token.lstrip().startswith(_MARK)
    return (Kind.SEVERAL_LABELS if several else Kind.NO_MARKED_LABEL), line, 1, token, about
