"""LinearUnit: the same bits as the slow twin by every rate, loss and layout, and good answers without an option."""

import copy
import itertools
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, QuantileRegressor, Ridge, RidgeCV
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Adaline, LinearUnit, load, save
from rosenblatt.errors import DataError, LearningOverflowError, ParameterError
from tests.estimators.test_scikit_learn_checks import EXPECTED
from tests.pairwise import pairwise
from tests.slow_twins.learn.numbers import NumberReference

LOSSES = ("squared", "absolute", "quantile", "huber")
RATES = ("constant", "inverse", "invsqrt", "adagrad", "invariant", "arow")
ONE_AT_A_TIME = ("invariant", "arow")


def numbers(n: int, d: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows with zeros in them, and targets far from 0."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.6, rng.normal(size=(n, d)), 0.0)
    return X, X @ rng.normal(size=d) * 3 + 2 + rng.normal(size=n)


def cases() -> list[Any]:
    every = itertools.product(LOSSES, RATES, (1, 4, "full"), ("given", "shuffle", "sample"), ("last", "average"))
    valid = [
        case
        for case in every
        if not (case[1] in ONE_AT_A_TIME and case[2] != 1) and not (case[1] == "arow" and case[0] != "squared")
    ]
    few = pairwise(valid)
    return [
        pytest.param(*case, id="-".join(map(str, case)), marks=() if case in few else pytest.mark.full_factorial)
        for case in valid
    ]


def unit_and_twin(loss: str, rate: str, options: dict[str, Any], epochs: int) -> tuple[LinearUnit, NumberReference]:
    options = {"loss": loss, "learning_rate": rate, **options}
    level, width = options.pop("quantile", 0.8), options.pop("width", 0.7)
    twin = NumberReference(levels=(level,), width=width, **options)
    return LinearUnit(quantile=level, width=width, max_iter=epochs, record=True, **options), twin


def assert_same(unit: LinearUnit, twin: NumberReference, X: NDArray[Any]) -> None:
    (weights,) = twin.answer()
    assert [*unit.coef_, unit.intercept_] == weights
    assert unit.predict(X).tolist() == [twin.decision(x)[0] for x in X.tolist()]
    log = unit._run.summary.mistake_log
    assert log is not None
    assert list(zip(log.t, log.row, log.unit, log.coefficient, strict=True)) == twin.log
    assert unit.t_ == twin.t


@pytest.mark.parametrize(("loss", "rate", "batch", "order", "keep"), cases())
def test_every_combination(loss: str, rate: str, batch: Any, order: str, keep: str) -> None:
    draw = random.Random(f"{loss} {rate} {batch} {order} {keep}")
    X, y = numbers(draw.choice([12, 40, 90]), draw.choice([1, 3, 8, 17]), draw.randrange(10**6))
    weights = [draw.choice([0.0, 0.5, 1.0, 3.0]) for _ in y] if draw.random() < 0.5 else None
    options = {
        "batch": batch,
        "order": order,
        "keep": keep,
        "eta0": draw.choice([0.002, 0.01]) if loss == "squared" and rate != "invariant" else draw.choice([0.03, 0.5]),
        "r": draw.choice([1.0, 0.3]),
        "fit_intercept": draw.random() < 0.7,
        "init": draw.choice(["zeros", "random"]),
        "random_state": draw.randrange(2**32),
    }
    unit, twin = unit_and_twin(loss, rate, options, 3)
    unit.fit(X, y, sample_weight=weights)
    twin.fit(X.tolist(), y.tolist(), weights, 3)
    assert_same(unit, twin, numbers(8, X.shape[1], 0)[0])
    if not weights:  # otherwise an epoch has fewer visits
        assert sum(unit.loss_) * len(y) == pytest.approx(sum(twin.losses), rel=1e-12)


@pytest.mark.parametrize("penalty", ["alpha", "l1"])
@pytest.mark.parametrize("rate", ["constant", "adagrad", "invariant"])
def test_regularisation(rate: str, penalty: str) -> None:
    X, y = numbers(150, 5, 3)
    options = {"learning_rate": rate, "eta0": 0.01, penalty: 0.3}
    twin = NumberReference(order="shuffle", keep="average", **options).fit(X.tolist(), y.tolist(), None, 2)
    unit = LinearUnit(max_iter=2, **options).fit(X, y)
    assert [*unit.coef_, unit.intercept_] == twin.answer()[0]


def test_of_two_classes_it_is_adaline() -> None:
    X, y = numbers(60, 7, 5)
    signs = np.where(y > 2, 1, -1)
    options: dict[str, Any] = {"learning_rate": "adagrad", "eta0": 0.2, "keep": "average", "max_iter": 4}
    unit, adaline = LinearUnit(**options).fit(X, signs), Adaline(**options).fit(X, signs)
    assert unit.predict(X).tolist() == adaline.decision_function(X).tolist()
    assert unit.loss_ == pytest.approx(adaline.loss_, rel=1e-12)


# -- one answer ----------------------------------------------------------------------------------------------------


def fingerprint(unit: LinearUnit) -> tuple[Any, ...]:
    counters = unit._run.learner.counters()
    counters.pop("bound")  # of the largest value of each call
    return unit.coef_.tolist(), unit.intercept_, unit.loss_, counters


@pytest.mark.parametrize("rate", RATES)
def test_clause_2_one_answer_in_every_layout(rate: str) -> None:
    X, y = numbers(130, 21, 8)
    X = X.astype(np.float32).astype(float)
    unit = LinearUnit(learning_rate=rate, eta0=0.01, max_iter=3)
    expected = fingerprint(unit.fit(X, y))
    wide = np.full((260, 63), 9.0)
    wide[::2, ::3] = X
    csr = sp.csr_array(X)
    long = csr.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for layout in (np.asfortranarray(X), wide[::2, ::3], X.astype(np.float32), X[::-1][::-1], csr, long, X.tolist()):
        assert fingerprint(copy.deepcopy(unit).fit(layout, y)) == expected


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("cut", [1, 30, 61])
def test_one_call_or_row_by_row(rate: str, cut: int) -> None:
    X, y = numbers(61, 9, 2)
    unit = LinearUnit(learning_rate=rate, eta0=0.01, order="given", keep="average")
    whole = fingerprint(copy.deepcopy(unit).partial_fit(X, y))
    assert fingerprint(copy.deepcopy(unit).partial_fit(sp.csr_array(X), y)) == whole
    for start in range(0, 61, cut):
        unit.partial_fit(X[start : start + cut], y[start : start + cut])
    assert fingerprint(unit) == whole


@pytest.mark.parametrize("rate", RATES)
def test_a_run_that_goes_on_is_one_run(rate: str) -> None:
    X, y = numbers(50, 6, 4)
    options: dict[str, Any] = {"learning_rate": rate, "eta0": 0.01}
    whole = LinearUnit(max_iter=6, **options).fit(X, y)
    part = LinearUnit(max_iter=2, warm_start=True, **options).fit(X, y)
    again = copy.deepcopy(part.fit(X, y))  # by the state of its run
    assert fingerprint(again.fit(X, y)) == fingerprint(whole)


def test_the_unfinished_batch_and_the_largest_target_are_part_of_the_state() -> None:
    X, y = numbers(50, 6, 4)
    y[3] = 1e6
    unit = LinearUnit(learning_rate="constant", eta0=0.001, batch=8)
    whole = copy.deepcopy(unit).partial_fit(X, y)
    half = copy.deepcopy(copy.deepcopy(unit).partial_fit(X[:20], y[:20])).partial_fit(X[20:], y[20:])
    assert fingerprint(half) == fingerprint(whole)


# -- good answers --------------------------------------------------------------------------------------------------


def tables() -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    rng = np.random.default_rng(0)
    alike = rng.normal(size=(1000, 8))
    alike[:, ::2] = alike[:, 1::2] + 0.1 * alike[:, ::2]
    flags = (rng.random((1500, 60)) < 0.05).astype(float)
    heavy = rng.standard_t(2, size=(1000, 10))
    return {
        "wide": make_regression(150, 100, n_informative=30, noise=30, random_state=2),
        "small": make_regression(40, 5, noise=10, random_state=1),
        "alike": (alike, alike @ np.arange(8) + 3 * rng.normal(size=1000)),
        "flags": (flags, flags @ rng.normal(size=60) * 2 + rng.normal(size=1500)),
        "heavy tails": (heavy, heavy @ rng.normal(size=10) + 5 * rng.normal(size=1000)),
    }


@pytest.mark.parametrize("name", tables())
def test_defaults_are_good_on_standardised_columns(name: str) -> None:
    X, y = tables()[name]

    def error(model: Any) -> float:
        scores = cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=5, scoring="neg_mean_squared_error")
        return float(np.sqrt(-scores.mean()))

    assert error(LinearUnit()) <= 1.02 * error(RidgeCV(np.logspace(-3, 4, 15)))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_defaults_reach_least_squares_on_standardised_columns_in_any_unit_of_the_target(scale: float) -> None:
    X, y = load_diabetes(return_X_y=True)
    ours = cross_val_score(make_pipeline(StandardScaler(), LinearUnit()), X, y * scale, cv=5).mean()
    peer = cross_val_score(make_pipeline(StandardScaler(), Ridge(alpha=1.0)), X, y * scale, cv=5).mean()
    assert ours > peer - 0.01


