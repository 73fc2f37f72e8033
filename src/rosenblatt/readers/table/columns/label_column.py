"""Which column of a table holds the label: the one the user names, one with a usual name, or the last."""

from collections.abc import Sequence

from rosenblatt.errors import DataError, listed, option

LABEL_NAMES = ("label", "target", "class", "y", "_label")  # the most likely first


def usual_label(columns: Sequence[str]) -> str:
    """The column with the most likely label name, or ''; a y after an x is a coordinate, unless it is last.

    >>> usual_label(["x", "y", "label"]), usual_label(["x", "Y"]), usual_label(["x", "y", "kind"])
    ('label', 'Y', '')
    """
    position = {column.lower(): i for i, column in reversed(list(enumerate(columns)))}
    for name in LABEL_NAMES:
        i = position.get(name)
        if i is not None and not (name == "y" and position.get("x") == i - 1 and i < len(columns) - 1):
            return columns[i]
    return ""


def _several(label: str | int) -> str:
    return f"; several columns of 0 and 1 need {option('multi_label')}" if "," in str(label) else ""


def label_column(file: str, columns: Sequence[str], label: str | int | None) -> str:
    """The label column by its name or position; a usual one, or the last, where the user names none."""
    if label is None:
        return usual_label(columns) or columns[-1]
    if label in columns:
        return str(label)
    try:
        return columns[int(label)]
    except (ValueError, IndexError):
        raise DataError(
            f"{file}: there is no label column {label!r}; its columns are {listed(columns)}. "
            f"Name one of them, or give its position from 0{_several(label)}.",
            file=file,
        ) from None
