"""The fewest errors that any hyperplane makes: NP-hard to know, but it can be bracketed, with proofs at both ends.

Above: a hyperplane, and the rows it puts on the wrong side. Below: disjoint sets of rows, each of which no hyperplane
separates, so that each costs at least one error. Where few errors are left between them, all the ways to leave out so
many rows are tried, and the bracket closes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native, options
from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import Inseparable, Undecided, Widest
from rosenblatt.certificates.hull_search import Clock, Report, Scene
from rosenblatt.certificates.points import Conditioned, Points, conditioned, points_of
from rosenblatt.certificates.search import settle
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Floats

_LOOSE = 0.5  # here any separator will do, not the widest
_BRANCHES = 3000  # subsets tried to close a bracket


class ErrorBracket(tuple[int, int]):
    """(lower, upper), and the evidence: a hyperplane w.x + b = 0 with `wrong` rows, and `proofs` on disjoint rows.

    `exhausted` says that every way to make fewer errors than `upper` was tried and failed; then the two are equal.
    """

    w: NDArray[Any]
    b: Any
    wrong: NDArray[np.intp]
    proofs: tuple["Conflict", ...]
    exhausted: bool

    def __new__(cls, lower: int, best: "Errors", proofs: Sequence["Conflict"], exhausted: bool) -> "ErrorBracket":
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
        """Check both ends again; what exhaustion showed is not repeated, so it counts as far as the proofs go."""
        points = points_of(X, y)
        used = [row for proof in self.proofs for row in proof.rows]
        fair = len(set(used)) == len(used) and (self.exhausted or len(self.proofs) == self.lower)
        holds = all(verify.meets(points, proof.rows, proof.weights) for proof in self.proofs)
        return fair and holds and len(verify.separation(points, self.w, self.b).wrong) <= self.upper


@dataclass(frozen=True)
class Errors:
    """A hyperplane and the rows on its wrong side."""

    w: NDArray[Any]
    b: Any
    wrong: NDArray[np.intp]


@dataclass(frozen=True)
class Conflict:
    """Rows that no hyperplane separates, with the weights that prove it."""

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]


def error_bracket(
    X: Any,
    y: Any,
    *,
    time_limit: float | None = options.bracket_time_limit.default,
    random_state: int = 0,
    on_progress: Report | None = None,
) -> ErrorBracket:
    """Certified bounds on the fewest errors any hyperplane makes on these examples.

    >>> lower, upper = error_bracket([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> lower, upper
    (1, 1)
    """
    options.check("error_bracket", {"time_limit": time_limit}, options.ERROR_BRACKET)
    points, clock = points_of(X, y), Clock.of(time_limit, on_progress)
    proofs = list(_disjoint(points, clock))
    best = fewest_found(points, clock, random_state, len(proofs))
    lower, exhausted = len(proofs), False
    while lower < len(best.wrong) and not clock.is_over:
        found = _Branching(points, clock, lower).search()
        if found is None:
            break
        if isinstance(found, Errors):
            best = found
        else:
            lower, exhausted = lower + 1, True
    return ErrorBracket(lower, best, proofs, exhausted)


def subset(points: Points, rows: NDArray[np.intp]) -> Points | None:
    """Some of the rows; None if only one class is among them."""
    signs = points.signs[rows]
    both = bool((signs > 0).any() and (signs < 0).any())
    return Points(points.rows(rows), signs, points.labels) if both else None


# -- below: disjoint conflicts --------------------------------------------------------------------------------------


def _disjoint(points: Points, clock: Clock) -> Iterator[Conflict]:
    """Conflicts one after the other, each on rows that none before has used; identical rows first."""
    left = np.arange(points.count)
    for pair in _twin_pairs(points):
        left = np.setdiff1d(left, pair)
        yield Conflict((int(pair[0]), int(pair[1])), (Fraction(1), Fraction(1)))
    while not clock.is_over:
        part = subset(points, left)
        answer = None if part is None else settle(part, clock, gap=_LOOSE)[0]
        if not isinstance(answer, Inseparable):
            return
        rows = left[answer.rows]
        left = np.setdiff1d(left, rows)
        clock.tell("conflicts", 1, len(left))
        yield Conflict(tuple(rows.tolist()), answer.weights)


def _twin_pairs(points: Points) -> Iterator[tuple[int, int]]:
    """Every row of one class paired with an identical one of the other, as far as they go."""
    floats = conditioned(points, by_column=not points.is_float)
    weights, _ = native.uniform(1, floats.values.shape[1])
    score = native.scores(native.rows_of(floats.values), None, weights.reshape(1, -1), np.zeros(1))[:, 0]
    _, group, size = np.unique(score, return_inverse=True, return_counts=True)
    mixed = np.bincount(group, points.signs > 0, len(size)) * np.bincount(group, points.signs < 0, len(size)) > 0
    waiting: dict[tuple[Any, ...], list[int]] = {}
    for i in np.flatnonzero(mixed[group]).tolist():
        row = tuple(points.row(i).items())
        others = waiting.setdefault((int(-points.signs[i]), row), [])
        if others:
            yield others.pop(), i
        else:
            waiting.setdefault((int(points.signs[i]), row), []).append(i)


# -- above: hyperplanes with few errors -----------------------------------------------------------------------------


def fewest_found(points: Points, clock: Clock, seed: int = 0, enough: int = 0, tries: int | None = None) -> Errors:
    """The best hyperplane of several searches: the pocket, soft margins of many widths, each with its best bias.

    The best few are then improved: rows that are wrong (at most `tries` of them, the least wrong first) are let back
    in, one by one, where the rest stays separable.
    """
    found = [_constant(points)]
    floats = conditioned(points, by_column=True)
    for w in _normals(points, floats, clock, seed):
        if np.isfinite(w).all() and w.any():
            found.append(_best_bias(points, w))
        if len(found[-1].wrong) <= enough:
            return found[-1]
    found.sort(key=lambda errors: len(errors.wrong))
    best = found[0]
    for errors in found[:3]:
        better = _let_in(points, _without_errors(points, errors, clock), clock, tries)
        best = min(best, better, key=lambda errors: len(errors.wrong))
        if len(best.wrong) <= enough:
            break
    return best


def _constant(points: Points) -> Errors:
    sign = 1 if 2 * int((points.signs > 0).sum()) >= points.count else -1
    return Errors(np.zeros(points.features), float(sign), np.flatnonzero(points.signs != sign))


def _normals(points: Points, floats: Conditioned, clock: Clock, seed: int) -> Iterator[Floats]:
    rows = native.rows_of(floats.values)
    yield floats.normal(_pocket(points, floats, seed))
    squares = Scene(points, floats).squares
    norm2, mean = squares + 1.0, float(squares.mean()) + 1.0
    for power in range(-12, 13, 3):
        a, w, b, state = np.zeros(points.count), np.zeros((rows.features + 7) // 8 * 8), np.zeros(1), seed
        for _ in range(30):
            order, state = native.order(state % 2**64, points.count, False)
            native.ascend(rows, points.signs, 1.0, 2.0**power / mean, a, norm2, w, b, order)
            if clock.is_over:
                return
        yield floats.normal(w[: rows.features])


def _pocket(points: Points, floats: Conditioned, seed: int) -> Floats:
    run = Run(Settings(keep="pocket"), floats.values.shape[1], np.ones(2), seed)
    epochs = int(np.clip(4_000_000 // max(points.count * min(points.features, 100), 1), 3, 50))
    run.fit(Block(floats.values, (points.signs > 0).astype(np.int32)), epochs)
    return np.array(run.final_weights.coef[0])


def _best_bias(points: Points, w: Floats) -> Errors:
    """The bias with the fewest errors for this normal: every place between two neighbouring scores is tried."""
    with np.errstate(all="ignore"):
        score, _ = verify.scores(points, w, 0.0)
    order = np.argsort(score, kind="stable")
    positive = points.signs[order] > 0
    # With the threshold behind the first k rows, wrong are the positive ones among them and the negative ones after.
    errors = (
        np.concatenate([[0], np.cumsum(positive)]) + (~positive).sum() - np.concatenate([[0], np.cumsum(~positive)])
    )
    errors[1:-1][np.diff(score[order]) <= 0] = points.count
    at = int(np.argmin(errors))
    ends = np.concatenate([[score[order[0]] - 1], score[order], [score[order[-1]] + 1]])
    b = -(ends[at] / 2 + ends[at + 1] / 2)
    return Errors(w, float(b), verify.separation(points, w, float(b)).wrong)


def _without_errors(points: Points, best: Errors, clock: Clock) -> Errors:
    """Leave out the rows that are wrong, separate the rest as widely as can be, and see which of them come right."""
    for _ in range(5):
        kept = np.setdiff1d(np.arange(points.count), best.wrong)
        part = subset(points, kept)
        answer = None if part is None or clock.is_over else settle(part, clock, gap=_LOOSE)[0]
        if not isinstance(answer, Widest):
            return best
        wrong = verify.separation(points, answer.w, answer.b).wrong
        if len(wrong) >= len(best.wrong):
            return best
        best = Errors(answer.w, answer.b, wrong)
    return best


def _let_in(points: Points, best: Errors, clock: Clock, tries: int | None) -> Errors:
    """Let rows that are wrong back in, one by one, the least wrong first, as long as the rest stays separable."""
    score, _ = verify.scores(points, verify.as_floats(best.w), 0.0)
    waiting = sorted(best.wrong.tolist(), key=lambda i: abs(score[i] + float(best.b)))[:tries]
    while waiting and not clock.is_over:
        row, *waiting = waiting
        kept = np.setdiff1d(np.arange(points.count), best.wrong[best.wrong != row])
        part = subset(points, kept)
        answer = None if part is None else settle(part, clock, gap=_LOOSE)[0]
        if isinstance(answer, Widest):
            wrong = verify.separation(points, answer.w, answer.b).wrong
            if len(wrong) < len(best.wrong):
                best = Errors(answer.w, answer.b, wrong)
                waiting = [i for i in waiting if i in set(wrong.tolist())]
    return best


# -- closing the bracket --------------------------------------------------------------------------------------------


class _Branching:
    """Can so many rows be left out that the rest is separable? Every conflict must lose one of its rows: try each."""

    def __init__(self, points: Points, clock: Clock, budget: int) -> None:
        self.points, self.clock, self.budget, self.branches = points, clock, budget, 0

    def search(self) -> Errors | bool | None:
        """A hyperplane with `budget` errors; False if there is none; None if that would take too long."""
        try:
            return self._below(np.arange(self.points.count), self.budget, frozenset())
        except TimeoutError:
            return None

    def _below(self, rows: NDArray[np.intp], budget: int, kept: frozenset[int]) -> Errors | bool:
        self.branches += 1
        if self.branches > _BRANCHES or self.clock.is_over:
            raise TimeoutError
        part = subset(self.points, rows)
        if part is None:
            sign = int(self.points.signs[rows[0]]) if len(rows) else 1
            w = np.zeros(self.points.features)
            return Errors(w, float(sign), np.flatnonzero(self.points.signs != sign))
        answer = settle(part, self.clock, gap=_LOOSE)[0]
        if isinstance(answer, Undecided):
            raise TimeoutError
        if isinstance(answer, Widest):
            return Errors(answer.w, answer.b, verify.separation(self.points, answer.w, answer.b).wrong)
        if budget == 0:
            return False
        for row in (int(rows[k]) for k in answer.rows):
            if row in kept:
                continue
            found = self._below(rows[rows != row], budget - 1, kept)
            if found:
                return found
            kept = kept | {row}
        return False
