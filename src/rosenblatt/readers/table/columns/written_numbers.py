"""Numbers as people write them: $1,234.50, 12 %, 1.234,50 €, (300), 64 km, and 'n/a' among them.

A column holds numbers if all its cells are numbers in one form. The form is found from the first thousand rows and
used for all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc

# Cells that mean a missing number, in lower case, in addition to the marks of missing values in any column.
_MISSING = (
    "-", "--", "n/a", "na", "nan", "none", "nil", "null", "unknown", "missing", "not available", "#n/a", ".", "..",
)  # fmt: skip
_CURRENCIES = frozenset({
    "usd", "eur", "gbp", "jpy", "chf", "cny", "inr", "aud", "cad", "nzd", "sek", "nok", "dkk", "pln", "czk", "huf",
    "ron", "brl", "mxn", "zar", "krw", "sgd", "hkd", "try", "ils", "thb", "rs", "kr", "zł", "ft", "lei",
})  # fmt: skip
_SIGNS = ("%", "‰", "°", "°c", "°f")  # after a number
_FEWEST_VALUES = 10  # a column with a unit in letters needs more different values: fewer may be sizes or codes
_SPACES = "[\u00a0\u2009\u202f]"
_MINUS = "\u2212"
_CELL = re.compile(
    r"(?P<open>\()?(?P<sign>[+-]?) ?(?P<before>[^\d\s.,()'\u2019+-]{0,3}) ?(?P<second>[+-]?)"
    r"(?P<digits>(?:\d[\d.,'\u2019 ]*)?\d|[.,]\d+)(?:[eE][+-]?\d+)?"
    r" ?(?P<after>[^\d\s.,()'\u2019+-]{0,5})(?P<close>\))?"
)
# (decimal mark, thousands separator), the most common first.
_SEPARATORS = (
    (".", ""),
    (".", ","),
    (".", " "),
    (".", "'"),
    (".", "\u2019"),
    (",", ""),
    (",", "."),
    (",", " "),
    (",", "'"),
)


@dataclass(frozen=True)
class NumberForm:
    """How the numbers of a column are written."""

    decimal: str = "."
    thousands: str = ""  # between groups of three digits
    before: str = ""  # a currency
    after: str = ""  # a currency or a unit
    brackets: bool = False  # around negative ones
    missing: tuple[str, ...] = ()  # cells that mean a missing number, in lower case

    @property
    def pattern(self) -> str:
        digits = f"[0-9{re.escape(self.thousands)}]*"
        decimal = re.escape(self.decimal)
        before, after = (f"(?:{re.escape(affix)})?" if affix else "" for affix in (self.before, self.after))
        return (
            rf"^(?P<open>\(?)(?P<sign>[+-]?) ?{before} ?(?P<second>[+-]?)"
            rf"(?P<number>{digits}(?:{decimal}[0-9]*)?(?:[eE][+-]?[0-9]+)?) ?{after}\)?$"
        )


def form_in_settings(settings: Sequence[Any]) -> NumberForm:
    """The form that the settings of a model contain."""
    decimal, thousands, before, after, brackets, missing = settings
    return NumberForm(decimal, thousands, before, after, brackets, tuple(missing))


def number_forms(
    columns: Mapping[str, Iterable[str]], as_programs_write: Mapping[str, Iterable[str]] = MappingProxyType({})
) -> dict[str, NumberForm]:
    """The form of each column that holds numbers.

    1,234 may be 1234 or 1.234; it is read as 1234 unless another column of the table has decimal commas. In such a
    table the columns that look like plain numbers are read again: their 1.234 is 1234.

    >>> forms = number_forms({"price": ["$1,234.50", "$9"], "share": ["12%", "n/a"], "plan": ["A 1", "B 2"]})
    >>> {column: (form.thousands, form.before, form.after, form.missing) for column, form in forms.items()}
    {'price': (',', '$', '', ()), 'share': ('', '', '%', ('n/a',))}
    >>> {column: form.decimal for column, form in number_forms({"a": ["1,5"], "b": ["1,250", "950"]}).items()}
    {'a': ',', 'b': ','}
    >>> [(form.decimal, form.thousands) for form in number_forms({"a": ["1,5"]}, {"b": ["1.250", "950"]}).values()]
    [(',', ''), (',', '.')]
    """
    cells = {column: set(map(_plain_cell, column_cells)) for column, column_cells in columns.items()}
    forms = {column: form for column in columns if (form := _form_of(cells[column], comma=False))}
    if any(form.decimal == "," for form in forms.values()):
        cells |= {column: set(map(_plain_cell, column_cells)) for column, column_cells in as_programs_write.items()}
        forms = {column: form for column in cells if (form := _form_of(cells[column], comma=True))}
    return forms


def marks_among(cells: Iterable[str]) -> tuple[str, ...]:
    """The cells that stand for a missing value.

    >>> marks_among(["2024-01-31", "N/A", "-"])
    ('-', 'n/a')
    """
    return tuple(sorted({cell.strip().lower() for cell in cells} & set(_MISSING)))


def _plain_cell(cell: str) -> str:
    """The cell with ordinary spaces and an ordinary minus sign."""
    return re.sub(_SPACES, " ", cell).replace(_MINUS, "-").strip()


def _form_of(cells: set[str], *, comma: bool) -> NumberForm | None:
    missing = marks_among(cells)
    matches = []
    for cell in cells:
        if cell.lower() in missing:
            continue
        match = _CELL.fullmatch(cell)
        if match is None or bool(match["open"]) != bool(match["close"]) or (match["sign"] and match["second"]):
            return None
        matches.append(match)
    if not matches:
        return None
    before, after = ({match[part] for match in matches if match[part]} for part in ("before", "after"))
    if len(before) > 1 or len(after) > 1 or not all(map(_is_currency, before)):
        return None
    if not all(_is_sign(unit) or len(matches) > _FEWEST_VALUES for unit in after):
        return None
    separators = _separators_of([match["digits"] for match in matches], comma=comma)
    if separators is None:
        return None
    brackets = any(match["open"] for match in matches)
    return NumberForm(*separators, "".join(before), "".join(after), brackets, missing)


def _is_currency(text: str) -> bool:
    return text.lower() in _CURRENCIES or any(unicodedata.category(character) == "Sc" for character in text)


def _is_sign(text: str) -> bool:
    return text.lower() in _SIGNS or _is_currency(text)


def _separators_of(numbers: list[str], *, comma: bool) -> tuple[str, str] | None:
    """The decimal mark and the thousands separator; None if the numbers are not written in one form."""
    ordered = sorted(_SEPARATORS, key=lambda separators: separators[0] == ".") if comma else _SEPARATORS
    for decimal, thousands in ordered:
        fraction = f"(?:{re.escape(decimal)}\\d*)?"
        groups = f"[1-9]\\d{{0,2}}(?:{re.escape(thousands)}\\d{{3}})+{fraction}|" if thousands else ""
        short = r"\d{1,3}" if thousands else r"\d+"
        form = re.compile(f"{groups}{short}{fraction}|{re.escape(decimal)}\\d+")
        if all(map(form.fullmatch, numbers)):
            return decimal, thousands
    return None


def plain_numbers(cells: pa.Array, form: NumberForm) -> pa.Array:
    """The cells as a program writes numbers; null for a missing number. A cell that is not a number is unchanged.

    >>> plain_numbers(pa.array(["$1,234.50", "-$5", "($7)", "N/A", "two"]), NumberForm(".", ",", "$", missing=("n/a",)))
    ... # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    <pyarrow.lib.StringArray object at ...>
    [ "1234.50", "-5", "-7", null, "two" ]
    """
    trimmed = without_marks(pc.replace_substring_regex(pc.cast(cells, pa.string()), _SPACES, " "), form)
    trimmed = pc.replace_substring(trimmed, _MINUS, "-")
    parts = pc.extract_regex(trimmed, form.pattern)
    opened, sign, second, number = (parts.field(name) for name in ("open", "sign", "second", "number"))
    if form.thousands:
        number = pc.replace_substring(number, form.thousands, "")
    if form.decimal != ".":
        number = pc.replace_substring(number, form.decimal, ".")
    negative = pc.not_equal(pc.not_equal(opened, ""), pc.equal(pc.binary_join_element_wise(sign, second, ""), "-"))
    signed = pc.binary_join_element_wise(pc.if_else(negative, "-", ""), number, "")
    is_number = pc.fill_null(pc.match_substring_regex(number, "[0-9]"), False)
    return pc.if_else(is_number, signed, trimmed)


def without_marks(cells: pa.Array, form: NumberForm) -> pa.Array:
    """The cells without surrounding spaces, and null in place of the marks of a missing value."""
    trimmed = pc.utf8_trim_whitespace(cells)
    missing = pc.is_in(pc.utf8_lower(trimmed), value_set=pa.array(form.missing, trimmed.type))
    return pc.if_else(missing, pa.scalar(None, trimmed.type), trimmed)
