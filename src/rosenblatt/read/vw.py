"""Vowpal Wabbit's text, `[label [weight]] [tag]|namespace[:scale] name[:value] ...`, names hashed."""

from typing import Any

from rosenblatt import kernels, options
from rosenblatt.errors import DataError
from rosenblatt.read.lines import LineSource, Parsed
from rosenblatt.read.names import LIMIT, column_names
from rosenblatt.read.opened import Opened
from rosenblatt.read.source import Reading, Source
from rosenblatt.records import FeatureSpace


def open(opened: Opened, reading: Reading, space: FeatureSpace | None = None) -> Source:
    """The examples of a file in Vowpal Wabbit's format; a line without a label gives label -1."""
    if space is not None and space.settings.get("names") != "vw":
        raise DataError(
            f"{opened.name}: is in Vowpal Wabbit's format, and this model was not learned from it: "
            "give it examples in the format that it was learned from."
        )
    return Vw(opened, reading, space)


class Vw(LineSource):
    """A feature is its namespace and its name, hashed together; a bounded dictionary keeps the names."""

    def __init__(self, opened: Opened, reading: Reading, space: FeatureSpace | None) -> None:
        super().__init__(opened, reading)
        options.bits.check(reading.bits, "read")
        self._bits = space.bits if space is not None else reading.bits or options.VW_BITS
        self._frozen = space
        self._names = kernels.Names(self._bits, LIMIT) if space is None else None
        self.features = 1 << self._bits

    @property
    def space(self) -> FeatureSpace:
        if self._frozen is not None:
            return self._frozen
        return FeatureSpace(kind="hashed", bits=self._bits, names=column_names(self._names), settings={"names": "vw"})

    @property
    def names(self) -> kernels.Names | None:
        """The native dictionary, for the collision report."""
        return self._names

    def parse(self, source: int | bytes, begin: int, end: int) -> tuple[Any, ...]:
        parsed, unknown = kernels.parse_vw(
            source, begin, end, bits=self._bits, names=self._names, skip=self.reading.on_bad_row == "skip"
        )
        return (*parsed, unknown)

    def met(self, parsed: Parsed) -> None:
        if self._names is not None:
            self._names.merge(parsed.more)
