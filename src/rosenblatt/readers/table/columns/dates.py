"""Columns of dates and times, as text in one of the usual forms or as an Arrow type.

A date gives the days since 1970 (a number), the weekday and, where the column has times of day, the hour (words). Times
with a zone are taken in UTC, so that text and typed columns give the same features.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc

from rosenblatt.lazy import NDArray, np
from rosenblatt.records import Floats

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HOURS = tuple(f"{hour:02}" for hour in range(24))
_TIME = r"(?P<time>(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?)"
_ZONE = r" ?(?P<zone>(?:Z|[+-]\d{2}:?\d{2})?)"
# Each form by the order of year, month and day, and the pattern of its cells.
_PATTERNS = {
    "year-month-day": r"^(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})",
    "day.month.year": r"^(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
    "day/month/year": r"^(?P<day>\d{1,2})[-/](?P<month>\d{1,2})[-/](?P<year>\d{4})",
    "month/day/year": r"^(?P<month>\d{1,2})[-/](?P<day>\d{1,2})[-/](?P<year>\d{4})",
    "day month-name year": r"^(?P<day>\d{1,2})[-/. ] ?(?P<month>[A-Za-z]{3,9})\.?[-/ ](?P<year>\d{4})",
    "month-name day, year": r"^(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})",
}
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
# English, whole or cut to three letters.
MONTH_NUMBERS = {name: k for k, month in enumerate(_MONTHS, 1) for name in (month, month[:3])} | {"sept": 9}
ISO = "year-month-day"
PATTERNS = {form: start + _TIME + _ZONE + "$" for form, start in _PATTERNS.items()}
_WITH_ZONE = r":\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$"
TYPED = "typed"  # the form of a column that has a type of its own
_DAY = 86_400_000_000  # microseconds
_MICROS = {"day": _DAY, "s": 1_000_000, "ms": 1000, "us": 1}
_FIRST_WEEKDAY = 3  # 1 January 1970 was a Thursday


@dataclass(frozen=True)
class DateForm:
    """How the dates of a column are written, and whether they have times of day, and zones."""

    form: str
    hours: bool
    zoned: bool = False


def form_of_cells(cells: pa.Array) -> DateForm | None:
    """The one form in which all cells are dates; None if there is none, or if day and month cannot be told apart."""
    forms = []
    for form in PATTERNS:
        times = _micros(cells, form)
        if times is not None:
            zoned = pc.any(pc.match_substring_regex(cells, _WITH_ZONE)).as_py()
            forms.append(DateForm(form, has_hours(times), zoned))
    return forms[0] if len(forms) == 1 else None


def form_of_type(array: pa.Array) -> DateForm:
    times = micros_of_type(array).drop_null()
    hours = has_hours(times.to_numpy(zero_copy_only=False))
    return DateForm(TYPED, hours, getattr(array.type, "tz", None) is not None)


def has_hours(micros: NDArray[np.int64]) -> bool:
    return bool((micros % _DAY).any())


def micros_of_type(array: pa.Array) -> pa.Array:
    """Microseconds since 1970, in UTC where the type has a zone; ArrowInvalid where they do not fit in 64 bits."""
    is_days = pa.types.is_date32(array.type)
    numbers = pc.cast(pc.cast(array, pa.int32()), pa.int64()) if is_days else pc.cast(array, pa.int64())
    unit = "day" if is_days else "ms" if pa.types.is_date64(array.type) else array.type.unit
    if unit == "ns":
        return pc.divide(numbers, 1000)
    try:
        return pc.multiply_checked(numbers, _MICROS[unit])
    except pa.ArrowInvalid:
        raise pa.ArrowInvalid("a date is more than 292,000 years away from 1970") from None


def _micros(cells: pa.Array, form: str) -> NDArray[np.int64] | None:
    """Microseconds of cells of which none is missing; None where one is not a date of the form."""
    if len(cells) == 0 or not pc.all(pc.match_substring_regex(cells, PATTERNS[form])).as_py():
        return None
    times = micros_of_text(cells, form)
    return None if times.null_count else times.to_numpy()


def micros_of_text(cells: pa.Array, form: str) -> pa.Array:
    """Microseconds since 1970 of each cell; null where it is not a date of the form, such as 30 February."""
    if form == ISO:
        for zone in (None, "UTC"):  # Arrow's own reader is ten times as fast, and refuses what differs from ISO 8601
            with suppress(pa.ArrowInvalid):
                return micros_of_type(pc.cast(cells, pa.timestamp("us", zone)))
    parts = pc.extract_regex(cells, PATTERNS[form])
    year, month, day, time, zone = (parts.field(name) for name in ("year", "month", "day", "time", "zone"))
    if "month-name" in form:
        encoded = pc.dictionary_encode(month)
        numbers = [_month(name) for name in encoded.dictionary.to_pylist()]
        month = pa.array(numbers, month.type).take(encoded.indices)
    date = _parsed(pc.binary_join_element_wise(year, _padded(month), _padded(day), "-"))
    seconds, zones = (pc.dictionary_encode(part) for part in (time, zone))  # few distinct ones, mostly
    micros = _sum(date, _looked_up(seconds, _time_of_day), 1)
    return _sum(micros, _looked_up(zones, _offset), -1)


def _month(name: str) -> str | None:
    """
    >>> _month("Oct"), _month("october"), _month("Sept"), _month("Octo")
    ('10', '10', '9', None)
    """
    number = MONTH_NUMBERS.get(name.lower())
    return None if number is None else str(number)


def _padded(digits: pa.Array) -> pa.Array:
    return pc.utf8_lpad(digits, 2, "0")


def _parsed(iso: pa.Array) -> pa.Array:
    """Microseconds at the beginning of each day; null where there is no such day."""
    try:
        days = pc.cast(iso, pa.date32())
    except pa.ArrowInvalid:
        days = pc.strptime(iso, "%Y-%m-%d", "s", error_is_null=True)
        again = pc.strftime(days, "%Y-%m-%d")  # strptime takes 31 June for 1 July
        days = pc.cast(pc.if_else(pc.equal(again, iso), days, None), pa.date32())
    return pc.multiply(pc.cast(pc.cast(days, pa.int32()), pa.int64()), _DAY)


def _looked_up(encoded: pa.DictionaryArray, value: Any) -> pa.Array:
    """`value` of each distinct text, in the place of the texts."""
    values = pa.array([value(text) for text in encoded.dictionary.to_pylist()], pa.int64())
    return values.take(encoded.indices)


def _sum(left: pa.Array, right: pa.Array, sign: int) -> pa.Array:
    return pc.add(left, pc.multiply(right, sign))


def _time_of_day(text: str) -> int | None:
    """' 23:59:59.5' in microseconds; None where there is no such time."""
    hour, minute, *second = text[1:].split(":") if text else ("0", "0")
    integer, _, fraction = second[0].partition(".") if second else ("0", "", "")
    if int(hour) > 23 or int(minute) > 59 or int(integer) > 59:
        return None
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(integer)
    return seconds * 1_000_000 + int(fraction[:6].ljust(6, "0"))


def _offset(text: str) -> int:
    """'+02:00' in microseconds."""
    if text in ("", "Z"):
        return 0
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return (-minutes if text[0] == "-" else minutes) * 60_000_000


def days(micros: pa.Array) -> Floats:
    """Days since 1970 with their fraction; NaN where there is no date."""
    result: Floats = pc.divide(pc.cast(micros, pa.float64(), safe=False), float(_DAY)).to_numpy(zero_copy_only=False)
    return result


def weekday_and_hour(micros: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Positions in WEEKDAYS and in HOURS; -1 where there is no date."""
    present = np.asarray(pc.is_valid(micros))
    numbers = pc.fill_null(micros, 0).to_numpy(zero_copy_only=False)
    weekday = (numbers // _DAY + _FIRST_WEEKDAY) % 7
    hour = numbers % _DAY // 3_600_000_000
    return tuple(np.where(present, part, -1).astype(np.int32) for part in (weekday, hour))  # type: ignore[return-value]
