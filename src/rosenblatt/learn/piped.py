"""A source that can be read only once, with its first chunks read already."""

from collections.abc import Iterator
from itertools import chain

from rosenblatt.errors import DataError
from rosenblatt.learn.naming import classes_of
from rosenblatt.read import Source
from rosenblatt.records import Chunk, FeatureSpace, Label

_MOST = 64 << 20  # bytes that are held while only one label has been met


class Replayed(Source):
    """The same source; the chunks that were taken to see its labels come first."""

    def __init__(self, source: Source, first: list[Chunk], rest: Iterator[Chunk]) -> None:
        self._source, self._chunks = source, chain(first, rest)
        self.name, self.format, self.size, self.rewindable = source.name, source.format, source.size, False

    @classmethod
    def until_two_labels(cls, source: Source, threads: int) -> tuple[Source, tuple[Label, ...]]:
        first: list[Chunk] = []
        rest = source.chunks(threads)
        for chunk in rest:
            first.append(chunk)
            if len(source.labels) > 1:
                break
            if chunk.done - first[0].done > _MOST:
                raise DataError(
                    f"{source.name}: has only the label {source.labels[0]!r} in its first {chunk.done >> 20} MB and "
                    "cannot be read twice: name all the classes before, with classes."
                )
        return cls(source, first, rest), classes_of(source.labels)

    @property
    def labels(self) -> list[Label]:  # type: ignore[override]
        return self._source.labels

    @property
    def skipped(self) -> int:  # type: ignore[override]
        return self._source.skipped

    @property
    def bad_rows(self) -> list:  # type: ignore[override, type-arg]
        return self._source.bad_rows

    @property
    def space(self) -> FeatureSpace:
        return self._source.space

    def chunks(self, threads: int = 1) -> Iterator[Chunk]:
        return self._chunks
