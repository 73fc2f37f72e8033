"""Bounds on the fewest errors that any hyperplane makes. The number itself is NP-hard to find; both bounds are proven.

The upper bound is a hyperplane and the rows it misclassifies. The lower bound is a number of disjoint sets of rows that
are not separable, each of which costs at least one error. Where the two are close, all ways to leave out fewer rows are
tried, and the bounds meet.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native, options
from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import CertifiedHyperplane, Inseparable, Undecided
from rosenblatt.certificates.certify import SearchAnswer, find_separator
from rosenblatt.certificates.points.check_input import check_points
from rosenblatt.certificates.points.points import Points
from rosenblatt.certificates.search.conditioning import Conditioned, conditioned
from rosenblatt.certificates.search.hull_search import HullSearch, ProgressCallback, SearchMonitor, random_scores
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Floats

_ANY_SEPARATOR = 0.5  # the gap allowed here: any separator will do, not the widest
_MAX_BRANCHES = 3000  # subsets tried to close the bracket


class ErrorBracket(tuple[int, int]):
    """(lower, upper) with its evidence: the hyperplane w.x + b = 0 errs on `wrong`; `proofs` are on disjoint rows.

    `exhausted` says that every way to make fewer than `upper` errors was tried and failed; then the two are equal.
    """

    w: NDArray[Any]
    b: Any
    wrong: NDArray[np.intp]
    proofs: tuple["Conflict", ...]
    exhausted: bool

    def __new__(
        cls, lower: int, best: "ErringHyperplane", proofs: Sequence["Conflict"], exhausted: bool
    ) -> "ErrorBracket":
        bracket = super().__new__(cls, (lower, len(best.wrong)))
        bracket.w, bracket.b, bracket.wrong = best.w, best.b, best.wrong
        bracket.proofs, bracket.exhausted = tuple(proofs), exhausted
        return bracket

    @property
    def lower(self) -> int:
        return self[0]

    @property
    def upper(self) -> int:
        return self[1]

    def verify(self, X: Any, y: Any) -> bool:
        """Check both bounds again; an exhaustive search is not repeated, so only its proofs are checked."""
        points = check_points(X, y)
        rows = [row for proof in self.proofs for row in proof.rows]
        is_disjoint = len(set(rows)) == len(rows)
        are_enough = self.exhausted or len(self.proofs) == self.lower
        are_valid = all(verify.averages_coincide(points, proof.rows, proof.weights) for proof in self.proofs)
        n_wrong = len(verify.separation(points, self.w, self.b).wrong)
        return is_disjoint and are_enough and are_valid and n_wrong <= self.upper


@dataclass(frozen=True)
class ErringHyperplane:
    """A hyperplane and the rows on its wrong side."""

    w: NDArray[Any]
    b: Any
    wrong: NDArray[np.intp]

    @classmethod
    def on(cls, points: Points, w: NDArray[Any], b: Any) -> "ErringHyperplane":
        return cls(w, b, verify.separation(points, w, b).wrong)

    @classmethod
    def constant(cls, points: Points, sign: int) -> "ErringHyperplane":
        """The hyperplane w = 0, b = sign, which puts every row in one class."""
        return cls(np.zeros(points.n_features), float(sign), np.flatnonzero(points.signs != sign))


@dataclass(frozen=True)
class Conflict:
    """Rows that no hyperplane separates, with the weights that prove it."""

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]


@options.described_by(options.ERROR_BRACKET)
def error_bracket(
    X: Any,
    y: Any,
    *,
    time_limit: float | None = options.bracket_time_limit.default,
    random_state: int = 0,
    on_progress: ProgressCallback | None = None,
) -> ErrorBracket:
    """Certified bounds on the fewest errors any hyperplane makes on these examples.

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each.
    y : array
        Their labels, of two classes.
    random_state : int, default=0
        The seed of the search for hyperplanes with few errors.
    on_progress : callable, optional
        Called with what the search is doing, several times a second.

    Returns
    -------
    ErrorBracket
        `lower` and `upper`, which it unpacks to, and the hyperplane that makes `upper` errors.

    Examples
    --------
    >>> lower, upper = error_bracket([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> lower, upper
    (1, 1)
    """
    options.check("error_bracket", {"time_limit": time_limit}, options.ERROR_BRACKET)
    points, monitor = check_points(X, y), SearchMonitor.start(time_limit, on_progress)
    proofs = list(_disjoint_conflicts(points, monitor))
    best = hyperplane_with_few_errors(points, monitor, random_state, good_enough=len(proofs))
    lower, exhausted = len(proofs), False
    while lower < len(best.wrong) and not monitor.time_is_up:
        try:
            plane = _HittingSetSearch(points, monitor).search(lower)
        except _TooManyBranchesError:
            break
        if plane is not None:
            best = plane
        else:
            lower, exhausted = lower + 1, True
    return ErrorBracket(lower, best, proofs, exhausted)


def _separate_subset(points: Points, rows: NDArray[np.intp], monitor: SearchMonitor) -> SearchAnswer | None:
    """A separator of some of the rows, or a proof; None if they are all of one class."""
    signs = points.signs[rows]
    if not ((signs > 0).any() and (signs < 0).any()):
        return None
    return find_separator(points.subset(rows), monitor, gap=_ANY_SEPARATOR)[0]


# -- the lower bound: disjoint conflicts ----------------------------------------------------------------------------


def _disjoint_conflicts(points: Points, monitor: SearchMonitor) -> Iterator[Conflict]:
    """Conflicts on disjoint rows, pairs of identical rows first."""
    unused = np.arange(points.n_rows)
    for pair in _contradicting_pairs(points):
        unused = np.setdiff1d(unused, pair)
        yield Conflict((int(pair[0]), int(pair[1])), (Fraction(1), Fraction(1)))
    while not monitor.time_is_up:
        answer = _separate_subset(points, unused, monitor)
        if not isinstance(answer, Inseparable):
            return
        rows = unused[answer.rows]
        unused = np.setdiff1d(unused, rows)
        monitor.report("conflicts", 1, len(unused))
        yield Conflict(tuple(rows.tolist()), answer.weights)


def _contradicting_pairs(points: Points) -> Iterator[tuple[int, int]]:
    """Disjoint pairs of identical rows with different classes, as many as there are."""
    floats = conditioned(points, by_column=not points.fits_float64)
    score = random_scores(native.rows_of(floats.values))
    _, group, size = np.unique(score, return_inverse=True, return_counts=True)
    n_positive, n_negative = (np.bincount(group, points.signs == sign, len(size)) for sign in (1, -1))
    is_mixed = n_positive * n_negative > 0
    unpaired: dict[tuple[Any, ...], list[int]] = {}
    for i in np.flatnonzero(is_mixed[group]).tolist():
        sign, row = int(points.signs[i]), tuple(points.exact_row(i).items())
        partners = unpaired.setdefault((-sign, row), [])
        if partners:
            yield partners.pop(), i
        else:
            unpaired.setdefault((sign, row), []).append(i)


# -- the upper bound: hyperplanes with few errors -------------------------------------------------------------------


def hyperplane_with_few_errors(
    points: Points, monitor: SearchMonitor, seed: int = 0, *, good_enough: int = 0, max_readmitted: int | None = None
) -> ErringHyperplane:
    """The best hyperplane of several searches: the pocket, soft margins of many widths, each with its best bias.

    The best three are then improved: misclassified rows (at most `max_readmitted`, the least wrong first) are added
    one by one to the rows that must be right, as long as these stay separable. It stops at `good_enough` errors.
    """
    majority = 1 if 2 * int((points.signs > 0).sum()) >= points.n_rows else -1
    planes = [ErringHyperplane.constant(points, majority)]
    floats = conditioned(points, by_column=True)
    for w in _normals(points, floats, monitor, seed):
        if np.isfinite(w).all() and w.any():
            planes.append(_with_best_bias(points, w))
        if len(planes[-1].wrong) <= good_enough:
            return planes[-1]
    planes.sort(key=lambda plane: len(plane.wrong))
    best = planes[0]
    for plane in planes[:3]:
        better = _readmit(points, _refit_without_errors(points, plane, monitor), monitor, max_readmitted)
        best = min(best, better, key=lambda plane: len(plane.wrong))
        if len(best.wrong) <= good_enough:
            break
    return best


def _normals(points: Points, floats: Conditioned, monitor: SearchMonitor, seed: int) -> Iterator[Floats]:
    """The normal of the pocket, then those of soft margins from narrow to wide."""
    yield floats.original_normal(_pocket_weights(points, floats, seed))
    search = HullSearch(points, floats)
    rows = search.rows
    squared_norms, mean = search.squared_norms + 1.0, float(search.squared_norms.mean()) + 1.0
    for power in range(-12, 13, 3):
        alpha, w, b, state = np.zeros(points.n_rows), np.zeros((rows.features + 7) // 8 * 8), np.zeros(1), seed
        for _ in range(30):
            order, state = native.random_order(state % 2**64, points.n_rows, False)
            native.dual_ascent(rows, points.signs, 1.0, 2.0**power / mean, alpha, squared_norms, w, b, order)
            if monitor.time_is_up:
                return
        yield floats.original_normal(w[: rows.features])


def _pocket_weights(points: Points, floats: Conditioned, seed: int) -> Floats:
    run = Run(Settings(keep="pocket"), floats.values.shape[1], np.ones(2), seed)
    epochs = int(np.clip(4_000_000 // max(points.n_rows * min(points.n_features, 100), 1), 3, 50))
    run.fit(Block(floats.values, (points.signs > 0).astype(np.int32)), epochs)
    return np.array(run.final_weights.coef[0])


def _with_best_bias(points: Points, w: Floats) -> ErringHyperplane:
    """The bias with the fewest errors for this normal: the middle between any two neighbouring scores is tried."""
    with np.errstate(all="ignore"):
        score, _ = verify.scores(points, w, 0.0)
    order = np.argsort(score, kind="stable")
    positive = points.signs[order] > 0
    # With the threshold after the first k rows, the positive rows before it and the negative rows after it are wrong.
    positive_before = np.concatenate([[0], np.cumsum(positive)])
    negative_before = np.concatenate([[0], np.cumsum(~positive)])
    errors = positive_before + (~positive).sum() - negative_before
    errors[1:-1][np.diff(score[order]) <= 0] = points.n_rows  # there is no threshold between equal scores
    k = int(np.argmin(errors))
    ends = np.concatenate([[score[order[0]] - 1], score[order], [score[order[-1]] + 1]])
    return ErringHyperplane.on(points, w, float(-(ends[k] / 2 + ends[k + 1] / 2)))


def _refit_without_errors(points: Points, best: ErringHyperplane, monitor: SearchMonitor) -> ErringHyperplane:
    """Leave out the misclassified rows, separate the rest widely, and see whether fewer rows are wrong then."""
    for _ in range(5):
        if monitor.time_is_up:
            return best
        right = np.setdiff1d(np.arange(points.n_rows), best.wrong)
        answer = _separate_subset(points, right, monitor)
        if not isinstance(answer, CertifiedHyperplane):
            return best
        plane = ErringHyperplane.on(points, answer.w, answer.b)
        if len(plane.wrong) >= len(best.wrong):
            return best
        best = plane
    return best


def _readmit(
    points: Points, best: ErringHyperplane, monitor: SearchMonitor, max_readmitted: int | None
) -> ErringHyperplane:
    """Add misclassified rows to the right ones, one by one, the least wrong first, as long as they stay separable."""
    score, _ = verify.scores(points, verify.as_floats(best.w), 0.0)
    waiting = sorted(best.wrong.tolist(), key=lambda i: abs(score[i] + float(best.b)))[:max_readmitted]
    while waiting and not monitor.time_is_up:
        row, *waiting = waiting
        right = np.setdiff1d(np.arange(points.n_rows), best.wrong[best.wrong != row])
        answer = _separate_subset(points, right, monitor)
        if isinstance(answer, CertifiedHyperplane):
            plane = ErringHyperplane.on(points, answer.w, answer.b)
            if len(plane.wrong) < len(best.wrong):
                best = plane
                waiting = [i for i in waiting if i in set(plane.wrong.tolist())]
    return best


# -- closing the bracket --------------------------------------------------------------------------------------------


class _TooManyBranchesError(Exception):
    """The search for a hitting set would take too long."""


class _HittingSetSearch:
    """Can a few rows be left out so that the rest is separable? Every conflict must lose one of its rows: try each."""

    def __init__(self, points: Points, monitor: SearchMonitor) -> None:
        self.points, self.monitor, self.n_branches = points, monitor, 0

    def search(self, budget: int) -> ErringHyperplane | None:
        """A hyperplane with at most `budget` errors, or None if there is none; may raise _TooManyBranchesError."""
        return self._search(np.arange(self.points.n_rows), budget, frozenset())

    def _search(self, rows: NDArray[np.intp], budget: int, must_stay: frozenset[int]) -> ErringHyperplane | None:
        self.n_branches += 1
        if self.n_branches > _MAX_BRANCHES or self.monitor.time_is_up:
            raise _TooManyBranchesError
        answer = _separate_subset(self.points, rows, self.monitor)
        if answer is None:
            return ErringHyperplane.constant(self.points, int(self.points.signs[rows[0]]) if len(rows) else 1)
        if isinstance(answer, Undecided):
            raise _TooManyBranchesError
        if isinstance(answer, CertifiedHyperplane):
            return ErringHyperplane.on(self.points, answer.w, answer.b)
        if budget == 0:
            return None
        for row in (int(rows[k]) for k in answer.rows):
            if row in must_stay:
                continue
            plane = self._search(rows[rows != row], budget - 1, must_stay)
            if plane is not None:
                return plane
            must_stay = must_stay | {row}
        return None
