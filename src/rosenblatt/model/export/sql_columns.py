"""The columns of a table as SQL: numbers, logarithms, dates and words, with standard arithmetic and CASE only."""

from rosenblatt.errors import ModelError, option
from rosenblatt.records import FeatureSpace, logs_of

_LARGEST_POWER = 64  # of two, in a logarithm; beyond it the last piece goes on
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WRITTEN_AS_ISO = ("year-month-day", "typed")  # a database writes its dates and times so, too


def name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def text(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def number(value: float) -> str:
    """As few digits as give back the same float.

    >>> number(0.1), number(-0.5)
    ('0.1', '(-0.5)')
    """
    digits = repr(value)
    return f"({digits})" if digits.startswith("-") else digits


def refuse_dates(space: FeatureSpace) -> None:
    """Databases differ in how they read dates; ISO 8601 without a zone can be taken apart by characters."""
    for column, (form, _, zoned) in space.settings.get("dates", {}).items():
        if zoned or form not in _WRITTEN_AS_ISO:
            why = "have time zones" if zoned else f"are written as {form}"
            raise ModelError(
                f"SQL cannot hold the dates of column {column!r}, which {why}: export it with {option('to', 'json')} "
                f"or {option('to', 'onnx')}, or learn them as year-month-day."
            )


def number_of(space: FeatureSpace, column: str) -> str:
    """A column of numbers as it is learned, before it is shifted and scaled."""
    quoted = name(column)
    if column in space.settings.get("dates", {}):
        has_hours = space.settings["dates"][column][1]
        return f"({_day(column)} + {_time_of_day(column)})" if has_hours else _day(column)
    if column in space.settings.get("columns", {}).get("flags", ()):
        lower = f"LOWER(CAST({quoted} AS VARCHAR))"
        return f"(CASE WHEN {lower} IN ('true', '1') THEN 1 WHEN {lower} IN ('false', '0') THEN 0 END)"
    log = logs_of(space).get(column)
    return quoted if log is None else _logarithm(quoted, *log)


def word_condition(space: FeatureSpace, feature: str) -> str | None:
    """When a row has a feature that is 0 or 1; None for a number."""
    settings = space.settings
    for column in settings.get("words", ()):
        if feature.startswith(f"{column}="):
            return f"{name(column)} = {text(feature[len(column) + 1 :])}"
    for column in settings.get("dates", {}):
        if feature.startswith(f"{column} weekday="):
            position = _WEEKDAYS.index(feature.rpartition("=")[2])
            return f"(({_day(column)} % 7) + 10) % 7 = {position}"  # 1 January 1970 was a Thursday
        if feature.startswith(f"{column} hour="):
            return f"{_digits(column, 12, 2)} = {int(feature.rpartition('=')[2])}"
    column = feature.removesuffix("=missing")
    if column != feature and column in settings.get("numbers", ()):
        return f"{name(column)} IS NULL"
    return None


def _logarithm(column: str, centre: float, width: float) -> str:
    """`log_scale` of readers.table.scale: e + t / 2**e - 1 for t from 2**e to 2**(e + 1), with a sign."""
    distance = f"(({column} - {number(centre)}) / {number(width)})"
    t = f"(1.0 + ABS({distance}))"
    pieces = [f"WHEN {t} < {2.0 ** (e + 1)!r} THEN {e - 1} + {t} * {2.0**-e!r}" for e in range(_LARGEST_POWER)]
    last = f"ELSE {_LARGEST_POWER - 1} + {t} * {2.0**-_LARGEST_POWER!r}"
    return f"(CASE WHEN {distance} < 0 THEN -1 ELSE 1 END * CASE {' '.join(pieces)} {last} END)"


def _digits(column: str, first: int, count: int) -> str:
    return f"CAST(SUBSTR(CAST({name(column)} AS VARCHAR), {first}, {count}) AS INTEGER)"


def _day(column: str) -> str:
    """Days since 1970: a year of twelve months begins in March, so that the leap day is its last.

    `(a - a % b) / b` divides without a remainder, whether the database divides integers as integers or not.
    """
    months = f"(12 * {_digits(column, 1, 4)} + {_digits(column, 6, 2)} - 3)"
    year = _quotient(months, 12)
    leap_days = f"{_quotient(year, 4)} - {_quotient(year, 100)} + {_quotient(year, 400)}"
    of_months = _quotient(f"(153 * ({months} % 12) + 2)", 5)
    return f"(365 * {year} + {leap_days} + {of_months} + {_digits(column, 9, 2)} - 719469)"


def _quotient(dividend: str, divisor: int) -> str:
    return f"(({dividend} - {dividend} % {divisor}) / {divisor})"


def _time_of_day(column: str) -> str:
    """The fraction of the day; a date without a time is midnight."""
    written = f"CAST({name(column)} AS VARCHAR)"
    seconds = f"CASE WHEN LENGTH({written}) > 18 THEN CAST(SUBSTR({written}, 18) AS REAL) ELSE 0 END"
    time = f"({_digits(column, 12, 2)} * 3600 + {_digits(column, 15, 2)} * 60 + {seconds}) / 86400.0"
    return f"CASE WHEN LENGTH({written}) > 15 THEN {time} ELSE 0 END"