def test_the_quantile_loss_leaves_its_share_of_the_targets_below() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = X @ [2.0, -1.0, 0.5] + rng.exponential(size=3000)
    for level in (0.1, 0.5, 0.9):
        unit = LinearUnit(loss="quantile", quantile=level, eta0=0.02, max_iter=20).fit(X, y)
        assert np.mean(y < unit.predict(X)) == pytest.approx(level, abs=0.02)
        peer = QuantileRegressor(quantile=level, alpha=0).fit(X, y)
        assert unit.coef_ == pytest.approx(peer.coef_, abs=0.1)


@pytest.mark.parametrize("loss", ["absolute", "huber"])
def test_far_targets_pull_no_harder(loss: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2))
    y = X @ [3.0, -2.0] + 1
    y[::10] += 1000
    unit = LinearUnit(loss=loss, eta0=0.05).fit(X, y)
    assert unit.coef_ == pytest.approx([3.0, -2.0], abs=0.3)
    assert abs(LinearRegression().fit(X, y).intercept_ - 1) > 50


@pytest.mark.parametrize("loss", LOSSES)
def test_the_invariant_rate_never_passes_the_target(loss: str) -> None:
    """However large the rate: the example itself is then met, and one of weight 3 is as good as three in a row."""
    x, y = [[3.0, -4.0]], [7.0]
    met = LinearUnit(loss=loss, eta0=1e9, keep="last", max_iter=1).fit(x, y)
    assert met.predict(x).tolist() == pytest.approx(y, rel=1e-12)
    options: dict[str, Any] = {"loss": loss, "eta0": 0.003, "keep": "last", "width": 2.0}
    thrice = LinearUnit(max_iter=3, **options).fit(x, y)
    heavy = LinearUnit(max_iter=1, **options).fit(x, y, sample_weight=[3.0])
    assert heavy.coef_ == pytest.approx(thrice.coef_, rel=1e-12)
    assert 0 < heavy.predict(x)[0] < 7


