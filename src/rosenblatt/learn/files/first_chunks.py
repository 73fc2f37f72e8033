"""A source whose first chunks were read to see its labels."""

from collections.abc import Iterator
from itertools import chain

from rosenblatt.errors import DataError
from rosenblatt.learn.files.classes import classes_of
from rosenblatt.readers.source import Source, SourceWrapper
from rosenblatt.records import Label, SourceBlock

_MOST = 64 << 20  # bytes that are held while only one label has been met


class Replayed(SourceWrapper):
    """The same source; the chunks that were taken to see its labels come first, and need not be read again."""

    def __init__(self, source: Source, first: list[SourceBlock], rest: Iterator[SourceBlock]) -> None:
        super().__init__(source, source.rewindable)
        self._begun: Iterator[SourceBlock] | None = chain(first, rest)

    @classmethod
    def until_two_labels(cls, source: Source, threads: int) -> tuple[Source, tuple[Label, ...]]:
        first: list[SourceBlock] = []
        rest = source.blocks(threads)
        for chunk in rest:
            first.append(chunk)
            if len(source.labels) > 1:
                break
            if chunk.bytes_read - first[0].bytes_read > _MOST:
                raise DataError(
                    f"{source.name}: has only the label {source.labels[0]!r} in its first {chunk.bytes_read >> 20} MB "
                    "and cannot be read twice: name all the classes before, with classes."
                )
        return cls(source, first, rest), classes_of(source.labels)

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        begun, self._begun = self._begun, None
        return begun or self._source.blocks(threads)
