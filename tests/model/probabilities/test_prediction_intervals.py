"""Split conformal intervals: the finite-sample quantile, its promise on new examples, and what a file may hold."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.model.probabilities.prediction_intervals import half_width, prediction_interval, unpack_interval
from rosenblatt.storage.checked_header import Header
from tests.slow_twins.evaluate import conformal_rank


@given(
    distances=st.lists(st.integers(0, 20).map(float), max_size=60),
    percent=st.sampled_from([1, 10, 50, 70, 80, 90, 95, 99]),
)
def test_the_half_width_is_the_least_that_covers_enough(distances: list[float], percent: int) -> None:
    assert half_width(distances, percent / 100) == conformal_rank(distances, Fraction(percent, 100))


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("count", [9, 20, 99])
def test_new_examples_are_covered_as_promised(confidence: float, count: int) -> None:
    """Over many samples the coverage is between confidence and confidence + 1 / (n + 1), whatever the distribution."""
    random = np.random.default_rng(count)
    covered = []
    for _ in range(4000):
        residuals = random.standard_t(2, count + 1)  # without a variance
        covered.append(abs(residuals[-1]) <= prediction_interval(residuals[:-1].tolist(), confidence).half_width)
    chance = 3 * math.sqrt(confidence * (1 - confidence) / 4000)
    assert confidence - chance <= np.mean(covered) <= confidence + 1 / (count + 1) + chance


def test_the_coverage_is_measured_on_examples_that_the_half_width_does_not_come_from() -> None:
    residuals = np.random.default_rng(1).normal(0, 1, 2000)
    interval = prediction_interval(residuals.tolist(), 0.9, "held-out")
    assert interval.examples == 2000
    assert interval.coverage == pytest.approx(0.9, abs=0.02)
    alternating = [1.0, 5.0] * 50  # each half knows nothing of the other
    assert prediction_interval(alternating, 0.9).covered == 50


def test_progressive_residuals_count_from_the_second_half() -> None:
    interval = prediction_interval([100.0] * 50 + [1.0] * 50, 0.9, "progressive")
    assert (interval.half_width, interval.examples, interval.coverage) == (1.0, 50, 1.0)


def test_too_few_examples_promise_nothing() -> None:
    assert prediction_interval([1.0] * 8, 0.9).half_width == math.inf
    assert prediction_interval([1.0] * 9, 0.9).half_width == 1.0
    empty = prediction_interval([], 0.9)
    assert (empty.half_width, empty.coverage) == (math.inf, 0.0)


@pytest.mark.parametrize("residuals", [[1.0, 2.0, 3.0] * 10, [1.0]])
def test_an_interval_goes_through_a_header(residuals: list[float]) -> None:
    interval = prediction_interval(residuals, 0.8, "out-of-fold")
    assert unpack_interval(Header(json.loads(json.dumps(interval.pack())))) == interval


@pytest.mark.parametrize(
    "change", [{"half_width": -1.0}, {"confidence": 1.0}, {"covered": 31}, {"examples": -1}, {"half_width": "wide"}]
)
def test_a_damaged_header_is_refused(change: dict[str, object]) -> None:
    packed = prediction_interval([1.0, 2.0, 3.0] * 10, 0.8).pack()
    with pytest.raises(ModelError):
        unpack_interval(Header(packed | change))


@pytest.mark.parametrize("confidence", [0.0, 1.0, math.nan, -3])
def test_a_confidence_outside_0_to_1_is_refused(confidence: float) -> None:
    with pytest.raises(ParameterError, match="confidence of an interval must be above 0 and below 1"):
        prediction_interval([1.0], confidence)
