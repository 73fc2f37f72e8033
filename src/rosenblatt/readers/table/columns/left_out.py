"""Which columns of a table are left out, decided from its head: ids, constants, copies of other columns, clocks.

An id differs in every row, or in nearly every one, so that what is learned about its values says nothing about other
rows. A measurement with as many different values is not an id: numbers are ids only where they count the rows, or where
the name of the column says so too.

A clock is a column of times that rises from row to row, as in a log. It says where in the file a row stands, and in
future rows it is larger than any time that was learned: what it adds to a score would grow until it alone decides.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa
from pyarrow import compute as pc

from rosenblatt.lazy import np
from rosenblatt.readers.table.columns.kinds import is_string, present_cells
from rosenblatt.records import Floats

MIN_ROWS = 20  # in fewer rows even a good column may never repeat a value
_DENSE = 0.4  # distinct integers that fill this share of their range can hardly be anything but a count
_MOSTLY = 0.9
_NAME_OF_ID = re.compile(r"(?:^|[\W_]|(?<=[a-z]))(?:id|ID|Id|uuid|UUID|guid|GUID|index|rowid|hash|key)$|^Unnamed: 0$")

CONSTANT = "always the same"
EMPTY = "empty"
DIFFERS = "differs in every row"
HARDLY_REPEATS = "hardly ever repeats a value"
COUNTS = "counts the rows"
FOLLOWS = "follows the order of the rows"
SHORT = "spans less than two weeks"
_IN_ORDER = 0.99  # the least correlation of times with positions of rows: in logs some lines come late
_TWO_WEEKS = 14.0  # days; in less than that a trend and the weekday are one and the same
_CLOCK = (946_684_800, 4_102_444_800)  # seconds since 1970 of the years 2000 and 2100


def words_left_out(columns: Mapping[str, Sequence[pa.Array]], *, complete: bool) -> dict[str, str]:
    """The columns of words (each in several arrays) to leave out, and why; `complete` as for numbers."""
    left_out = {}
    by_start: dict[tuple[str | None, ...], list[str]] = {}  # columns that begin alike
    for column, arrays in columns.items():
        if arrays and pa.types.is_nested(arrays[0].type):  # lists of words
            continue
        present = [_present(array) for array in arrays]
        n_rows, n_present = sum(map(len, arrays)), sum(map(len, present))
        start = tuple(arrays[0].slice(0, MIN_ROWS).cast(pa.string()).to_pylist())
        if n_rows < MIN_ROWS:
            continue
        if complete and n_present == 0:
            left_out[column] = EMPTY
        elif complete and n_present == n_rows and len(set(start)) == 1 and _n_distinct(present) == 1:
            left_out[column] = CONSTANT
        elif n_present >= MIN_ROWS and (why := _why_words_are_ids(present)):
            left_out[column] = why
        elif other := next((other for other in by_start.get(start, ()) if _equal(arrays, columns[other])), None):
            left_out[column] = f"the same as {other}"
        else:
            by_start.setdefault(start, []).append(column)
    return left_out


def _equal(left: Sequence[pa.Array], right: Sequence[pa.Array]) -> bool:
    return all(a.equals(b) for a, b in zip(left, right, strict=True))


def _present(array: pa.Array) -> pa.Array:
    """The cells that are not missing, as every format gives them."""
    plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    return present_cells(plain) if is_string(plain.type) else plain.drop_null()


def _why_words_are_ids(present: Sequence[pa.Array]) -> str:
    """Why a column of words is an id; '' if it is none."""
    for arrays in (present[:1], present):  # mostly the first of them shows it
        n_distinct, n_cells = _n_distinct(arrays), sum(map(len, arrays))
        if n_distinct < _MOSTLY * n_cells:
            return ""
    return DIFFERS if n_distinct == n_cells else HARDLY_REPEATS


def _n_distinct(arrays: Sequence[pa.Array]) -> int:
    count: int = pc.count_distinct(pa.chunked_array(arrays)).as_py()
    return count


def numbers_left_out(
    columns: Sequence[str], parts: Sequence[Floats], dates: Collection[str] = (), *, complete: bool
) -> dict[str, str]:
    """The columns of numbers (of which `parts` have the rows) to leave out, and why; days do not count the rows.

    A column that is constant in the head may change later: it is left out only where the head is `complete`.
    """
    n_rows = sum(map(len, parts))
    missing = sum(np.isnan(part).sum(axis=0) for part in parts)
    low, high = (extreme.reduce([extreme.reduce(part) for part in parts]) for extreme in (np.fmin, np.fmax))
    left_out: dict[str, str] = {}
    by_start: dict[bytes, list[int]] = {}  # columns that begin alike
    for j, column in enumerate(columns if n_rows >= MIN_ROWS else ()):
        start = parts[0][:MIN_ROWS, j].tobytes()
        if not low[j] < high[j] and missing[j] in (0, n_rows):
            if complete:
                left_out[column] = CONSTANT if missing[j] == 0 else EMPTY
            continue
        spread = high[j] - low[j]
        if not missing[j] and column not in dates and (why := _why_id(column, [part[:, j] for part in parts], spread)):
            left_out[column] = why
        elif not missing[j] and low[j] >= _CLOCK[0] and _is_clock(np.concatenate([part[:, j] for part in parts])):
            left_out[column] = FOLLOWS
        elif (other := next((other for other in by_start.get(start, ()) if _same(parts, j, other)), None)) is not None:
            left_out[column] = f"the same as {columns[other]}"
        else:
            by_start.setdefault(start, []).append(j)
    return left_out


def why_days_are_left_out(days: Floats) -> str:
    """Why the number of days of a date tells nothing about future rows; '' if it may.

    >>> why_days_are_left_out(np.arange(100.0)), why_days_are_left_out(np.arange(100.0) * 37 % 100)
    ('follows the order of the rows', '')
    """
    days = days[~np.isnan(days)]
    if len(days) < MIN_ROWS:
        return ""
    return SHORT if np.ptp(days) < _TWO_WEEKS else FOLLOWS if _in_order(days) else ""


def _in_order(values: Floats) -> bool:
    """Whether values rise, or fall, from row to row, but for a few that come late."""
    positions = np.arange(len(values))
    for line in (values, values[::-1]):
        rank = np.empty(len(line))
        rank[np.argsort(line, kind="stable")] = positions
        if np.corrcoef(rank, positions)[0, 1] > _IN_ORDER:
            return True
    return False


def _is_clock(values: Floats) -> bool:
    """Whether whole or broken seconds (or thousandths and so on) since 1970 rise from row to row."""
    low, high = float(values.min()), float(values.max())
    is_time = any(_CLOCK[0] * unit <= low and high <= _CLOCK[1] * unit for unit in (1, 1e3, 1e6, 1e9))
    return is_time and len(np.unique(values)) >= _MOSTLY * len(values) and _in_order(values)


def _same(parts: Sequence[Floats], j: int, other: int) -> bool:
    return all(np.array_equal(part[:, j], part[:, other], equal_nan=True) for part in parts)


def _why_id(column: str, parts: Sequence[Floats], spread: float) -> str:
    """Why a column of numbers is an id; '' if it is none."""
    n_rows = sum(map(len, parts))
    counts = (spread + 1) * _DENSE <= n_rows
    named = _NAME_OF_ID.search(column) is not None
    first = parts[0][:MIN_ROWS]
    if not (counts or named) or (first != np.floor(first)).any() or (not named and len(np.unique(first)) < len(first)):
        return ""
    values = np.concatenate(parts)
    if (values != np.floor(values)).any():
        return ""
    n_distinct = len(np.unique(values))
    if n_distinct == n_rows:
        return COUNTS if counts else DIFFERS
    return "an id by its name" if named and n_distinct >= _MOSTLY * n_rows else ""
