"""Formats of one example a line: the file is cut at lines, parsed natively in parallel, and given in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.readers.input_file import InputFile, Stream
from rosenblatt.readers.labels import Labels
from rosenblatt.readers.source import BadRow, ReadOptions, Source
from rosenblatt.records import ParsedCsr, ParsedSourceBlock, SourceBlock

if TYPE_CHECKING:
    from rosenblatt.readers.formats.bad_rows import Fault

    # (the descriptor of a plain file, begin, end) or (bytes, 0, their number) -> what `Parsed` is made of
    Parse: TypeAlias = Callable[[int | bytes, int, int], tuple[Any, ...]]

CHUNK = 1 << 20  # bytes of lines parsed at a time; a chunk holds the lines that begin in its part of the file
_FEW = 10  # bad rows that are kept to be shown


@dataclass(frozen=True)
class Parsed:
    """What a native parser gives for the lines of one chunk."""

    # Memory that is not yet an array of numpy: int64, int32, float64, int32, float64.
    indptr: Any
    indices: Any
    values: Any
    labels: Any  # positions in `tokens`, -1 where there is none
    weights: Any | None
    tokens: list[bytes]  # the distinct labels, as they are written
    lines: int
    largest: int  # the largest column, -1 where there is none
    bad: list[tuple[Any, ...]]  # the first few rows that could not be read
    bad_count: int
    stopped: bool  # at the first of them
    checked: native.Rows | None  # the matrix as the core reads it, where it is the whole of what was parsed
    more: Any = None  # what only the format knows


@dataclass(frozen=True)
class Part:
    """A chunk to parse, and how many bytes of the file are read when it is done."""

    source: int | bytes
    begin: int
    end: int
    done: int


class LineSource(Source):
    """A source of lines; a format says how to `parse` them and what their columns mean."""

    piece: int | None = None  # bytes of lines parsed at a time, where they are not CHUNK

    def __init__(self, opened: InputFile, reading: ReadOptions) -> None:
        self.opened, self.reading = opened, reading
        self.name, self.size, self.rewindable = opened.name, opened.size, opened.rewindable
        self.format = reading.format or ""
        self._labels = Labels(self.name, reading.classes)
        self.labels = self._labels.met
        self.skipped = 0
        self.bad_rows: list[BadRow] = []
        self.features = 0  # columns met so far

    def parse(self, source: int | bytes, begin: int, end: int) -> tuple[Any, ...]:
        raise NotImplementedError

    def refuse(self, fault: Fault, sentence: str) -> None:
        """Called for the fault that a parser stopped at; a format may know better what to do."""
        raise DataError(sentence + ".")

    def met(self, parsed: Parsed) -> None:
        """Called for each chunk, in order, before it is given."""

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        self.skipped, self.bad_rows = 0, []
        rows = lines = 0
        for done, parsed in self.parsed(threads):
            self._judge(parsed, lines)
            lines += parsed.lines
            self.met(parsed)
            if len(parsed.labels):
                yield self._chunk(parsed, rows, done)
                rows += len(parsed.labels)
        if rows == 0:
            raise DataError(self._nothing())

    def parsed(self, threads: int) -> Iterator[tuple[int, Parsed]]:
        """What the chunks of the file are parsed to, in order, and the bytes that are read with each."""
        from rosenblatt.readers.ordered_map import (
            ordered,  # loads threading: the core has threads of its own for plain files
        )

        return ordered(parts(self.opened, self.piece), self._parse, threads)

    def _parse(self, part: Part) -> tuple[int, Parsed]:
        try:
            return part.done, Parsed(*self.parse(part.source, part.begin, part.end))
        except OSError as fault:
            raise self.unreadable(fault) from fault

    def unreadable(self, fault: OSError) -> DataError:
        return DataError(f"{self.name}: cannot be read: {fault.strerror or fault}.")

    def _judge(self, parsed: Parsed, lines: int) -> None:
        if not parsed.bad:
            return
        from rosenblatt.readers.formats.bad_rows import Fault

        faults = [Fault(*fault) for fault in parsed.bad]
        if parsed.stopped:
            self.refuse(faults[-1], faults[-1].sentence(self.name, lines))
        self.skipped += parsed.bad_count
        for fault in faults[: _FEW - len(self.bad_rows)]:
            self.bad_rows.append(BadRow(lines + fault.line, fault.sentence(self.name, lines)))

    def _chunk(self, parsed: Parsed, rows: int, done: int) -> SourceBlock:
        self.features = max(self.features, parsed.largest + 1)
        checked = None if parsed.checked is None else parsed.checked.within(self.features)
        values = ParsedCsr(parsed.indptr, parsed.indices, parsed.values, self.features, checked)
        labels = self._labels.renumbered(parsed.labels, parsed.tokens)
        return ParsedSourceBlock(values, labels, parsed.weights, first_row=rows, bytes_read=done)

    def _nothing(self) -> str:
        if not self.skipped:
            return f"{self.name}: holds no examples, only blank lines or comments."
        return (
            f"{self.name}: holds no examples: all {self.skipped} rows are bad. The first: {self.bad_rows[0].sentence}."
        )


def parts(opened: InputFile, piece: int | None = None) -> Iterator[Part]:
    """The chunks of a file, the same for any number of threads, plain or packed."""
    size = piece or CHUNK
    if not opened.plain or opened.size is None:
        with opened.stream() as stream:
            yield from (Part(block, 0, len(block), stream.done) for block in blocks(stream, size))
        return
    for begin in range(0, opened.size, size):
        end = min(begin + size, opened.size)
        yield Part(opened.fileno(), begin, end, end)


def blocks(stream: Stream, size: int = CHUNK) -> Iterator[bytes]:
    """Whole lines: those that begin in the same multiple of `size` bytes; a last line may lack its newline."""
    data, start = bytearray(stream.read(3)), 0  # `start`: where `data` begins
    if data == b"\xef\xbb\xbf":
        data, start = bytearray(), 3
    over = False
    while not over or data:
        boundary = (start // size + 1) * size - start  # a line that begins here belongs to the next block
        more = stream.read(max(boundary - len(data), 1)) if len(data) < boundary else b""
        data += more
        searched = boundary - 1
        while (cut := data.find(b"\n", searched)) < 0 and not over:
            searched = max(searched, len(data))
            more = stream.read(1 << 16)
            over = not more
            data += more
        if over and cut < 0:
            cut = len(data) - 1
        if data:
            yield bytes(data[: cut + 1])
        start += cut + 1
        del data[: cut + 1]
