"""scikit-learn's checks on every estimator: only the two that shuffle weighted rows may fail."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Adaline, KernelPerceptron, LogisticUnit, Perceptron

WHY = (
    "An integer weight is a longer step, not a row visited several times, and the check shuffles the rows: "
    "an online learner is a function of the order of its examples."
)
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WHY,
    "check_sample_weight_equivalence_on_sparse_data": WHY,
}


@parametrize_with_checks([Perceptron(), Adaline(), LogisticUnit()], expected_failed_checks=lambda _: EXPECTED)
def test_estimator_checks(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("keep", ["last", "vote", "pocket"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "joint"])
def test_other_answers_pass_the_checks_that_predict(keep: str, multi_class: str) -> None:
    from sklearn.utils.estimator_checks import check_classifiers_classes, check_classifiers_train

    estimator = Perceptron(keep=keep, multi_class=multi_class)
    check_classifiers_train("Perceptron", estimator)
    check_classifiers_classes("Perceptron", estimator)


@pytest.mark.parametrize(
    ("model", "available"),
    [
        (Perceptron(), True),
        (Perceptron(keep="pocket"), False),
        (KernelPerceptron(), True),
        (KernelPerceptron(keep="pocket"), False),
        (KernelPerceptron(kernel="precomputed"), False),
    ],
    ids=str,
)
def test_partial_fit_is_there_where_it_can_be_called(model: Any, available: bool) -> None:
    assert hasattr(model, "partial_fit") is available
    assert callable(type(model).partial_fit)  # the class has it, so scikit-learn finds its signature
    assert hasattr(model, "set_partial_fit_request")
