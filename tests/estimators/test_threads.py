"""One thread learns while others predict with the same estimator; a second one that learns gets a sentence."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from rosenblatt import KernelPerceptron, LinearPredictor, LinearSeparator, LinearUnit, Perceptron
from rosenblatt.errors import LearningElsewhereError

RNG = np.random.default_rng(3)
X = RNG.standard_normal((400, 30))
S = sparse.csr_array(np.where(RNG.random((300, 2000)) < 0.01, 1.0, 0.0))
THREE = RNG.integers(0, 3, 400)
SECONDS = 1.0


def together(*works: Callable[[], Any]) -> list[BaseException]:
    """Call each again and again in a thread of its own; the exceptions."""
    until, errors = time.monotonic() + SECONDS, []

    def repeat(work: Callable[[], Any]) -> None:
        while time.monotonic() < until:
            try:
                work()
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_who_predicts_while_another_thread_fits_sees_one_whole_model() -> None:
    """Fits alternate between two models of other classes, columns and labels: their predictions tell them apart."""
    model, turn, seen = Perceptron(max_iter=3), [0], set()
    model.fit(X[:, :5], THREE)

    def fit() -> None:
        turn[0] += 1
        if turn[0] % 2:
            model.fit(X, np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)])
        else:
            model.fit(X[:, :5], THREE)

    def predict() -> None:
        for columns, labels, scores in ((5, {"0", "1", "2"}, (20, 3)), (30, {"no", "yes"}, (20,))):
            try:
                predicted, decided = model.predict(X[:20, :columns]), None
                assert set(predicted.astype(str)) <= labels
                decided = model.decision_function(X[:20, :columns])
                assert decided.shape == scores
                seen.add(columns)
            except ValueError as error:  # the other model has other columns
                if "features" not in str(error):
                    raise

    assert together(fit, predict, predict) == []
    assert seen == {5, 30}


def test_who_predicts_while_a_fit_fails_never_meets_an_unfitted_model() -> None:
    model = Perceptron().fit(X, THREE)

    def fail() -> None:
        with pytest.raises(ValueError, match="NaN"):
            model.fit(np.full((10, 30), np.nan), THREE[:10])

    errors = together(fail, lambda: model.predict(X[:5]), lambda: model.coef_)
    assert not any(isinstance(error, NotFittedError) for error in errors)
    assert errors == []


@pytest.mark.parametrize("options", [{}, {"keep": "vote"}, {"record": True}, {"keep": "average"}])
def test_two_threads_in_partial_fit_lose_nothing(options: dict[str, Any]) -> None:
    model = Perceptron(**options).partial_fit(X, THREE, classes=[0, 1, 2])
    visited = [1]

    def learn() -> None:
        model.partial_fit(X, THREE)
        visited[0] += 1  # only one thread is here at a time

    errors = together(learn, learn, lambda: model.predict(X[:10]))
    assert {type(error) for error in errors} <= {LearningElsewhereError}
    assert model.t_ >= visited[0] * len(X)
    assert model.t_ % len(X) == 0


def test_after_learning_nobody_sees_older_weights() -> None:
    """A thread that began to read them before must not leave them behind as the current ones."""
    model = Perceptron(keep="last").partial_fit(X, THREE, classes=[0, 1, 2])
    stale = [0]

    def learn() -> None:
        model.partial_fit(X, THREE)
        weights, _ = model._run.weights()
        stale[0] += not np.array_equal(weights, model.coef_)

    assert together(learn, lambda: model.coef_, lambda: model.coef_) == []
    assert stale[0] == 0


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@pytest.mark.parametrize("values", [S, S.toarray()], ids=["sparse", "dense"])
def test_a_kernel_perceptron_is_predicted_while_it_learns(values: Any, kernel: str) -> None:
    labels = RNG.integers(0, 3, 300)
    model = KernelPerceptron(kernel=kernel, max_iter=2).fit(values[:50], labels[:50])
    errors = together(
        lambda: model.partial_fit(values[:50], labels[:50]),
        lambda: model.partial_fit(values[50:90], labels[50:90]),
        lambda: model.predict(values[:40]),
    )
    assert {type(error) for error in errors} <= {LearningElsewhereError}


def test_a_separator_is_predicted_while_it_learns() -> None:
    labels = X[:, :3].argmax(axis=1)
    model = LinearSeparator(rule="perceptron").fit(X, labels)
    errors = together(
        lambda: model.partial_fit(X[:50], labels[:50]),
        lambda: model.fit(X, labels),
        lambda: model.predict_proba(X[:20]),
        lambda: model.predict(X[:20]),
    )
    assert {type(error) for error in errors} <= {LearningElsewhereError}


@pytest.mark.parametrize("loss", ["squared", "quantile", "huber"])
def test_a_linear_unit_is_predicted_while_it_learns(loss: str) -> None:
    """Every row is the same, so in a model of one moment all answers are equal."""
    ones, targets = np.ones((400, 30)), np.full(400, 1e6)
    model, torn = LinearUnit(loss=loss, eta0=1e-4).partial_fit(ones, targets), [0]

    def predict() -> None:
        torn[0] += np.ptp(model.predict(ones[:20])) > 0

    errors = together(lambda: model.partial_fit(ones, targets), lambda: model.partial_fit(ones, targets), predict)
    assert {type(error) for error in errors} <= {LearningElsewhereError}
    assert torn == [0]


def test_a_predictor_predicts_while_it_is_fitted() -> None:
    targets = X[:, 0] - 3 * X[:, 1]
    model = LinearPredictor(rule="number-adagrad").fit(X, targets)
    errors = together(lambda: model.fit(X, targets), lambda: model.fit(X, targets), lambda: model.predict(X[:20]))
    assert {type(error) for error in errors} <= {LearningElsewhereError}
