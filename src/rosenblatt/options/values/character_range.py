"""The lengths of character n-grams: one number, or the shortest and the longest."""

from collections.abc import Sequence

LONGEST = 12


def range_of(value: object) -> tuple[int, int] | None:
    """The shortest and the longest length that a value gives; None if it is not a valid range.

    >>> range_of("3-5"), range_of("4"), range_of(4), range_of([2, 3])
    ((3, 5), (4, 4), (4, 4), (2, 3))
    >>> range_of("5-3"), range_of("0-2"), range_of("three"), range_of(True)
    (None, None, None, None)
    """
    if isinstance(value, str):
        first, dash, last = (part.strip() for part in value.partition("-"))
        is_number = first.isdecimal() and (last.isdecimal() if dash else True) and len(first) + len(last) < 9
        value = (int(first), int(last or first)) if is_number else None
    ends = tuple(value) if isinstance(value, Sequence) else (value, value)
    if len(ends) != 2 or not all(type(end) is int for end in ends):
        return None
    shortest, longest = ends
    return (shortest, longest) if 1 <= shortest <= longest <= LONGEST else None
