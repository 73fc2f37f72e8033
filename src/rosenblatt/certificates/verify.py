"""Checks that a certificate holds. It trusts nothing that searched for the certificate, and calls no native code.

A score is first computed in floats together with a bound on its own error; only rows whose scores the bound cannot
tell from zero are computed again in exact fractions. The bound is the standard one (Higham, Accuracy and Stability of
Numerical Algorithms, section 3.1): a sum of n products, in any order, fused or not, is wrong by at most g * sum |w x|
with g = n u / (1 - n u), u = 2^-53. Rounding the numbers themselves to floats adds one u each, which a larger n covers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.points import ExactNumber, Points, to_exact
from rosenblatt.records import Csr, Floats

_UNIT_ROUNDOFF = 2.0**-53
_CHUNK = 100_000  # numbers converted at a time, so that they stay in the cache
_LOOSE = 1e-9  # where rounding may cost more than this share of a margin, exact arithmetic is used,
_MAX_EXACT_NUMBERS = 20_000  # on at most this many numbers
_TINY = 1e-290  # below this, products of floats lose digits, which no relative bound covers
_SAFE = 1e-12  # claims are a little weaker than computed, so that they also hold under another machine's rounding


@dataclass(frozen=True)
class Separation:
    """The rows that a hyperplane misclassifies, and a lower bound on the margin y (w.x + b) of all the others."""

    wrong: NDArray[np.intp]
    lowest: float

    @property
    def holds(self) -> bool:
        return len(self.wrong) == 0


def rounding_factor(n_terms: int) -> float:
    """2 g of the bound above; the factor 2 covers the rounding of the bound itself."""
    return 2 * (n_terms + 4) * _UNIT_ROUNDOFF / (1 - (n_terms + 4) * _UNIT_ROUNDOFF)


def as_floats(values: NDArray[Any]) -> Floats:
    """Each number rounded to the nearest float64; NaN where it is too large."""
    try:
        return values.astype(np.float64)
    except OverflowError:
        return np.array([_as_float(x) for x in values.reshape(-1).tolist()]).reshape(values.shape)


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.nan


def scores(points: Points, w: Floats, b: float) -> tuple[Floats, Floats]:
    """w.x + b of every row, and a bound on the error of each; the bound is the same for all: sum |w x| <= |w| |x|."""
    score = _products(points.values, w)
    score += b
    size = norm_above(w) * points.max_norm + abs(b)
    return score, np.full(points.n_rows, _error(points, size if size == size else math.inf))


def _error(points: Points, size: Any) -> Any:
    """A bound on the rounding error of a score whose terms have the absolute sum `size`."""
    n_terms = points.max_row_entries + 1
    return size * rounding_factor(n_terms) + (n_terms + 1) * 2.0**-1073  # the error of underflow is not relative


def row_error_bounds(points: Points, rows: NDArray[np.intp], w: Floats, b: float) -> Floats:
    """A tighter bound on the error of each score of some rows, from the row's own sum |w x|."""
    part = points.take(rows)
    if isinstance(part, Csr):
        part = Csr(part.indptr, part.indices, np.abs(as_floats(part.values)), part.features)
    else:
        part = np.abs(as_floats(part))
    error: Floats = _error(points, _products(part, np.abs(w)) + abs(b))
    return error


def sum_by_index(indices: NDArray[Any], numbers: Floats, size: int) -> Floats:
    """The sum of the numbers that share an index, for each index below `size`."""
    return np.bincount(indices, numbers, size).astype(np.float64)  # type: ignore[return-value,unused-ignore]


def _products(values: NDArray[Any] | Csr, w: Floats) -> Floats:
    """w.x of every row."""
    if isinstance(values, Csr):
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        return sum_by_index(rows, as_floats(values.values) * w[values.indices], values.shape[0])
    score = np.empty(len(values))
    for chunk, floats in float_chunks(values):
        np.matmul(floats, w, out=score[chunk])
    return score


