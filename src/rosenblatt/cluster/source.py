"""A source whose lines are parsed by the workers of an engine; its blocks are those of the same file on one machine."""

from __future__ import annotations

from collections.abc import Iterator

from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.pieces import spans_in_order
from rosenblatt.errors import ParameterError
from rosenblatt.readers.formats.lines import innermost_lines
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source, SourceWrapper
from rosenblatt.records import SourceBlock


class ClusterSource(SourceWrapper):
    """Opened and sniffed here; every byte after the head is read by workers."""

    def __init__(self, source: Source, engine: Engine) -> None:
        lines = innermost_lines(source)
        if lines is None:
            raise ParameterError(
                f"{source.name}: is read as {source.format}, and engines read svmlight, VW text, fastText's lines and "
                "lines of label, tab, text: fit it without an engine, or write it in one of these formats."
            )
        if not source.rewindable:
            raise ParameterError(f"{source.name}: is a stream, which workers cannot read: give files.")
        super().__init__(source, rewindable=True)
        self._engine = engine
        lines.elsewhere = lambda spans: spans_in_order(spans, lines, engine)

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        return self._source.blocks(threads)

    def reopened(self, reading: ReadOptions) -> Source:
        reopened = self._source.reopened(reading) or open_source(self.inputs, reading)
        # Names are counted in a few blocks, or in few examples: not worth the workers, who would read ahead.
        return reopened if reading.count_names else ClusterSource(reopened, self._engine)

    def warnings(self) -> list[str]:
        return [*super().warnings(), *self._engine.notes()]


def open_on(inputs: Paths, reading: ReadOptions, engine: Engine) -> ClusterSource:
    return ClusterSource(open_source(inputs, reading), engine)
