"""Numbers that are names, such as those of shops, persons and zip codes: columns of whole numbers that tell more of the
label as words than as amounts, measured on the first rows of a table.

What is known of the other rows with the same number guesses each row's label. Its log loss is compared with that of
logistic regression on the amount, and of the rows with the next larger and smaller numbers: of an amount they say
nearly as much, of a name nothing. Where there are so few numbers that all are neighbours, only the regression counts.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.table.parse_cells import LARGEST_WHOLE
from rosenblatt.records import Floats

_ROWS, _FIRST_ROWS = 1 << 15, 256  # rows that are looked at, in all and at first
_FEWEST_ROWS = 100
_REPEATS = 4  # rows of each number, on average
_MOST_COLUMNS = 100  # a table with more columns of whole numbers is a matrix of measurements
_FEW_NUMBERS = 10
_CLEARLY = 4.0  # standard errors of the gain, by rows
# The same by numbers, as if all rows of a number were alike; not needed where numbers are few. 20 names whose effects
# are normal have three or so.
_CLEARLY_BY_NUMBERS = 1.5
_LEAST = 0.01  # the least gain, as a share of the log loss of always guessing the shares of the classes
_CLASSES = 10  # the most common ones; the others are one class more
_QUANTILES = (0.2, 0.4, 0.6, 0.8)  # they divide a number to predict into groups
_PRIORS = (1.0, 3.0, 10.0, 30.0)  # how many rows of all numbers are added to those of each
_NEIGHBOURS = (1, 2, 4)  # numbers at each side
_STEPS = 24  # of the regression
_HEAVY_TAILS = 10.0  # the fourth moment beyond which amounts are compared by logarithms


class Groups(NamedTuple):
    """The label of each row as one of a few groups; -1 where there is none."""

    of_rows: NDArray[np.intp]
    n_groups: int

    @staticmethod
    def of_classes(codes: NDArray[np.intp]) -> Groups:
        counts = np.bincount(codes[codes >= 0])
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        group_of = np.full(len(counts) + 1, min(len(order) - 1, _CLASSES))
        group_of[order[:_CLASSES]] = np.arange(min(len(order), _CLASSES))
        group_of[-1] = -1
        return Groups(group_of[codes], min(len(order), _CLASSES + 1))

    @staticmethod
    def of_numbers(targets: Floats) -> Groups:
        known = np.isfinite(targets)
        limits = np.unique(np.quantile(targets[known], _QUANTILES)) if known.any() else np.empty(0)
        return Groups(np.where(known, np.searchsorted(limits, targets), -1), len(limits) + 1)


def names_among(columns: Sequence[int], parts: Sequence[Floats], groups: Groups) -> list[int]:
    """Those columns of numbers (whose rows are in `parts`) that tell more about the groups as words."""
    remaining = np.array(columns, dtype=np.intp)
    remaining = remaining[_may_be_names(parts[0][:_FIRST_ROWS, remaining])]  # most columns of measurements end here
    for part in parts:
        remaining = remaining[_may_be_names(part[:, remaining])]
    low, high = (
        extreme.reduce([extreme.reduce(part[:, remaining]) for part in parts]) for extreme in (np.fmin, np.fmax)
    )
    remaining = remaining[high - low >= 2.0]  # more than two values
    if len(remaining) > _MOST_COLUMNS:
        return []
    return [j for j in remaining.tolist() if is_name(np.concatenate([part[:, j] for part in parts])[:_ROWS], groups)]


def _may_be_names(part: Floats) -> NDArray[np.bool_]:
    """Which columns hold nothing but whole numbers and missing cells."""
    with np.errstate(invalid="ignore"):
        is_whole = (part == np.floor(part)) & (np.abs(part) < LARGEST_WHOLE)
    every: NDArray[np.bool_] = (is_whole | np.isnan(part)).all(axis=0)
    return every


def is_name(values: Floats, groups: Groups) -> bool:
    """Whether these whole numbers, one a row, tell clearly more of the groups as words than as amounts.

    >>> shift = np.arange(300.0) % 3
    >>> is_name(shift, Groups.of_classes((shift == 1).astype(int)))
    True
    >>> is_name(shift, Groups.of_classes((shift == 2).astype(int)))
    False
    """
    of_rows = groups.of_rows[: len(values)]
    known = (of_rows >= 0) & ~np.isnan(values)
    numbers, codes = _numbered(values[known])
    if len(codes) < max(_FEWEST_ROWS, _REPEATS * len(numbers)) or len(numbers) < 3 or groups.n_groups < 2:
        return False
    cells = np.bincount(codes * groups.n_groups + of_rows[known], minlength=len(numbers) * groups.n_groups)
    counts = cells.reshape(-1, groups.n_groups).astype(float)
    few = len(numbers) <= _FEW_NUMBERS
    words = min(
        (_by_same_number(counts, prior) for prior in _PRIORS), key=lambda losses: float((counts * losses).sum())
    )
    shares = np.broadcast_to(counts.sum(axis=0) / len(codes), counts.shape)
    least = _LEAST * float((counts * _losses(shares)).sum())
    for amount in _by_amount(numbers, counts, few=few):
        gain, by_rows, by_numbers = _gain(counts, amount - words)
        is_clear = by_rows > _CLEARLY and (few or by_numbers > _CLEARLY_BY_NUMBERS)
        if not is_clear or gain < least:
            return False
    return True


def _numbered(values: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """The different numbers in their order, and which of them each row has."""
    low = values.min(initial=0.0)
    if values.max(initial=0.0) - low > _REPEATS * len(values):
        return np.unique(values, return_inverse=True)
    places = (values - low).astype(np.intp)  # faster than sorting
    occurs = np.bincount(places) > 0
    return np.flatnonzero(occurs) + low, (np.cumsum(occurs) - 1)[places]


def _losses(chances: Floats) -> Floats:
    result: Floats = -np.log(np.clip(chances, 1e-6, 1.0))
    return result


def _gain(counts: Floats, gain: Floats) -> tuple[float, float, float]:
    """The gain, and the gain in standard errors: if rows are independent, and if all rows of a number are alike."""
    of_numbers = (counts * gain).sum(axis=1)
    total = float(of_numbers.sum())
    squares = float((counts * gain * gain).sum()) - total**2 / float(counts.sum())
    squares_of_numbers = float(((of_numbers - total / len(counts)) ** 2).sum())
    return total, total / max(squares, 1e-300) ** 0.5, total / max(squares_of_numbers, 1e-300) ** 0.5


def _by_same_number(counts: Floats, prior: float) -> Floats:
    """The losses of a row of each number and group by the other rows of the number."""
    share = np.maximum(counts.sum(axis=0) - 0.5, 0.0) / counts.sum()
    others = np.maximum(counts - 1.0, 0.0)
    return _losses((others + prior * share) / (counts.sum(axis=1, keepdims=True) - 1.0 + prior))


def _by_amount(numbers: Floats, counts: Floats, *, few: bool) -> Iterator[Floats]:
    for reach in () if few else _NEIGHBOURS:
        yield _by_neighbours(counts, reach)
    yield _by_regression(_standardised(numbers, counts.sum(axis=1)), counts)


def _by_neighbours(counts: Floats, reach: int) -> Floats:
    """The losses by the rows of the next numbers at both sides, without those of the number itself."""
    positions, shares = np.arange(len(counts)), counts.sum(axis=0) / counts.sum()
    low, high = np.maximum(positions - reach, 0), np.minimum(positions + reach + 1, len(counts))
    before = np.vstack([np.zeros((1, counts.shape[1])), counts.cumsum(axis=0)])
    near = before[high] - before[low] - counts
    return _losses((near + 3.0 * shares) / (near.sum(axis=1, keepdims=True) + 3.0))


def _by_regression(x: Floats, counts: Floats) -> Floats:
    """The losses by logistic regression on x, a value for each number."""
    n_groups = counts.shape[1]
    rows = native.rows_of(np.repeat(x, n_groups)[:, None], degree=1)
    labels, weights = np.tile(np.arange(n_groups, dtype=np.int32), len(x)), counts.ravel()
    order = array("I", np.flatnonzero(weights).tolist())
    start = native.log_odds(labels, n_groups, weights)
    coef, bias = native.logistic_minimum(rows, order, labels, weights, n_groups, 1e-6, _STEPS, None, start)[:2]
    scores = x[:, None] * np.asarray(coef).ravel() + np.asarray(bias)
    if n_groups == 2:
        scores = np.hstack([np.zeros_like(scores), scores])
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    return _losses(chances / chances.sum(axis=1, keepdims=True))


def _standardised(numbers: Floats, rows: Floats) -> Floats:
    """The numbers in deviations from their mean; by logarithms where a few are far larger."""
    x = _deviations(numbers, rows)
    if (rows * x**4).sum() > _HEAVY_TAILS * rows.sum():
        x = _deviations(np.copysign(np.log1p(20.0 * np.abs(x)), x), rows)
    return x


def _deviations(numbers: Floats, rows: Floats) -> Floats:
    x = numbers - (rows * numbers).sum() / rows.sum()
    result: Floats = x / max(np.sqrt((rows * x * x).sum() / rows.sum()), 1e-300)
    return result
