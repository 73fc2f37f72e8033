"""The widest separator as an estimator."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import MaxMargin
from rosenblatt.certificates import error_bracket as bracket
from rosenblatt.errors import ParameterError


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([MaxMargin()])
def test_estimator_checks(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def separable(rows: int = 200, features: int = 6) -> tuple[Any, Any]:
    random = np.random.default_rng(4)
    X = random.normal(size=(rows, features))
    return X, np.where(X @ random.normal(size=features) > 0.2, "yes", "no")


def test_it_is_the_widest_up_to_a_proven_gap() -> None:
    X, y = separable()
    unit = MaxMargin().fit(X, y)
    svc = SVC(kernel="linear", C=1e10, tol=1e-9).fit(X, y)
    assert unit.status_ == "separable"
    assert unit.gap_ <= 1e-6
    assert unit.score(X, y) == 1.0
    reached = np.abs(svc.decision_function(X)).min() / np.linalg.norm(svc.coef_)
    assert reached <= unit.margin_ * (1 + 1e-6)
    assert reached == pytest.approx(unit.margin_, rel=0.05)
    assert unit.margin_ == pytest.approx(1 / np.linalg.norm(unit.coef_), rel=1e-6)
    assert unit.augmented_margin_ < unit.margin_
    assert np.abs(unit.decision_function(X)).min() == pytest.approx(1, rel=1e-6)


def test_sparse_rows_have_the_same_answer() -> None:
    X, y = separable()
    dense, thin = MaxMargin().fit(X, y), MaxMargin().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, thin.coef_, rtol=1e-6)


def test_without_a_separator_it_says_so_and_keeps_few_errors() -> None:
    X, y = separable()
    y[:3] = np.where(y[:3] == "yes", "no", "yes")
    with pytest.warns(ConvergenceWarning, match="inseparable"):
        unit = MaxMargin().fit(X, y)
    assert unit.status_ == "inseparable"
    assert unit.margin_ == 0.0
    assert unit.certificates_[0].verify(X, y)
    assert unit.score(X, y) >= 1 - 3 / len(y)


def test_three_classes_are_each_learned_against_the_rest() -> None:
    X = np.array([[0, 5], [0, 6], [5, 0], [6, 0], [-5, -5], [-6, -5]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unit = MaxMargin().fit(X, [0, 0, 1, 1, 2, 2])
    assert unit.coef_.shape == (3, 2)
    assert unit.predict(X).tolist() == [0, 0, 1, 1, 2, 2]


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="'gap' parameter of MaxMargin"):
        MaxMargin(gap=0).fit([[0], [1]], [0, 1])


def test_of_many_rows_that_are_wrong_only_the_nearest_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(2000, 3)), draw.integers(0, 2, 2000)
    searched = []

    def counted(points: Any, *rest: Any, **options: Any) -> Any:
        searched.append(points.n_rows)
        return find_separator(points, *rest, **options)

    find_separator = bracket.find_separator
    monkeypatch.setattr(bracket, "find_separator", counted)
    with pytest.warns(ConvergenceWarning, match="no hyperplane without errors"):
        unit = MaxMargin().fit(X, y)
    assert unit.status_ == "inseparable"
    assert 0 < len(searched) <= 3 * (5 + 100)
