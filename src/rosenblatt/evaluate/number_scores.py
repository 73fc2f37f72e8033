"""Predicted numbers -> NumberScores: summed block by block, in bounded memory.

RMSE, MAE, R² and pinball losses are functions of sums over the examples, and their intervals are from a bootstrap of
groups of examples. Shares of examples have the exact interval of a binomial share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.evaluate.bootstrap import GROUPS, bootstrap
from rosenblatt.evaluate.confidence_intervals import Estimate, clopper_pearson
from rosenblatt.evaluate.even_sample import EvenSample
from rosenblatt.losses import quantile
from rosenblatt.model.warnings.drift import Drift, NewWords
from rosenblatt.model.warnings.fit_warnings import Caution
from rosenblatt.records import Floats

# Examples kept for the median and the charts; of more every second one, then every fourth, and so on.
MAX_DRAWN = 1 << 20
_HEADROOM = 200  # powers of two by which numbers may exceed the first ones before the sums are rescaled
_DEVIATION, _SQUARES, _ABSOLUTE, _ERROR, _PINBALL = range(5)  # columns of the sums; a pinball loss for each level


@dataclass(frozen=True)
class QuantileScores:
    """Predictions of one quantile: `below` is the share of targets at or below them, which should be the `level`."""

    level: float
    pinball: Estimate
    below: Estimate


@dataclass(frozen=True)
class NumberScores:
    """How good predicted numbers are, each score with its 95% confidence interval.

    RMSE, MAE, mean error and pinball losses are in the unit of the target. `r2` is None where all targets are equal;
    `coverage` and `width` where no intervals were predicted.
    """

    examples: int
    rmse: Estimate
    mae: Estimate
    r2: Estimate | None
    mean_error: Estimate  # of prediction minus target: above 0, predictions are too high on average
    mean: float  # of the targets
    median: float
    baseline_rmse: float  # of always guessing that mean
    baseline_mae: float  # of always guessing that median
    quantiles: tuple[QuantileScores, ...] = ()
    confidence: float | None = None  # the share of targets that the intervals promise to hold
    coverage: Estimate | None = None  # the share of targets within them
    width: float | None = None  # their mean width
    drawn: int = 0  # examples used for the median and the charts: all of them, or an even sample of very many

    def warnings(self, *, weighs_errors: bool = False) -> list[Caution]:
        """What a user must know about these scores, in a sentence each."""
        cautions = []
        if (self.r2 is None or self.r2.low <= 0) and self.mae.high >= self.baseline_mae:
            cautions.append(
                Caution(
                    "no better",
                    f"The model is not clearly better than always guessing the mean, {self.mean:.6g}: its RMSE is "
                    f"{self.rmse.value:.6g}, that of the guess {self.baseline_rmse:.6g} ({self.examples:,} examples).",
                )
            )
        if self.coverage is not None and self.confidence is not None and self.coverage.high < self.confidence:
            cautions.append(
                Caution(
                    "coverage",
                    f"Only {self.coverage.value:.1%} of the targets lie within their intervals, which promise "
                    f"{self.confidence:.4g}: these examples differ from those that the model learned.",
                )
            )
        return cautions


class NumberTally:
    """Predicted numbers and targets, summed block by block; `scores()` at any time.

    `levels` are those of the predicted quantiles, `confidence` that of the predicted intervals.
    """

    def __init__(
        self, levels: Sequence[float] = (), confidence: float | None = None, most_drawn: int = MAX_DRAWN
    ) -> None:
        self.levels = tuple(float(level) for level in levels)
        self.confidence = confidence
        self.examples = 0
        self.squares = 0.0  # of the weights
        self.below = np.zeros(len(self.levels))  # weight of the targets at or below each predicted quantile
        self.inside = 0.0  # weight of the targets within their intervals
        self.width = 0.0  # weighted sum of the widths, over the scale
        self.weights: Floats = np.zeros(GROUPS)  # of the examples of each group
        self.means: Floats = np.zeros(GROUPS)  # of their targets, over the scale
        self.sums: Floats = np.zeros((GROUPS, _PINBALL + len(self.levels)))  # over the scale, or its square
        self.exponent: int | None = None  # the scale is a power of two, so that no square overflows
        self.sample = EvenSample(most_drawn)
        self.reading_warnings: list[str] = []
        self.drift: Drift | None = None
        self.new_words: NewWords | None = None

    def add(
        self,
        truth: Floats,
        predicted: Floats,
        weights: Floats | None = None,
        quantiles: Floats | None = None,
        intervals: tuple[Floats, Floats] | None = None,
    ) -> None:
        """Sum a block: targets and predictions, a column of `quantiles` for each level, lower and upper bounds."""
        count = len(truth)
        if count == 0:
            return
        weights = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
        levels = np.zeros((count, 0)) if quantiles is None else np.asarray(quantiles, dtype=np.float64)
        low, high = (predicted, predicted) if intervals is None else intervals
        self._scale_for(truth, predicted, levels)
        scale = 2.0 ** -(self.exponent or 0)
        y, error = truth * scale, predicted * scale - truth * scale
        group = (self.examples + np.arange(count)) % GROUPS
        losses = [quantile(level)(levels[:, k] * scale - y) for k, level in enumerate(self.levels)]
        self._add_targets(y, weights, group)
        for column, values in zip(self.sums.T[_SQUARES:], (error * error, np.abs(error), error, *losses), strict=True):
            column += np.bincount(group, weights * values, GROUPS)
        self.squares += float(np.square(weights).sum())
        self.below += [float(weights[truth <= levels[:, k]].sum()) for k in range(len(self.levels))]
        self.inside += float(weights[(low <= truth) & (truth <= high)].sum())
        self.width += float((weights * (high * scale - low * scale)).sum())
        self.sample.add(truth, predicted, weights, levels, np.stack([low, high], axis=1))
        self.examples += count

    def _scale_for(self, *numbers: Floats) -> None:
        largest = max(float(np.abs(part).max(initial=0.0)) for part in numbers)
        exponent = math.frexp(largest)[1]
        if largest and (self.exponent is None or exponent > self.exponent + _HEADROOM):
            shrink = 0.0 if self.exponent is None else 2.0 ** (self.exponent - exponent)
            self.sums *= shrink
            self.sums[:, [_DEVIATION, _SQUARES]] *= shrink
            self.means *= shrink
            self.width *= shrink
            self.exponent = exponent

    def _add_targets(self, y: Floats, weights: Floats, group: NDArray[np.intp]) -> None:
        """Merge means and squared deviations of each group (Chan, Golub and LeVeque 1979) without losing digits."""
        new = np.bincount(group, weights, GROUPS)
        means = np.bincount(group, weights * y, GROUPS) / np.where(new > 0, new, 1.0)
        deviations = np.bincount(group, weights * np.square(y - means[group]), GROUPS)
        total = self.weights + new
        share = new / np.where(total > 0, total, 1.0)
        apart = means - self.means
        self.sums[:, _DEVIATION] += deviations + self.weights * share * apart * apart
        self.means += share * apart
        self.weights = total

    def scores(self) -> NumberScores:
        """The scores of everything summed so far."""
        unit = 2.0 ** (self.exponent or 0)
        used = self.weights > 0
        weights, weight = self.weights[used], float(self.weights.sum())
        if weight == 0:
            raise DataError("There are no examples to judge the predictions by.")
        centre = float((self.weights * self.means).sum()) / weight
        apart = self.means[used] - centre
        sums = np.column_stack([weights, weights * apart, self.sums[used]])
        sums[:, 2 + _DEVIATION] += weights * apart * apart
        rmse, mae, error, r2, *pinball = bootstrap(sums, _statistics)
        n = weight * weight / self.squares
        truth, _, sample_weights, _, _ = self.sample.columns()
        median = weighted_median(truth, sample_weights)
        away = np.abs(truth / unit - median / unit)
        within = None if self.confidence is None else clopper_pearson(self.inside / weight, n)
        variance = float(sums[:, 2 + _DEVIATION].sum()) / weight
        return NumberScores(
            examples=self.examples,
            rmse=_times(rmse, unit, least=0.0),
            mae=_times(mae, unit, least=0.0),
            r2=Estimate(r2.value, r2.low, min(r2.high, 1.0)) if math.isfinite(r2.value) else None,
            mean_error=_times(error, unit),
            mean=centre * unit,
            median=median,
            baseline_rmse=math.sqrt(variance) * unit,
            baseline_mae=float(np.average(away, weights=sample_weights)) * unit,
            quantiles=tuple(
                QuantileScores(level, _times(loss, unit, least=0.0), clopper_pearson(float(below) / weight, n))
                for level, loss, below in zip(self.levels, pinball, self.below, strict=True)
            ),
            confidence=self.confidence,
            coverage=within,
            width=None if within is None else self.width / weight * unit,
            drawn=len(self.sample),
        )


def _statistics(sums: Floats) -> Floats:
    """RMSE, MAE, mean error, R² and the pinball losses; sums of weights and of weighted deviations come first."""
    weight, apart = sums[..., 0], sums[..., 1]
    deviation, squares, absolute, error = (sums[..., 2 + k] for k in range(_PINBALL))
    variance = deviation - apart * apart / weight
    r2 = np.where(variance > 0, 1 - squares / variance, np.nan)
    means = sums[..., 2 + _ABSOLUTE :] / weight[..., None]
    return np.stack(
        [
            np.sqrt(np.maximum(squares / weight, 0.0)),
            absolute / weight,
            error / weight,
            r2,
            *np.moveaxis(means[..., 2:], -1, 0),
        ],
        axis=-1,
    )


def _times(estimate: Estimate, unit: float, least: float = -math.inf) -> Estimate:
    return Estimate(estimate.value * unit, max(estimate.low * unit, least), estimate.high * unit)


def weighted_median(values: Floats, weights: Floats) -> float:
    """The least value with half of the weight at or below it; between the two middle ones if that is exactly half.

    >>> weighted_median(np.array([3.0, 1.0, 2.0, 10.0]), np.ones(4))
    2.5
    """
    order = np.argsort(values, kind="stable")
    below, values = np.cumsum(weights[order]), values[order]
    half = below[-1] / 2
    at = min(int(np.searchsorted(below, half)), len(values) - 1)
    if below[at] == half and at + 1 < len(values):
        return float(values[at] / 2 + values[at + 1] / 2)
    return float(values[at])


def evaluate_numbers(
    truth: Any,
    predicted: Any,
    *,
    weights: Any = None,
    quantiles: Mapping[float, Any] | None = None,
    intervals: tuple[Any, Any] | None = None,
    confidence: float = 0.9,
) -> NumberScores:
    """How good predicted numbers are; `quantiles` by their level, `intervals` as lower and upper bounds.

    >>> scores = evaluate_numbers([1, 2, 3, 4], [1.5, 2, 3, 3.5], intervals=([0, 1, 2, 3], [2, 3, 4, 3.9]))
    >>> f"{scores.mae.value:.2f}", f"{scores.r2.value:.2f}", f"{scores.coverage:.2f}"
    ('0.25', '0.90', '0.75 [0.19, 0.99]')
    """
    levels = dict(quantiles or {})
    truth = _numbers("truth", truth)
    columns = [_numbers(f"the quantile {level}", column, len(truth)) for level, column in levels.items()]
    bounds = None
    if intervals is not None:
        low, high = (_numbers("a bound of the intervals", bound, len(truth), infinite=True) for bound in intervals)
        bounds = (low, high)
    tally = NumberTally(tuple(levels), None if bounds is None else confidence)
    tally.add(
        truth,
        _numbers("predicted", predicted, len(truth)),
        None if weights is None else _numbers("weights", weights, len(truth)),
        np.column_stack(columns) if columns else None,
        bounds,
    )
    return tally.scores()


def _numbers(name: str, values: Any, count: int | None = None, *, infinite: bool = False) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or (count is not None and len(numbers) != count):
        raise ParameterError(f"{name} must be one number for each example. Got the shape {numbers.shape} instead.")
    unsound = np.isnan(numbers) if infinite else ~np.isfinite(numbers)
    if unsound.any():
        raise DataError(f"Input {name} contains {numbers[unsound.argmax()]} at row {int(unsound.argmax())}.")
    return numbers
