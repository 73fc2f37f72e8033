"""Candidate hyperplanes from a search -> hyperplanes with proven margins, refined until they are the widest."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import CertifiedHyperplane
from rosenblatt.certificates.points.points import ExactNumber, Points, to_exact
from rosenblatt.certificates.search.conditioning import conditioned
from rosenblatt.certificates.search.hull_search import ConvexWeights, HullSearch, HullSearchResult, SearchMonitor
from rosenblatt.records import Floats

_BIAS_TOLERANCE = Fraction(1, 10**8)  # the share of the margin that rounding the bias may cost
_MAX_EXACT_NUMBERS = 20_000  # the exact refinement uses the nearest rows, at most this many numbers in all,
_MAX_EXACT_STEPS = 50  # and few steps, because floats have come close


@dataclass(frozen=True)
class Candidate:
    """A hyperplane w.x + b = 0 in the units of the user; nothing is proven about it yet."""

    w: NDArray[Any]  # floats, or Fractions
    b: Any


def candidate_between_hulls(points: Points, search: HullSearch, result: HullSearchResult) -> Candidate | None:
    """The hyperplane halfway between the nearest points, scaled so that y (w.x + b) is 1 there; None if they touch."""
    distance = sum(result.levels)
    if not distance > 0:
        return None
    with np.errstate(all="ignore"):
        w = search.floats.original_normal(result.normal) * (2 / distance)
    if not np.isfinite(w).all() or not w.any():
        return None
    return with_middle_bias(points, w)


def with_middle_bias(points: Points, w: NDArray[Any]) -> Candidate | None:
    """The hyperplane with this normal, halfway between the classes; None if the normal does not separate them."""
    with np.errstate(all="ignore"):
        score, error = verify.scores(points, verify.as_floats(w), 0.0)
        positive = points.signs > 0
        high, low = score[positive].min(), score[~positive].max()
        if _BIAS_TOLERANCE * (high - low) > 2 * error[0] and np.isfinite(b := -(high + low) / 2):
            return Candidate(w, float(b))
        error = verify.row_error_bounds(points, np.arange(points.n_rows), verify.as_floats(w), 0.0)
        if _BIAS_TOLERANCE * (high - low) > 2 * error.max() and np.isfinite(b := -(high + low) / 2):
            return Candidate(w, float(b))
    return _with_exact_bias(points, w, score, error)


def _with_exact_bias(points: Points, w: NDArray[Any], score: Floats, error: Floats) -> Candidate | None:
    """The same in exact arithmetic, on those rows only that may be the nearest of their class."""
    exact_w = [to_exact(x) for x in w.tolist()]
    least: list[ExactNumber] = []
    for sign in (1, -1):
        side = points.signs == sign
        with np.errstate(all="ignore"):
            nearest = (sign * score + error)[side].min()
            may_be_nearest = side & ~(sign * score - error > nearest)
        rows = np.flatnonzero(may_be_nearest).tolist()
        least.append(min(sign * verify.exact_score(points, i, exact_w, 0) for i in rows))
    high, low = least[0], -least[1]
    if not low < high:
        return None
    middle = -Fraction(low + high) / 2
    try:
        rounded = float(middle)
    except OverflowError:
        return Candidate(w, middle)
    return Candidate(w, rounded if abs(to_exact(rounded) - middle) <= _BIAS_TOLERANCE * (high - low) else middle)


def certified(
    points: Points, candidate: Candidate, rows: NDArray[np.intp], weights: Floats, *, augmented: bool = False
) -> CertifiedHyperplane | None:
    """The candidate with its proven margin, and the upper bound that the weighted rows prove; None if it errs."""
    margin = verify.margin_below(points, candidate.w, candidate.b, augmented=augmented)
    upper = verify.margin_above(points, rows, weights, augmented=augmented)
    if margin is None:
        return None
    # No margin exceeds the upper bound; where this one seems to, the two are equal up to rounding.
    return CertifiedHyperplane(candidate.w, candidate.b, margin, max(upper, margin), rows, weights)


def refine_in_user_units(
    points: Points, search: HullSearch, plane: CertifiedHyperplane, gap: float, monitor: SearchMonitor
) -> CertifiedHyperplane:
    """Search again in the user's units if columns were scaled one by one, which changes what margin is widest."""
    if not search.floats.scaled_by_column or plane.gap <= gap or not points.fits_float64:
        return plane
    unscaled = HullSearch(points, conditioned(points, by_column=False))
    start = ConvexWeights(plane.rows.astype(np.uint32), plane.weights)
    result = unscaled.nearest_points(start, gap / 10, monitor)
    candidate = candidate_between_hulls(points, unscaled, result)
    better = None if candidate is None else certified(points, candidate, result.rows, result.weights)
    if better is not None and better.margin >= plane.margin:
        return better
    upper = min(plane.upper, max(verify.margin_above(points, result.rows, result.weights), plane.margin))
    evidence = result if upper < plane.upper else plane
    return CertifiedHyperplane(plane.w, plane.b, plane.margin, upper, evidence.rows, evidence.weights)