def test_early_stopping_by_the_loss_of_held_out_rows() -> None:
    X, y = make_regression(400, 5, noise=20, random_state=0)
    unit = LinearUnit(early_stopping=True, max_iter=500).fit(X, y)
    assert unit.status_ == "validated"
    assert unit.n_iter_ < 500
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        LinearUnit(early_stopping=True, max_iter=2).fit(X, y)


# -- the run, step by step -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", ["constant", "invariant", "adagrad"])
def test_the_trace_is_the_run(rate: str) -> None:
    X, y = numbers(30, 4, 6)
    y[5] = 0.0  # a target like any other
    unit = LinearUnit(learning_rate=rate, eta0=0.05, keep="last", record=True, max_iter=3).fit(X, y)
    assert unit.trace_.replay().tolist() == [unit.intercept_, *unit.coef_]
    steps = list(unit.trace_.steps(totals=True))
    assert len(steps) == 90
    for step, after in itertools.pairwise(steps):
        assert (step.target, step.mistake, step.total_errors) == (y[step.row], False, None)
        assert step.score == pytest.approx(step.before @ step.x)
        assert after.before.tolist() == step.after.tolist()
        misses = np.column_stack([np.ones(30), X]) @ step.after - y
        assert step.total_loss == pytest.approx(0.5 * (misses**2).sum())
    if rate != "adagrad":
        assert unit.trace_.dual() @ X == pytest.approx(unit.coef_)
    row = next(unit.trace_.rows())
    assert "mistake" not in row
    assert row["target"] == y[row["row"]]


def test_a_trace_of_numbers_as_files(tmp_path: Path) -> None:
    trace = LinearUnit(record=True, max_iter=2).fit([[1.0], [2.0]], [1, 3]).trace_
    trace.to_csv(tmp_path / "t.csv")
    trace.to_json(tmp_path / "t.json")
    assert (tmp_path / "t.csv").read_text().startswith("epoch,t,row,target,score,coefficient,x1,")
    assert len(json.loads((tmp_path / "t.json").read_text())["steps"]) == 4
    with pytest.raises(ParameterError, match="plot_line draws the line"):
        trace.names()


# -- model files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"loss": "quantile", "quantile": 0.8}, {"loss": "huber", "width": 3.0}], ids=str
)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_saved_unit_goes_on_to_the_same_bits(options: dict[str, Any], sparse: bool, tmp_path: Path) -> None:
    X, y = numbers(60, 9, 1)
    rows = sp.csr_array(X) if sparse else X
    unit = LinearUnit(warm_start=True, max_iter=2, **options).fit(rows, y)
    save(unit, tmp_path / "unit.model")
    loaded = load(tmp_path / "unit.model")
    assert loaded.get_params() == unit.get_params()
    assert loaded.predict(rows).tolist() == unit.predict(rows).tolist()
    assert fingerprint(loaded.fit(rows, y)) == fingerprint(unit.fit(rows, y))


