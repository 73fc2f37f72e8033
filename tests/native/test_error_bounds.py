"""The filter that decides by error bounds changes no bit in any layout, even if the last digit of a score decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron, native
from rosenblatt.errors import LearningOverflowError
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.native.rows import rows_of as rows_of_values
from rosenblatt.records import Csr

KINDS = ("near zero", "tiny", "huge", "mixed", "zeros", "cancelling")
RULES: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "without bias": {"fit_intercept": False},
    "margin": {"margin": 0.25},
    "invsqrt": {"learning_rate": "invsqrt"},
    "adagrad": {"learning_rate": "adagrad"},
    "pa1": {"learning_rate": "pa1"},
    "arow": {"learning_rate": "arow"},
    "average": {"keep": "average"},
    "batch": {"batch": 5},
    "weighted": {"class_weight": "balanced"},
}


def at_right_angles(rng: np.random.Generator, columns: int) -> np.ndarray[Any, Any]:
    """Four directions whose products cancel exactly except for rounding (the four units of the quaternions)."""
    a, b, c, d = rng.standard_normal((4, columns // 4 + 1))
    units = [(a, b, c, d), (-b, a, -d, c), (-c, d, a, -b), (-d, -c, b, a)]
    order = rng.permutation(4 * a.size)
    return np.array([np.concatenate(unit)[order] for unit in units])


def rows_of(kind: str, rng: np.random.Generator, rows: int, columns: int) -> np.ndarray[Any, Any]:
    """Rows whose score has the wrong sign if summed in single precision or in another order."""
    if kind == "near zero":
        return at_right_angles(rng, columns)[rng.integers(0, 4, rows)] * rng.choice([-1.0, 1.0], (rows, 1))
    X = rng.standard_normal((rows, columns))
    if kind == "tiny":
        return X * 1e-30
    if kind == "huge":
        return X * 1e25
    if kind == "mixed":
        return X * 10.0 ** rng.integers(-20, 20, columns)
    if kind == "zeros":
        return X * (rng.random((rows, columns)) < 0.05)
    half = columns // 2  # large numbers cancel to the last digit, and a small one decides
    X[:, half : 2 * half] = -X[:, :half] * (1.0 + rng.integers(-1, 2, (rows, half)) * 2.0**-52)
    X[:, : 2 * half] *= 1e8
    return X


def learned(X: Any, y: np.ndarray[Any, Any], options: dict[str, Any]) -> tuple[Any, ...]:
    """The final state of a run, as bytes."""
    defaults: dict[str, Any] = {"keep": "last", "max_iter": 3, "random_state": 1}
    model = Perceptron(**(defaults | options)).fit(X, y)
    return model.coef_.tobytes(), model.intercept_.tobytes(), model.n_mistakes_, tuple(model.loss_)


def columns_reversed(X: np.ndarray[Any, Any]) -> sp.csr_matrix:
    """The same rows with their columns backwards: a layout that is always scored exactly."""
    rows, columns = X.shape
    indices = np.tile(np.arange(columns)[::-1], rows)
    return sp.csr_matrix((X[:, ::-1].ravel(), indices, np.arange(rows + 1) * columns), shape=X.shape)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_changes_no_bit(kind: str, rule: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for rows, columns, classes in ((150, 21, 2), (130, 40, 4), (97, 9, 3)):
        X, y = rows_of(kind, rng, rows, columns), rng.integers(0, classes, rows)
        options = RULES[rule] | ({"fit_intercept": False} if kind == "near zero" else {})
        exact = learned(columns_reversed(X), y, options)
        for layout in (X, sp.csr_matrix(X), np.asfortranarray(X)):
            assert learned(layout, y, options) == exact
        narrow = X.astype(np.float32)
        expected = learned(columns_reversed(narrow), y, options)
        assert learned(narrow, y, options) == learned(sp.csr_matrix(narrow), y, options) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_changes_no_bit_of_pairs_of_classes(kind: str) -> None:
    rng = np.random.default_rng(7)
    X, y = rows_of(kind, rng, 120, 33), rng.integers(0, 4, 120)
    options = {"multi_class": "ovo"}
    exact = learned(columns_reversed(X), y, options)
    assert learned(X, y, options) == learned(sp.csr_matrix(X), y, options) == exact


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_changes_no_bit_of_joint_classes(kind: str, rule: str) -> None:
    """Also with labels that the rows determine: then most predictions are right, and most units are not scored."""
    rng = np.random.default_rng(11)
    X, random_labels = rows_of(kind, rng, 140, 33), rng.integers(0, 5, 140)
    options = RULES[rule] | {"multi_class": "joint"} | ({"fit_intercept": False} if kind == "near zero" else {})
    for y in (random_labels, np.argmax(X @ rng.standard_normal((X.shape[1], 5)), axis=1)):
        exact = learned(columns_reversed(X), y, options)
        assert learned(X, y, options) == learned(np.asfortranarray(X), y, options) == exact


def judged(X: sp.csr_matrix, y: np.ndarray[Any, Any], state: dict[str, Any] | None) -> tuple[Any, ...]:
    """How often a learner was wrong, by its last weights and by their average, and what it has learned."""
    learner = Settings(keep="average", fit_intercept=False).learner(X.shape[1], np.ones(2))
    learner.count_errors(True)
    if state is not None:
        learner.put("weights", *state["weights"])
        learner.put("drift", *state["drift"])
        learner.restore(state["counters"])
    rows = rows_of_values(Csr(X.indptr, X.indices, X.data, X.shape[1]))
    for _ in range(3):
        native.learn([learner], rows, y.astype(np.int32), None, None, None, 0, len(y), 1)
    return (
        learner.wrong,
        learner.weighed,
        *(part.tobytes() for part in (*learner.get("weights"), *learner.get("drift"))),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_changes_no_count_of_wrong_predictions(kind: str) -> None:
    rng = np.random.default_rng(5)
    for columns in (5, 21, 300):
        X, y = rows_of(kind, rng, 200, columns), rng.integers(0, 2, 200)
        for labels in (y, (X @ rng.standard_normal(X.shape[1]) > 0).astype(int)):
            assert judged(sp.csr_matrix(X), labels, None) == judged(columns_reversed(X), labels, None)


@pytest.mark.parametrize("t", [0, 7])
def test_a_false_bound_in_a_file_makes_no_decision_of_an_average_certain(t: int) -> None:
    """Small weights that classify all rows correctly, a large drift orthogonal to them, and a bound that is false."""
    rng = np.random.default_rng(9)
    errors = []
    for _ in range(30):
        units = at_right_angles(rng, 40)
        X = units[rng.integers(1, 4, 50)] * rng.choice([-1.0, 1.0], (50, 1))
        weights = 3e-12 * units[1:].sum(axis=0, keepdims=True)
        counters = Settings(keep="average").learner(X.shape[1], np.ones(2)).counters() | {"t": t, "step": t}
        state = {"weights": (weights, np.zeros(1)), "drift": (1e6 * units[:1], np.zeros(1)), "counters": counters}
        y = (X @ weights[0] > 0).astype(int)
        errors.append(judged(columns_reversed(X), y, state)[0])
        assert judged(sp.csr_matrix(X), y, state)[0] == errors[-1]
    assert 0 < max(errors) < 150


def test_weights_that_cancel_to_rounding_error_decide_nothing() -> None:
    """Rows and their negatives: steps cancel, and a score in floats is nothing but rounding error."""
    rng = np.random.default_rng(3)
    for columns in (16, 48, 300):
        X = np.repeat(rng.standard_normal((40, columns)), 4, axis=0) * np.tile([1.0, 1.0, -1.0, 1.0], 40)[:, None]
        y = rng.integers(0, 3, len(X))
        options = {"fit_intercept": False, "order": "given"}
        assert learned(X, y, options) == learned(columns_reversed(X), y, options)


def parts_learned(parts: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    """The final state of a run that learns one part after the other, or the error message if a part is refused."""
    model = Perceptron(keep="last", fit_intercept=False)
    try:
        for X, y in parts:
            model.partial_fit(X, y, classes=[0, 1])
    except LearningOverflowError as error:
        return (str(error),)
    return model.coef_.tobytes(), model.n_mistakes_


def test_the_bound_counts_repeated_columns_as_their_sum() -> None:
    """The weights are 2^15 times the stored values, which have few bits: no sum of them is rounded."""
    rng, differ, repeats = np.random.default_rng(0), 0, 1 << 15
    for _ in range(40):
        a, b, c, d = rng.integers(1, 2**34, 4) * rng.choice([-1.0, 1.0], 4) * 2.0**-33
        units = np.array([(a, b, c, d), (-b, a, -d, c), (-c, d, a, -b), (-d, -c, b, a)])
        columns = np.repeat(np.arange(4, dtype=np.int32), repeats)
        first = sp.csr_matrix((np.repeat(units[0], repeats), columns, [0, 4 * repeats]), shape=(1, 4))
        X, y = units[rng.integers(1, 4, 64)] * rng.choice([-1.0, 1.0], (64, 1)), rng.integers(0, 2, 64)
        exact = parts_learned([(first, [1]), (columns_reversed(X), y)])
        assert parts_learned([(first, [1]), (sp.csr_matrix(X), y)]) == exact
        differ += exact != parts_learned([(first, [1])])
    assert differ


def test_a_sum_that_overflows_in_one_order_only_decides_nothing() -> None:
    """(x0 + x17) + ... is +infinity in given order and -0.7e308 in lanes: a mistake, on a row that is too large."""
    weights, row = np.zeros((1, 18)), np.ones((1, 18))
    weights[0, [0, 4, 10, 17]] = np.array([0.9, -1.7, -0.8, 0.9]) * 1e100
    row[0, [0, 4, 10, 17]] = 1e208
    quick = sp.csr_matrix(row * np.isin(np.arange(18), [0, 4, 10, 14, 17]))
    exact = parts_learned([(sp.csr_matrix(weights), [1]), (columns_reversed(quick.toarray()), [1])])
    assert "overflowed" in exact[0]
    assert parts_learned([(sp.csr_matrix(weights), [1]), (quick, [1])]) == exact


def test_a_restored_bound_below_the_weights_is_replaced() -> None:
    run = Run(Settings(keep="last"), 2, np.ones(2), 0)
    run.start_from(np.array([[3.0, -5.0]]), np.zeros(1))
    for bound in (0.0, -1e9, float("nan")):
        run.restore(run.state() | {"counters": run.learner.counters() | {"bound": [bound]}})
        assert run.learner.counters()["bound"] == [5.0]


@pytest.mark.parametrize(("scale", "eta0", "weight"), [(1e17, 1e5, 1.0), (1.0, 1.0, 1e38), (1.0, 1e37, 10.0)])
def test_a_step_that_overflows_as_a_float_makes_nothing_certain(scale: float, eta0: float, weight: float) -> None:
    """Weights of length 1, then certain mistakes whose steps are too large for a float."""
    X = np.array([[1.0, 0, 0]] * 4 + [[40.0, -1, -1]] * 4 + [[0.01, 1, 1]] * 92)
    y, weights = np.array([1] * 4 + [0] * 4 + [1, 2] * 46), np.full(100, weight)
    X[4:] *= scale
    weights[:4] = 1.0
    outcomes = []
    for layout in (X, sp.csr_matrix(X), columns_reversed(X)):
        model = Perceptron(max_iter=1, keep="last", order="given", fit_intercept=False, eta0=eta0)
        model.fit(layout, y, sample_weight=weights)
        outcomes.append((model.n_mistakes_, model.coef_.tobytes()))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def arow_mistakes(X: Any, y: np.ndarray[Any, Any], variance: float) -> tuple[int, bytes]:
    learner = Settings(learning_rate="arow", fit_intercept=False, margin=1e-12, r=1e-6).learner(X.shape[1], np.ones(2))
    learner.put("scale", np.full((1, X.shape[1]), variance), np.ones(1))
    rows = rows_of_values(Csr(X.indptr, X.indices, X.data, X.shape[1]))
    for _ in range(5):
        native.learn([learner], rows, y.astype(np.int32), None, None, None, 0, len(y), 1)
    return learner.mistakes, bytes(learner.final_weights(False)[0])


@pytest.mark.parametrize("variance", [1.0, 1e8, 1e15])
def test_variances_above_1_do_not_make_wrong_decisions_certain(variance: float) -> None:
    """The weights move by more than the step times the example, and the bound on them must include that."""
    rng = np.random.default_rng(2)
    for i in range(40):
        units = at_right_angles(rng, 40)
        X = units[rng.integers(0, 4, 50)] * rng.choice([-1.0, 1.0], (50, 1))
        y = rng.integers(0, 2, 50)
        if i % 2:
            y = (X @ units[0] > 0).astype(int)
        assert arow_mistakes(sp.csr_matrix(X), y, variance) == arow_mistakes(columns_reversed(X), y, variance)


def test_a_batch_that_holds_too_many_examples_is_refused() -> None:
    learner = Settings(batch=3).learner(2, np.ones(2))
    for in_batch, t in ((3, 9), (2, 1)):
        with pytest.raises(ValueError, match="unfinished batch"):
            learner.restore(learner.counters() | {"in_batch": in_batch, "t": t})
    learner.restore(learner.counters() | {"in_batch": 2, "t": 2})
