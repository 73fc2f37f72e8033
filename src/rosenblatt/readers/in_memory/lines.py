"""Strings in memory as a source: running texts, or lines of VW text."""

from __future__ import annotations

from collections.abc import Sequence

from rosenblatt.readers.formats.text import TextSource
from rosenblatt.readers.formats.vw import VwSource
from rosenblatt.readers.in_memory.targets import NAME, MemorySource, Targets
from rosenblatt.readers.inputs.input_file import MemoryFile
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace


class MemoryTexts(MemorySource, TextSource):
    """Texts, each with the code of its class before a tab, so that a tab within a text is a part of it."""

    def reopened(self, reading: ReadOptions) -> MemoryTexts:
        assert isinstance(self.file, MemoryFile)
        changed = self.reading._replace(bits=reading.bits, ngrams=reading.ngrams, count_names=reading.count_names)
        return MemoryTexts(self.file, changed, self.model_space, self.targets)


def text_source(
    texts: Sequence[str], reading: ReadOptions, space: FeatureSpace | None = None, targets: Targets | None = None
) -> MemoryTexts:
    codes = [0] * len(texts) if targets is None else targets.codes.tolist()
    lines = (f"{code}\t{_one_line(text)}\n" for code, text in zip(codes, texts, strict=True))
    return MemoryTexts(_file_of("".join(lines)), reading._replace(format="text", header=False), space, targets)


def vw_source(lines: Sequence[str], reading: ReadOptions, space: FeatureSpace) -> VwSource:
    """Lines to predict; they may have labels of their own."""
    data = "".join(_one_line(line) + "\n" for line in lines)
    return VwSource(_file_of(data), reading._replace(format="vw"), space)


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")


def _file_of(lines: str) -> MemoryFile:
    data = lines.encode("utf-8", errors="replace")
    return MemoryFile(NAME, len(data), data)
