"""Slow twins of the line parsers: the formats read with split() and float()."""

import re
from dataclasses import dataclass, field

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass
class Row:
    """One example of a file: its label, its features in order, its weight."""

    label: str | None
    features: list[tuple[int | str, float]] = field(default_factory=list)
    weight: float = 1.0


def number(text: str) -> float:
    """A finite decimal number, as Python reads it."""
    if not NUMBER.fullmatch(text):
        raise ValueError(text)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(text)
    return value


def svmlight_row(line: str) -> Row | None:
    """`label [qid:n] index:value ... # comment`; None if the line has no example."""
    words = line.split("#", 1)[0].split()
    if not words:
        return None
    label = None if ":" in words[0] else words.pop(0)
    if label is not None and "," in label:
        raise ValueError(label)
    row = Row(label)
    for word in words:
        index, colon, value = word.partition(":")
        if index == "qid" and ":" not in value:
            continue
        if not colon or not re.fullmatch(r"\d+|-0+", index) or int(index) >= 2**31:
            raise ValueError(word)
        row.features.append((int(index), number(value)))
    return row


def svmlight(text: str) -> tuple[list[Row], list[int]]:
    """The examples of a file, and the numbers of its bad lines."""
    rows, bad = [], []
    for place, line in enumerate(text.split("\n"), 1):
        try:
            row = svmlight_row(line)
        except ValueError:
            bad.append(place)
            continue
        if row is not None:
            rows.append(row)
    return rows, bad


def vw_row(line: str) -> Row | None:
    """`[label [weight [base]]] [tag]|namespace[:scale] name[:value] ...`; a feature is named `namespace^name`."""
    head, bar, rest = line.partition("|")
    if not line.split():
        return None
    if not bar:
        raise ValueError(line)
    words = head.split()
    if words and not head[-1].isspace():
        words.pop()  # a tag
    words = [word for word in words if not word.startswith("'")]
    if len(words) > 3 or (words and (":" in words[0] or "," in words[0])):
        raise ValueError(head)
    row = Row(words[0] if words else None, weight=number(words[1]) if len(words) > 1 else 1.0)
    if row.weight < 0 or (len(words) > 2 and number(words[2]) != 0):
        raise ValueError(head)
    for part in rest.split("|"):
        named = bool(part) and not part[0].isspace()
        features = part.split()
        space, scale = split_value(features.pop(0)) if named else ("", 1.0)
        for word in features:
            name, value = split_value(word)
            row.features.append((f"{space}^{name}" if space else name, value * scale))
    return row


def split_value(word: str) -> tuple[str, float]:
    name, colon, value = word.rpartition(":")
    return (name, number(value)) if colon else (word, 1.0)


def log_scale(value: float, centre: float, width: float) -> float:
    """How often the distance from the centre doubles, linear in between."""
    distance = (value - centre) / width
    rest, doublings = 1.0 + abs(distance), 0
    while rest >= 2.0:
        rest, doublings = rest / 2.0, doublings + 1
    return (doublings + 1 + rest - 2.0) * (-1.0 if distance < 0 else 1.0)
