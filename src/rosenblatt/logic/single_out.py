"""The step that always succeeds: hyperplanes that part some row to be mended from all the rows to be left alone."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.records import Csr, Floats, Values

Plane: TypeAlias = tuple[Floats, float]
_DIRECTIONS = 16


def corner(values: Values, cares: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> Plane | None:
    """A unit that fires at one wanted corner of the box, where every feature has two values at most.

    With weight +1 on each feature that is high and -1 on each that is low, no other corner reaches within 1 of this
    one. The corner taken is the one that fewest others to be left alone lie next to.
    """
    box = _box(values)
    if box is None:
        return None
    low, width = box
    rows = np.flatnonzero(wanted)
    high = _dense(values, rows) > low
    avoided = (_dense(values, np.flatnonzero(cares & ~wanted)) > low)[:2000]
    near = [(np.count_nonzero(avoided != h, axis=1) <= 1).sum() for h in high[:64]]
    chosen = int(np.argmin(near)) if len(avoided) else 0
    coef = np.where(width > 0, np.where(high[chosen], 1.0, -1.0) / np.where(width > 0, width, 1.0), 0.0)
    reached = native.scores(native.rows_of(_dense(values, rows[[chosen]])), None, coef[None, :], np.zeros(1))
    return coef, 0.5 - float(reached[0, 0])


def between_planes(
    values: Values, cares: NDArray[np.bool_], wanted: NDArray[np.bool_], direction: Floats, seed: int
) -> tuple[Plane, Plane] | None:
    """Two parallel planes with wanted rows between them, and none that is to be left alone.

    Along nearly every direction different rows have different projections. The direction with the longest run of
    wanted rows is taken; None where the projections cannot be told apart in floating point.
    """
    draw = np.random.default_rng(seed % 2**63)
    tried = np.vstack([direction, draw.normal(size=(_DIRECTIONS, len(direction)))])
    projections = native.scores(native.rows_of(values), None, tried, np.zeros(len(tried)))
    best: tuple[int, Plane, Plane] | None = None
    for k, along in enumerate(projections.T):
        run = _longest_run(along[cares], wanted[cares])
        if run is not None and (best is None or run[0] > best[0]):
            best = run[0], (tried[k], -run[1]), (tried[k], -run[2])
    return None if best is None else best[1:]


def _longest_run(along: Floats, wanted: NDArray[np.bool_]) -> tuple[int, float, float] | None:
    """The most wanted rows in a row along a line, with a point before and a point after them."""
    order = np.lexsort((wanted, along))
    places, kinds = along[order], wanted[order]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], kinds, [False]]).astype(np.int8)))
    best: tuple[int, float, float] | None = None
    for first, last in zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True):
        before = places[first - 1] if first else places[first] - 1
        after = places[last + 1] if last + 1 < len(places) else places[last] + 1
        low, high = before + (places[first] - before) / 2, places[last] + (after - places[last]) / 2
        apart = before < low < places[first] and places[last] < high < after
        if apart and (best is None or last - first + 1 > best[0]):
            best = last - first + 1, float(low), float(high)
    return best


def _box(values: Values) -> tuple[Floats, Floats] | None:
    """Where the features have two values at most: the lower one, and how far the higher is above it."""
    if isinstance(values, Csr):
        if len(values.values) and (values.values != 1).any():
            return None
        return np.zeros(values.features), np.ones(values.features)
    low, high = values.min(axis=0), values.max(axis=0)
    if not ((values == low) | (values == high)).all():
        return None
    return low.astype(np.float64), (high - low).astype(np.float64)


def _dense(values: Values, rows: NDArray[np.intp]) -> NDArray[Any]:
    if not isinstance(values, Csr):
        return np.ascontiguousarray(values[rows])
    found = np.zeros((len(rows), values.features))
    for k, row in enumerate(rows.tolist()):
        entries = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
        found[k, values.indices[entries]] = values.values[entries]
    return found
