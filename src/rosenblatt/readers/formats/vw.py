"""Vowpal Wabbit's text, `[label [weight]] [tag]|namespace[:scale] name[:value] ...`, names hashed."""

import re
from collections.abc import Sequence
from typing import Any

from rosenblatt import native, options
from rosenblatt.errors import DataError, listed
from rosenblatt.readers.formats.hashed_lines import HashedLineSource
from rosenblatt.readers.hashing.cross import pairs_of, pairs_of_model
from rosenblatt.readers.inputs.input_file import InputFile, NativeSource
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace

_CROSSED_BLOCK_BYTES = 1 << 16  # products take many times the memory of their line


class VwSource(HashedLineSource):
    """A feature is its namespace and its name, hashed together; a line may lack a label."""

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None = None) -> None:
        options.bits.check(reading.bits, "read")
        self._pairs = pairs_of(reading.cross) if model_space is None else pairs_of_model(model_space)
        self._crossing = native.Crossing(list(self._pairs)) if self._pairs else None
        self._missing_elsewhere: set[str] | None = None  # namespaces that no other process has met
        default_bits = options.TEXT_BITS if self._pairs else options.VW_BITS
        self._bits = model_space.bits if model_space is not None else reading.bits or default_bits
        super().__init__(file, reading, model_space, self._bits)
        if self._pairs:
            self.block_bytes = _CROSSED_BLOCK_BYTES

    @property
    def separator_between_labels(self) -> str | None:
        return ","

    def new_space(self) -> FeatureSpace:
        settings: dict[str, Any] = {"names": "vw", "collisions": self._names.collisions()}
        if self._pairs:
            settings["cross"] = [list(pair) for pair in self._pairs]
        return FeatureSpace(kind="hashed", bits=self._bits, names=self._names.by_column(), settings=settings)

    def parse(self, source: NativeSource | bytes, begin: int, end: int) -> tuple[Any, ...]:
        parsed, candidates = native.parse_vw(
            source,
            begin,
            end,
            bits=self._bits,
            names=self._names.dictionary,
            skip=self.reading.on_bad_row == "skip",
            crossing=self._crossing,
            several=self.reading.multi_label,
        )
        return (*parsed, candidates)

    def parser_result(self) -> list[str]:
        return [] if self._crossing is None else self._crossing.missing_namespaces

    def merge_parser_result(self, result: list[str]) -> None:
        missing = self._missing_elsewhere
        self._missing_elsewhere = set(result) if missing is None else missing & set(result)

    def finish(self, n_rows: int) -> None:
        super().finish(n_rows)
        if self._crossing is not None and self.model_space is None:
            missing = self._crossing.missing_namespaces
            elsewhere = self._missing_elsewhere
            self._refuse_missing([name for name in missing if elsewhere is None or name in elsewhere])

    def _refuse_missing(self, namespaces: Sequence[str]) -> None:
        """DataError for a crossed namespace that no line has; it shows those of the first lines."""
        if namespaces:
            whole_lines = self.file.head[: self.file.head.rfind(b"\n") + 1] or self.file.head
            present = dict.fromkeys(re.findall(rb"\|([^\s:|]+)", whole_lines))
            raise DataError(
                f"{self.name}: there is no namespace {namespaces[0]!r} to cross; its namespaces are "
                f"{listed([name.decode(errors='replace') for name in present]) or 'without names'}.",
                file=self.name,
            )