def refine_exactly(
    points: Points, plane: CertifiedHyperplane, gap: float, monitor: SearchMonitor
) -> CertifiedHyperplane:
    """Search again in fractions and the user's units, if floats left too wide a gap and the rows are few."""
    if plane.gap <= gap or 2 * len(plane.rows) * points.n_features > _MAX_EXACT_NUMBERS or monitor.time_is_up:
        return plane
    from rosenblatt.certificates.search import exact_hull_search as exact

    monitor.report("exact", 0, len(plane.rows), plane.upper)
    rows = _nearest_rows(points, plane)
    integers = exact.with_one_scale(exact.integer_rows(points, rows))
    steps = count()
    nearest = exact.nearest_points(
        integers, range(len(plane.rows)), lambda: next(steps) >= _MAX_EXACT_STEPS or monitor.time_is_up
    )
    if nearest is None or nearest.touching:
        return plane
    normal, _ = exact.hyperplane_between(integers, nearest, points.n_features)
    nearest_margin = Fraction(sum(nearest.levels), 2)  # y (w.x + b) of the nearest rows
    largest = max(abs(x) for x in normal)
    size = nearest_margin if largest < nearest_margin * 10**300 else largest
    candidate = with_middle_bias(points, np.array([float(x / size) for x in normal]))
    evidence = rows[list(nearest.weights)], np.array([float(weight) for weight in nearest.weights.values()])
    return _better_of(points, plane, candidate, evidence)


def _nearest_rows(points: Points, plane: CertifiedHyperplane) -> NDArray[np.intp]:
    """The rows that prove the bound, followed by the rows nearest to the hyperplane."""
    with np.errstate(all="ignore"):
        floats = verify.as_floats(np.append(plane.w, plane.b))
        score, _ = verify.scores(points, floats[:-1], float(floats[-1]))
    others = np.argsort(points.signs * score, kind="stable")
    others = others[~np.isin(others, plane.rows)]
    return np.concatenate([plane.rows, others[: _MAX_EXACT_NUMBERS // points.n_features - len(plane.rows)]])


def _better_of(
    points: Points, plane: CertifiedHyperplane, candidate: Candidate | None, evidence: tuple[NDArray[np.intp], Floats]
) -> CertifiedHyperplane:
    """The wider of the two hyperplanes with the lower of the two upper bounds."""
    margin = None if candidate is None else verify.margin_below(points, candidate.w, candidate.b)
    upper = verify.margin_above(points, *evidence)
    if candidate is None or margin is None or margin < plane.margin:
        candidate, margin = Candidate(plane.w, plane.b), plane.margin
    if upper > plane.upper:
        upper, evidence = plane.upper, (plane.rows, plane.weights)
    return CertifiedHyperplane(candidate.w, candidate.b, margin, max(upper, margin), *evidence)


def widest_augmented(
    points: Points, plane: CertifiedHyperplane, search: HullSearch, gap: float, monitor: SearchMonitor
) -> CertifiedHyperplane:
    """The widest hyperplane in the space of (x, 1), where the perceptron's mistake bound is measured."""
    start = ConvexWeights(plane.rows.astype(np.uint32), plane.weights)
    augmented = _search_augmented(points, start, search, gap, monitor)
    if augmented is not None:
        return augmented
    margin = verify.margin_below(points, plane.w, plane.b, augmented=True) or 0.0
    upper = verify.margin_above(points, plane.rows, plane.weights, augmented=True)
    return CertifiedHyperplane(plane.w, plane.b, margin, max(margin, upper), plane.rows, plane.weights)


def _search_augmented(
    points: Points, start: ConvexWeights, search: HullSearch, gap: float, monitor: SearchMonitor
) -> CertifiedHyperplane | None:
    if search.floats.centre is not None or search.floats.scaled_by_column:
        if not points.fits_float64:
            return None
        search = HullSearch(points, conditioned(points, by_column=False, shift=False))
    power = int(search.floats.power[0])
    if abs(power) > 100:  # beside rows this long, floats lose the 1; beside rows this short, the rows
        return None
    one = 2.0**power
    result = search.nearest_points(start, gap / 10, monitor, augmented=one)
    with np.errstate(all="ignore"):
        w, b = search.floats.original_normal(result.normal), float(result.constant * one)
        size = sum(result.levels) / one if one else 0.0
        if size > 0 and np.isfinite(w / size).all():
            w, b = w / size, b / size
    return certified(points, Candidate(w, b), result.rows, result.weights, augmented=True)


def shortest_separating(points: Points, w: Sequence[Fraction], b: Fraction) -> Candidate:
    """A separating hyperplane rounded to as few bits as still separate the rows: to floats if they do."""
    size = max(abs(x) for x in w)
    unit = [x / size for x in w]
    candidate = Candidate(np.array([float(x) for x in unit]), float(b / size))
    if verify.separation(points, candidate.w, candidate.b).holds:
        return candidate
    bits = 64
    while bits < 1 << 20:
        scale = 1 << bits
        candidate = Candidate(
            _object_array([Fraction(round(x * scale), scale) for x in unit]), Fraction(round(b / size * scale), scale)
        )
        if verify.separation(points, candidate.w, candidate.b).holds:
            return candidate
        bits *= 2
    return Candidate(_object_array([to_exact(x) for x in w]), b)


def _object_array(numbers: Sequence[ExactNumber]) -> NDArray[Any]:
    array = np.empty(len(numbers), dtype=object)
    array[:] = numbers
    return array
