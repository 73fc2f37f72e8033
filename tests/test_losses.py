"""The losses of the lectures: golden values, subgradients as the lectures define them, and how the losses differ."""

import copy
import doctest
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt import losses, options
from rosenblatt.errors import ParameterError
from rosenblatt.losses import (
    Loss,
    absolute,
    hinge,
    huber,
    is_minimum,
    logistic,
    perceptron,
    quantile,
    squared,
    squared_error,
    zero_one,
)

NAMED = [*losses.LOSSES.values(), absolute, squared_error]
BUILT = [quantile(0.5), quantile(0.9), quantile(1e-6), huber(1.0), huber(0.25), huber(1e9)]
ALL = [*NAMED, *BUILT]
CONVEX = [loss for loss in ALL if loss.convex]
KINKS = {"zero_one": 0.0, "perceptron": 0.0, "hinge": 1.0, "absolute": 0.0, **{loss.name: 0.0 for loss in BUILT[:3]}}

each_loss = pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
each_convex = pytest.mark.parametrize("loss", CONVEX, ids=lambda loss: loss.name)
points = st.one_of(st.floats(-1e6, 1e6), st.integers(-3, 3).map(float))
shares = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("loss", "m", "value", "slope", "interval"),
    [
        (zero_one, -2.0, 1.0, 0.0, (math.inf, -math.inf)),
        (zero_one, 0.0, 1.0, 0.0, (math.inf, -math.inf)),
        (zero_one, 2.0, 0.0, 0.0, (0.0, 0.0)),
        (perceptron, -2.0, 2.0, -1.0, (-1.0, -1.0)),
        (perceptron, 0.0, 0.0, -1.0, (-1.0, 0.0)),
        (perceptron, 2.0, 0.0, 0.0, (0.0, 0.0)),
        (hinge, -2.0, 3.0, -1.0, (-1.0, -1.0)),
        (hinge, 1.0, 0.0, 0.0, (-1.0, 0.0)),
        (hinge, 2.0, 0.0, 0.0, (0.0, 0.0)),
        (logistic, 0.0, math.log(2.0), -0.5, (-0.5, -0.5)),
        (logistic, math.log(3.0), math.log(4.0 / 3.0), -0.25, (-0.25, -0.25)),
        (logistic, -math.log(3.0), math.log(4.0), -0.75, (-0.75, -0.75)),
        (squared, -2.0, 4.5, -3.0, (-3.0, -3.0)),
        (squared, 1.0, 0.0, 0.0, (0.0, 0.0)),
        (squared, 3.0, 2.0, 2.0, (2.0, 2.0)),
        (absolute, -2.0, 2.0, -1.0, (-1.0, -1.0)),
        (absolute, 0.0, 0.0, 0.0, (-1.0, 1.0)),
        (absolute, 2.0, 2.0, 1.0, (1.0, 1.0)),
        (squared_error, -3.0, 4.5, -3.0, (-3.0, -3.0)),
        (squared_error, 0.0, 0.0, 0.0, (0.0, 0.0)),
        (quantile(0.75), -2.0, 1.5, -0.75, (-0.75, -0.75)),
        (quantile(0.75), 0.0, 0.0, 0.0, (-0.75, 0.25)),
        (quantile(0.75), 2.0, 0.5, 0.25, (0.25, 0.25)),
        (huber(2.0), -1.0, 0.5, -1.0, (-1.0, -1.0)),
        (huber(2.0), 2.0, 2.0, 2.0, (2.0, 2.0)),
        (huber(2.0), 5.0, 8.0, 2.0, (2.0, 2.0)),
        (huber(2.0), -5.0, 8.0, -2.0, (-2.0, -2.0)),
    ],
)
def test_golden_values(loss: Loss, m: float, value: float, slope: float, interval: tuple[float, float]) -> None:
    assert loss(m) == loss.value(m) == pytest.approx(value, rel=1e-15)
    assert loss.slope(m) == pytest.approx(slope, rel=1e-15)
    assert loss.subdifferential(m) == pytest.approx(interval, rel=1e-15)