def float_chunks(values: NDArray[Any]) -> Iterator[tuple[slice, Floats]]:
    """The rows as float64: all at once, or a chunk at a time if they must be converted."""
    if values.dtype == np.float64:
        yield slice(0, len(values)), values
        return
    step = max(1, _CHUNK // values.shape[1])
    buffer = np.empty((min(step, len(values)), values.shape[1]))
    for start in range(0, len(values), step):
        part = values[start : start + step]
        if part.dtype.kind == "O":
            yield slice(start, start + step), as_floats(part)
        else:
            np.copyto(buffer[: len(part)], part)
            yield slice(start, start + step), buffer[: len(part)]


def exact_score(points: Points, row: int, w: Sequence[ExactNumber], b: ExactNumber) -> ExactNumber:
    """w.x + b of one row, exactly."""
    return sum((w[j] * x for j, x in points.exact_row(row).items()), b)


def is_finite_hyperplane(points: Points, w: NDArray[Any], b: Any) -> bool:
    """Whether each column has a finite weight and the bias is finite; a certificate from a file may hold anything."""
    if w.shape != (points.n_features,):
        return False
    return all(not isinstance(x, float) or math.isfinite(x) for x in (*w.tolist(), b))


def are_valid_weights(points: Points, rows: NDArray[Any], weights: Floats) -> bool:
    """Whether all the rows exist and each has a finite weight of at least 0."""
    return bool(
        rows.shape == weights.shape == (len(rows),)
        and ((rows >= 0) & (rows < points.n_rows)).all()
        and (np.isfinite(weights) & (weights >= 0)).all()
    )


def separation(points: Points, w: NDArray[Any], b: Any) -> Separation:
    """Which rows are not strictly on their side of w.x + b = 0; proven for every row, in floats where they suffice."""
    parts = [(first, _separation(part, w, b)) for first, part in points.parts()]
    wrong = np.concatenate([first + part.wrong for first, part in parts])
    return Separation(wrong, min(part.lowest for _, part in parts))


def _separation(points: Points, w: NDArray[Any], b: Any) -> Separation:
    """The same for points in memory."""
    with np.errstate(all="ignore"):
        floats, bias = as_floats(w), _as_float(b)
        score, error = scores(points, floats, bias)
        score *= points.signs
        open_rows = np.flatnonzero(~(score > error))
        if len(open_rows):
            error[open_rows] = row_error_bounds(points, open_rows, floats, bias)
        least = score - error
        open_rows = np.flatnonzero(~(least > 0))
        wrong = [int(i) for i in open_rows if score[i] < -error[i]]
    decided = set(wrong)
    doubtful = [int(i) for i in open_rows if i not in decided]
    lowest = float(np.delete(least, open_rows).min(initial=math.inf)) if len(open_rows) else float(least.min())
    for i, margin in _exact_margins(points, doubtful, w, b):
        if margin > 0:
            lowest = min(lowest, float_below(margin))
        else:
            wrong.append(i)
    if not wrong:
        lowest = _tightened(points, w, b, score, error, lowest)
    return Separation(np.array(sorted(wrong), dtype=np.intp), lowest)


def _exact_margins(points: Points, rows: Sequence[int], w: NDArray[Any], b: Any) -> Iterator[tuple[int, ExactNumber]]:
    """y (w.x + b) of some rows, exactly."""
    if len(rows):
        exact_w, exact_b = [to_exact(x) for x in w.tolist()], to_exact(b)
        for i in rows:
            yield i, int(points.signs[i]) * exact_score(points, i, exact_w, exact_b)


def _tightened(points: Points, w: NDArray[Any], b: Any, score: Floats, error: Floats, lowest: float) -> float:
    """The least margin computed exactly, if the rounding error is large beside it and few rows can be the nearest."""
    with np.errstate(all="ignore"):
        nearest = float((score + error).min())
        if not nearest - lowest > _LOOSE * nearest:
            return lowest
        near = np.flatnonzero(~(score - error > nearest))
    if len(near) * points.max_row_entries > _MAX_EXACT_NUMBERS:
        return lowest
    return min(float_below(margin) for _, margin in _exact_margins(points, near.tolist(), w, b))


def float_below(value: ExactNumber) -> float:
    """A float not above this positive number."""
    try:
        return float(value) * (1 - 4 * _UNIT_ROUNDOFF)
    except OverflowError:
        return 1.7e308


def norm_above(w: NDArray[Any]) -> float:
    """A float a little above |w|."""
    floats = as_floats(w)
    floats = np.abs(floats[floats != 0])
    largest = float(floats.max(initial=0.0))
    if not 0 < largest < math.inf:
        return largest
    floats /= largest  # so that no square overflows; squares that underflow are negligible
    return largest * math.sqrt(float(floats @ floats)) * (1 + rounding_factor(len(floats) + 8))


def margin_below(points: Points, w: NDArray[Any], b: Any, *, augmented: bool = False) -> float | None:
    """A lower bound on the distance of the nearest row to the hyperplane; None if some row is on the wrong side.

    `augmented` measures in the space of (x, 1), where the length of the normal includes b.
    """
    rows = separation(points, w, b)
    if not rows.holds:
        return None
    size = norm_above(np.append(w, b) if augmented else w)
    return rows.lowest / size * (1 - _SAFE) if 0 < size < math.inf else 0.0


def margin_above(points: Points, rows: NDArray[Any], weights: Floats, *, augmented: bool = False) -> float:
    """An upper bound on every margin: half the distance between two points, one in the hull of each class.

    The points are the means of the rows of each class, weighted. `augmented`: the length of the mean of y (x, 1).
    """
    signs = points.signs[rows].astype(np.float64)
    share = weights / weights.sum() if augmented else weights.copy()
    if not augmented:
        for sign in (1, -1):
            share[signs == sign] /= weights[signs == sign].sum()
    with np.errstate(all="ignore"):
        point, size = _weighted(points, rows, share * signs)
        if augmented:
            point, size = np.append(point, share @ signs), np.append(size, 1.0)
        error = rounding_factor(len(rows) + 4) * norm_above(size)
        distance = norm_above(point)
        # The shares sum to 1 up to rounding; `error` covers that too.
        above = (distance + error) * (1 + _SAFE)
    is_imprecise = not error <= _LOOSE * distance or distance < _TINY
    if is_imprecise and len(rows) * points.max_row_entries <= _MAX_EXACT_NUMBERS:
        return _exact_margin_above(points, rows, weights, augmented)
    above = (above if augmented else above / 2) + _TINY * _UNIT_ROUNDOFF
    return above if math.isfinite(above) else math.inf


def _exact_margin_above(points: Points, rows: NDArray[Any], weights: Floats, augmented: bool) -> float:
    """`margin_above` in exact arithmetic up to the square root."""
    signs, shares = points.signs[rows].tolist(), [Fraction(weight) for weight in weights.tolist()]
    sides = {
        sign: [share for share, s in zip(shares, signs, strict=True) if s == sign or augmented] for sign in (1, -1)
    }
    total = {sign: sum(side, Fraction(0)) for sign, side in sides.items()}
    if not total[1] or not total[-1]:
        return math.inf
    point = dict[int, Fraction]()
    for row, sign, share in zip(points.exact_rows(rows.tolist()), signs, shares, strict=True):
        part = sign * share / total[sign]
        for j, x in (row | ({points.n_features: 1} if augmented else {})).items():
            point[j] = point.get(j, Fraction(0)) + part * x
    return _root_above(sum((x * x for x in point.values()), Fraction(0)) / (1 if augmented else 4))


def _root_above(square: Fraction) -> float:
    """A float a little above the square root."""
    shift = 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    root = math.isqrt(math.floor(square * Fraction(4) ** shift)) + 1  # rounded up, with about 64 bits
    above = _as_float(Fraction(root) / Fraction(2) ** shift) * (1 + _SAFE) + 5e-324 if square else 0.0
    return above if math.isfinite(above) else math.inf


def _weighted(points: Points, rows: NDArray[Any], share: Floats) -> tuple[Floats, Floats]:
    """The sums of share * x and of |share * x| over the rows."""
    part = points.take(rows)
    if isinstance(part, Csr):
        products = as_floats(part.values) * np.repeat(share, np.diff(part.indptr))
        sums = sum_by_index(part.indices, products, points.n_features)
        return sums, sum_by_index(part.indices, np.abs(products), points.n_features)
    floats = as_floats(part)
    return share @ floats, np.abs(share) @ np.abs(floats)


def radius_above(points: Points) -> float:
    """A float a little above the largest |(x, 1)|."""
    return math.hypot(points.max_norm, 1.0) * (1 + _SAFE)


def averages_coincide(points: Points, rows: Sequence[int], weights: Sequence[Fraction]) -> bool:
    """Whether sum weight * y * (x, 1) = 0 exactly, with every weight above 0: then no hyperplane separates the classes.

    For if y (w.x + b) > 0 held for all these rows, the sum of weight * y * (w.x + b) would be above 0; but it is
    w.0 + 0 = 0 (Gordan's theorem, 1873; this is the easy half).
    """
    if not len(rows) or len(rows) != len(weights) or len(set(rows)) != len(rows):
        return False
    if not all(0 <= i < points.n_rows for i in rows) or not all(weight > 0 for weight in weights):
        return False
    common = math.lcm(*(weight.denominator for weight in weights))
    total, balance = dict[int, ExactNumber](), 0
    for i, row, weight in zip(rows, points.exact_rows(rows), weights, strict=True):
        share = int(points.signs[i]) * (weight.numerator * (common // weight.denominator))
        balance += share
        for j, x in row.items():
            total[j] = total.get(j, 0) + share * x
    return balance == 0 and not any(total.values())


def residual(points: Points, rows: NDArray[Any], weights: Floats) -> float:
    """The distance between the two weighted means, in floats, relative to the longest row."""
    return 2 * margin_above(points, rows, weights) / radius_above(points)
