"""Vowpal Wabbit's text, `[label [weight]] [tag]|namespace[:scale] name[:value] ...`, names hashed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rosenblatt import native, options
from rosenblatt.errors import DataError
from rosenblatt.readers.formats.lines import LineSource, Parsed
from rosenblatt.readers.hashing.column_names import LIMIT, collisions, column_names
from rosenblatt.readers.hashing.cross import pairs_of, pairs_of_model
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace, SourceBlock

_CROSSED = 1 << 16  # bytes of lines at a time: their products take many times the room


def open(opened: InputFile, reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """The examples of a file in Vowpal Wabbit's format; a line without a label gives label -1."""
    return Vw(opened, reading, space)


class Vw(LineSource):
    """A feature is its namespace and its name, hashed together; a bounded dictionary keeps the names."""

    def __init__(self, opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> None:
        super().__init__(opened, reading)
        options.bits.check(reading.bits, "read")
        self._pairs = pairs_of(reading.cross) if space is None else pairs_of_model(space)
        self._crossing = native.Crossing(list(self._pairs)) if self._pairs else None
        usual = options.TEXT_BITS if self._pairs else options.VW_BITS
        self._bits = space.bits if space is not None else reading.bits or usual
        self._frozen = space
        self._names = native.Names(self._bits, LIMIT) if space is None else None
        self._named = False  # every name was met: a later pass need not look
        self.features = 1 << self._bits
        if self._pairs:
            self.piece = _CROSSED

    @property
    def space(self) -> FeatureSpace:
        if self._frozen is not None:
            return self._frozen
        settings: dict[str, Any] = {"names": "vw", "collisions": dict(collisions(self._names))}
        if self._pairs:
            settings["cross"] = [list(pair) for pair in self._pairs]
        return FeatureSpace(kind="hashed", bits=self._bits, names=column_names(self._names), settings=settings)

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        if self._names is not None and not self._named:  # a reading that was broken off leaves no names
            self._names = native.Names(self._bits, LIMIT)
        yield from super().blocks(threads)
        self._named = True
        if self._crossing is not None and self._frozen is None:
            self._refuse_lacking(self._crossing.lacking)

    def _refuse_lacking(self, lacking: list[str]) -> None:
        """A namespace that no line has was misspelled; those of the first lines are shown."""
        if lacking:
            from rosenblatt.readers.table.columns import listed

            whole = self.opened.head[: self.opened.head.rfind(b"\n") + 1] or self.opened.head
            there = dict.fromkeys(re.findall(rb"\|([^\s:|]+)", whole))
            raise DataError(
                f"{self.name}: there is no namespace {lacking[0]!r} to cross; its namespaces are "
                f"{listed([name.decode(errors='replace') for name in there]) or 'without names'}."
            )

    def parse(self, source: int | bytes, begin: int, end: int) -> tuple[Any, ...]:
        names = None if self._named else self._names
        skip = self.reading.on_bad_row == "skip"
        parsed, unknown = native.parse_vw(
            source, begin, end, bits=self._bits, names=names, skip=skip, crossing=self._crossing
        )
        return (*parsed, unknown)

    def met(self, parsed: Parsed) -> None:
        if self._names is not None and not self._named:
            self._names.merge(parsed.more)
