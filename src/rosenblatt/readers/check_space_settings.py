"""Checks the settings of a feature space in a model file, because readers trust them.

Anybody can write a model file with a valid checksum, which finds damage, not bad intent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from rosenblatt import native, options
from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.records import FeatureSpace
from rosenblatt.storage.checked_header import Header, damaged

_COUNT = 2**32 + 1
# The same as in table/columns/dates.py, which is not imported here because it loads pyarrow.
_FORMS = (
    "typed",
    "year-month-day",
    "day.month.year",
    "day/month/year",
    "month/day/year",
    "day month-name year",
    "month-name day, year",
)


def _texts(header: Header, key: str) -> None:
    if not all(isinstance(text, str) for text in header.items(key)):
        raise damaged(f"{key!r} of {header.place} is not a list of texts")


def _splitting(header: Header, key: str) -> None:
    if not 1 <= header.count(key, _COUNT) <= native.latest_splitting():
        raise ModelError(
            "The model splits text into words in a way that this version does not know: install a newer rosenblatt."
        )


def _pairs(header: Header, key: str) -> None:
    for pair in header.items(key):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise damaged(f"{key!r} of {header.place} is not a list of pairs of texts")


def _dates(header: Header, key: str) -> None:
    for form in header.section(key).values.values():
        known = isinstance(form, list) and len(form) == 3 and form[0] in _FORMS
        if not known or not all(isinstance(flag, bool) for flag in form[1:]):
            raise damaged(f"{key!r} of {header.place} holds an unknown form of dates")


def _written(header: Header, key: str) -> None:
    for form in header.section(key).values.values():
        known = isinstance(form, list) and len(form) == 6 and form[0] in (".", ",") and isinstance(form[4], bool)
        if not known or not all(isinstance(text, str) and len(text) < 10 for text in form[:4]):
            raise damaged(f"{key!r} of {header.place} holds an unknown form of numbers")
        if not isinstance(form[5], list) or not all(isinstance(text, str) for text in form[5]):
            raise damaged(f"{key!r} of {header.place} holds marks that are not texts")


def _logs(header: Header, key: str) -> None:
    logs = header.section(key)
    for column in logs.values:
        numbers = logs.numbers(column)
        if len(numbers) != 2 or not numbers[1] > 0:
            raise damaged(f"{key!r} of {header.place} is not a centre and a width for each column")


def _reasons(header: Header, key: str) -> None:
    reasons = header.section(key)
    for column in reasons.values:
        reasons.text(column)


def _count(header: Header, key: str) -> None:
    header.count(key, _COUNT)


def _decided(header: Header, key: str) -> None:
    _check(header.section(key), _DECIDED)


def _collisions(header: Header, key: str) -> None:
    counts = header.section(key)
    for name in counts.values:
        (counts.flag if name == "exact" else counts.count)(name)


_Check = Callable[[Header, str], object]
_DECIDED: Mapping[str, _Check] = {
    **dict.fromkeys(("order", "dropped", "missing", "flags", "optional", "names"), _texts),
    **dict.fromkeys(("left_out", "days_left_out"), _reasons),
    "head_rows": _count,
    "logs": _logs,
}
_SETTINGS: Mapping[str, _Check] = {
    **dict.fromkeys(("format", "label", "value", "names", "unicode", "label_separator", "first_text"), Header.text),
    **dict.fromkeys(("header", "unit", "several_labels"), Header.flag),
    **dict.fromkeys(("features", "position"), _count),
    **dict.fromkeys(("numbers", "words", "texts", "label_columns"), _texts),
    "splitting": _splitting,
    "cross": _pairs,
    "dates": _dates,
    "written": _written,
    "columns": _decided,
    "collisions": _collisions,
}


def _check(header: Header, checks: Mapping[str, _Check]) -> None:
    for key, value in header.values.items():
        if key in checks and value is not None:
            checks[key](header, key)


def check_settings(header: Header, space: FeatureSpace) -> None:
    """ModelError unless a reader can read new examples by this space, whose settings are in the header."""
    _check(header, _SETTINGS)
    settings = space.settings
    if space.scale is not None and space.kind == "columns" and len(space.scale) != len(space.columns):
        raise damaged("its scale does not have one number for each column")
    if space.bits and "value" in settings:
        _check_hashing(space)
    if "numbers" in settings:
        _check_table(space)


def _check_hashing(space: FeatureSpace) -> None:
    try:
        for name, value in (
            ("ngrams", space.ngrams),
            *((name, space.settings.get(name)) for name in ("chars", "value", "unit")),
        ):
            options.READ[name].check(value, "the model file")
    except ParameterError as error:
        raise damaged(str(error)) from None


def _check_table(space: FeatureSpace) -> None:
    """ModelError unless the settings have what a reader of tables needs; numbers are the first columns."""
    settings = space.settings
    if not {"words", "texts", "label"} <= set(settings) or None in (settings["words"], settings["texts"]):
        raise damaged("its settings do not say what the columns hold")
    numbers, texts = settings["numbers"], settings["texts"]
    if tuple(numbers) != space.columns[: len(numbers)]:
        raise damaged("its columns of numbers are not the first columns")
    if texts and (not space.bits or "value" not in settings):
        raise damaged("it has columns of texts, and does not say how to hash them")
    known = {*numbers, *settings["words"], *_words_of_dates(settings)}
    for name in (name for pair in settings.get("cross") or () for name in pair):
        if name not in known:
            raise damaged(f"it crosses a column {name!r} that it does not have")
    _check_decided(settings, numbers)


def _words_of_dates(settings: Mapping[str, Any]) -> list[str]:
    return [f"{column} {part}" for column in settings.get("dates") or () for part in ("weekday", "hour")]


def _check_decided(settings: Mapping[str, Any], numbers: Collection[str]) -> None:
    decided = settings.get("columns") or {}
    for group in (settings.get("dates") or (), decided.get("logs") or (), decided.get("days_left_out") or ()):
        if not set(group) <= set(numbers):
            raise damaged("it has dates or logarithms of columns that do not hold numbers")
    if not set(decided.get("names") or ()) <= set(settings["words"]):
        raise damaged("it has names of columns that do not hold words")
    required = {"order", "left_out", "dropped", "missing", "head_rows"}
    if decided and not required <= {key for key, value in decided.items() if value is not None}:
        raise damaged("its settings do not say what was decided about the columns")
    if not settings.get("header", True) and "order" not in decided:
        _check_numbered(settings)


def _check_numbered(settings: Mapping[str, Any]) -> None:
    """Columns without names are called column0, column1, ..."""
    named = [*settings["numbers"], *settings["words"], *settings["texts"], settings["label"] or "column0"]
    if not all(name.startswith("column") and name.removeprefix("column").isdecimal() for name in named):
        raise damaged("its columns have neither names nor numbers")
