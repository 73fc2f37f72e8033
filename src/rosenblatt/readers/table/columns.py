"""What the columns of a table hold: numbers, words or running text, and how a batch of rows becomes numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import DataError
from rosenblatt.lazy import np
from rosenblatt.readers.table.csv import MISSING, is_number
from rosenblatt.records import Floats

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

_LABELS = ("label", "target", "class", "y")  # names of a label column, the surest first: the y of x,y,label is none
_TEXT_WORDS = 4  # a column of this many words a cell, mostly different, is running text


@dataclass(frozen=True)
class Layout:
    """Which column holds what; `label` is None where a file to be predicted has none."""

    label: str | None
    numbers: tuple[str, ...]
    words: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def dense(self) -> bool:
        return not self.words and not self.texts


def usual_label(columns: Sequence[str]) -> str:
    """The column that goes by the first of the usual names; a y that follows an x is a coordinate, unless it is last.

    >>> usual_label(["x", "y", "label"]), usual_label(["x", "Y"]), usual_label(["x", "y", "kind"])
    ('label', 'Y', '')
    """
    named = {column.lower(): at for at, column in reversed(list(enumerate(columns)))}
    for name in _LABELS:
        at = named.get(name)
        if at is not None and not (name == "y" and named.get("x") == at - 1 and at < len(columns) - 1):
            return columns[at]
    return ""


def label_of(name: str, columns: Sequence[str], asked: str | int | None) -> str:
    """The name of the label column; DataError says which columns there are."""
    if asked is None:
        return usual_label(columns) or columns[-1]
    if asked in columns:
        return str(asked)
    try:
        return columns[int(asked)]
    except (ValueError, IndexError):
        raise DataError(
            f"{name}: there is no label column {asked!r}; its columns are {listed(columns)}. "
            "Name one of them, or give its position from 0."
        ) from None


def listed(columns: Sequence[str]) -> str:
    """
    >>> listed(["age", "city"])
    "'age', 'city'"
    """
    shown = ", ".join(map(repr, columns[:20]))
    return shown if len(columns) <= 20 else f"{shown}, … ({len(columns)} in all)"


def kind_of(cells: Sequence[str | None]) -> str:
    """'number', 'word' or 'text', by a sample of the cells; None and the usual marks are missing.

    >>> kind_of(["1", "2.5", "?"]), kind_of(["1", "low"]), kind_of(["so it goes on", "and on it goes"])
    ('number', 'word', 'text')
    """
    held = [cell for cell in cells if cell is not None and cell not in MISSING]
    if held and all(map(is_number, held)):
        return "number"
    words = sum(len(cell.split()) for cell in held)
    return "text" if held and words >= _TEXT_WORDS * len(held) and 2 * len(set(held)) > len(held) else "word"


def layout_of(name: str, kinds: Mapping[str, str], label: str, text: Sequence[str], words: Sequence[str]) -> Layout:
    """The layout of a table from what its columns seem to hold and what the user said of them."""
    for column in (*text, *words):
        if column not in kinds:
            raise DataError(f"{name}: there is no column {column!r}; its columns are {listed(list(kinds))}.")
    kinds = {**kinds, **dict.fromkeys(words, "word"), **dict.fromkeys(text, "text")}
    of = {
        kind: tuple(column for column, held in kinds.items() if held == kind and column != label)
        for kind in ("number", "word", "text")
    }
    return Layout(label, of["number"], of["word"], of["text"])


@dataclass(frozen=True)
class Coded:
    """A column of words: the position of each cell's word among the distinct ones; -1 where it is missing."""

    codes: NDArray[np.int32]
    values: list[str]


@dataclass(frozen=True)
class Prepared:
    """A batch of rows, as far as it can be read without the batches before it."""

    rows: int
    numbers: Floats  # rows x numbers; NaN where one is missing
    words: list[Coded]
    texts: list[tuple[Any, NDArray[np.int64]]]  # the bytes of a column, and where each cell begins and the last ends
    label: Coded | None
    bad: list[tuple[int, str]]  # rows of this batch that cannot be read, and why
    done: int


def prepare(batch: pyarrow.RecordBatch, layout: Layout, done: int) -> Prepared:
    bad: list[tuple[int, str]] = []
    numbers = np.empty((batch.num_rows, len(layout.numbers)))
    for j, column in enumerate(layout.numbers):
        numbers[:, j] = _numbers(batch.column(column), column, bad)
    return Prepared(
        batch.num_rows,
        numbers,
        [_coded(batch.column(column)) for column in layout.words],
        [_bytes(batch.column(column)) for column in layout.texts],
        None if layout.label is None else _coded(batch.column(layout.label)),
        bad,
        done,
    )


