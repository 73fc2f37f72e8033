"""LinearPredictor: what `rosenblatt fit` does with a number, to the same bits, as a scikit-learn regressor."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt import LinearPredictor
from rosenblatt.errors import DataError, ParameterError, WorthlessModelWarning
from rosenblatt.readers.source import ReadOptions
from tests.estimators.test_scikit_learn_checks import EXPECTED

PLACES = {"town": 900.0, "village": -500.0, "coast": 2000.0}


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.WorthlessModelWarning")  # of random targets
@pytest.mark.filterwarnings("ignore::rosenblatt.errors.DoubtfulDataWarning")  # of ten rows
@parametrize_with_checks([LinearPredictor()], expected_failed_checks=lambda _: EXPECTED)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def houses(count: int = 400, seed: int = 0) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "area": draw.normal(100, 30, count).round(1),
            "age": draw.integers(0, 90, count),
            "place": draw.choice(list(PLACES), count),
        }
    )
    price = 50 * frame["area"] - 20 * frame["age"] + frame["place"].map(PLACES) + 300 * draw.normal(size=count)
    return frame, price.round(2).rename("price")


def test_it_gives_the_bits_of_a_fit_of_the_file(tmp_path: Path) -> None:
    frame, price = houses()
    frame.assign(price=price).to_csv(tmp_path / "houses.csv", index=False)
    fitted = rosenblatt.fit_file(tmp_path / "houses.csv", reading=ReadOptions(label="price"))
    from_file = LinearPredictor().fit(tmp_path / "houses.csv", "price")
    for predictor in (LinearPredictor().fit(frame, price), from_file):
        assert predictor.model_.coef.tobytes() == fitted.model.coef.tobytes()
        assert predictor.model_.target == from_file.model_.target
    named = LinearPredictor().fit(frame.assign(price=price), "price")
    assert named.predict(frame).tobytes() == from_file.predict(frame).tobytes()
    assert from_file.score(frame, price) > 0.9


def test_matrices_are_learned_as_their_cells(tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(300, 8)).round(2)
    y = X @ np.arange(8.0) + 5
    dense = LinearPredictor(scale=False).fit(X, y)
    sparse = LinearPredictor(scale=False).fit(csr_matrix(X), y)
    assert dense.model_.coef.tobytes() == sparse.model_.coef.tobytes()
    np.testing.assert_allclose(dense.predict(X), y, atol=0.05)


def test_it_is_about_as_good_as_ridge_regression() -> None:
    draw = np.random.default_rng(2)
    X = draw.normal(size=(300, 40))
    y = X @ draw.normal(size=40) + 2 * draw.normal(size=300)
    scores = [
        cross_val_score(model, X, y, cv=5).mean() for model in (LinearPredictor(), RidgeCV(np.logspace(-3, 3, 13)))
    ]
    assert scores[0] > scores[1] - 0.01


def test_rows_count_by_their_weights() -> None:
    frame, price = houses(300)
    weights = np.random.default_rng(3).integers(0, 3, 300).astype(float)
    weighted = LinearPredictor(passes=1, order="given").fit(frame, price, weights)
    counted = weights > 0
    again = LinearPredictor(passes=1, order="given").fit(frame[counted], price[counted], weights[counted])
    assert weighted.predict(frame).tolist() == again.predict(frame).tolist()
    with pytest.raises(DataError, match="must not all be zero"):
        LinearPredictor().fit(frame, price, np.zeros(300))


@pytest.mark.parametrize("options", [{}, {"quantiles": (0.1, 0.5, 0.9)}, {"error": "absolute"}])
def test_it_is_saved_loaded_cloned_and_pickled(options: dict[str, Any], tmp_path: Path) -> None:
    frame, price = houses()
    predictor = LinearPredictor(**options).fit(frame, price)
    rosenblatt.save(predictor, tmp_path / "m.model")
    for other in (rosenblatt.load(tmp_path / "m.model"), pickle.loads(pickle.dumps(predictor))):
        assert isinstance(other, LinearPredictor)
        assert other.predict(frame).tobytes() == predictor.predict(frame).tobytes()
        assert other.get_params() == predictor.get_params()
        low, high = other.predict_interval(frame)
        assert (low < high).all()
    assert clone(predictor).fit(frame, price).predict(frame).tobytes() == predictor.predict(frame).tobytes()


def test_intervals_hold_what_they_promise() -> None:
    frame, price = houses(1500)
    predictor = LinearPredictor().fit(frame, price)
    new, truth = houses(3000, seed=7)
    low, high = predictor.predict_interval(new)
    assert 0.87 < ((low <= truth) & (truth <= high)).mean() < 0.93


def test_quantiles_are_columns_in_their_order() -> None:
    frame, price = houses()
    predictor = LinearPredictor(quantiles=(0.2, 0.5, 0.8)).fit(frame, price)
    columns = predictor.predict_quantiles(frame)
    assert columns.shape == (400, 3)
    assert (np.diff(columns, axis=1) >= 0).all()
    assert columns[:, 1].tolist() == predictor.predict(frame).tolist()
    with pytest.raises(ParameterError, match="quantiles"):
        LinearPredictor().fit(frame, price).predict_quantiles(frame)


@pytest.mark.parametrize(
    ("y", "why"),
    [
        (["a"] * 400, "not a number"),
        ([float("nan")] * 400, "NaN at row 0"),
        ([1.0] * 3, "3 targets"),
        ([7.0] * 400, "every example has the target 7"),
        (np.full(400, 1e200), "between -1e100 and 1e100"),
    ],
)
def test_bad_targets_are_refused_with_a_sentence(y: Any, why: str) -> None:
    frame, _ = houses()
    with pytest.raises(DataError, match=why):
        LinearPredictor().fit(frame, y)


def test_options_are_checked_and_noise_is_said() -> None:
    frame, price = houses()
    with pytest.raises(ParameterError, match="'error' parameter of LinearPredictor must be"):
        LinearPredictor(error="cubic").fit(frame, price)
    with pytest.raises(ParameterError, match="'rule' parameter of LinearPredictor must be"):
        LinearPredictor(rule="hinge").fit(frame, price)
    draw = np.random.default_rng(0)
    with pytest.warns(WorthlessModelWarning, match="no better than always guessing the mean"):
        LinearPredictor().fit(draw.normal(size=(200, 2)), draw.normal(size=200))