@each_loss
@given(m=points, z=points, share=shares)
@example(m=0.0, z=1e-9, share=0.5)
@example(m=1.0, z=1.0 + 1e-9, share=0.5)
@example(m=1048.0, z=739.0, share=0.0)
def test_every_subgradient_is_a_line_that_is_nowhere_above_the_loss(
    loss: Loss, m: float, z: float, share: float
) -> None:
    low, high = loss.subdifferential(m)
    if low > high:  # empty: no such line
        return
    g = low + share * (high - low)
    line = loss(m) + g * (z - m)
    rounding = 1e-14 * (abs(loss(m)) + abs(g) * (abs(z) + abs(m))) + 1e-300  # the last where exp(-m) underflows
    assert loss(z) >= line - rounding


@pytest.mark.parametrize("loss", [perceptron, hinge, absolute, quantile(0.9)], ids=lambda loss: loss.name)
@given(beyond=st.floats(1e-6, 1e6))
def test_no_subgradient_is_left_out_of_the_interval(loss: Loss, beyond: float) -> None:
    m = KINKS[loss.name]
    low, high = loss.subdifferential(m)
    assert loss(m - 1.0) < loss(m) - (low - beyond)
    assert loss(m + 1.0) < loss(m) + (high + beyond)


@each_convex
@given(m=points)
def test_slope_is_one_of_the_subgradients(loss: Loss, m: float) -> None:
    low, high = loss.subdifferential(m)
    assert low <= loss.slope(m) <= high


@each_loss
@given(m=st.floats(-30.0, 30.0))
def test_slope_is_the_derivative_where_there_is_one(loss: Loss, m: float) -> None:
    step = 1e-5
    if abs(m - KINKS.get(loss.name, math.inf)) <= step:
        return
    if loss.name.startswith("huber") and abs(abs(m) - loss.slope(1e300)) <= step:
        return  # a chord across the bend is not the tangent
    numerical = (loss(m + step) - loss(m - step)) / (2.0 * step)
    assert loss.slope(m) == pytest.approx(numerical, abs=1e-8)


@each_convex
@given(m=points, z=points, share=shares)
def test_convex(loss: Loss, m: float, z: float, share: float) -> None:
    between = loss(m + share * (z - m))
    chord = loss(m) + share * (loss(z) - loss(m))
    assert between <= chord + 1e-9 * (1.0 + abs(loss(m)) + abs(loss(z)))


def test_zero_one_is_not_convex() -> None:
    assert not zero_one.convex
    assert zero_one(-1.0) > 0.5 * (zero_one(-3.0) + zero_one(1.0))


@each_loss
@given(m=points, z=points)
def test_zero_among_the_subgradients_means_a_global_minimum(loss: Loss, m: float, z: float) -> None:
    if is_minimum(loss, m):
        assert loss(m) <= loss(z)


@pytest.mark.parametrize(
    ("loss", "minima", "others"),
    [
        (zero_one, [1e-9, 1.0, 9.0], [-1.0, 0.0]),
        (perceptron, [0.0, 1.0, 9.0], [-1.0, -1e-9]),
        (hinge, [1.0, 9.0], [-1.0, 0.0, 0.999]),
        (logistic, [], [-1e3, 0.0, 1e3, 1e300]),
        (squared, [1.0], [-1.0, 0.999, 2.0]),
        (absolute, [0.0], [-1e-9, 1e-9]),
        (squared_error, [0.0], [-1e-9, 1e-9]),
        (quantile(0.9), [0.0], [-1e-9, 1e-9]),
        (huber(1.0), [0.0], [-1e-9, 1e-9]),
    ],
)
def test_where_the_minima_are(loss: Loss, minima: list[float], others: list[float]) -> None:
    assert is_minimum(loss, minima).tolist() == [True] * len(minima)
    assert not is_minimum(loss, others).any()
    assert is_minimum(loss, others[0]) is False


@given(m=st.floats(max_value=0.0, allow_infinity=False))
def test_the_slope_of_zero_one_says_nothing_at_a_mistake(m: float) -> None:
    assert zero_one(m) == 1.0
    assert zero_one.slope(m) == 0.0
    assert not is_minimum(zero_one, m)


