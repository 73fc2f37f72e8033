"""The fallback of Upstart that always succeeds: hyperplanes that isolate a target row from all the others."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.records import Csr, Floats, Values

Hyperplane: TypeAlias = tuple[Floats, float]  # weights and bias
_DIRECTIONS = 16


def isolate_corner(values: Values, relevant: NDArray[np.bool_], targets: NDArray[np.bool_]) -> Hyperplane | None:
    """A unit that fires at one corner of the box only, a target; None unless every feature has at most two values.

    With weight +1 on each feature that is high and -1 on each that is low, every other corner scores at least 1 less.
    The corner chosen is the target with the fewest relevant non-targets next to it.
    """
    box = _box(values)
    if box is None:
        return None
    low, width = box
    rows = np.flatnonzero(targets)
    is_high = _dense_rows(values, rows) > low
    others = (_dense_rows(values, np.flatnonzero(relevant & ~targets)) > low)[:2000]
    n_neighbours = [(np.count_nonzero(others != corner, axis=1) <= 1).sum() for corner in is_high[:64]]
    k = int(np.argmin(n_neighbours)) if len(others) else 0
    coef = np.where(width > 0, np.where(is_high[k], 1.0, -1.0) / np.where(width > 0, width, 1.0), 0.0)
    score = native.scores(native.rows_of(_dense_rows(values, rows[[k]])), None, coef[None, :], np.zeros(1))
    return coef, 0.5 - float(score[0, 0])


def isolate_between_planes(
    values: Values, relevant: NDArray[np.bool_], targets: NDArray[np.bool_], direction: Floats, seed: int
) -> tuple[Hyperplane, Hyperplane] | None:
    """Two parallel hyperplanes with targets between them and no other relevant row.

    Different rows have different projections on nearly every direction. Of several directions, the one with the most
    consecutive targets is chosen; None if floating point cannot separate the projections.
    """
    draw = np.random.default_rng(seed % 2**63)
    directions = np.vstack([direction, draw.normal(size=(_DIRECTIONS, len(direction)))])
    projections = native.scores(native.rows_of(values), None, directions, np.zeros(len(directions)))
    best: tuple[int, Hyperplane, Hyperplane] | None = None
    for k, projection in enumerate(projections.T):
        run = _longest_run(projection[relevant], targets[relevant])
        if run is not None and (best is None or run[0] > best[0]):
            best = run[0], (directions[k], -run[1]), (directions[k], -run[2])
    return None if best is None else best[1:]


def _longest_run(projection: Floats, targets: NDArray[np.bool_]) -> tuple[int, float, float] | None:
    """The most consecutive targets along a line: how many, and a point before and a point after them."""
    order = np.lexsort((targets, projection))
    positions, is_target = projection[order], targets[order]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_target, [False]]).astype(np.int8)))
    best: tuple[int, float, float] | None = None
    for first, last in zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True):
        before = positions[first - 1] if first else positions[first] - 1
        after = positions[last + 1] if last + 1 < len(positions) else positions[last] + 1
        low, high = before + (positions[first] - before) / 2, positions[last] + (after - positions[last]) / 2
        is_separated = before < low < positions[first] and positions[last] < high < after
        if is_separated and (best is None or last - first + 1 > best[0]):
            best = last - first + 1, float(low), float(high)
    return best


def _box(values: Values) -> tuple[Floats, Floats] | None:
    """The lower value of each feature and its distance to the higher; None unless every feature has at most two."""
    if isinstance(values, Csr):
        if len(values.values) and (values.values != 1).any():
            return None
        return np.zeros(values.features), np.ones(values.features)
    low, high = values.min(axis=0), values.max(axis=0)
    if not ((values == low) | (values == high)).all():
        return None
    return low.astype(np.float64), (high - low).astype(np.float64)


def _dense_rows(values: Values, rows: NDArray[np.intp]) -> NDArray[Any]:
    if not isinstance(values, Csr):
        return np.ascontiguousarray(values[rows])
    dense = np.zeros((len(rows), values.features))
    for k, row in enumerate(rows.tolist()):
        entries = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
        dense[k, values.indices[entries]] = values.values[entries]
    return dense
