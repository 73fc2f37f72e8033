"""The levels of quantiles: numbers between 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_MOST = 100


def levels_of(value: object) -> tuple[float, ...] | None:
    """The levels in a text with commas, or in a sequence; None if they are not valid levels in ascending order.

    >>> levels_of("0.1, 0.5,0.9"), levels_of([0.5]), levels_of("0.9,0.1"), levels_of("1"), levels_of("")
    ((0.1, 0.5, 0.9), (0.5,), None, None, None)
    """
    parts: Sequence[object] | None = value.split(",") if isinstance(value, str) else None
    if isinstance(value, list | tuple):
        parts = value
    if not parts or len(parts) > _MOST:
        return None
    try:
        levels = tuple(float(part) for part in parts)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    ascending = all(low < high for low, high in pairwise(levels))
    return levels if ascending and levels[0] > 0 and levels[-1] < 1 else None