@given(y=st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=9), data=st.data())
def test_zero_one_is_half_the_distance_between_label_and_sign(y: list[int], data: st.DataObject) -> None:
    nonzero = st.floats(-10.0, 10.0).filter(lambda score: score != 0.0)
    labels, scores = np.array(y), np.array(data.draw(st.lists(nonzero, min_size=len(y), max_size=len(y))))
    np.testing.assert_array_equal(zero_one(np.sign(labels * scores)), 0.5 * np.abs(labels - np.sign(scores)))


@given(y=st.sampled_from([-1.0, 1.0]), s=st.floats(-1e3, 1e3))
def test_squared_of_the_margin_is_squared_of_the_score(y: float, s: float) -> None:
    assert squared(y * s) == 0.5 * (y - s) ** 2
    assert y * squared.slope(y * s) == s - y


@given(y=st.sampled_from([-1.0, 1.0]), s=st.floats(-1e3, 1e3))
def test_squared_error_of_a_label_is_squared_of_its_margin(y: float, s: float) -> None:
    assert squared_error(s - y) == squared(y * s)
    assert squared_error.slope(s - y) == y * squared.slope(y * s)


@given(d=points)
def test_quantile_and_huber_agree_with_absolute_and_squared_error(d: float) -> None:
    assert 2.0 * quantile(0.5)(d) == pytest.approx(absolute(d), rel=1e-15, abs=1e-320)  # half of the least float is 0
    assert quantile(0.25)(d) == quantile(0.75)(-d)
    assert huber(3.0)(d) == (squared_error(d) if abs(d) <= 3.0 else pytest.approx(3.0 * absolute(d) - 4.5, rel=1e-15))
    assert huber(3.0)(d) <= squared_error(d)


@given(
    targets=st.lists(st.integers(-20, 20), min_size=1, max_size=25),
    hundredths=st.integers(1, 99),
    other=st.integers(-30, 30),
)
def test_the_quantile_minimises_its_loss(targets: list[int], hundredths: int, other: int) -> None:
    level = hundredths / 100
    y = np.array(targets, dtype=float)
    # The smallest target with at least that share of the targets at or below it.
    best = min(t for t in y if 100 * (y <= t).sum() >= hundredths * len(y))
    loss = quantile(level)
    assert loss(best - y).sum() <= loss(other - y).sum() + 1e-9


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.5, math.nan, math.inf])
def test_a_level_outside_0_to_1_is_refused(level: float) -> None:
    with pytest.raises(ParameterError, match=r"The level of a quantile must be above 0 and below 1\. Got .* instead\."):
        quantile(level)


@pytest.mark.parametrize("width", [0.0, -1.0, math.nan, math.inf])
def test_a_width_that_is_not_positive_and_finite_is_refused(width: float) -> None:
    with pytest.raises(
        ParameterError, match=r"The width of Huber's loss must be above 0 and finite\. Got .* instead\."
    ):
        huber(width)


@given(m=st.floats(40.0, 1e300))
def test_perceptron_and_logistic_have_the_same_asymptote(m: float) -> None:
    assert logistic(-m) == pytest.approx(perceptron(-m), rel=1e-15)
    assert logistic.slope(-m) == pytest.approx(perceptron.slope(-m), rel=1e-15)
    assert logistic(m) == pytest.approx(perceptron(m), abs=1e-17)


@given(m=st.floats(-1e6, 1e6))
def test_logistic_is_above_perceptron_by_at_most_log_2(m: float) -> None:
    assert 0.0 <= logistic(m) - perceptron(m) <= math.log(2.0)


@given(narrow=st.floats(1e-6, 30.0), more=st.floats(1e-3, 30.0))
def test_logistic_rewards_a_wider_margin_and_perceptron_does_not(narrow: float, more: float) -> None:
    assert perceptron(narrow) == perceptron(narrow + more) == 0.0
    assert perceptron.slope(narrow) == 0.0
    assert logistic(narrow) > logistic(narrow + more) > 0.0
    assert logistic.slope(narrow) < logistic.slope(narrow + more) < 0.0


