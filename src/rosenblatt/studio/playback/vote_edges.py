"""Regions that are decided by votes: scores that jump have no level lines, so their edges are found by halving."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt.records import Floats

_HALVINGS = 7  # of a step of the grid: a hundredth of it is left


def sharpened(
    corners: Floats, steps: Sequence[float], inside: Callable[[Floats], NDArray[np.bool_]]
) -> NDArray[np.float64]:
    """The corners of a region's outline, moved along the lines of the grid they lie on to where `inside` changes.

    A corner lies between two neighbouring nodes of a grid with these steps; one that lies on a node stays, as does one
    with both nodes on the same side.

    >>> outline = np.array([[0.5, 1.0], [2.0, 2.0]])
    >>> sharpened(outline, (1.0, 1.0), lambda at: at[:, 0] > 0.75).round(1).tolist()
    [[0.8, 1.0], [2.0, 2.0]]
    """
    place = corners / np.asarray(steps)
    off = np.abs(place - place.round()) > 1e-6
    first, last = (np.where(off, side(place), place.round()) * steps for side in (np.floor, np.ceil))
    begins, ends = inside(first), inside(last)
    moving = off.any(axis=1) & (begins != ends)
    low, high = first[moving], last[moving]
    for _ in range(_HALVINGS if len(low) else 0):
        middle = (low + high) / 2
        same = (inside(middle) == begins[moving])[:, None]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    found = corners.copy()
    found[moving] = (low + high) / 2
    return found
