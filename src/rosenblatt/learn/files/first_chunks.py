"""A source whose first chunks were read to see its labels."""

from collections.abc import Iterator
from itertools import chain

from rosenblatt.errors import DataError
from rosenblatt.learn.files.classes import classes_of
from rosenblatt.readers.source import SeenThrough, Source
from rosenblatt.records import Chunk, Label

_MOST = 64 << 20  # bytes that are held while only one label has been met


class Replayed(SeenThrough):
    """The same source; the chunks that were taken to see its labels come first, and need not be read again."""

    def __init__(self, source: Source, first: list[Chunk], rest: Iterator[Chunk]) -> None:
        super().__init__(source, source.rewindable)
        self._begun: Iterator[Chunk] | None = chain(first, rest)

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

    def chunks(self, threads: int = 1) -> Iterator[Chunk]:
        begun, self._begun = self._begun, None
        return begun or self._source.chunks(threads)