@given(m=st.floats(-1e3, 1e3))
def test_hinge_logistic_and_squared_bound_the_mistakes_from_above(m: float) -> None:
    assert hinge(m) >= zero_one(m)
    assert logistic(m) >= zero_one(m) * math.log(2.0)
    assert 2.0 * squared(m) >= zero_one(m)


@given(m=points)
def test_the_slope_is_what_the_learner_descends(m: float) -> None:
    assert (perceptron.slope(m) != 0.0) == (not m > 0.0)
    assert (hinge.slope(m) != 0.0) == (m < 1.0)
    assert -logistic.slope(m) == pytest.approx(1.0 / (1.0 + math.exp(min(m, 700.0))), rel=1e-13, abs=1e-300)


def test_required_margins() -> None:
    assert (zero_one.margin, perceptron.margin, hinge.margin) == (0.0, 0.0, 1.0)
    assert logistic.margin is None
    assert squared.margin is None


@each_loss
def test_extreme_margins_give_their_limits_without_a_warning(loss: Loss) -> None:
    extreme = np.array([-np.inf, -1e308, -710.0, 710.0, 1e308, np.inf])
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for values in (loss(extreme), loss.slope(extreme), *loss.subdifferential(extreme)):
            assert not np.isnan(values).any()
    assert logistic(-1e308) == perceptron(-1e308) == 1e308
    assert squared(1e308) == np.inf


@each_loss
def test_nan_stays_nan(loss: Loss) -> None:
    values = [loss(math.nan), loss.slope(math.nan), *loss.subdifferential(math.nan)]
    assert np.isnan(values).all()
    assert not is_minimum(loss, math.nan)
    assert np.isnan(loss([0.0, math.nan])).tolist() == [False, True]


@each_loss
def test_a_number_gives_a_float_and_an_array_gives_an_array(loss: Loss) -> None:
    numbers: list[Any] = [1, 1.0, np.float32(1.0), np.int64(1), np.array(1.0)]
    for number in numbers:
        assert type(loss(number)) is type(loss.slope(number)) is float
        assert [type(end) for end in loss.subdifferential(number)] == [float, float]
        assert type(is_minimum(loss, number)) is bool
    margins = np.array([[-2, 0, 1], [2, 3, -1]])
    original = margins.copy()
    for values in (loss(margins), loss.slope(margins), *loss.subdifferential(margins)):
        assert values.dtype == np.float64
        assert values.shape == margins.shape
    assert loss(margins).tolist() == [[loss(m) for m in row] for row in margins.tolist()]
    assert loss([]).shape == (0,)
    np.testing.assert_array_equal(margins, original)


@each_loss
def test_a_loss_of_zero_is_never_negative_zero(loss: Loss) -> None:
    assert not np.signbit(loss([-0.0, 0.0, 1.0])).any()


@pytest.mark.parametrize("loss", BUILT, ids=lambda loss: loss.name)
def test_copies_of_losses_with_a_parameter_are_equal(loss: Loss) -> None:
    for twin in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss)), eval(loss.name, vars(losses))):
        assert twin == loss
        assert hash(twin) == hash(loss)
        assert twin([-3.0, 0.1, 3.0]).tolist() == loss([-3.0, 0.1, 3.0]).tolist()
    assert len(set(BUILT)) == len(BUILT)
    assert "lambda" not in repr(loss)


@pytest.mark.parametrize("loss", NAMED, ids=lambda loss: loss.name)
def test_copies_of_named_losses_are_the_same_object(loss: Loss) -> None:
    assert copy.deepcopy(loss) is loss
    assert pickle.loads(pickle.dumps(loss)) is loss
    assert getattr(losses, loss.name) is loss
    assert "lambda" not in repr(loss)


def test_learners_offer_every_loss_but_zero_one() -> None:
    assert set(options.loss.choices) == set(losses.LOSSES) - {"zero_one"}


def test_examples_in_the_docstring() -> None:
    failed, attempted = doctest.testmod(losses)
    assert failed == 0
    assert attempted > 0
