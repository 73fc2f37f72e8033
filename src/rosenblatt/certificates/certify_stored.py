"""Certify points that do not fit into memory.

Some of the rows are read into memory and certified. If no hyperplane separates these, none separates all, and the proof
is the same. If one does, a pass through all the rows finds those on its wrong side or inside its margin; they are added
to the rows in memory, which are certified again, until there are no such rows.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import CertifiedHyperplane, DataFingerprint, Inseparable, Separable, Undecided
from rosenblatt.certificates.certify import certify_points
from rosenblatt.certificates.points.points import Points
from rosenblatt.certificates.points.stored_points import StoredPoints
from rosenblatt.certificates.search.hull_search import SearchMonitor
from rosenblatt.records import Floats

_NUMBERS = 4_000_000  # at most so many in memory, but
_ROWS = 10_000  # at least so many rows
_ADDED = 1000  # rows added at a time for each hyperplane


class _Plane(NamedTuple):
    """A hyperplane of the rows in memory, and how far the nearest of all rows are from it."""

    certified: CertifiedHyperplane
    augmented: bool
    nearest: NDArray[np.intp]
    distances: Floats


def certify_stored(points: StoredPoints, monitor: SearchMonitor, *, gap: float) -> Separable | Inseparable | Undecided:
    """The certificate of stored points; a margin is the widest up to `gap`, unless time runs out."""
    rows, step = _first_rows(points), 0
    while True:
        step += 1
        monitor.report("all rows", step, len(rows))
        part = points.subset(rows)
        answer = certify_points(part, monitor, gap=gap / 2)
        if not isinstance(answer, Separable):
            return _for_all_rows(answer, points, rows)
        planes = _planes_with_nearest_rows(points, answer, rows)
        new = np.setdiff1d(np.concatenate([plane.nearest for plane in planes]), rows)
        is_wide = all(plane.distances.min() >= (1 - gap) * plane.certified.upper for plane in planes)
        if is_wide or not len(new) or monitor.time_is_up:
            proven = [_proven(points, plane) for plane in planes]
            if proven[0] is not None and proven[1] is not None:
                fingerprint = DataFingerprint.from_points(points)
                return Separable(fingerprint, proven[0], proven[1], verify.radius_above(points))
            if monitor.time_is_up or not len(new):
                plane = planes[0].certified
                bracket = (0.0, plane.upper)
                return Undecided(DataFingerprint.from_points(points), bracket, plane.rows, plane.weights)
        rows = np.union1d(_rows_to_keep(part, answer, rows), new)


def _max_rows(points: Points) -> int:
    return max(_ROWS, _NUMBERS // max(points.max_row_entries, 1))


def _first_rows(points: Points) -> NDArray[np.intp]:
    """Rows of both classes, evenly spread over the file."""
    chosen = []
    for sign in (-1, 1):
        side = np.flatnonzero(points.signs == sign)
        chosen.append(side[:: max(1, 4 * len(side) // _max_rows(points))])
    return np.sort(np.concatenate(chosen))


def _for_all_rows(answer: Inseparable | Undecided, points: Points, rows: NDArray[np.intp]) -> Inseparable | Undecided:
    """An answer about some rows as the answer about all rows, for which the same proof holds."""
    fingerprint = DataFingerprint.from_points(points)
    if isinstance(answer, Inseparable):
        return replace(answer, subject=fingerprint, rows=rows[answer.rows])
    return replace(answer, subject=fingerprint, hardest=rows[answer.hardest], bracket=(0.0, answer.bracket[1]))


def _planes_with_nearest_rows(points: Points, answer: Separable, rows: NDArray[np.intp]) -> list[_Plane]:
    """Both hyperplanes of an answer about some rows, each with the nearest of all rows."""
    planes = []
    for plane, augmented in ((answer.geometric, False), (answer.augmented, True)):
        renumbered = replace(plane, rows=rows[plane.rows])
        planes.append(_Plane(renumbered, augmented, np.empty(0, dtype=np.intp), np.empty(0)))
    for first, part in points.parts():
        planes = [_with_nearest_of(plane, first, part) for plane in planes]
    return planes


def _with_nearest_of(plane: _Plane, first: int, part: Points) -> _Plane:
    with np.errstate(all="ignore"):
        normal = verify.as_floats(np.append(plane.certified.w, plane.certified.b))
        score, _ = verify.scores(part, normal[:-1], float(normal[-1]))
        size = verify.norm_above(normal if plane.augmented else normal[:-1])
        distances = np.append(plane.distances, score * part.signs / size)
    nearest = np.append(plane.nearest, np.arange(first, first + part.n_rows))
    if len(distances) > _ADDED:
        best = np.argpartition(distances, _ADDED)[:_ADDED]
        distances, nearest = distances[best], nearest[best]
    return plane._replace(nearest=nearest, distances=distances)


def _proven(points: Points, plane: _Plane) -> CertifiedHyperplane | None:
    """The hyperplane with its margin among all rows, proven; None if some row is on its wrong side."""
    certified = plane.certified
    margin = verify.margin_below(points, certified.w, certified.b, augmented=plane.augmented)
    return None if margin is None else replace(certified, margin=margin, upper=max(certified.upper, margin))


def _rows_to_keep(part: Points, answer: Separable, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows in memory; if they are too many, those that prove the margins and those nearest to the hyperplane."""
    n = _max_rows(part) // 2
    if len(rows) <= n:
        return rows
    with np.errstate(all="ignore"):
        score, _ = verify.scores(part, verify.as_floats(answer.w), float(answer.b))
    nearest = np.argpartition(part.signs * score, n)[:n]
    remaining: NDArray[np.intp] = rows[
        np.unique(np.concatenate([nearest, answer.geometric.rows, answer.augmented.rows]))
    ]
    return remaining
