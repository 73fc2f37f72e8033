"""The columns of a table as SQL: numbers, logarithms, dates and words, with standard arithmetic and CASE only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rosenblatt.errors import ModelError, option
from rosenblatt.readers.table.columns.missing_cells import MISSING
from rosenblatt.records import FeatureSpace, logs_of

EXPORT_OTHERWISE = f"export it with {option('to', 'python')}, {option('to', 'json')} or {option('to', 'onnx')}"
_LARGEST_POWER = 64  # of two, in a logarithm; the last piece also covers everything beyond it
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_YES, _NO = frozenset({"yes", "y", "t", "true"}), frozenset({"no", "n", "f", "false"})
_WRITTEN_AS_ISO = ("year-month-day", "typed")  # databases write their dates and times in this form, too


def name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def text(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def number(value: float) -> str:
    """The fewest digits that give the same float, with an exponent, because some databases read 0.1 as a decimal.

    >>> number(0.1), number(-0.5), number(1e-9)
    ('0.1e0', '(-0.5e0)', '1e-09')
    """
    digits = repr(float(value))
    digits = digits if "e" in digits else f"{digits}e0"
    return f"({digits})" if digits.startswith("-") else digits


class SqlColumns:
    """The features of a model as expressions over the columns of a table.

    Values that an expression uses many times are helpers, columns of an earlier SELECT: the ISO form of a date, the
    distance of a number with heavy tails from its centre, and its logarithm. Databases ignore case in the names of
    columns, so no helper may have the name of a column in another case.
    """

    def __init__(self, space: FeatureSpace) -> None:
        self._space, self._settings = space, space.settings
        self._helpers: list[dict[str, str]] = [{}, {}]  # name -> expression; the second may use the first
        used = [*self._settings.get("numbers", space.columns), *self._settings.get("words", ())]
        self._taken = {column.lower() for column in (*used, *self._settings.get("columns", {}).get("order", ()))}
        self._taken.add(str(self._settings.get("label", "")).lower())
        self._numbers = used[: len(self._settings.get("numbers", space.columns))]
        self._refuse_alike(used)
        self._refuse_dates()

    def _refuse_alike(self, columns: Iterable[str]) -> None:
        seen: dict[str, str] = {}
        for column in columns:
            other = seen.setdefault(column.lower(), column)
            if other != column:
                raise ModelError(
                    f"SQL does not tell column {column!r} from {other!r}: rename one of them and learn again, or "
                    f"{EXPORT_OTHERWISE}."
                )

    def _refuse_dates(self) -> None:
        """Databases read dates differently, but ISO 8601 without a time zone can be split at fixed positions."""
        for column, (form, _, zoned) in self._settings.get("dates", {}).items():
            if zoned or form not in _WRITTEN_AS_ISO:
                reason = "have time zones" if zoned else f"are written as {form}"
                raise ModelError(
                    f"SQL cannot hold the dates of column {column!r}, which {reason}: {EXPORT_OTHERWISE}, or learn "
                    "them as year-month-day."
                )

    def free(self, alias: str) -> str:
        """A name that no column of the table has, as far as the model knows them."""
        while alias.lower() in self._taken:
            alias = f"predicted_{alias}"
        self._taken.add(alias.lower())
        return alias

    @property
    def helpers(self) -> list[dict[str, str]]:
        return [level for level in self._helpers if level]

    def _helper(self, level: int, wanted: str, expression: str) -> str:
        known = {other: alias for alias, other in self._helpers[level].items()}
        alias = known.get(expression) or self.free(wanted)
        self._helpers[level][alias] = expression
        return name(alias)

    def value(self, j: int) -> tuple[str, bool]:
        """Either the value of a feature, NULL if it is missing, and False; or the condition under which a row has the
        feature, and True."""
        space = self._space
        if space.kind == "index":
            return self._scaled(j, _cleaned(name(f"f{j + space.index_base}"))), False
        if j < len(self._numbers):
            return self._scaled(j, self._number(self._numbers[j])), False
        return self._condition(space.columns[j]), True

    def _scaled(self, j: int, value: str) -> str:
        space = self._space
        if space.shift is None or space.scale is None:
            return value
        return f"(({value} - {number(space.shift[j])}) * {number(space.scale[j])})"

    def _number(self, column: str) -> str:
        """A column of numbers as it is learned, before it is shifted and scaled."""
        if column in self._settings.get("dates", {}):
            iso, has_hours = self._iso(column), self._settings["dates"][column][1]
            return f"({_day(iso)} + {_time_of_day(iso)})" if has_hours else _day(iso)
        if column in self._settings.get("columns", {}).get("flags", ()):
            lower = f"LOWER({_trimmed(name(column))})"
            return (
                f"(CASE WHEN {lower} IN ('true', '1', '1.0') THEN 1 WHEN {lower} IN ('false', '0', '0.0') THEN 0 END)"
            )
        log = logs_of(self._space).get(column)
        value = self._plain(column) if column in self._settings.get("written", {}) else _cleaned(name(column))
        if log is None:
            return value
        centre, width = log
        distance = f"(({value} - {number(centre)}) / {number(width)})"
        return self._helper(1, f"{column}_log", _logarithm(self._helper(0, f"{column}_distance", distance)))

    def _plain(self, column: str) -> str:
        """A number written like ($1,234.50), without currency signs, separators and brackets."""
        decimal, thousands, before, after, brackets, _ = self._settings["written"][column]
        written = _trimmed(name(column))
        digits = written
        for removed in dict.fromkeys((before, after, thousands, " ", "\u00a0", "\u2009", "\u202f", "(", ")", "+")):
            digits = f"REPLACE({digits}, {text(removed)}, '')" if removed else digits
        digits = f"REPLACE({digits}, {text(chr(0x2212))}, '-')"
        digits = f"REPLACE({digits}, ',', '.')" if decimal == "," else digits
        value = f"CAST({digits} AS DOUBLE PRECISION)"
        if brackets:
            value = f"(CASE WHEN SUBSTR({written}, 1, 1) = '(' THEN -1 ELSE 1 END * {value})"
        return f"(CASE WHEN {self._is_missing(column)} THEN NULL ELSE {value} END)"

    def _is_missing(self, column: str) -> str:
        marks = self._settings.get("written", {}).get(column, [()])[-1]
        is_mark = f" OR LOWER({_trimmed(name(column))}) IN ({', '.join(map(text, marks))})" if marks else ""
        return f"({_is_missing(name(column))}{is_mark})" if is_mark else _is_missing(name(column))

    def _condition(self, feature: str) -> str:
        """The condition under which a row has a feature that is 0 or 1; if two columns give features of the same name,
        that one of them has it."""
        settings = self._settings
        columns = [column for column in settings.get("words", ()) if feature.startswith(f"{column}=")]
        conditions = [self._is_word(column, feature[len(column) + 1 :]) for column in columns]
        for column in settings.get("dates", {}):
            if feature.startswith(f"{column} weekday="):
                position = _WEEKDAYS.index(feature.rpartition("=")[2])
                # 1970 began with a Thursday.
                conditions.append(f"(({_day(self._iso(column))} % 7) + 10) % 7 = {position}")
            if feature.startswith(f"{column} hour="):
                hour = int(feature.rpartition("=")[2])
                iso = self._iso(column)
                midnight = f"WHEN {iso} IS NOT NULL THEN 0"
                conditions.append(f"(CASE WHEN LENGTH({iso}) > 12 THEN {_digits(iso, 12, 2)} {midnight} END) = {hour}")
        column = feature.removesuffix("=missing")
        if column != feature and column in settings.get("numbers", ()):
            conditions.append(self._is_missing(column))
        return " OR ".join(conditions)

    def _is_word(self, column: str, word: str) -> str:
        if column in self._settings.get("columns", {}).get("names", ()):  # a database may have 7.0 for 7
            return f"{_trimmed(name(column))} IN ({text(word)}, {text(word + '.0')})"
        words = [feature[len(column) + 1 :] for feature in self._space.columns if feature.startswith(f"{column}=")]
        written, other = _trimmed(name(column)), _as_typed(word, words)
        return f"{written} = {text(word)}" if other is None else f"{written} IN ({text(word)}, {text(other)})"

    def _iso(self, column: str) -> str:
        """A date as text with two digits for month, day and hour, so that each is at a fixed position."""
        written = _trimmed(name(column))
        with_month = (
            f"CASE WHEN SUBSTR({written}, 7, 1) BETWEEN '0' AND '9' THEN {written} ELSE {_padded(written, 6)} END"
        )
        first = self._helper(
            0, f"{column}_date", f"CASE WHEN {self._is_missing(column)} THEN NULL ELSE {with_month} END"
        )
        with_day = f"CASE WHEN SUBSTR({first}, 10, 1) BETWEEN '0' AND '9' THEN {first} ELSE {_padded(first, 9)} END"
        if not self._settings["dates"][column][1]:
            return self._helper(1, f"{column}_iso", with_day)
        one_digit = f"SUBSTR({with_day}, 13, 1) = ':'"
        return self._helper(
            1, f"{column}_iso", f"CASE WHEN {one_digit} THEN {_padded(with_day, 12)} ELSE {with_day} END"
        )


def _as_typed(word: str, words: Sequence[str]) -> str | None:
    """The value that a database stores for a word when it reads a file itself: DuckDB turns a column of yes and no into
    true and false. None if it keeps the word, or turns another word of the column into the same value.

    >>> _as_typed("No", ["No", "Yes"]), _as_typed("no", ["no", "never"]), _as_typed("y", ["y", "yes"])
    ('false', None, None)
    """
    lower = [one.lower() for one in words]
    if not set(lower) <= _YES | _NO:
        return None
    alike = _YES if word.lower() in _YES else _NO
    return ("true" if alike is _YES else "false") if sum(one in alike for one in lower) == 1 else None


def _trimmed(column: str) -> str:
    return f"TRIM(CAST({column} AS VARCHAR))"


def _is_missing(column: str) -> str:
    """NULL, NaN, and the marks of a missing value in a column of text."""
    return f"COALESCE({_trimmed(column)}, '') IN ({', '.join(map(text, MISSING))})"


def _cleaned(column: str) -> str:
    """A number, whatever the type of its column; NULL if it is missing."""
    return f"(CASE WHEN {_is_missing(column)} THEN NULL ELSE CAST({column} AS DOUBLE PRECISION) END)"


def _padded(written: str, position: int) -> str:
    return f"(SUBSTR({written}, 1, {position - 1}) || '0' || SUBSTR({written}, {position}))"


def _logarithm(distance: str) -> str:
    """`log_scale` of readers.table.scale: e + t / 2**e - 1 for t from 2**e to 2**(e + 1), with a sign."""
    t = f"(1e0 + ABS({distance}))"
    pieces = [f"WHEN {t} < {2.0 ** (e + 1)!r} THEN {e - 1} + {t} * {number(2.0**-e)}" for e in range(_LARGEST_POWER)]
    last = f"WHEN {t} >= {2.0**_LARGEST_POWER!r} THEN {_LARGEST_POWER - 1} + {t} * {number(2.0**-_LARGEST_POWER)}"
    return f"(CASE WHEN {distance} < 0 THEN -1 ELSE 1 END * CASE {' '.join(pieces)} {last} END)"


def _digits(written: str, first: int, count: int) -> str:
    return f"CAST(SUBSTR({written}, {first}, {count}) AS INTEGER)"


def _day(iso: str) -> str:
    """Days since 1970, counted in years that begin in March, so that the leap day is the last of a year.

    `(a - a % b) / b` is the integer quotient in every database, whether it divides integers as integers or not.
    """
    months = f"(12 * {_digits(iso, 1, 4)} + {_digits(iso, 6, 2)} - 3)"
    year = _quotient(months, 12)
    leap_days = f"{_quotient(year, 4)} - {_quotient(year, 100)} + {_quotient(year, 400)}"
    of_months = _quotient(f"(153 * ({months} % 12) + 2)", 5)
    return f"(365 * {year} + {leap_days} + {of_months} + {_digits(iso, 9, 2)} - 719469)"


def _quotient(dividend: str, divisor: int) -> str:
    return f"(({dividend} - {dividend} % {divisor}) / {divisor})"


def _time_of_day(iso: str) -> str:
    """The fraction of the day; a date without a time is midnight."""
    seconds = f"CASE WHEN LENGTH({iso}) > 18 THEN CAST(SUBSTR({iso}, 18) AS DOUBLE PRECISION) ELSE 0 END"
    time = f"({_digits(iso, 12, 2)} * 3600 + {_digits(iso, 15, 2)} * 60 + {seconds}) / 86400e0"
    return f"CASE WHEN LENGTH({iso}) > 15 THEN {time} ELSE 0 END"
