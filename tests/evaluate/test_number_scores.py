"""Scores of predicted numbers equal scikit-learn's and the slow twin's, and their intervals contain the true value."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.evaluate.bootstrap import GROUPS, bootstrap
from rosenblatt.evaluate.confidence_intervals import clopper_pearson
from rosenblatt.evaluate.number_scores import NumberScores, NumberTally, evaluate_numbers, weighted_median
from tests.slow_twins.evaluate import number_scores

LEVELS = (0.1, 0.5, 0.9)
each_seed = pytest.mark.parametrize("seed", range(4))
each_way = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])


def numbers(seed: int, count: int = 300, weighted: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Targets, predictions that follow them loosely, weights or none."""
    random = np.random.default_rng(seed)
    truth = random.normal(50, 10, count)
    predicted = 0.7 * truth + 15 + random.normal(0, 4, count)
    return truth, predicted, random.uniform(0.1, 3, count) if weighted else None


def values(scores: NumberScores) -> list[float]:
    assert scores.r2 is not None
    pinballs = [of_level.pinball.value for of_level in scores.quantiles]
    return [scores.rmse.value, scores.mae.value, scores.mean_error.value, scores.r2.value, *pinballs]


@each_seed
@each_way
def test_scores_are_scikit_learns(seed: int, weighted: bool) -> None:
    truth, predicted, weights = numbers(seed, weighted=weighted)
    quantiles = {level: predicted + 8 * (level - 0.5) for level in LEVELS}
    ours = evaluate_numbers(truth, predicted, weights=weights, quantiles=quantiles)
    weighting = {"sample_weight": weights}
    assert ours.rmse.value == pytest.approx(math.sqrt(metrics.mean_squared_error(truth, predicted, **weighting)))
    assert ours.mae.value == pytest.approx(metrics.mean_absolute_error(truth, predicted, **weighting))
    assert ours.r2 is not None
    assert ours.r2.value == pytest.approx(metrics.r2_score(truth, predicted, **weighting))
    for of_level in ours.quantiles:
        column = quantiles[of_level.level]
        expected = metrics.mean_pinball_loss(truth, column, alpha=of_level.level, **weighting)
        assert of_level.pinball.value == pytest.approx(expected)
        assert of_level.below.value == pytest.approx(np.average(truth <= column, weights=weights))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.floats(0.01, 100)), min_size=2, max_size=30
    ).filter(lambda rows: np.ptp([row[0] for row in rows]) > 1e-3),
    exponent=st.sampled_from([0, -900, 900, 40]),
    cut=st.integers(0, 30),
)
def test_scores_are_the_slow_twins_in_any_unit_and_any_blocks(
    rows: list[tuple[float, float, float]], exponent: int, cut: int
) -> None:
    truth, predicted, weights = (np.array(column) for column in zip(*rows, strict=True))
    unit = 2.0**exponent
    tally = NumberTally(LEVELS)
    for part in (slice(0, cut), slice(cut, None)):
        columns = np.stack([predicted[part] * unit] * len(LEVELS), axis=1)
        tally.add(truth[part] * unit, predicted[part] * unit, weights[part], columns)
    rmse, mae, error, r2, *pinballs = number_scores(truth, predicted, weights, LEVELS)
    expected = [rmse * unit, mae * unit, error * unit, r2, *(loss * unit for loss in pinballs)]
    assert values(tally.scores()) == pytest.approx(expected, rel=1e-9, abs=1e-9 * unit)


@each_way
def test_chunks_add_up_to_the_whole(weighted: bool) -> None:
    truth, predicted, weights = numbers(1, 5000, weighted)
    bounds = predicted - 5, predicted + 5
    tally = NumberTally((0.9,), 0.8)
    for at in (slice(0, 7), slice(7, 7), slice(7, 4000), slice(4000, None)):
        part = None if weights is None else weights[at]
        tally.add(truth[at], predicted[at], part, predicted[at, None] + 5, (bounds[0][at], bounds[1][at]))
    parts = tally.scores()
    whole = evaluate_numbers(
        truth, predicted, weights=weights, quantiles={0.9: predicted + 5}, intervals=bounds, confidence=0.8
    )
    for name in ("rmse", "mae", "r2", "mean_error", "coverage"):
        a, b = getattr(parts, name), getattr(whole, name)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-9)
    assert (parts.mean, parts.median, parts.width) == pytest.approx((whole.mean, whole.median, whole.width))
    assert (parts.examples, parts.drawn) == (5000, 5000)


