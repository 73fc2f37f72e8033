"""Cells of a table as text: which are missing, and which are numbers."""

import re
from collections.abc import Iterable

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
FLAGS = ("false", "true")  # in any case: 0 and 1 where they are read as numbers
DECIMAL_COMMA = r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?"


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
    """The first number with a decimal comma, in a column of nothing but numbers.

    >>> decimal_comma(["1", "2,5", "?"]), decimal_comma(["2,5", "low"]), decimal_comma(["2.5"])
    ('2,5', None, None)
    """
    present = [cell for cell in cells if cell not in MISSING]
    with_comma = [cell for cell in present if re.fullmatch(DECIMAL_COMMA, cell)]
    only_numbers = all(re.fullmatch(DECIMAL_COMMA, cell) or is_number(cell) for cell in present)
    return with_comma[0] if with_comma and only_numbers else None
