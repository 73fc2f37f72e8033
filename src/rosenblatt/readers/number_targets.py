"""Targets that are numbers: labels read as float64, and whether labels look like numbers rather than like classes."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Literal, TypeAlias

from rosenblatt.errors import option

Task: TypeAlias = Literal["classes", "number"]

LARGEST = 1e100  # of a target: the square of what lies far beyond it overflows
FEW_VALUES = 20  # that classes may have, whatever they look like: half stars, grades, years at school
_FEWEST_FRACTIONS = 5  # in few rows, which mostly differ
_ROWS_A_VALUE = 5  # whole numbers that repeat less often than this are not classes
_BAD_SHARE = 0.05  # of labels that are not numbers among numbers: mistakes, which are refused one by one
_GAPS = 2  # and neither are those that leave out more of their range than they use


def look_like_numbers(values: Sequence[float], n_rows: int) -> bool:
    """Whether labels with these distinct values, in so many rows, are a quantity: many fractions, or whole numbers that
    hardly repeat or leave most of their range out. Codes of classes repeat, and leave out few numbers.

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
    return has_gaps or len(values) * _ROWS_A_VALUE > n_rows


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
    """The numbers among these, if at most one in twenty is none; else nothing.

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
    return f"expected a number{where}, found {token[:40]!r}; correct it"


def detected(what: str) -> str:
    """That a number will be predicted, and how to say that it is not one."""
    return f"predicting a number, {what}; {option('task', 'classes')} if these are labels"
