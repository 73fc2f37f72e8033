"""Vowpal Wabbit's text, `[label [weight]] [tag]|namespace[:scale] name[:value] ...`, names hashed."""

from collections.abc import Iterator
from typing import Any

from rosenblatt import kernels, options
from rosenblatt.read.lines import LineSource, Parsed
from rosenblatt.read.names import LIMIT, collisions, column_names
from rosenblatt.read.opened import Opened
from rosenblatt.read.source import Reading, Source
from rosenblatt.records import Chunk, FeatureSpace


def open(opened: Opened, reading: Reading, space: FeatureSpace | None = None) -> Source:
    """The examples of a file in Vowpal Wabbit's format; a line without a label gives label -1."""
    return Vw(opened, reading, space)


class Vw(LineSource):
    """A feature is its namespace and its name, hashed together; a bounded dictionary keeps the names."""

    def __init__(self, opened: Opened, reading: Reading, space: FeatureSpace | None) -> None:
        super().__init__(opened, reading)
        options.bits.check(reading.bits, "read")
        self._bits = space.bits if space is not None else reading.bits or options.VW_BITS
        self._frozen = space
        self._names = kernels.Names(self._bits, LIMIT) if space is None else None
        self._named = False  # every name was met: a later pass need not look
        self.features = 1 << self._bits

    @property
    def space(self) -> FeatureSpace:
        if self._frozen is not None:
            return self._frozen
        settings = {"names": "vw", "collisions": dict(collisions(self._names))}
        return FeatureSpace(kind="hashed", bits=self._bits, names=column_names(self._names), settings=settings)

    def chunks(self, threads: int = 1) -> Iterator[Chunk]:
        if self._names is not None and not self._named:  # a reading that was broken off leaves no names
            self._names = kernels.Names(self._bits, LIMIT)
        yield from super().chunks(threads)
        self._named = True

    def parse(self, source: int | bytes, begin: int, end: int) -> tuple[Any, ...]:
        names = None if self._named else self._names
        skip = self.reading.on_bad_row == "skip"
        parsed, unknown = kernels.parse_vw(source, begin, end, bits=self._bits, names=names, skip=skip)
        return (*parsed, unknown)

    def met(self, parsed: Parsed) -> None:
        if self._names is not None and not self._named:
            self._names.merge(parsed.more)
