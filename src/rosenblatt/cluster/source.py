"""A source that the workers of an engine read; its blocks are the same as on one machine."""

from __future__ import annotations

from collections.abc import Iterator

from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.line_pieces import spans_in_order
from rosenblatt.cluster.table_pieces import read_on
from rosenblatt.errors import ParameterError
from rosenblatt.readers.formats.line_source import LineSource
from rosenblatt.readers.inputs.expand_paths import paths_of
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source, SourceWrapper
from rosenblatt.readers.table.table_source import TableSource
from rosenblatt.records import FeatureSpace, SourceBlock


class ClusterSource(SourceWrapper):
    """Opened in this process, which finds the format and columns from the first rows, and then read by workers."""

    def __init__(self, source: Source, engine: Engine, space: FeatureSpace | None = None) -> None:
        if not source.rewindable or "-" in paths_of(source.inputs):  # a file may be redirected to standard input
            raise ParameterError(f"{source.name}: is a stream, which workers cannot read: give files.")
        super().__init__(source, rewindable=True)
        self._engine, self._model_space = engine, space
        _let_workers_read(source, engine)

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        return self._source.blocks(threads)

    def reopened(self, reading: ReadOptions) -> Source:
        reopened = self._source.reopened(reading) or open_source(self.inputs, reading, self._model_space)
        # Counting names takes only a few blocks, while workers would read ahead.
        return reopened if reading.count_names else ClusterSource(reopened, self._engine, self._model_space)

    def warnings(self) -> list[str]:
        return [*super().warnings(), *self._engine.notes()]


def _let_workers_read(source: Source, engine: Engine) -> None:
    inner = source
    while isinstance(inner, SourceWrapper):
        inner = inner.wrapped
    if isinstance(inner, LineSource):
        lines = inner
        lines.elsewhere = lambda spans: spans_in_order(spans, lines, engine)
    elif isinstance(inner, TableSource) and inner.can_be_divided:
        read_on(engine, inner)
    else:
        raise ParameterError(
            f"{source.name}: is read as {source.format}, which cannot be divided between workers: fit it without an "
            "engine, or write it as svmlight, VW text, lines of text, CSV, JSON lines or Parquet."
        )


def open_on(inputs: Paths, reading: ReadOptions, engine: Engine, space: FeatureSpace | None = None) -> ClusterSource:
    return ClusterSource(open_source(inputs, reading, space), engine, space)
