"""The decisions about the columns of a table, as one short paragraph and for JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rosenblatt.errors import plural
from rosenblatt.options.command_line import as_flag
from rosenblatt.records import FeatureSpace, logs_of
from rosenblatt.report.text.layout import clip

_PLAIN = [".", "", "", "", False]  # how a program writes numbers
# shop_id, shopId, zip code: only whole words, since "paid" is an amount
_NAMES_THINGS = re.compile(r"(?:^|[\W_])(?:id|ID|Id|code|Code|zip|Zip)$|(?<=[a-z])(?:ID|Id|Code|Zip)$")
_NAMED = 4  # columns whose names are shown; if there are more, only the first and their number


def columns_record(space: FeatureSpace) -> dict[str, Any] | None:
    """The kind of each column, and which were left out and why; None if the data were not a table."""
    settings = space.settings
    if space.kind != "columns" or "columns" not in settings:
        return None
    dates = settings.get("dates", {})
    return {
        "numbers": [column for column in settings["numbers"] if column not in dates],
        "words": settings["words"],
        "names": settings["columns"].get("names", []),
        "texts": settings["texts"],
        "dates": {column: form for column, (form, *_) in dates.items()},
        "written": {column: form[:4] for column, form in settings.get("written", {}).items() if form[:5] != _PLAIN},
        "days_left_out": settings["columns"].get("days_left_out", {}),
        "left_out": settings["columns"]["left_out"],
        "dropped": settings["columns"]["dropped"],
        "missing": settings["columns"]["missing"],
        "scaled": space.scale is not None,
        "logs": list(logs_of(space)),
        "decided_from_rows": settings["columns"]["head_rows"],
    }


def columns_sentence(space: FeatureSpace) -> str:
    """How the columns were read; empty if nothing was decided."""
    record = columns_record(space)
    if space.kind == "index" and space.scale is not None:
        return f"{plural(len(space.scale), 'number')}, scaled; {as_flag('scale', False)} takes them as they are."
    return "" if record is None else "; ".join(_clauses(space, record)) + "."


def _clauses(space: FeatureSpace, record: dict[str, Any]) -> Iterator[str]:
    if record["numbers"]:
        yield f"{plural(len(record['numbers']), 'number')}{', scaled' if record['scaled'] else ', not scaled'}"
    like_ids = [column for column in record["numbers"] if _NAMES_THINGS.search(column)]
    if like_ids:
        instead = as_flag("as_", f"word:{like_ids[0]}")
        yield f"{named_columns(like_ids, 'is an amount', 'are amounts')} ({instead} if it only names things)"
    commas = [column for column, form in record["written"].items() if form[0] == ","]
    if commas:
        yield named_columns(commas, "with a decimal comma", "with decimal commas")
    signs = [column for column in record["written"] if column not in commas]
    if signs:
        yield named_columns(signs, "without its signs or unit", "without their signs or units")
    if record["logs"]:
        yield named_columns(record["logs"], "by its logarithm", "by their logarithms") + " (a few are far larger)"
    if record["words"]:
        starts = tuple(f"{column}=" for column in record["words"])
        values = sum(name.startswith(starts) for name in space.columns)
        yield plural(len(record["words"]), "column") + " of words" + (f" ({plural(values, 'value')})" if values else "")
    if record["names"]:
        each = named_columns(record["names"], "is learned as names", "are learned as names")
        amount = as_flag("as_", "number:" + record["names"][0])
        yield f"{each}, each number by itself, which tells more than its size ({amount} to use its size)"
    if record["texts"]:
        yield named_columns(record["texts"], "is a text", "are texts")
    if record["dates"]:
        yield named_columns(list(record["dates"]), "is a date", "are dates")
    yield from _about_days(record["days_left_out"])
    if record["missing"]:
        yield named_columns(record["missing"], "has missing values", "have missing values")
    left_out = record["left_out"]
    for why in dict.fromkeys(left_out.values()):
        columns = [column for column in left_out if left_out[column] == why]
        yield named_columns(columns, f"left out ({why})", f"left out ({why})")
    if left_out:
        yield f"{as_flag('keep', next(iter(left_out)))} to use {'it' if len(left_out) == 1 else 'the first of them'}"
    if record["dropped"]:
        yield f"without {', '.join(clip(column) for column in record['dropped'])}, as you said"


def _about_days(left_out: dict[str, str]) -> Iterator[str]:
    """About dates of which only the weekday and the hour are learned."""
    for reason in dict.fromkeys(left_out.values()):
        columns = [column for column in left_out if left_out[column] == reason]
        clause = named_columns(columns, "is used by weekday and hour alone", "are used by weekday and hour alone")
        yield f"{clause} ({reason})"
    if left_out:
        yield f"{as_flag('as_', 'date:' + next(iter(left_out)))} to use the day as well"


def named_columns(columns: Sequence[str], one: str, several: str) -> str:
    """
    >>> named_columns(["id"], "is a date", "are dates"), named_columns(list("abcdef"), "is a date", "are dates")
    ('id is a date', 'a and 5 more are dates')
    """
    if len(columns) > _NAMED:
        return f"{clip(columns[0])} and {len(columns) - 1} more {several}"
    return f"{', '.join(clip(column) for column in columns)} {one if len(columns) == 1 else several}"
