"""Which columns of a table are left out, decided from its head: ids, constants, and copies of other columns.

An id differs in every row, so that what is learned about its values says nothing about other rows. A measurement with
as many different values is none: numbers are ids only where they count the rows, or where their name says so too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa
from pyarrow import compute as pc

from rosenblatt.lazy import np
from rosenblatt.records import Floats

MIN_ROWS = 20  # in fewer rows even a good column may never repeat a value
_DENSE = 0.4  # distinct integers that fill this share of their range can hardly be anything but a count
_MOSTLY = 0.9
_NAME_OF_ID = re.compile(r"(?:^|[\W_]|(?<=[a-z]))(?:id|ID|Id|uuid|UUID|guid|GUID|index|rowid|hash|key)$|^Unnamed: 0$")

CONSTANT = "always the same"
EMPTY = "empty"
DIFFERS = "differs in every row"
COUNTS = "counts the rows"


def words_left_out(columns: Mapping[str, Sequence[pa.Array]], *, complete: bool) -> dict[str, str]:
    """The columns of words (each in several arrays) to leave out, and why; `complete` as for numbers."""
    left_out = {}
    alike: dict[tuple[str | None, ...], list[str]] = {}  # columns that begin alike
    for column, arrays in columns.items():
        if arrays and pa.types.is_nested(arrays[0].type):  # lists of words
            continue
        present = [array.drop_null() for array in arrays]
        n_rows, n_present = sum(map(len, arrays)), sum(map(len, present))
        start = tuple(arrays[0].slice(0, MIN_ROWS).cast(pa.string()).to_pylist())
        if n_rows < MIN_ROWS:
            continue
        if complete and n_present == 0:
            left_out[column] = EMPTY
        elif complete and n_present == n_rows and len(set(start)) == 1 and _n_distinct(present) == 1:
            left_out[column] = CONSTANT
        elif n_present >= MIN_ROWS and _all_differ(present[:1]) and _all_differ(present):
            left_out[column] = DIFFERS
        elif other := next((other for other in alike.get(start, ()) if _equal(arrays, columns[other])), None):
            left_out[column] = f"the same as {other}"
        else:
            alike.setdefault(start, []).append(column)
    return left_out


def _equal(left: Sequence[pa.Array], right: Sequence[pa.Array]) -> bool:
    return all(a.equals(b) for a, b in zip(left, right, strict=True))


def _all_differ(arrays: Sequence[pa.Array]) -> bool:
    return _n_distinct(arrays) == sum(map(len, arrays))


def _n_distinct(arrays: Sequence[pa.Array]) -> int:
    plain = [array.dictionary_decode() if pa.types.is_dictionary(array.type) else array for array in arrays]
    count: int = pc.count_distinct(pa.chunked_array(plain)).as_py()
    return count


def numbers_left_out(
    columns: Sequence[str], parts: Sequence[Floats], dates: Collection[str] = (), *, complete: bool
) -> dict[str, str]:
    """The columns of numbers (of which `parts` have the rows) to leave out, and why; days are no count of the rows.

    A column that is constant in the head may change later: it is left out only where the head is `complete`.
    """
    n_rows = sum(map(len, parts))
    missing = sum(np.isnan(part).sum(axis=0) for part in parts)
    low, high = (extreme.reduce([extreme.reduce(part) for part in parts]) for extreme in (np.fmin, np.fmax))
    left_out: dict[str, str] = {}
    alike: dict[bytes, list[int]] = {}  # columns that begin alike
    for j, column in enumerate(columns if n_rows >= MIN_ROWS else ()):
        start = parts[0][:MIN_ROWS, j].tobytes()
        if not low[j] < high[j] and missing[j] in (0, n_rows):
            if complete:
                left_out[column] = CONSTANT if missing[j] == 0 else EMPTY
            continue
        spread = high[j] - low[j]
        if not missing[j] and column not in dates and (why := _why_id(column, [part[:, j] for part in parts], spread)):
            left_out[column] = why
        elif (other := next((other for other in alike.get(start, ()) if _same(parts, j, other)), None)) is not None:
            left_out[column] = f"the same as {columns[other]}"
        else:
            alike.setdefault(start, []).append(j)
    return left_out


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