def _numbers(array: pyarrow.Array, column: str, bad: list[tuple[int, str]]) -> Floats:
    import pyarrow as pa

    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        values = _cast(array)
        values = _cast(_trimmed(array)) if values is None else values
        values = _some_numbers(array, column, bad) if values is None else values
    else:
        values = _as_float(array)
    result: Floats = values.to_numpy(zero_copy_only=False).astype(np.float64)
    why = f"column {column!r} holds a number beyond the largest float; mend it"
    bad += [(row, why) for row in np.flatnonzero(np.isinf(result)).tolist()]
    return result


def _cast(array: pyarrow.Array) -> pyarrow.Array | None:
    import pyarrow as pa
    from pyarrow import compute as pc

    try:
        return pc.cast(array, pa.float64())
    except pa.ArrowInvalid:
        return None


def _trimmed(array: pyarrow.Array) -> pyarrow.Array:
    import pyarrow as pa
    from pyarrow import compute as pc

    trimmed = pc.ascii_trim_whitespace(array)
    missing = pc.is_in(trimmed, value_set=pa.array(MISSING, trimmed.type))
    return pc.if_else(missing, pa.scalar(None, trimmed.type), trimmed)


def _some_numbers(array: pyarrow.Array, column: str, bad: list[tuple[int, str]]) -> pyarrow.Array:
    import pyarrow as pa

    cells: list[str | None] = [None if cell is None else cell.strip() for cell in array.to_pylist()]
    for row, cell in enumerate(cells):
        if cell in MISSING:
            cells[row] = None
        elif cell is not None and not is_number(cell):
            bad.append((row, f"column {column!r} holds numbers, and here {cell[:40]!r}; mend it"))
            cells[row] = None
    return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())


def _as_float(array: pyarrow.Array) -> pyarrow.Array:
    """Booleans as 0 and 1, dates and times as days since 1970, spans of time as seconds."""
    import pyarrow as pa
    from pyarrow import compute as pc

    kind = array.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        micro = pc.cast(pc.cast(array, pa.timestamp("us", getattr(kind, "tz", None))), pa.int64())
        return pc.divide(pc.cast(micro, pa.float64(), safe=False), 86_400e6)
    if pa.types.is_duration(kind):
        return pc.divide(pc.cast(pc.cast(array, pa.duration("us")), pa.int64()).cast(pa.float64(), safe=False), 1e6)
    if pa.types.is_time(kind):
        micro = pc.cast(pc.cast(array, pa.time64("us")), pa.int64())
        return pc.divide(pc.cast(micro, pa.float64(), safe=False), 1e6)
    if pa.types.is_boolean(kind):
        return pc.cast(pc.cast(array, pa.uint8()), pa.float64())
    return pc.cast(array, pa.float64(), safe=False)


def kind_of_type(name: str, column: str, kind: pyarrow.DataType, cells: Sequence[Any]) -> str:
    """What a typed column holds."""
    import pyarrow as pa

    of = pa.types
    if any(is_such(kind) for is_such in _NUMERIC(of)):
        return "number"
    if of.is_string(kind) or of.is_large_string(kind):
        found = kind_of(["x" if cell is None else f"{cell}" for cell in cells])
        return "word" if found == "number" else found
    if of.is_dictionary(kind) or of.is_null(kind) or getattr(of, "is_string_view", lambda _: False)(kind):
        return "word"
    raise DataError(
        f"{name}: column {column!r} holds {kind}, which is neither numbers nor words nor times; "
        "leave it out, or spread it over columns."
    )


def _NUMERIC(of: Any) -> tuple[Any, ...]:  # noqa: N802
    return of.is_integer, of.is_floating, of.is_boolean, of.is_decimal, of.is_temporal


def _text_of(array: pyarrow.Array) -> pyarrow.Array:
    """Any column as text."""
    import pyarrow as pa
    from pyarrow import compute as pc

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_boolean(array.type) or not pa.types.is_large_string(array.type):
        array = pc.cast(array, pa.large_string())
    return array


def _coded(array: pyarrow.Array) -> Coded:
    """Words without the spaces around them; those that mark a missing value, and null, as -1."""
    from pyarrow import compute as pc

    encoded = _text_of(array).dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    numbers: dict[str, int] = {}
    words = map(str.strip, encoded.dictionary.to_pylist())
    new = [-1 if word in MISSING else numbers.setdefault(word, len(numbers)) for word in words]
    return Coded(np.array([-1, *new], dtype=np.int32)[codes + 1], list(numbers))


def _bytes(array: pyarrow.Array) -> tuple[Any, NDArray[np.int64]]:
    import pyarrow as pa
    from pyarrow import compute as pc

    array = pc.fill_null(_text_of(array), pa.scalar("", pa.large_string()))
    _, starts, data = array.buffers()
    offsets = np.frombuffer(starts, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return (b"" if data is None else data), np.ascontiguousarray(offsets)
