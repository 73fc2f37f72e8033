"""Comma- and tab-separated lines -> record batches in which every column is text, whatever its first rows look like.

What a column holds is decided once, from the head of the file, and not by pyarrow, which would decide by its first
block and then fail at the first row that differs.
"""

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import DataError
from rosenblatt.readers.input_file import HEAD, InputFile

if TYPE_CHECKING:
    import pyarrow

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
_BLOCK = 6 << 20  # a third of it is read at a time, for a byte that is not UTF-8 becomes three
_SAMPLE = 1000  # rows by which a column is known
_MARK = b"\xef\xbb\xbf"  # of UTF-8, at the beginning of files of some programs

_WITHIN = re.compile(rb"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_WITH_COMMA = re.compile(_WITHIN.pattern.decode())

Ragged = Callable[[int, str], None]  # is told the row and the sentence


def separator_of(form: str, head: bytes) -> str:
    """A semicolon where the first line has one, and commas only within numbers, if any: as programs write it that keep
    the comma for decimals.

    >>> separator_of("csv", b"a;b\\n1;2\\n"), separator_of("csv", b'"a;b",c\\n'), separator_of("tsv", b"a;b\\tc\\n")
    (';', ',', '\\t')
    >>> separator_of("csv", b"1,5;2,5;a\\n"), separator_of("csv", b"1,a;b,2\\n")
    (';', ',')
    """
    if form == "tsv":
        return "\t"
    first = re.sub(rb'"[^"]*"', b"", head).lstrip().partition(b"\n")[0]
    within = all(_WITHIN.fullmatch(cell.strip()) for cell in first.split(b";") if b"," in cell)
    return ";" if b";" in first and within else ","


class CsvFile:
    """The names of the columns, a sample of the rows, and all rows as often as the file can be read."""

    def __init__(self, opened: InputFile, separator: str, header: bool | None, label: str | int | None) -> None:
        self._opened, self._separator = opened, separator
        rows = self._head()
        if not rows:
            raise DataError(f"{opened.name}: there are no rows in it.")
        alone = len(rows) == 1 and len(opened.head) < HEAD
        self.header = _is_header(rows, label, alone) if header is None else header
        self.columns = _names(rows[0]) if self.header else [f"column{i}" for i in range(len(rows[0]))]
        for name in self.columns:
            if self.columns.count(name) > 1:
                raise DataError(f"{opened.name}: two columns are named {name!r}; give each column a name of its own.")
        self.sample = [row for row in rows[self.header :] if len(row) == len(self.columns)][:_SAMPLE]

    def batches(self, ragged: Ragged) -> Iterator[tuple["pyarrow.RecordBatch", int]]:
        """Each batch with the bytes that are read once it is; a row of too few or too many cells goes to `ragged`."""
        import pyarrow as pa
        from pyarrow import csv

        stream = self._opened.stream()
        faults: list[DataError] = []
        rows = 0
        try:
            for batch in self._reader(csv, stream, _one(self._opened, ragged, faults)):
                rows += batch.num_rows
                yield batch, stream.done
        except pa.ArrowInvalid as fault:
            if "Empty CSV" in str(fault):
                return
            if "straddling" in str(fault):
                raise DataError(
                    f"{self._opened.name}: a row after row {rows} is longer than {_BLOCK // 3 >> 20} MB; "
                    "look for a quote that is opened and never closed."
                ) from fault
            why = " ".join(str(fault).split()).rstrip(".")
            raise (faults[0] if faults else DataError(f"{self._opened.name}: cannot be read: {why}.")) from fault

    def _reader(self, csv: Any, stream: Any, ragged: Callable[[Any], str]) -> Any:
        import pyarrow as pa

        names = self.columns
        return csv.open_csv(
            _Clean(stream, self._opened.head),
            csv.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=names, skip_rows=int(self.header)),
            csv.ParseOptions(delimiter=self._separator, newlines_in_values=True, invalid_row_handler=ragged),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), null_values=MISSING, strings_can_be_null=True
            ),
        )

    def _head(self) -> list[list[str]]:
        """The first rows, by Python's own reader: it keeps the cells of ragged rows."""
        import csv

        head = self._opened.head.removeprefix(_MARK)
        if len(head) >= HEAD - len(_MARK):
            head = head[: head.rfind(b"\n") + 1] or head
        text = io.StringIO(head.decode("utf-8", errors="replace"), newline="")
        try:
            rows = [[cell.strip() for cell in row] for row in csv.reader(text, delimiter=self._separator) if row]
        except csv.Error as fault:
            raise DataError(f"{self._opened.name}: cannot be read as a table: {fault}.") from fault
        cut = len(self._opened.head) >= HEAD and len(rows) > 1  # the last may be cut within a quoted cell
        return rows[:-1] if cut else rows


class _Clean(io.RawIOBase):
    """A stream as pyarrow wants it: without a byte order mark, and with a sign in place of what is not UTF-8."""

    def __init__(self, stream: Any, head: bytes) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        if head.startswith(_MARK):
            stream.read(len(_MARK))

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size // 3)
        if data.isascii() and not self._decoder.getstate()[0]:
            return data
        while not (clean := self._decoder.decode(data, final=not data).encode()) and data:
            data = self._stream.read(size // 3)
        return clean


def _one(opened: InputFile, ragged: Ragged, faults: list[DataError]) -> Callable[[Any], str]:
    """What pyarrow asks for each ragged row: an exception is kept, for pyarrow would swallow it."""

    def handler(row: Any) -> str:
        number = row.number or 0
        sentence = (
            f"{opened.name}:{number}: {row.actual_columns} cells, and the table has {row.expected_columns} columns; "
            "mend the row, or leave such rows out with --on-bad-row skip."
        )
        try:
            ragged(number, sentence)
        except DataError as fault:
            faults.append(fault)
            return "error"
        return "skip"

    return handler


def is_number(cell: str) -> bool:
    """
    >>> [is_number(cell) for cell in ("1", "-2.5e3", "1_000", "inf", "x")]
    [True, True, False, True, False]
    """
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def decimal_comma(cells: Iterable[str]) -> str | None:
    """The first number with a comma in a column that holds only numbers, some of them with one.

    >>> decimal_comma(["1", "2,5", "?"]), decimal_comma(["2,5", "low"]), decimal_comma(["2.5"])
    ('2,5', None, None)
    """
    held = [cell for cell in cells if cell not in MISSING]
    found = next((cell for cell in held if _WITH_COMMA.fullmatch(cell)), None)
    return found if all(_WITH_COMMA.fullmatch(cell) or is_number(cell) for cell in held) else None


def _is_header(rows: list[list[str]], label: str | int | None, alone: bool) -> bool:
    """The first row names the columns when it holds no number, and stands above numbers or comes not again below, or
    nothing is below."""
    first, rest = rows[0], rows[1:]
    if isinstance(label, str) and label in first:
        return True
    if any(is_number(cell) for cell in first):
        return False
    below = [row for row in rest if len(row) == len(first)]
    if any(_above_numbers(cell, [row[i] for row in below]) for i, cell in enumerate(first)):
        return True
    if any(cell in MISSING for cell in first) or len(set(first)) < len(first):
        return False
    if alone:
        return True
    return bool(below) and not any(row[i] == cell for row in below for i, cell in enumerate(first))


def _above_numbers(cell: str, below: list[str]) -> bool:
    there = [other for other in below if other not in MISSING]
    return cell not in MISSING and bool(there) and all(map(is_number, there))


def _names(cells: list[str]) -> list[str]:
    return [cell or f"column{i}" for i, cell in enumerate(cells)]
