"""Formats with one example per line: blocks end at line ends, are parsed natively in parallel, and come in order."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.lazy import np
from rosenblatt.readers.inputs.input_file import InputFile, NativeSource, Stream, cannot_read
from rosenblatt.readers.number_targets import (
    FEW_VALUES,
    LARGEST,
    Task,
    dates_refused,
    look_like_dates,
    look_like_numbers,
    mostly_numbers,
    number_of,
    what_is_wrong,
)
from rosenblatt.readers.source import BadRow, FileSource, ReadOptions, Source, SourceWrapper
from rosenblatt.records import FeatureSpace, Floats, ParsedCsr, ParsedSourceBlock, SourceBlock

if TYPE_CHECKING:
    from rosenblatt.readers.formats.bad_lines import Fault

LONGEST_LINE = 1 << 28  # as in cpp/parse/split_at_lines.hpp: a compressed file may hold an endless one
BLOCK_BYTES = 1 << 20  # a block holds the lines that begin in this many bytes of the file


class Parsed(NamedTuple):
    """What a native parser gives for the lines of one block."""

    # Buffers that are not numpy arrays yet: int64, int32, float64, int32, float64.
    indptr: Any
    indices: Any
    values: Any
    labels: Any  # positions in `tokens`, -1 where an example has none
    weights: Any | None
    tokens: list[bytes]  # the distinct labels, as they are written
    lines: int
    largest: int  # the largest column, -1 where there is none
    bad_lines: list[int]  # in the block, from 1
    bad: list[tuple[Any, ...]]  # the first few rows that could not be read
    bad_count: int
    stopped: bool  # at the first bad row
    checked: native.Rows | None  # the matrix as the native core reads it, unless rows were removed from it
    names: Any = None  # candidates for the dictionary of column names, where names are hashed


class LineSpan(NamedTuple):
    """The lines of one block, as a span of one file or of several, or as bytes."""

    source: NativeSource | bytes
    begin: int
    end: int
    bytes_read: int  # bytes of the file up to their end


ParseElsewhere: TypeAlias = Callable[[Iterator[LineSpan]], Iterator[tuple[int, Parsed]]]


class LineSource(FileSource):
    """A source of lines; a format says how to `parse` them and what their columns mean.

    The lines may be parsed in other processes, which have a source of their own over the same file (`elsewhere`). What
    their `parse` must know of this one is its `parser_state`; what this one must know of it beside `Parsed`, their
    `parser_result`. Both must be JSON values.
    """

    elsewhere: ParseElsewhere | None = None  # parses the spans in place of the threads of this process
    names_bits = 0  # of the hash, where names are collected

    block_bytes: int | None = None  # where a format needs another size than BLOCK_BYTES
    reads_bytes = False  # whether its lines are changed before the native parser reads them

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None) -> None:
        super().__init__(file, reading, model_space)
        self.features = 0  # columns so far

    def start(self) -> None:
        """Called before the first block."""

    def parse(self, source: NativeSource | bytes, begin: int, end: int) -> tuple[Any, ...]:
        """The fields of `Parsed` for the lines that begin in this span. Threads may call it at once."""
        raise NotImplementedError

    def parser_state(self) -> dict[str, Any]:
        return {}

    def take_parser_state(self, state: Mapping[str, Any]) -> None:
        """Parse from now on like the source that has this `parser_state`."""

    def parser_result(self) -> Any:
        return None

    def merge_parser_result(self, result: Any) -> None:
        """Note the `parser_result` of another source that has parsed some of these lines."""

    def refuse(self, fault: Fault, lines_before: int) -> NoReturn:
        """Raise the error for the row that a parser stopped at."""
        raise fault.error(*self.place(fault, lines_before))

    def place(self, fault: Fault, lines_before: int) -> tuple[str, int]:
        """The file that has the row, and the lines of it before the block."""
        file, line = self.file.place(lines_before + fault.line)
        return file, line - fault.line

    def prepare(self, parsed: Parsed, lines_before: int) -> Parsed:
        """Called for each block in order; a format may note something about it, or change it."""
        return parsed

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        self.forget_bad_rows()
        self.start()
        n_rows = n_lines = 0
        for bytes_read, parsed in self.parsed(threads):
            self._handle_bad_rows(parsed, n_lines)
            prepared = self.prepare(parsed, n_lines)
            if len(prepared.labels):
                yield self._block(prepared, n_rows, n_lines, bytes_read)
                n_rows += len(prepared.labels)
            n_lines += parsed.lines
            del parsed, prepared  # its memory is free while the next is parsed
        self.finish(n_rows)

    def finish(self, n_rows: int) -> None:
        """Called after the last block."""
        if n_rows == 0:
            raise DataError(self._no_examples(), file=self.name)

    def parsed(self, threads: int) -> Iterator[tuple[int, Parsed]]:
        """The parsed blocks in order, each with the bytes of the file up to its end."""
        # Loads threading, which plain svmlight does without: the native core has its own threads.
        from rosenblatt.readers.parallel_map import ordered_map

        single = self.reading.name_rows
        spans = line_spans(self.file, self.block_bytes, single=single, as_bytes=self.reads_bytes)
        if self.elsewhere is not None:
            return self.elsewhere(spans)
        return ordered_map(spans, self._parse, 1 if self.reading.name_rows else threads)

    def _parse(self, span: LineSpan) -> tuple[int, Parsed]:
        try:
            return span.bytes_read, Parsed(*self.parse(span.source, span.begin, span.end))
        except OSError as error:
            raise cannot_read(self.name, error) from error

    def _handle_bad_rows(self, parsed: Parsed, lines_before: int) -> None:
        if not parsed.bad:
            return
        from rosenblatt.readers.formats.bad_lines import Fault

        faults = [Fault(*fault) for fault in parsed.bad]
        if parsed.stopped:
            self.refuse(faults[-1], lines_before)
        self.skipped += parsed.bad_count
        for line in parsed.bad_lines:
            self.skipped_by_file[self.file.place(lines_before + line)[0]] += 1
        for fault in faults[: self.bad_rows_shown - len(self.bad_rows)]:
            self.bad_rows.append(BadRow(lines_before + fault.line, fault.sentence(*self.place(fault, lines_before))))

    def _block(self, parsed: Parsed, first_row: int, lines_before: int, bytes_read: int) -> SourceBlock:
        self.features = max(self.features, parsed.largest + 1)
        checked = None if parsed.checked is None else parsed.checked.within(self.features)
        values = ParsedCsr(parsed.indptr, parsed.indices, parsed.values, self.features, checked)
        if self.task is None:
            self.task = task_of_tokens(parsed.labels, parsed.tokens, self.name)
        names = self.names_of_row()
        if self.task == "classes":
            labels = self.numbering.renumbered(parsed.labels, parsed.tokens)
            return ParsedSourceBlock(values, labels, parsed.weights, first_row, bytes_read, names)
        labels, targets = self._targets(parsed, first_row, lines_before)
        return ParsedSourceBlock(values, labels, parsed.weights, first_row, bytes_read, names, targets=targets)

    def _targets(self, parsed: Parsed, first_row: int, lines_before: int) -> tuple[Any, Any]:
        """For each row 0 and its number; -1 where it has none, or one that cannot be learned."""
        numbers, bad = numbers_of_tokens(parsed.tokens)
        if bad and (self.model_space is None or self.reading.grow):
            self._refuse_targets(parsed, bad, first_row, lines_before)
        codes = np.asarray(parsed.labels)
        if not bad and len(codes) and codes.min() >= 0:
            return np.zeros(len(codes), dtype=np.int32), numbers[codes]
        targets = np.append(numbers, np.nan)[codes]
        return np.where(np.isnan(targets), -1, 0).astype(np.int32), np.nan_to_num(targets)

    def _refuse_targets(self, parsed: Parsed, bad: Sequence[int], first_row: int, lines_before: int) -> None:
        """Refuse or count the rows whose labels are not numbers that can be learned."""
        codes = np.asarray(parsed.labels)
        for row in np.flatnonzero(np.isin(codes, bad)).tolist():
            what = what_is_wrong(parsed.tokens[codes[row]].decode("utf-8", errors="replace"))
            file, line = self.name, None
            if parsed.lines == len(codes):  # without blank lines or comments each line is a row
                file, line = self.file.place(lines_before + row + 1)
            where = f"{file}:{line}" if line is not None else f"{file}: example {first_row + row + 1}"
            advice = f", or skip such rows with {option('on_bad_row', 'skip')}"
            self.skip_or_raise(
                line or first_row + row + 1,
                f"{where}: {what}",
                DataError(f"{where}: {what}{advice}.", file=file, line=line),
            )

    def names_of_row(self) -> Mapping[int, str] | None:
        """The names of the hashed columns of the last line, where each line is a block."""
        return None

    def _no_examples(self) -> str:
        if not self.skipped:
            return f"{self.name}: holds no examples, only blank lines or comments."
        return (
            f"{self.name}: holds no examples: all {self.skipped} rows are bad. The first: {self.bad_rows[0].sentence}."
        )


def innermost_lines(source: Source) -> LineSource | None:
    """The source of lines behind another one that changes what it gives; None where no lines are read."""
    while isinstance(source, SourceWrapper):
        source = source.wrapped
    return source if isinstance(source, LineSource) else None


def task_of_tokens(codes: Any, tokens: Sequence[bytes], name: str) -> Task | None:
    """What the labels of the first rows of a file are; None where no row has one."""
    if not tokens:
        return None
    # Without numpy, which a fit of classes may never load.
    texts = [token.decode("utf-8", errors="replace") for token in tokens]
    numbers = mostly_numbers(texts)
    if not numbers and len(texts) > FEW_VALUES and look_like_dates(texts):
        raise dates_refused(name, "its labels are", None)
    values = sorted(set(numbers))

    def counts() -> list[int]:
        rows_of_value: Counter[float | None] = Counter()
        for code, rows in Counter(codes).items():
            rows_of_value[number_of(texts[code]) if code >= 0 else None] += rows
        return [rows_of_value[value] for value in values]

    return "number" if look_like_numbers(values, len(codes), counts) else "classes"


def numbers_of_tokens(tokens: Sequence[bytes]) -> tuple[Floats, Sequence[int]]:
    """The number of each token, NaN where it cannot be learned, and the positions of those that cannot."""
    numbers: Floats = np.asarray(native.numbers_of_labels(list(tokens)))
    bad = []
    for k in np.flatnonzero(~(np.abs(numbers) <= LARGEST)).tolist():
        value = number_of(tokens[k].decode("utf-8", errors="replace"))  # with spaces around it, or other digits
        numbers[k] = value if value is not None and abs(value) <= LARGEST else np.nan
        if numbers[k] != numbers[k]:
            bad.append(k)
    return numbers, bad


def line_spans(
    file: InputFile, block_bytes: int | None = None, *, single: bool = False, as_bytes: bool = False
) -> Iterator[LineSpan]:
    """The blocks of a file: the same for any number of threads, compressed or not; `single`: each line is one."""
    size = block_bytes or BLOCK_BYTES
    if single or as_bytes or not file.plain or file.length is None:
        with file.stream() as stream:
            blocks = available_lines(stream, size) if file.live else whole_lines(stream, size)
            if single:
                blocks = (line for lines in blocks for line in io.BytesIO(lines))
            yield from (LineSpan(lines, 0, len(lines), stream.bytes_read) for lines in blocks)
        return
    for begin in range(0, file.length, size):
        end = min(begin + size, file.length)
        yield LineSpan(file.native_source(), begin, end, end)


def whole_lines(stream: Stream, size: int) -> Iterator[bytes]:
    """Whole lines: those that begin in the same multiple of `size` bytes; the last line may lack its newline."""
    data, start = bytearray(stream.read(3)), 0  # `start`: the offset of `data` in the file
    if data == b"\xef\xbb\xbf":
        data, start = bytearray(), 3
    ended = False
    while not ended or data:
        boundary = (start // size + 1) * size - start  # a line that begins here belongs to the next block
        more = stream.read(max(boundary - len(data), 1)) if len(data) < boundary else b""
        data += more
        searched = boundary - 1
        while (newline := data.find(b"\n", searched)) < 0 and not ended:
            searched = max(searched, len(data))
            more = stream.read(1 << 16)
            ended = not more
            data += more
            _refuse_endless(stream, len(data) - boundary)
        if ended and newline < 0:
            newline = len(data) - 1
        if data:
            yield bytes(data[: newline + 1])
        start += newline + 1
        del data[: newline + 1]


def _refuse_endless(stream: Stream, length: int) -> None:
    if length > LONGEST_LINE:
        raise cannot_read(stream.file_name, OSError(0, "a line is longer than 256 MB, which is not a line of text"))


def available_lines(
    stream: Stream, size: int, length_of_lines: Callable[[bytes], int] = lambda data: data.rfind(b"\n") + 1
) -> Iterator[bytes]:
    """Whole lines as soon as a pipe has them, not more than fit into `size` bytes unless one is longer.

    `length_of_lines` says how many of the first bytes are whole lines, where not every newline ends one.
    """
    data = bytearray()
    while more := stream.read1(size):
        data += more if data or stream.bytes_read > len(more) else more.removeprefix(b"\xef\xbb\xbf")
        if b"\n" not in more:
            _refuse_endless(stream, len(data))
            continue
        lines = bytes(data)
        end = length_of_lines(lines)
        if end:
            yield lines[:end]
            del data[:end]
    if data:
        yield bytes(data)
