"""Targets that are numbers: labels read as float64, and whether labels look like numbers rather than like classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import isfinite
from typing import Literal, TypeAlias

from rosenblatt.errors import DataError, option

Task: TypeAlias = Literal["classes", "number"]

LARGEST = 1e100  # the largest target: the square of a much larger one overflows
FEW_VALUES = 20  # so few different labels are classes, whatever they look like: half stars, grades, years at school
_FEWEST_FRACTIONS = 5  # so many different fractions are numbers if the rows are few and mostly differ
_ROWS_A_VALUE = 5  # whole numbers that repeat less often than this are not classes
_BAD_SHARE = 0.05  # up to this share of labels that are not numbers are mistakes, which are refused one by one
_GAPS = 2  # whole numbers whose range is more than so many times their count are not classes
_ALIKE = 0.7  # least correlation of how often neighbours occur (its root) in a quantity: chance alone gives about 0
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")  # every date has one
_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)")  # how a date begins, to advise about a wrong label


def look_like_numbers(values: Sequence[float], n_rows: int, counts: Callable[[], Sequence[int]] | None = None) -> bool:
    """Whether labels with these distinct values, in so many rows, are a quantity: many fractions, or whole numbers that
    hardly repeat, leave most of their range out, or are spread as amounts are. Codes of classes repeat, leave out few
    numbers, and are in any order. `counts` gives the rows of each value.

    >>> look_like_numbers([k / 2 for k in range(10)], 1000), look_like_numbers([k / 7 for k in range(100)], 1000)
    (False, True)
    >>> look_like_numbers(range(100), 1000), look_like_numbers(range(50, 350), 442), look_like_numbers([0, 1], 2)
    (False, True, False)
    >>> look_like_numbers([k * 500 for k in range(60)], 1000)
    True
    """
    n_fractions = sum(not float(value).is_integer() for value in values)
    if n_fractions > FEW_VALUES or (n_fractions >= _FEWEST_FRACTIONS and 2 * n_fractions > n_rows):
        return True
    if len(values) <= FEW_VALUES:
        return False
    has_gaps = max(values) - min(values) + 1 > _GAPS * len(values)
    if has_gaps or len(values) * _ROWS_A_VALUE > n_rows:
        return True
    return counts is not None and n_fractions == 0 and _are_spread_like_amounts(values, counts())


def _are_spread_like_amounts(values: Sequence[float], counts: Sequence[int]) -> bool:
    """Whether whole numbers are common in the middle and rare at both ends, and neighbours about equally common: a
    demand, an age, a number of points. The classes of a code are as common as they happen to be, or all alike.

    >>> bell = [min(k, 25 - k) ** 2 for k in range(1, 25)]
    >>> orders = bell, [bell[7 * k % 24] for k in range(24)], bell[12:] + bell[:12], [9] * 24
    >>> [_are_spread_like_amounts(range(24), counts) for counts in orders]
    [True, False, False, False]
    """
    rows = dict(zip(values, counts, strict=True))
    sizes = [rows.get(float(value), 0) ** 0.5 for value in range(int(min(values)), int(max(values)) + 1)]
    if 2 * max(rows[min(values)], rows[max(values)]) >= max(counts):
        return False
    mean = sum(sizes) / len(sizes)
    away = [size - mean for size in sizes]
    alike: float = sum(a * b for a, b in pairwise(away))
    return bool(alike > _ALIKE * sum(a * a for a in away))


def look_like_amounts(numbers: Iterable[float]) -> bool:
    """The same, from the label of each row."""
    counts = Counter(numbers)
    values = sorted(counts)
    return look_like_numbers(values, counts.total(), lambda: [counts[value] for value in values])


def number_of(token: str) -> float | None:
    """A target as it is written; None where that is not a finite number.

    >>> [number_of(token) for token in ("-1.5e3", " 7", "1_000", "inf", "nan", "ten", "1e400")]
    [-1500.0, 7.0, None, None, None, None, None]
    """
    try:
        number = float(token)
    except ValueError:
        return None
    return number if isfinite(number) and "_" not in token else None


def mostly_numbers(tokens: Sequence[str]) -> list[float]:
    """The numbers among these tokens if at most one token in twenty is not a number; else an empty list.

    >>> mostly_numbers(["1.5"] * 19 + ["two"])[:2], mostly_numbers(["1.5", "two"]), mostly_numbers([])
    ([1.5, 1.5], [], [])
    """
    numbers = [number for number in map(number_of, tokens) if number is not None]
    return numbers if len(tokens) - len(numbers) <= _BAD_SHARE * len(tokens) else []


def what_is_wrong(token: str, column: str | None = None) -> str:
    """Why a label is not a target, and what to do, for the end of a sentence that says where it is."""
    where = f" in column {column!r}" if column is not None else " as the label"
    if number_of(token) is not None:
        return (
            f"expected a number between -{LARGEST:g} and {LARGEST:g}{where}, found {token[:40]!r}; divide all of them"
        )
    advice = "count the days since a date" if _DATE.match(token.strip()) else "correct it"
    return f"expected a number{where}, found {token[:40]!r}; {advice}"


def look_like_dates(tokens: Sequence[str]) -> bool:
    """Whether labels, none of them missing, are dates in one of the forms that tables know.

    >>> look_like_dates(["2024-05-17", "2024-05-18 09:00"]), look_like_dates(["17.5.2024"]), look_like_dates(["2024-x"])
    (True, True, False)
    """
    if not tokens or not _YEAR.search(tokens[0]):
        return False
    import pyarrow as pa

    from rosenblatt.readers.table.columns.dates import form_of_cells

    return form_of_cells(pa.array(tokens)) is not None


def dates_refused(name: str, which: str, task: str | None, *, is_column: bool = False) -> DataError:
    """The error for labels that are dates, where numbers are expected or nobody said that so many are classes."""
    advice = "count the days since one of them"
    if is_column:
        advice += f", or name another column with {option('label')}"
    if task is None:
        advice += f"; {option('task', 'classes')} if each date is a class"
    return DataError(f"{name}: {which} dates, which are not numbers: {advice}.", file=name)
