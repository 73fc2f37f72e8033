"""Does the certificate hold? Nothing that searched for it is believed, and no native kernel is called.

A score is first computed in floats together with a bound on its own error; only a row whose score the bound cannot
tell from zero is computed again in exact fractions. The bound is the standard one (Higham, Accuracy and Stability of
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

from rosenblatt.certificates.points import Number, Points, exactly
from rosenblatt.records import Csr, Floats

_UNIT = 2.0**-53
_CHUNK = 100_000  # numbers converted at a time: they stay in the cache
_LOOSE = 1e-9  # rounding that may take more than this share of a margin is avoided,
_FEW = 20_000  # by exact arithmetic on so many numbers at most
_TINY = 1e-290  # below this, products of floats lose digits, which no relative bound covers
_SAFE = 1e-12  # claims are stated a little weaker than computed, so that another machine's rounding agrees


@dataclass(frozen=True)
class Separation:
    """What a hyperplane does to the rows: which it puts on the wrong side, and how near the nearest right one is."""

    wrong: NDArray[np.intp]
    lowest: float  # at most the least y (w.x + b)
    exact_rows: int  # rows that floats could not decide

    @property
    def holds(self) -> bool:
        return len(self.wrong) == 0


def growth(terms: int) -> float:
    """Twice g of the bound above: the other half pays for rounding in the bound itself."""
    return 2 * (terms + 4) * _UNIT / (1 - (terms + 4) * _UNIT)


def as_floats(values: NDArray[Any]) -> Floats:
    """Each number rounded to the nearest float; beyond all floats, NaN."""
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
    """w.x + b of every row, and how wrong each may be, by a bound that is the same for all: sum |w x| <= |w| |x|."""
    score = _products(points.values, w)
    score += b
    size = length(w) * points.longest + abs(b)
    return score, np.full(points.count, _error(points, size if size == size else math.inf))


def _error(points: Points, size: Any) -> Any:
    return size * growth(points.most_entries + 1) + (points.most_entries + 2) * 2.0**-1073  # underflow is not relative


def sharper(points: Points, rows: NDArray[np.intp], w: Floats, b: float) -> Floats:
    """How wrong the scores of some rows may be, each by its own sum |w x|."""
    part = points.rows(rows)
    if isinstance(part, Csr):
        part = Csr(part.indptr, part.indices, np.abs(as_floats(part.values)), part.features)
    else:
        part = np.abs(as_floats(part))
    error: Floats = _error(points, _products(part, np.abs(w)) + abs(b))
    return error


def summed(where: NDArray[Any], numbers: Floats, count: int) -> Floats:
    """The sum of the numbers at each place."""
    return np.bincount(where, numbers, count).astype(np.float64)  # type: ignore[return-value,unused-ignore]


def _products(values: NDArray[Any] | Csr, w: Floats) -> Floats:
    """w.x of every row."""
    if isinstance(values, Csr):
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        return summed(rows, as_floats(values.values) * w[values.indices], values.shape[0])
    score = np.empty(len(values))
    for rows_now, part in in_floats(values):
        np.matmul(part, w, out=score[rows_now])
    return score


def in_floats(values: NDArray[Any]) -> Iterator[tuple[slice, Floats]]:
    """The rows as floats, a few at a time where they must be converted."""
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


def exact_score(points: Points, row: int, w: Sequence[Number], b: Number) -> Number:
    """w.x + b of one row, exactly."""
    return sum((w[j] * x for j, x in points.row(row).items()), b)


def is_plane(points: Points, w: NDArray[Any], b: Any) -> bool:
    """One finite weight a column, and a finite bias: a certificate that was read from a file may hold anything."""
    return w.shape == (points.features,) and all(not isinstance(x, float) or math.isfinite(x) for x in (*w.tolist(), b))


def are_shares(points: Points, rows: NDArray[Any], weights: Floats) -> bool:
    """Rows that exist, each with a weight of its own that is finite and not below 0."""
    return bool(
        rows.shape == weights.shape == (len(rows),)
        and ((rows >= 0) & (rows < points.count)).all()
        and (np.isfinite(weights) & (weights >= 0)).all()
    )


def separation(points: Points, w: NDArray[Any], b: Any) -> Separation:
    """Is every row strictly on its side of w.x + b = 0? Proven for every row, in floats where they suffice."""
    with np.errstate(all="ignore"):
        floats, bias = as_floats(w), _as_float(b)
        score, error = scores(points, floats, bias)
        score *= points.signs
        open_rows = np.flatnonzero(~(score > error))
        if len(open_rows):
            error[open_rows] = sharper(points, open_rows, floats, bias)
        least = score - error
        open_rows = np.flatnonzero(~(least > 0))
        wrong = [int(i) for i in open_rows if score[i] < -error[i]]
    decided = set(wrong)
    doubtful = [int(i) for i in open_rows if i not in decided]
    lowest = float(np.delete(least, open_rows).min(initial=math.inf)) if len(open_rows) else float(least.min())
    for i, value in _without_rounding(points, doubtful, w, b):
        if value > 0:
            lowest = min(lowest, float_below(value))
        else:
            wrong.append(i)
    if not wrong:
        lowest = _sharpened(points, w, b, score, error, lowest)
    return Separation(np.array(sorted(wrong), dtype=np.intp), lowest, len(doubtful))


def _without_rounding(points: Points, rows: Sequence[int], w: NDArray[Any], b: Any) -> Iterator[tuple[int, Number]]:
    """y (w.x + b) of some rows, exactly."""
    if len(rows):
        exact_w, exact_b = [exactly(x) for x in w.tolist()], exactly(b)
        for i in rows:
            yield i, int(points.signs[i]) * exact_score(points, i, exact_w, exact_b)


def _sharpened(points: Points, w: NDArray[Any], b: Any, score: Floats, error: Floats, lowest: float) -> float:
    """The least score without what rounding took from it, where that is much and few rows can be the nearest."""
    with np.errstate(all="ignore"):
        nearest = float((score + error).min())
        if not nearest - lowest > _LOOSE * nearest:
            return lowest
        near = np.flatnonzero(~(score - error > nearest))
    if len(near) * points.most_entries > _FEW:
        return lowest
    return min(float_below(value) for _, value in _without_rounding(points, near.tolist(), w, b))


def float_below(value: Number) -> float:
    """A float not above this positive number."""
    try:
        return float(value) * (1 - 4 * _UNIT)
    except OverflowError:
        return 1.7e308


def length(w: NDArray[Any]) -> float:
    """A little more than |w|."""
    floats = as_floats(w)
    floats = np.abs(floats[floats != 0])
    largest = float(floats.max(initial=0.0))
    if not 0 < largest < math.inf:
        return largest
    floats /= largest  # so that no square overflows, and those that vanish do not count
    return largest * math.sqrt(float(floats @ floats)) * (1 + growth(len(floats) + 8))


def margin_below(points: Points, w: NDArray[Any], b: Any, *, augmented: bool = False) -> float | None:
    """A little less than the distance of the nearest row to the hyperplane; None if some row is on the wrong side.

    `augmented` measures in the space of (x, 1), where the length of the normal includes b.
    """
    found = separation(points, w, b)
    if not found.holds:
        return None
    size = length(np.append(w, b) if augmented else w)
    return found.lowest / size * (1 - _SAFE) if 0 < size < math.inf else 0.0


def margin_above(points: Points, rows: NDArray[Any], weights: Floats, *, augmented: bool = False) -> float:
    """A little more than what no margin can exceed: half the distance between two points, one of each class's hull.

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
        error = growth(len(rows) + 4) * length(size)
        distance = length(point)
        # The shares sum to 1 up to rounding, which `error` covers: each is wrong by a few units, relatively.
        above = (distance + error) * (1 + _SAFE)
    if (not error <= _LOOSE * distance or distance < _TINY) and len(rows) * points.most_entries <= _FEW:
        return _exactly_above(points, rows, weights, augmented)
    above = (above if augmented else above / 2) + _TINY * _UNIT
    return above if math.isfinite(above) else math.inf


