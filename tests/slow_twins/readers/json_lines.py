"""Slow twin of the JSON lines reader: every line by Python's json, every cell a Python value."""

import json
import re
from typing import Any

MARK = b"\xef\xbb\xbf"


def kind(value: Any) -> str:
    return next(
        name
        for name, type_ in (("flag", bool), ("number", (int, float)), ("word", str), ("list", list), ("object", dict))
        if isinstance(value, type_)
    )


def as_text(value: Any) -> Any:
    """Without halves of surrogate pairs."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [as_text(item) for item in value]
    if isinstance(value, dict):
        return {as_text(key): as_text(of_key) for key, of_key in value.items()}
    return value


def object_on(line: bytes) -> dict[str, Any] | None:
    text = line.removeprefix(MARK).decode("utf-8", errors="replace")
    try:
        value = json.loads(text, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))
    except (ValueError, RecursionError):
        return None
    return as_text(value) if isinstance(value, dict) else None


def add_kinds(tree: dict[str, Any], value: dict[str, Any]) -> None:
    for key, of_key in value.items():
        tree.setdefault(key, None)
        if of_key is not None and tree[key] is None:
            tree[key] = {} if isinstance(of_key, dict) else kind(of_key)
        if isinstance(of_key, dict) and isinstance(tree[key], dict):
            add_kinds(tree[key], of_key)


def word(item: Any) -> str:
    if isinstance(item, float) and abs(item) < 2**53 and item.is_integer():
        return str(int(item))
    return item if isinstance(item, str) else json.dumps(item)


def cells(tree: dict[str, Any], value: dict[str, Any], path: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, of_key in tree.items():
        cell = value.get(key)
        expected = "object" if isinstance(of_key, dict) else of_key
        if cell is not None and expected is not None and kind(cell) != expected:
            raise ValueError(key)
        if isinstance(of_key, dict):
            row |= cells(of_key, cell or {}, f"{path}{key}.")
        elif cell is None or of_key is None:
            row[path + key] = None
        elif of_key == "list":
            row[path + key] = [word(item) for item in cell if item is not None]
        elif of_key == "number":
            row[path + key] = float(str(cell))
        else:
            row[path + key] = cell
    return row


def table(data: bytes) -> tuple[list[dict[str, Any]], list[int]]:
    """The rows, cell by column, and the numbers of the lines that are none: blank, or bad."""
    lines = data.removeprefix(MARK).split(b"\n")
    objects = [object_on(line) for line in (lines[:-1] if lines[-1] == b"" else lines)]
    tree: dict[str, Any] = {}
    for value in objects:
        add_kinds(tree, value or {})
    rows, left_out = [], []
    for number, value in enumerate(objects, 1):
        try:
            rows.append(cells(tree, value)) if value is not None else left_out.append(number)
        except ValueError:
            left_out.append(number)
    return rows, left_out
