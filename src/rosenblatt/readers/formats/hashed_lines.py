"""The base class of line formats with hashed features: the bits of the hash, and the names of its columns."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from rosenblatt.readers.formats.line_source import LineSource, Parsed
from rosenblatt.readers.hashing.column_names import NameCollector, with_more_names
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace


class HashedLineSource(LineSource):
    """Lines whose features are hashed to 2**bits columns; their names are collected while a model is learned."""

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None, bits: int) -> None:
        super().__init__(file, reading, model_space)
        collect = model_space is None or reading.name_rows or reading.grow
        self._names = NameCollector(bits, collect=collect, count=reading.count_names)
        self.features = 1 << bits
        self.names_bits = bits

    @property
    def space(self) -> FeatureSpace:
        if self.model_space is None:
            return self.new_space()
        return with_more_names(self.model_space, self._names.by_column()) if self.reading.grow else self.model_space

    @abstractmethod
    def new_space(self) -> FeatureSpace:
        """What the columns mean to a model that is learned from these lines."""

    def start(self) -> None:
        self._names.restart()

    def common_names(self) -> Mapping[int, str]:
        return self._names.most_common()

    def parser_state(self) -> dict[str, Any]:
        return {"names": self._names.state}

    def take_parser_state(self, state: Mapping[str, Any]) -> None:
        self._names.take_state(state["names"])

    def names_of_row(self) -> Mapping[int, str] | None:
        if not self.reading.name_rows:
            return None
        names = self._names.by_column()
        self._names.restart()
        return names

    def prepare(self, parsed: Parsed, lines_before: int) -> Parsed:
        self._names.merge(parsed.names)
        return parsed

    def finish(self, n_rows: int) -> None:
        super().finish(n_rows)
        self._names.finish()
