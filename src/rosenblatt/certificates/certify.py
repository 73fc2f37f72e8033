"""Is there a hyperplane between the classes? Cheap proofs first, then a search in floats, then exact arithmetic."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import CertifiedHyperplane, DataFingerprint, Inseparable, Separable, Undecided
from rosenblatt.certificates.points.check_input import check_points
from rosenblatt.certificates.points.points import Points
from rosenblatt.certificates.search.common_point import rows_with_common_point
from rosenblatt.certificates.search.conditioning import conditioned
from rosenblatt.certificates.search.hull_search import (
    HullSearch,
    HullSearchResult,
    ProgressCallback,
    SearchMonitor,
    random_scores,
)
from rosenblatt.certificates.search.widest_margin import (
    candidate_between_hulls,
    certified,
    refine_exactly,
    refine_in_user_units,
    shortest_separating,
    widest_augmented,
)

SearchAnswer: TypeAlias = CertifiedHyperplane | Inseparable | Undecided
_UNEVEN = 2.0**20  # columns whose ranges differ by more than this factor are scaled one by one
_MAX_EXACT_NUMBERS = 20_000  # with more numbers than this, the exact search begins with the pool of the float search


@options.described_by(options.CERTIFY)
def certify(
    X: Any,
    y: Any,
    *,
    time_limit: float | None = options.time_limit.default,
    gap: float = options.gap.default,
    exact: bool = options.exact.default,
    on_progress: ProgressCallback | None = None,
) -> Separable | Inseparable | Undecided:
    """Can a hyperplane separate the two classes without an error? The answer comes with a proof.

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each.
    y : array
        Their labels, of two classes.
    on_progress : callable, optional
        Called with what the search is doing, several times a second.

    Returns
    -------
    Separable, Inseparable or Undecided
        The widest separator with its margin, or rows and weights that prove that there is none; Undecided only after
        the time limit. `verify(X, y)` checks any of them again.

    Examples
    --------
    >>> answer = certify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> answer
    Separable(margin=0.353553, gap=..., support=3 rows, radius=1.73205, mistake_bound=51, verified='exact')
    >>> proof = certify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> proof.rows.tolist(), [str(weight) for weight in proof.weights]
    ([0, 1, 2, 3], ['1/2', '1/2', '1/2', '1/2'])
    """
    options.check("certify", {"time_limit": time_limit, "gap": gap, "exact": exact}, options.CERTIFY)
    return certify_points(check_points(X, y), SearchMonitor.start(time_limit, on_progress), gap=gap, exact=exact)


def certify_points(
    points: Points, monitor: SearchMonitor, *, gap: float = options.gap.default, exact: bool = True
) -> Separable | Inseparable | Undecided:
    """The certificate of points that have been checked."""
    answer, search = find_separator(points, monitor, gap=gap, exact=exact)
    if not isinstance(answer, CertifiedHyperplane):
        return answer
    augmented = widest_augmented(points, answer, search, gap, monitor)
    return Separable(DataFingerprint.from_points(points), answer, augmented, verify.radius_above(points))


def find_separator(
    points: Points, monitor: SearchMonitor, *, gap: float, exact: bool = True
) -> tuple[SearchAnswer, HullSearch]:
    """A separating hyperplane, nearly the widest, or a proof that there is none; and the search that found it."""
    search = HullSearch(points, conditioned(points, by_column=_has_uneven_columns(points)))
    pair = contradicting_pair(points, search)
    proof = None if pair is None else _proof(points, pair, [Fraction(1), Fraction(1)])
    if proof is not None:
        return proof, search
    result = search.nearest_points(search.starting_weights(monitor), gap / 10, monitor)
    if result.outcome == "stalled" and not search.floats.scaled_by_column:
        search = HullSearch(points, conditioned(points, by_column=True))
        result = search.nearest_points(result.pool_weights, gap / 10, monitor)
    candidate = candidate_between_hulls(points, search, result)
    plane = None if candidate is None else certified(points, candidate, result.rows, result.weights)
    if plane is not None:
        plane = refine_in_user_units(points, search, plane, gap, monitor)
        return refine_exactly(points, plane, gap, monitor), search
    if result.outcome == "time":
        return _undecided(points, result), search
    if not exact and result.outcome == "touching":
        return _numerical_proof(points, result), search
    return _search_exactly(points, search, result, gap, monitor), search


def _has_uneven_columns(points: Points) -> bool:
    if points.sparse or not points.fits_float64:
        return not points.fits_float64
    values: Any = points.values
    if values.dtype.kind in "iu" and values.dtype.itemsize <= 2:
        return False
    with np.errstate(over="ignore"):
        width = values.max(axis=0).astype(np.float64) - values.min(axis=0)
    width = width[width > 0]
    return bool(len(width)) and float(width.max()) / float(width.min()) > _UNEVEN


def contradicting_pair(points: Points, search: HullSearch) -> tuple[int, int] | None:
    """Two identical rows of different classes: the shortest proof that no hyperplane separates them."""
    return points.identical_rows_that_differ(random_scores(search.rows), points.signs)


# -- answers --------------------------------------------------------------------------------------------------------


def _proof(points: Points, rows: Sequence[int], weights: Sequence[Fraction]) -> Inseparable | None:
    """The proof that the weighted rows give; None if they prove nothing."""
    pairs = sorted(zip(rows, weights, strict=True))
    sorted_rows, sorted_weights = [row for row, _ in pairs], tuple(weight for _, weight in pairs)
    if not verify.averages_coincide(points, sorted_rows, sorted_weights):
        return None
    signs = tuple(int(points.signs[i]) for i in sorted_rows)
    fingerprint = DataFingerprint.from_points(points)
    return Inseparable(fingerprint, np.array(sorted_rows, dtype=np.intp), sorted_weights, signs)


def _numerical_proof(points: Points, result: HullSearchResult) -> Inseparable:
    """Rounded weights: strong evidence, marked 'numerical' because it is not a proof."""
    order = np.argsort(result.rows)
    rows, rounded = result.rows[order], result.weights[order]
    weights = tuple(Fraction(x) for x in rounded.tolist())
    signs = tuple(points.signs[rows].tolist())
    residual = verify.residual(points, rows, rounded)
    return Inseparable(DataFingerprint.from_points(points), rows, weights, signs, residual, "numerical")


def _undecided(points: Points, result: HullSearchResult) -> Undecided:
    upper = verify.margin_above(points, result.rows, result.weights)
    return Undecided(DataFingerprint.from_points(points), (0.0, upper), result.rows, result.weights)


# -- exact arithmetic -----------------------------------------------------------------------------------------------


def _search_exactly(
    points: Points, search: HullSearch, result: HullSearchResult, gap: float, monitor: SearchMonitor
) -> SearchAnswer:
    """Where floats could not decide: solve for a common point exactly, or run the search in fractions."""
    from rosenblatt.certificates.search import exact_hull_search as exact

    monitor.report("exact", 0, len(result.rows))
    proof = _proof_by_common_point(points, result.rows)
    if proof is None:
        proof = _proof_by_common_point(points, rows_with_common_point(points, result.pool, monitor))
    if proof is not None:
        return proof
    is_small = points.n_rows * points.n_features <= _MAX_EXACT_NUMBERS
    rows = np.arange(points.n_rows) if is_small else result.pool
    rows = np.concatenate([result.rows, np.setdiff1d(rows, result.rows)])
    corral: Sequence[int] = range(len(result.rows))
    for _ in range(points.n_rows):
        integers = exact.integer_rows(points, rows)
        nearest = exact.nearest_points(integers, corral, lambda: monitor.time_is_up)
        if nearest is None:
            break
        corral = list(nearest.weights)
        if nearest.touching:
            proof = _proof(points, [int(rows[k]) for k in corral], list(nearest.weights.values()))
            return _undecided(points, result) if proof is None else proof
        candidate = shortest_separating(points, *exact.hyperplane_between(integers, nearest, points.n_features))
        wrong = verify.separation(points, candidate.w, candidate.b).wrong
        if not len(wrong):
            float_weights = np.array([float(weight) for weight in nearest.weights.values()])
            plane = certified(points, candidate, rows[corral], float_weights)
            if plane is None:
                break
            plane = refine_in_user_units(points, search, plane, gap, monitor)
            return refine_exactly(points, plane, gap, monitor)
        rows = np.concatenate([rows, wrong[:100]])
    return _undecided(points, result)


def _proof_by_common_point(points: Points, rows: NDArray[np.intp]) -> Inseparable | None:
    """The proof that a common point of the hulls of these rows gives, if it is the only one."""
    from rosenblatt.certificates.search import exact_hull_search as exact

    if not len(rows):  # the squares of all differences underflow
        return None
    weights = exact.common_point_weights(exact.integer_rows(points, rows)) or {}
    return _proof(points, [int(rows[k]) for k in weights], list(weights.values()))
