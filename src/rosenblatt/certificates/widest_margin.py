"""From a proposal in floats to a hyperplane with proven margins."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import Widest
from rosenblatt.certificates.hull_search import Clock, Found, Scene, Start
from rosenblatt.certificates.points import Number, Points, conditioned, exactly
from rosenblatt.records import Floats

_LOST = Fraction(1, 10**8)  # the share of the width that rounding the bias may cost
_SMALL = 20_000  # numbers in the rows nearest to the hyperplane among which the widest is sought exactly,
_STEPS = 50  # in so many steps: floats have come near them


@dataclass(frozen=True)
class Plane:
    """w.x + b = 0, in the units of the user."""

    w: NDArray[Any]
    b: Any


def plane_of(points: Points, scene: Scene, found: Found) -> Plane | None:
    """The hyperplane halfway between the nearest points, scaled so that y (w.x + b) is 1 there; None if it is none."""
    apart = sum(found.levels)
    if not apart > 0:
        return None
    with np.errstate(all="ignore"):
        w = scene.floats.normal(found.normal) * (2 / apart)
    if not np.isfinite(w).all() or not w.any():
        return None
    return with_bias(points, w)


def with_bias(points: Points, w: NDArray[Any]) -> Plane | None:
    """The bias halfway between the classes, for a given normal; None if the normal does not tell them apart."""
    with np.errstate(all="ignore"):
        score, error = verify.scores(points, verify.as_floats(w), 0.0)
        positive = points.signs > 0
        high, low = score[positive].min(), score[~positive].max()
        if _LOST * (high - low) > 2 * error[0] and np.isfinite(b := -(high + low) / 2):
            return Plane(w, float(b))
        error = verify.sharper(points, np.arange(points.count), verify.as_floats(w), 0.0)
        if _LOST * (high - low) > 2 * error.max() and np.isfinite(b := -(high + low) / 2):
            return Plane(w, float(b))
    return _exact_bias(points, w, score, error)


def _exact_bias(points: Points, w: NDArray[Any], score: Floats, error: Floats) -> Plane | None:
    """The same without rounding: only rows that may be nearest to the other class are looked at."""
    exact = [exactly(x) for x in w.tolist()]
    ends: list[Number] = []
    for sign in (1, -1):
        side = points.signs == sign
        with np.errstate(all="ignore"):
            nearest = (sign * score + error)[side].min()
            may_be = side & ~(sign * score - error > nearest)
        ends.append(min(sign * verify.exact_score(points, int(i), exact, 0) for i in np.flatnonzero(may_be)))
    high, low = ends[0], -ends[1]
    if not low < high:
        return None
    middle = -Fraction(low + high) / 2
    try:
        rounded = float(middle)
    except OverflowError:
        return Plane(w, middle)
    return Plane(w, rounded if abs(exactly(rounded) - middle) <= _LOST * (high - low) else middle)


def measured(points: Points, plane: Plane, found: Found, *, augmented: bool = False) -> Widest | None:
    """The hyperplane with its proven margin, and the proven bound on any margin; None if a row is on the wrong side."""
    margin = verify.margin_below(points, plane.w, plane.b, augmented=augmented)
    upper = verify.margin_above(points, found.rows, found.weights, augmented=augmented)
    if margin is None:
        return None
    # A margin cannot exceed the bound on all margins; where it seems to, both are the same number but for rounding.
    return Widest(plane.w, plane.b, margin, max(upper, margin), found.rows, found.weights)


def exactly_widest(points: Points, widest: Widest, gap: float, clock: Clock) -> Widest:
    """The nearest points once more, in fractions and the user's units, where floats left a wider gap than asked for."""
    if widest.gap <= gap or 2 * len(widest.rows) * points.features > _SMALL or clock.is_over:
        return widest
    from rosenblatt.certificates import exact

    clock.tell("exact", 0, len(widest.rows), widest.upper)
    with np.errstate(all="ignore"):
        floats = verify.as_floats(np.append(widest.w, widest.b))
        score, _ = verify.scores(points, floats[:-1], float(floats[-1]))
    others = np.argsort(points.signs * score, kind="stable")
    others = others[~np.isin(others, widest.rows)]
    rows = np.concatenate([widest.rows, others[: _SMALL // points.features - len(widest.rows)]])
    grid = exact.even(exact.grid_of(points, rows))
    steps = count()
    near = exact.nearest(grid, range(len(widest.rows)), lambda: next(steps) >= _STEPS or clock.is_over)
    if near is None or near.touching:
        return widest
    normal, _ = exact.hyperplane(grid, near, points.features)
    one = Fraction(sum(near.levels), 2)  # y (w.x + b) of the nearest rows
    largest = max(abs(x) for x in normal)
    size = one if largest < one * 10**300 else largest
    plane = with_bias(points, np.array([float(x / size) for x in normal]))
    evidence = rows[list(near.weights)], np.array([float(weight) for weight in near.weights.values()])
    margin = None if plane is None else verify.margin_below(points, plane.w, plane.b)
    upper = verify.margin_above(points, *evidence)
    if plane is None or margin is None or margin < widest.margin:
        plane, margin = Plane(widest.w, widest.b), widest.margin
    if upper > widest.upper:
        upper, evidence = widest.upper, (widest.rows, widest.weights)
    return Widest(plane.w, plane.b, margin, max(upper, margin), *evidence)


def augmented_widest(
    points: Points, start: Start, gap: float, clock: Clock, scene: Scene | None = None
) -> Widest | None:
    """The widest hyperplane in the space of (x, 1), where the perceptron's bound is measured."""
    if scene is None or scene.floats.centre is not None or len(set(scene.floats.power.tolist())) > 1:
        if not points.is_float:
            return None
        scene = Scene(points, conditioned(points, by_column=False, shift=False))
    power = int(scene.floats.power[0])
    if abs(power) > 100:  # beside rows this long or short, floats lose the 1, or the rows
        return None
    one = 2.0**power
    found = scene.nearest(start, gap / 10, clock, augmented=one)
    with np.errstate(all="ignore"):
        w, b = scene.floats.normal(found.normal), float(found.constant * one)
        size = sum(found.levels) / one if one else 0.0
        if size > 0 and np.isfinite(w / size).all():
            w, b = w / size, b / size
    return measured(points, Plane(w, b), found, augmented=True)