def _exactly_above(points: Points, rows: NDArray[Any], weights: Floats, augmented: bool) -> float:
    """`margin_above` without rounding until the square root."""
    signs, shares = points.signs[rows].tolist(), [Fraction(weight) for weight in weights.tolist()]
    sides = {
        sign: [share for share, s in zip(shares, signs, strict=True) if s == sign or augmented] for sign in (1, -1)
    }
    total = {sign: sum(side, Fraction(0)) for sign, side in sides.items()}
    if not total[1] or not total[-1]:
        return math.inf
    point = dict[int, Fraction]()
    for i, sign, share in zip(rows.tolist(), signs, shares, strict=True):
        part = sign * share / total[sign]
        for j, x in (points.row(i) | ({points.features: 1} if augmented else {})).items():
            point[j] = point.get(j, Fraction(0)) + part * x
    return _root_above(sum((x * x for x in point.values()), Fraction(0)) / (1 if augmented else 4))


def _root_above(square: Fraction) -> float:
    """A little more than the square root."""
    shift = 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    root = math.isqrt(math.floor(square * Fraction(4) ** shift)) + 1  # about 64 bits of it
    above = _as_float(Fraction(root) / Fraction(2) ** shift) * (1 + _SAFE) + 5e-324 if square else 0.0
    return above if math.isfinite(above) else math.inf


def _weighted(points: Points, rows: NDArray[Any], share: Floats) -> tuple[Floats, Floats]:
    """Sum of share * x over the rows, and of |share * x|."""
    part = points.rows(rows)
    if isinstance(part, Csr):
        products = as_floats(part.values) * np.repeat(share, np.diff(part.indptr))
        return summed(part.indices, products, points.features), summed(part.indices, np.abs(products), points.features)
    floats = as_floats(part)
    return share @ floats, np.abs(share) @ np.abs(floats)


def radius_above(points: Points) -> float:
    """A little more than the largest |(x, 1)|."""
    return math.hypot(points.longest, 1.0) * (1 + _SAFE)


def meets(points: Points, rows: Sequence[int], weights: Sequence[Fraction]) -> bool:
    """Is sum weight * y * (x, 1) = 0 exactly, with every weight above 0? Then no hyperplane separates the classes.

    For if y (w.x + b) > 0 held for all these rows, the sum of weight * y * (w.x + b) would be above 0; but it is
    w.0 + 0 = 0 (Gordan's theorem, 1873; this is the easy half).
    """
    if not len(rows) or len(rows) != len(weights) or len(set(rows)) != len(rows):
        return False
    if not all(0 <= i < points.count for i in rows) or not all(weight > 0 for weight in weights):
        return False
    common = math.lcm(*(weight.denominator for weight in weights))
    total, balance = dict[int, Number](), 0
    for i, weight in zip(rows, weights, strict=True):
        share = int(points.signs[i]) * (weight.numerator * (common // weight.denominator))
        balance += share
        for j, x in points.row(i).items():
            total[j] = total.get(j, 0) + share * x
    return balance == 0 and not any(total.values())


def residual(points: Points, rows: NDArray[Any], weights: Floats) -> float:
    """How far apart the two weighted means are, in floats: the distance, relative to the largest row."""
    above = 2 * margin_above(points, rows, weights)
    return above / radius_above(points)