def test_the_columns_of_a_saved_unit_have_names(tmp_path: Path) -> None:
    X, y = numbers(20, 2, 1)
    frame = pd.DataFrame(X, columns=["size", "age"])
    save(LinearUnit(max_iter=2).fit(frame, y), tmp_path / "unit.model")
    assert load(tmp_path / "unit.model").feature_names_in_.tolist() == ["size", "age"]


# -- wrong input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 16, "full"])
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_a_rate_that_diverges_is_refused(learn: str, batch: Any) -> None:
    X, y = numbers(300, 8, 0)
    unit = LinearUnit(learning_rate="constant", eta0=2.0, batch=batch, max_iter=200)

    def go_on() -> None:
        for _ in range(200):
            getattr(unit, learn)(X * 10, y)

    with pytest.raises(LearningOverflowError, match=r"scores grew without bound, at row .+ Lower eta0, scale") as error:
        go_on()
    assert "\n" not in str(error.value)
    assert not hasattr(unit, "_run") or np.isfinite(unit.coef_).all()


def test_a_huber_loss_that_is_squared_nearly_everywhere_is_refused_where_it_diverges() -> None:
    X, y = numbers(300, 8, 0)
    unit = LinearUnit(loss="huber", width=1e9, learning_rate="constant", eta0=1e3, max_iter=5)
    with pytest.raises(LearningOverflowError, match="scores grew without bound"):
        unit.fit(X, y)
    narrow = LinearUnit(loss="huber", width=1.0, learning_rate="constant", eta0=2.0, max_iter=5).fit(X * 10, y)
    assert np.isfinite(narrow.coef_).all()


def test_rates_that_cannot_diverge_stay_finite_on_long_rows() -> None:
    X, y = numbers(200, 6, 1)
    for rate in ("adagrad", "invariant", "arow"):
        unit = LinearUnit(learning_rate=rate, eta0=1e4, max_iter=5).fit(X * 1e6, y * 1e-6)
        assert np.isfinite(unit.predict(X)).all()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (np.nan, "y contains NaN at row 2"),
        (np.inf, "y contains infinity at row 2"),
        (1e300, "between -1e100 and 1e100"),
        ("dear", "'dear' at row 2, which is not a number"),
        (None, "row 2"),
        (10**400, "too large for a float at row 2"),
        (np.complex128(1 + 2j), "Complex data not supported"),
        (np.datetime64("2020-01-01"), "dates or durations"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_target_that_is_no_number_is_refused_in_one_sentence(wrong: Any, sentence: str, method: str) -> None:
    y = np.array([1.0, 2.0, wrong, 4.0], dtype=object)
    if isinstance(wrong, np.generic):
        y = np.full(4, wrong)
    with pytest.raises(DataError, match=sentence) as error:
        getattr(LinearUnit(), method)(np.eye(4), y)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {"learning_rate": "invariant", "batch": 4},
        {"learning_rate": "arow", "batch": "full"},
        {"learning_rate": "arow", "loss": "huber"},
        {"learning_rate": "arow", "alpha": 0.1},
        {"keep": "pocket"},
        {"keep": "vote"},
        {"learning_rate": "pa1"},
        {"loss": "hinge"},
        {"quantile": 1.0},
        {"width": 0.0},
        {"degree": 2, "record": True},
        {"alpha": 1.0, "record": True},
    ],
    ids=str,
)
def test_combinations_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        LinearUnit(**options).fit([[1.0], [2.0]], [1, 2])


def test_options_may_not_change_during_a_run() -> None:
    unit = LinearUnit(loss="quantile").partial_fit([[1.0]], [1])
    unit.quantile = 0.9
    with pytest.raises(ParameterError, match="quantile"):
        unit.partial_fit([[1.0]], [1])
    with pytest.raises(ParameterError, match="early_stopping"):
        LinearUnit(early_stopping=True).partial_fit([[1.0]], [1])


def test_all_targets_equal_is_a_constant() -> None:
    X, _ = numbers(50, 3, 0)
    unit = LinearUnit(eta0=0.1).fit(X, np.full(50, 7.5))
    assert unit.predict(X) == pytest.approx(np.full(50, 7.5), abs=0.1)


@parametrize_with_checks([LinearUnit()], expected_failed_checks=lambda _: EXPECTED)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)
