"""Examples as clients send them -> the line that the log keeps of each -> rows as the model reads them.

A line holds the features alone; the label and the weight of an example are stored beside it. What a line gives does
not depend on the lines around it, so replaying the log gives the same rows however they were grouped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from rosenblatt import native
from rosenblatt.errors import DataError, listed
from rosenblatt.lazy import np
from rosenblatt.readers.formats.bad_lines import Fault
from rosenblatt.readers.formats.line_source import Parsed
from rosenblatt.readers.formats.registry import feature_kind
from rosenblatt.readers.formats.svmlight.scaled_svmlight import as_scaled_rows
from rosenblatt.readers.hashing.column_names import NameCollector, with_more_names
from rosenblatt.readers.hashing.cross import pairs_of_model
from rosenblatt.readers.hashing.settings import hashing_settings, native_hashing
from rosenblatt.readers.in_memory.example import cell_of, flat
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace, ParsedCsr, Values

_NAME = "The example"
_FIRST_LINES = 1 << 16
_ONE_LINE = str.maketrans("\n\r\v\f\x00\x1c\x1d\x1e\x85\u2028\u2029", " " * 11)
_ASCII_LINE = bytes(ord(chr(code).translate(_ONE_LINE)) for code in range(128)) + bytes(range(128, 256))


class Features(msgspec.Struct, omit_defaults=True):
    """The features of an example, in one of these fields: the one that the model reads."""

    text: str | None = None
    columns: dict[str, Any] | None = None
    features: str | dict[str, float] | None = None
    vw: str | None = None


FIELDS = Features.__struct_fields__


def _one_line(value: str) -> bytes:
    """The value in UTF-8, with a space for each character that would end the line."""
    if value.isascii():
        return value.encode().translate(_ASCII_LINE)
    return value.translate(_ONE_LINE).encode("utf-8", errors="replace")


class ReadLines(NamedTuple):
    """Rows for the lines that can be read, and what is wrong with the others, by their position."""

    batch: Any  # the parsed rows, of which `values` makes a matrix
    bad: Mapping[int, str]


class LineReader(ABC):
    """Reads lines for one model. `read` changes nothing; `values` may give new features their columns."""

    field: str  # the field of Features that this model reads
    form: str  # what its content looks like; error messages quote it

    def line(self, example: Any) -> bytes:
        """The line of an example; raises DataError if this model cannot read it."""
        value = getattr(example, self.field)
        text, columns, features, vw = example.text, example.columns, example.features, example.vw
        n_kinds = (text is not None) + (columns is not None) + (features is not None) + (vw is not None)
        if n_kinds == 1 and value is not None:
            return self._line(value)
        others = [name for name in FIELDS if name != self.field and getattr(example, name) is not None]
        if value is None:
            problem = f"has {others[0]!r}" if others else "has no features"
            raise DataError(f"{_NAME} {problem}, and this model reads {self.form}.")
        raise DataError(f"{_NAME} has {others[0]!r} besides {self.field!r}: send the one that this model reads.")

    @abstractmethod
    def _line(self, value: Any) -> bytes: ...

    @abstractmethod
    def read(self, lines: Sequence[bytes]) -> ReadLines: ...

    def read_joined(self, lines: bytes) -> ReadLines:
        """`read` for lines joined by newlines."""
        return self.read(lines.split(b"\n"))

    @abstractmethod
    def values(self, read: ReadLines) -> Values: ...

    @abstractmethod
    def beyond(self, read: ReadLines, largest: float) -> list[int]:
        """The rows with a value beyond ±`largest`."""

    @property
    @abstractmethod
    def space(self) -> FeatureSpace:
        """What the columns mean, including those added while reading."""

    @property
    def knows_more(self) -> bool:
        """Whether `values` gave a column to a feature that other readers do not know."""
        return False


class _NativeLines(LineReader):
    """Formats that the native core parses a line at a time."""

    def __init__(self, space: FeatureSpace, *, grow: bool) -> None:
        self._space, self._grow = space, grow

    def _parse(self, data: bytes) -> Parsed:
        raise NotImplementedError

    def read(self, lines: Sequence[bytes]) -> ReadLines:
        parsed = self._parse(b"\n".join(lines) + b"\n")
        if not parsed.bad_count and len(parsed.labels) == len(lines):
            return ReadLines(parsed, {})
        if len(lines) == 1:
            return ReadLines(None, {0: self._fault(parsed)})
        bad = {}  # rare: read each line by itself, to find out which are wrong
        for k, line in enumerate(lines):
            alone = self._parse(line + b"\n")
            if alone.bad_count or len(alone.labels) != 1:
                bad[k] = self._fault(alone)
        good = [line for k, line in enumerate(lines) if k not in bad]
        return ReadLines(self._parse(b"\n".join(good) + b"\n") if good else None, bad)

    def read_joined(self, lines: bytes) -> ReadLines:
        parsed = self._parse(lines + b"\n")
        is_complete = not parsed.bad_count and len(parsed.labels) == lines.count(b"\n") + 1
        return ReadLines(parsed, {}) if is_complete else super().read_joined(lines)

    def beyond(self, read: ReadLines, largest: float) -> list[int]:
        values = read.batch.values
        if native.first_outside(values, -largest, largest) < 0:
            return []
        entries = np.flatnonzero(np.abs(np.asarray(values)) > largest)
        rows: list[int] = np.unique(np.searchsorted(np.asarray(read.batch.indptr), entries, side="right") - 1).tolist()
        return rows

    def _fault(self, parsed: Parsed) -> str:
        if not parsed.bad:
            return f"{_NAME} is empty."
        fault = Fault(*parsed.bad[0])
        what = fault.sentence(_NAME, 0).removeprefix(f"{_NAME}:{fault.line}:{fault.column}: ").rstrip(".")
        return f"{_NAME} cannot be read at character {max(fault.column - self._before, 1)}: {what}."

    _before = 0  # characters of a line before what the client sent


class NumberedLines(_NativeLines):
    """svmlight: `1:0.5 7:2`, or an object of numbers by feature number."""

    field, form = "features", '\'features\', such as "1:0.5 7:2" or {"1": 0.5, "7": 2}'
    _before = 2

    def __init__(self, space: FeatureSpace, *, grow: bool, features: Callable[[], int], most: int) -> None:
        super().__init__(space, grow=grow)
        self._features, self._most = features, most
        self._base = space.index_base if space.settings.get("index_base") != "any" else 1
        self._scaled = as_scaled_rows(space)

    def _line(self, value: Any) -> bytes:
        if isinstance(value, str):
            return b"0 " + _one_line(value)
        try:
            numbers = sorted((_feature_number(name), number) for name, number in value.items())
        except ValueError:
            raise DataError("The names of features must be whole numbers for this model, such as 7.") from None
        return b"0 " + " ".join(f"{name}:{number!r}" for name, number in numbers).encode()

    def _parse(self, data: bytes) -> Parsed:
        limit = 1 << 31 if self._grow else self._features()
        return Parsed(
            *native.parse_svmlight(data, 0, len(data), base=self._base, guess_base=False, limit=limit, skip=True)
        )

    def read(self, lines: Sequence[bytes]) -> ReadLines:
        read = super().read(lines)
        if read.batch is None or read.batch.largest < self._most:
            return read
        bad = dict(read.bad)
        for k, line in enumerate(lines):
            if k not in bad and self._parse(line + b"\n").largest >= self._most:
                bad[k] = f"{_NAME} has a feature above {self._most:,}, the largest that the service learns."
        good = [line for k, line in enumerate(lines) if k not in bad]
        return ReadLines(self._parse(b"\n".join(good) + b"\n") if good else None, bad)

    def beyond(self, read: ReadLines, largest: float) -> list[int]:
        if self._scaled is None:
            return super().beyond(read, largest)
        return _rows_beyond(self.values(read), largest)

    def values(self, read: ReadLines) -> Values:
        parsed = read.batch
        features = max(self._features(), parsed.largest + 1)
        checked = None if parsed.checked is None else parsed.checked.within(features)
        values = ParsedCsr(parsed.indptr, parsed.indices, parsed.values, features, checked)
        return values if self._scaled is None else self._scaled(values)

    @property
    def space(self) -> FeatureSpace:
        return replace(self._space, settings={**self._space.settings, "features": self._features()})


def _feature_number(name: str) -> int:
    if not (name.removeprefix("-").isdecimal() and name.isascii()):  # int() reads 1_0 as well
        raise ValueError(name)
    return int(name)


class _HashedLines(_NativeLines):
    """Names are hashed; those of new columns are collected, so that people can read the weights."""

    def __init__(self, space: FeatureSpace, *, grow: bool) -> None:
        super().__init__(space, grow=grow)
        self._names = NameCollector(space.bits, collect=grow)

    def values(self, read: ReadLines) -> Values:
        parsed = read.batch
        self._names.merge(parsed.names)
        features = 1 << self._space.bits
        checked = None if parsed.checked is None else parsed.checked.within(features)
        return ParsedCsr(parsed.indptr, parsed.indices, parsed.values, features, checked)

    @property
    def space(self) -> FeatureSpace:
        return with_more_names(self._space, self._names.by_column()) if self._grow else self._space


class TextLines(_HashedLines):
    field, form = "text", "'text', a string"
    _before = 2

    def __init__(self, space: FeatureSpace, *, grow: bool) -> None:
        super().__init__(space, grow=grow)
        self._hashing = native_hashing(hashing_settings(ReadOptions(format="text"), space))

    def _line(self, value: str) -> bytes:
        return b"0\t" + _one_line(value)

    def _parse(self, data: bytes) -> Parsed:
        parsed, candidates = native.parse_text(
            data, 0, len(data), kind="labelled", hashing=self._hashing, names=self._names.dictionary, skip=True
        )
        return Parsed(*parsed)._replace(names=candidates)


class VwLines(_HashedLines):
    field, form = "vw", "'vw', such as \"|words free:2 offer\""

    def __init__(self, space: FeatureSpace, *, grow: bool) -> None:
        super().__init__(space, grow=grow)
        pairs = pairs_of_model(space)
        self._crossing = native.Crossing(list(pairs)) if pairs else None

    def _line(self, value: Any) -> bytes:
        line = _one_line(value).strip()
        if not line.startswith(b"|"):
            raise DataError("VW features begin with '|': the label and the weight have fields of their own.")
        return line

    def _parse(self, data: bytes) -> Parsed:
        parsed, candidates = native.parse_vw(
            data,
            0,
            len(data),
            bits=self._space.bits,
            names=self._names.dictionary,
            skip=True,
            crossing=self._crossing,
            several=False,
        )
        return Parsed(*parsed)._replace(names=candidates)


_CELLS = msgspec.json.Decoder(list[list[str]])
_encode = msgspec.json.Encoder().encode


class TableLines(LineReader):
    """Named columns; the line is the list of the cells that the model needs, as text."""

    field, form = "columns", "'columns', an object with a value for each"

    def __init__(self, space: FeatureSpace, *, grow: bool) -> None:
        from rosenblatt.readers.table.columns.find_layout import layout_of_model
        from rosenblatt.readers.table.encode_rows import Encoder

        settings = dict(space.settings)
        if "numbers" not in settings:  # of an estimator that learned a DataFrame
            settings = {"numbers": list(space.columns), "words": [], "texts": [], "label": "", **settings}
            space = replace(space, settings=settings)
        self._space, self._grow = space, grow
        self._needed = [column for kind in ("numbers", "words", "texts") for column in settings[kind]]
        self._others = {*settings.get("columns", {}).get("order", ()), settings["label"]}
        self._layout = layout_of_model(_NAME, list(self._needed), settings, None, True, grow=False)
        self._encoder = Encoder(self._layout, ReadOptions(format="csv", grow=grow), space, pairs_of_model(space))
        self._n_features = self._encoder.features

    def _line(self, value: Any) -> bytes:
        if any(isinstance(cell, dict) for cell in value.values()):
            value = dict(flat(value))
        cells = {column: cell_of(cell) for column, cell in value.items()}
        for column in cells.keys() - set(self._needed):
            if column not in self._others:
                raise DataError(
                    f"{_NAME} has a column {column!r}, which the model does not know; its columns are "
                    f"{listed(self._needed)}."
                )
        if not cells.keys() & set(self._needed):
            raise DataError(f"{_NAME} has none of the model's columns, which are {listed(self._needed)}.")
        return _encode([cells.get(column, "").translate(_ONE_LINE) for column in self._needed])

    def read(self, lines: Sequence[bytes]) -> ReadLines:
        import pyarrow as pa

        from rosenblatt.readers.table.parse_cells import parse_batch

        rows = _CELLS.decode(b"[" + b",".join(lines) + b"]")
        cells = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        try:
            table = pa.RecordBatch.from_arrays(cells, names=self._needed)
            batch = parse_batch(table, self._layout, 0, marks_missing=False)
        except pa.ArrowException as error:
            raise DataError(f"{_NAME} cannot be read: {' '.join(str(error).split())[:300]}") from None
        bad = dict(sorted([*batch.bad, *self._encoder.overflowing_products(batch)], reverse=True))
        if not bad:
            return ReadLines(batch, {})
        good = [line for k, line in enumerate(lines) if k not in bad]
        sentences = {k: f"{_NAME} cannot be read: {what}." for k, what in bad.items()}
        return ReadLines(self.read(good).batch if good else None, sentences)

    def beyond(self, read: ReadLines, largest: float) -> list[int]:
        return _rows_beyond(self._encoder.scaled(read.batch.numbers), largest)

    def values(self, read: ReadLines) -> Values:
        return self._encoder.encode(read.batch, np.ones(read.batch.n_rows, dtype=bool))

    @property
    def knows_more(self) -> bool:
        return self._encoder.features != self._n_features

    @property
    def space(self) -> FeatureSpace:
        self._n_features = self._encoder.features
        return self._encoder.space(**self._space.settings) if self._grow else self._space


def _rows_beyond(rows: Any, largest: float) -> list[int]:
    beyond: list[int] = np.flatnonzero((np.abs(rows) > largest).any(axis=1)).tolist()
    return beyond


def line_reader(space: FeatureSpace, *, grow: bool, features: Callable[[], int], most: int) -> LineReader:
    """The reader for a model with this space; with `grow` it learns, and adds features that are new to it."""
    kind = feature_kind(space)
    if kind == "numbered features":
        return NumberedLines(space, grow=grow, features=features, most=most)
    if kind == "table":
        return TableLines(space, grow=grow)
    return VwLines(space, grow=grow) if kind == "vw" else TextLines(space, grow=grow)
