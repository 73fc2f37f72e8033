"""Is there a hyperplane between the classes? Cheap witnesses first, then floats; exact arithmetic has the last word."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native, options
from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import Inseparable, Separable, Subject, Undecided, Widest
from rosenblatt.certificates.hull_search import Clock, Found, Report, Scene, Start
from rosenblatt.certificates.points import Points, conditioned, exactly, points_of
from rosenblatt.certificates.widest_margin import Plane, augmented_widest, exactly_widest, measured, plane_of

_UNEVEN = 2.0**20  # columns whose sizes differ by more are scaled one by one


def certify(
    X: Any,
    y: Any,
    *,
    time_limit: float | None = options.time_limit.default,
    gap: float = options.gap.default,
    exact: bool = options.exact.default,
    on_progress: Report | None = None,
) -> Separable | Inseparable | Undecided:
    """Can a hyperplane tell the two classes apart without an error? The answer comes with a proof.

    >>> answer = certify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> answer
    Separable(margin=0.353553, gap=..., support=3 rows, radius=1.73205, mistake_bound=51, verified='exact')
    >>> proof = certify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> proof.rows.tolist(), [str(weight) for weight in proof.weights]
    ([0, 1, 2, 3], ['1/2', '1/2', '1/2', '1/2'])
    """
    options.check("certify", {"time_limit": time_limit, "gap": gap, "exact": exact}, options.CERTIFY)
    return decide(points_of(X, y), Clock.of(time_limit, on_progress), gap=gap, exact=exact)


def decide(
    points: Points, clock: Clock, *, gap: float = options.gap.default, exact: bool = True
) -> Separable | Inseparable | Undecided:
    """The answer for points that have been checked."""
    answer, scene = settle(points, clock, gap=gap, exact=exact)
    if not isinstance(answer, Widest):
        return answer
    start = Start(answer.rows.astype(np.uint32), answer.weights)
    augmented = augmented_widest(points, start, gap, clock, scene)
    if augmented is None:
        own = verify.margin_below(points, answer.w, answer.b, augmented=True) or 0.0
        upper = verify.margin_above(points, answer.rows, answer.weights, augmented=True)
        augmented = Widest(answer.w, answer.b, own, max(own, upper), answer.rows, answer.weights)
    return Separable(Subject.of(points), answer, augmented, verify.radius_above(points))


Settled: TypeAlias = tuple[Widest | Inseparable | Undecided, Scene]


def settle(points: Points, clock: Clock, *, gap: float, exact: bool = True) -> Settled:
    """A separating hyperplane, near the widest, or the proof that there is none; and the scene it was found in."""
    scene = Scene(points, conditioned(points, by_column=_is_uneven(points)))
    pair = twins(points, scene)
    proof = None if pair is None else _inseparable(points, pair, [Fraction(1), Fraction(1)])
    if proof is not None:
        return proof, scene
    found = scene.nearest(scene.start(clock), gap / 10, clock)
    if found.outcome == "stalled" and not _by_column(scene):
        scene = Scene(points, conditioned(points, by_column=True))
        found = scene.nearest(Start(found.pool.astype(np.uint32), _spread(found)), gap / 10, clock)
    plane = plane_of(points, scene, found)
    widest = None if plane is None else measured(points, plane, found)
    if widest is not None:
        return exactly_widest(points, _polished(points, scene, found, widest, gap, clock), gap, clock), scene
    if found.outcome == "time":
        return _undecided(points, found), scene
    if not exact and found.outcome == "touching":
        return _numerical(points, found), scene
    return _exactly(points, scene, found, gap, clock), scene


def _is_uneven(points: Points) -> bool:
    if points.sparse or not points.is_float:
        return not points.is_float
    values: Any = points.values
    if values.dtype.kind in "iu" and values.dtype.itemsize <= 2:
        return False
    with np.errstate(over="ignore"):
        width = values.max(axis=0).astype(np.float64) - values.min(axis=0)
    width = width[width > 0]
    return bool(len(width)) and float(width.max()) / float(width.min()) > _UNEVEN


def _by_column(scene: Scene) -> bool:
    return len(set(scene.floats.power.tolist())) > 1


def _spread(found: Found) -> Any:
    """The weights of the corral on the whole pool."""
    weights = np.zeros(len(found.pool))
    place = {int(row): at for at, row in enumerate(found.pool)}
    weights[[place[int(row)] for row in found.rows]] = found.weights
    return weights


# -- witnesses ------------------------------------------------------------------------------------------------------


def twins(points: Points, scene: Scene) -> tuple[int, int] | None:
    """Two identical rows of different classes, the shortest proof there is.

    The native score has the same bits for the same row, so rows are compared only where a random score is the same.
    """
    weights, _ = native.uniform(1, scene.rows.features)
    score = native.scores(scene.rows, None, weights.reshape(1, -1), np.zeros(1))[:, 0]
    order = np.argsort(score, kind="stable")
    same = np.flatnonzero(score[order[1:]] == score[order[:-1]])
    if not len(same):
        return None
    first, second = order[same], order[same + 1]
    for i, j in zip(
        *(side[points.signs[first] != points.signs[second]].tolist() for side in (first, second)), strict=True
    ):
        if points.row(i) == points.row(j):
            return min(i, j), max(i, j)
    return None


# -- answers --------------------------------------------------------------------------------------------------------


def _inseparable(points: Points, rows: Sequence[int], weights: Sequence[Fraction]) -> Inseparable | None:
    """The proof, if it is one."""
    order = sorted(range(len(rows)), key=lambda at: rows[at])
    listed = [int(rows[at]) for at in order]
    exact = tuple(weights[at] for at in order)
    if not verify.meets(points, listed, exact):
        return None
    signs = tuple(int(points.signs[i]) for i in listed)
    return Inseparable(Subject.of(points), np.array(listed, dtype=np.intp), exact, signs)


def _numerical(points: Points, found: Found) -> Inseparable:
    """Rounded weights: strong evidence, said to be no more."""
    order = np.argsort(found.rows)
    rows = found.rows[order]
    weights = tuple(Fraction(x) for x in found.weights[order].tolist())
    signs = tuple(points.signs[rows].tolist())
    residual = verify.residual(points, rows, found.weights[order])
    return Inseparable(Subject.of(points), rows, weights, signs, residual, "numerical")


def _undecided(points: Points, found: Found) -> Undecided:
    upper = verify.margin_above(points, found.rows, found.weights)
    return Undecided(Subject.of(points), (0.0, upper), found.rows, found.weights)


def _polished(points: Points, scene: Scene, found: Found, widest: Widest, gap: float, clock: Clock) -> Widest:
    """Where columns were scaled one by one, the margin found is not the user's: look again in the user's units."""
    if not _by_column(scene) or widest.gap <= gap or not points.is_float:
        return widest
    own = Scene(points, conditioned(points, by_column=False))
    again = own.nearest(Start(found.rows.astype(np.uint32), found.weights), gap / 10, clock)
    plane = plane_of(points, own, again)
    better = None if plane is None else measured(points, plane, again)
    if better is None or better.margin < widest.margin:
        upper = min(widest.upper, max(verify.margin_above(points, again.rows, again.weights), widest.margin))
        evidence = again if upper < widest.upper else found
        return Widest(widest.w, widest.b, widest.margin, upper, evidence.rows, evidence.weights)
    return better


# -- the last word --------------------------------------------------------------------------------------------------


def _exactly(points: Points, scene: Scene, found: Found, gap: float, clock: Clock) -> Widest | Inseparable | Undecided:
    """Floats could not tell: solve for a common point exactly, or run the search again in fractions."""
    from rosenblatt.certificates import exact

    clock.tell("exact", 0, len(found.rows))
    weights = exact.meeting(exact.grid_of(points, found.rows)) or {}
    proof = _inseparable(points, [int(found.rows[k]) for k in weights], list(weights.values()))
    if proof is not None:
        return proof
    rows = np.arange(points.count) if points.count * points.features <= 20_000 else found.pool
    rows = np.concatenate([found.rows, np.setdiff1d(rows, found.rows)])
    corral: Sequence[int] = range(len(found.rows))
    for _ in range(points.count):
        grid = exact.grid_of(points, rows)
        near = exact.nearest(grid, corral, lambda: clock.is_over)
        if near is None:
            break
        corral = list(near.weights)
        if near.touching:
            proof = _inseparable(points, [int(rows[k]) for k in near.weights], list(near.weights.values()))
            return _undecided(points, found) if proof is None else proof
        plane = rounded(points, *exact.hyperplane(grid, near, points.features))
        wrong = verify.separation(points, plane.w, plane.b).wrong
        evidence = rows[corral], np.array([float(weight) for weight in near.weights.values()])
        if not len(wrong):
            proposal = Found("nearest", *evidence, np.empty(0), 0.0, (0.0, 0.0), rows)
            widest = measured(points, plane, proposal)
            if widest is not None:
                return exactly_widest(points, _polished(points, scene, proposal, widest, gap, clock), gap, clock)
            break
        rows = np.concatenate([rows, wrong[:100]])
    return _undecided(points, found)


def rounded(points: Points, w: Sequence[Fraction], b: Fraction) -> Plane:
    """The hyperplane in as few digits as still separate the rows: floats if they do."""
    size = max(abs(x) for x in w)
    unit = [x / size for x in w]
    plane = Plane(np.array([float(x) for x in unit]), float(b / size))
    if verify.separation(points, plane.w, plane.b).holds:
        return plane
    bits = 64
    while bits < 1 << 20:
        grid = 1 << bits
        short = np.empty(len(w), dtype=object)
        short[:] = [Fraction(round(x * grid), grid) for x in unit]
        plane = Plane(short, Fraction(round(b / size * grid), grid))
        if verify.separation(points, plane.w, plane.b).holds:
            return plane
        bits *= 2
    full: NDArray[Any] = np.empty(len(w), dtype=object)
    full[:] = [exactly(x) for x in w]
    return Plane(full, b)
