"""What a program can rely on in the JSON of a command: its keys and numbers, not its sentences, paths and times."""

from __future__ import annotations

import json
from typing import Any

from tools.golden.normalise.digest import rounded

# Values that are wording, time, place or version; their keys stay.
LEFT_OUT = {
    *("seconds", "command", "why", "reason", "question", "measured", "notes", "message", "role"),
    *("data", "model", "report", "output", "path", "url", "check", "name", "bytes", "labels_from"),
}
# Keys that came after the hashes were taken.
NEW = {
    *("baseline_error", "warnings", "unknown", "brier", "calibration_error", "reliability"),
    *("class_counts", "class_weight", "chosen_by", "fold_error", "alpha", "l1"),
    *("skipped_by_file", "drift", "new_words"),
}


def steady(text: bytes | str, digits: int = 9) -> Any:
    """The JSON with floats rounded and the rest of what may differ left out."""
    return rounded(_steady_part(json.loads(text)), digits)


def lines(text: bytes, digits: int = 9) -> Any:
    """The same of a text with one object a line."""
    return [steady(line, digits) for line in text.splitlines()]


def _steady_part(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _entry(key, entry) for key, entry in value.items() if key not in NEW and not _is_newer(key, entry)}
    return [_steady_part(entry) for entry in value] if isinstance(value, list) else value


def _is_newer(key: str, value: Any) -> bool:
    """Whether it was added after the hashes were written: what was decided of a table, and the options about it."""
    return (
        (key == "threshold" and (value is None or isinstance(value, dict)))  # that of a unit is a number
        or (key == "columns" and (value is None or "left_out" in value))
        or (key == "scale" and value is False)
        or (key in ("keep", "as_") and isinstance(value, list))
    )


def _entry(key: str, value: Any) -> Any:
    if key == "bad_rows":
        return len(value)
    is_program_version = key == "version" and isinstance(value, str)  # that of a format is a whole number
    if is_program_version or (key in LEFT_OUT and not isinstance(value, dict)):
        return "..." if value is not None else None
    return _steady_part(value)