def test_targets_far_from_zero_lose_no_digits() -> None:
    truth, predicted, _ = numbers(0)
    near = evaluate_numbers(truth, predicted)
    far = evaluate_numbers(truth + 1e9, predicted + 1e9)
    assert near.r2 is not None
    assert far.r2 is not None
    assert (far.r2.value, far.rmse.value) == pytest.approx((near.r2.value, near.rmse.value), rel=1e-6)
    outlier_first = evaluate_numbers([1e9, *truth], [1e9, *predicted])
    assert outlier_first.r2 is not None
    assert outlier_first.rmse.value == pytest.approx(near.rmse.value * math.sqrt(300 / 301), rel=1e-6)


def test_very_large_numbers_after_small_ones_do_not_overflow() -> None:
    tally = NumberTally((0.5,))
    with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise"):
        warnings.simplefilter("error")
        tally.add(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), None, np.array([[1.0], [2.0], [3.0]]))
        tally.add(np.array([1e300, -1e300]), np.array([-1e300, 1e300]), None, np.array([[1e300], [1e300]]))
        scores = tally.scores()
    assert scores.rmse.value == pytest.approx(2e300 * math.sqrt(2 / 5))
    assert scores.r2 is not None
    assert scores.r2.value == pytest.approx(-3)
    assert scores.quantiles[0].pinball.value == pytest.approx(1e300 / 5)


def test_baselines_are_the_mean_and_the_median() -> None:
    truth, predicted, weights = numbers(2, weighted=True)
    scores = evaluate_numbers(truth, predicted, weights=weights)
    mean = np.average(truth, weights=weights)
    assert scores.mean == pytest.approx(mean)
    assert scores.baseline_rmse == pytest.approx(math.sqrt(np.average((truth - mean) ** 2, weights=weights)))
    assert scores.baseline_mae == pytest.approx(np.average(np.abs(truth - scores.median), weights=weights))
    for other in np.linspace(30, 70, 81):  # no constant is better than the median
        assert scores.baseline_mae <= np.average(np.abs(truth - other), weights=weights) + 1e-12
    assert scores.r2 is not None
    assert scores.r2.value == pytest.approx(1 - (scores.rmse.value / scores.baseline_rmse) ** 2)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12))
def test_the_median_is_numpys(targets: list[int]) -> None:
    assert weighted_median(np.array(targets, dtype=float), np.ones(len(targets))) == np.median(targets)


def test_coverage_is_the_share_inside_with_the_exact_interval() -> None:
    truth, predicted, _ = numbers(0, 400)
    low, high = predicted - 6, predicted + 6
    scores = evaluate_numbers(truth, predicted, intervals=(low, high), confidence=0.9)
    hits = int(((low <= truth) & (truth <= high)).sum())
    exact = binomtest(hits, 400).proportion_ci(method="exact")
    assert scores.coverage is not None
    assert (scores.coverage.value, scores.coverage.low, scores.coverage.high) == pytest.approx(
        (hits / 400, exact.low, exact.high)
    )
    assert scores.width == pytest.approx(12)
    assert scores.confidence == 0.9


@given(hits=st.integers(0, 60), more=st.integers(0, 60))
def test_the_exact_interval_is_scipys(hits: int, more: int) -> None:
    count = hits + more + 1
    interval, expected = clopper_pearson(hits / count, count), binomtest(hits, count).proportion_ci(method="exact")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-11)


