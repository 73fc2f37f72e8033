"""The defaults of LogisticUnit and Adaline reach the loss of their peers on standardised columns."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import Adaline, LogisticUnit

FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def probabilities(learner: Any, X: Any, y: Any) -> Any:
    return cross_val_predict(make_pipeline(StandardScaler(), learner), X, y, cv=FOLDS, method="predict_proba")


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_iris, load_digits])
def test_a_logistic_unit_reaches_the_loss_of_logistic_regression(load: Any) -> None:
    X, y = load(return_X_y=True)
    peer = log_loss(y, probabilities(LogisticRegression(max_iter=2000), X, y))
    assert log_loss(y, probabilities(LogisticUnit(), X, y)) < 1.15 * peer


def test_columns_in_unlike_units_do_not_make_a_logistic_unit_diverge() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert LogisticUnit().fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_digits])
def test_adaline_reaches_the_loss_of_ridge(load: Any) -> None:
    X, y = load(return_X_y=True)
    X, targets = StandardScaler().fit_transform(X), np.where(y[:, None] == np.unique(y), 1.0, -1.0)
    test = np.arange(len(y)) % 4 == 0
    peer = Ridge(1.0).fit(X[~test], targets[~test]).predict(X[test])
    scores = Adaline().fit(X[~test], y[~test]).decision_function(X[test])
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    assert ((scores - targets[test]) ** 2).mean() < 1.05 * ((peer - targets[test]) ** 2).mean()


def test_the_textbook_rule_is_a_parameter_away() -> None:
    X, y = load_iris(return_X_y=True)
    unit = LogisticUnit(learning_rate="constant", eta0=1.0, keep="average", max_iter=1, order="given").fit(X, y)
    w = np.zeros((3, 5))
    for x, label in zip(np.column_stack([X, np.ones(len(X))]), y, strict=True):
        chances = np.exp(w @ x - (w @ x).max())
        w += np.outer(np.eye(3)[label] - chances / chances.sum(), x)
    last = LogisticUnit(learning_rate="constant", eta0=1.0, keep="last", max_iter=1, order="given").fit(X, y)
    assert np.allclose(last.coef_, w[:, :4])
    assert not np.allclose(unit.coef_, last.coef_)