@pytest.mark.parametrize("count", [40, 2 * GROUPS])
def test_intervals_contain_the_true_value_about_as_often_as_they_should(count: int) -> None:
    """The true value comes from a very large sample; about 95% of the intervals must contain it."""
    names = ("rmse", "mae", "r2", "mean_error")
    large = evaluate_numbers(*numbers(10**6, 500_000)[:2])
    samples = [evaluate_numbers(*numbers(seed, count)[:2]) for seed in range(100)]
    for name in names:
        real = getattr(large, name).value
        covered = [getattr(scores, name).low <= real <= getattr(scores, name).high for scores in samples]
        assert 0.88 <= np.mean(covered) <= 0.99, name


def test_the_interval_of_a_mean_is_nearly_that_of_students_t() -> None:
    from scipy.stats import t

    x = np.random.default_rng(0).normal(3, 2, 25)
    (ours,) = bootstrap(np.stack([np.ones(25), x], axis=1), lambda sums: sums[..., 1:] / sums[..., :1])
    low, high = t.interval(0.95, 24, x.mean(), x.std(ddof=1) / 5)
    assert (ours.value, ours.low, ours.high) == pytest.approx((x.mean(), low, high), abs=0.1)
    assert [ours] == bootstrap(np.stack([np.ones(25), x], axis=1), lambda sums: sums[..., 1:] / sums[..., :1])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 12))
def test_intervals_contain_their_value_and_stay_in_range(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    truth = np.round(random.normal(0, 1, count))
    scores = evaluate_numbers(truth, np.round(random.normal(0, 1, count)), intervals=(truth - 1, truth + 1))
    for estimate in (scores.rmse, scores.mae, scores.mean_error, scores.r2, scores.coverage):
        if estimate is not None:
            assert estimate.low <= estimate.value <= estimate.high
    assert scores.rmse.low >= 0
    assert scores.mae.low >= 0
    assert scores.r2 is None or scores.r2.high <= 1
    assert (scores.r2 is None) == (np.ptp(truth) == 0)


def test_one_example_says_nothing_about_the_spread() -> None:
    scores = evaluate_numbers([3.0], [4.0])
    assert (scores.rmse.value, scores.rmse.low, scores.rmse.high) == (1, 0, math.inf)
    assert scores.r2 is None


def test_very_many_examples_are_sampled_evenly_and_summed_fully() -> None:
    truth, predicted, _ = numbers(0, 10_000)
    tally = NumberTally(most_drawn=1000)
    for start in range(0, 10_000, 333):
        tally.add(truth[start : start + 333], predicted[start : start + 333])
    scores = tally.scores()
    assert 500 <= scores.drawn <= 1000
    np.testing.assert_array_equal(tally.sample.columns()[0], truth[:: tally.sample.stride])
    assert scores.rmse.value == pytest.approx(math.sqrt(metrics.mean_squared_error(truth, predicted)))
    assert scores.median == pytest.approx(np.median(truth), abs=1)


def test_a_worthless_model_and_broken_promises_are_said() -> None:
    truth, predicted, _ = numbers(0)
    assert evaluate_numbers(truth, predicted, intervals=(predicted - 20, predicted + 20)).warnings() == []
    guess = np.random.default_rng(0).permutation(predicted)
    (worthless,) = evaluate_numbers(truth, guess).warnings()
    assert worthless.kind == "no better"
    assert "not clearly better than always guessing the mean" in worthless.sentence
    (broken,) = evaluate_numbers(truth, predicted, intervals=(predicted - 2, predicted + 2)).warnings()
    assert broken.kind == "coverage"
    assert "which promise 0.9" in broken.sentence


def test_bad_arrays_are_refused() -> None:
    with pytest.raises(DataError, match="Input predicted contains nan at row 1"):
        evaluate_numbers([1, 2], [1, math.nan])
    with pytest.raises(DataError, match="Input truth contains inf at row 0"):
        evaluate_numbers([math.inf, 2], [1, 2])
    with pytest.raises(ParameterError, match="predicted must be one number for each example"):
        evaluate_numbers([1, 2], [1, 2, 3])
    with pytest.raises(DataError, match="no examples"):
        evaluate_numbers([], [])
