"""The dual form: the same run as the perceptron's, mistake by mistake, and curved boundaries."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import KernelPerceptron, Perceptron, native
from rosenblatt.errors import DataError, LearningOverflowError, ParameterError
from rosenblatt.learn.kernel import scores as dual_scores
from tests.agree import bits, real_numbers, run_of, whole_numbers
from tests.estimators.test_scikit_learn_checks import EXPECTED
from tests.slow_twins.learn.kernel import DualReference, ForgetronReference, poly, rbf

SCHEMES = ("ovr", "ovo", "joint")
ORDERS = ("given", "shuffle", "sample")
XOR = (np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use tiny blocks, so that a few rows cross many block borders."""
    monkeypatch.setattr(dual_scores, "TOGETHER", 16)


@parametrize_with_checks([KernelPerceptron()], expected_failed_checks=lambda _: EXPECTED)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket"])
@pytest.mark.parametrize("multi_class", SCHEMES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("cache_mb", [0, 1])
def test_linear_kernel_is_the_perceptron(keep: str, multi_class: str, order: str, cache_mb: float) -> None:
    for classes, seed, intercept, margin in ((2, 0, True, 0.0), (3, 1, False, 0.0), (4, 2, True, 3.0)):
        X, y = whole_numbers(60, 5, classes, seed)
        shared: dict[str, Any] = {"keep": keep, "multi_class": multi_class, "order": order, "margin": margin}
        shared |= {"fit_intercept": intercept, "max_iter": 4, "random_state": seed}
        primal = Perceptron(**shared).fit(X, y)
        dual = KernelPerceptron(kernel="linear", cache_mb=cache_mb, **shared).fit(X, y)
        assert run_of(dual) == run_of(primal)
        assert (dual.t_, dual.n_mistakes_) == (primal.t_, primal.n_mistakes_)
        np.testing.assert_allclose(dual._unit_scores(X), primal._unit_scores(X), atol=1e-9)
        assert (dual.predict(X) == primal.predict(X)).all()


@pytest.mark.parametrize("multi_class", SCHEMES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_polynomial_kernel_is_the_textbook_run(multi_class: str, order: str, classes: int) -> None:
    X, y = whole_numbers(24, 4, classes, 7)
    oracle = DualReference(poly(3, 1, 1), margin=2.0, order=order, multi_class=multi_class, random_state=5)
    oracle.fit(X.tolist(), y.tolist(), epochs=3)
    options: dict[str, Any] = {"kernel": "poly", "degree": 3, "gamma": 1, "order": order, "multi_class": multi_class}
    for cache_mb in (0, 1):
        for keep, decision in (("last", oracle.scores), ("average", oracle.average), ("vote", oracle.votes)):
            own = options | {"keep": keep, "cache_mb": cache_mb, "margin": 2.0, "max_iter": 3, "random_state": 5}
            run = KernelPerceptron(record=True, **own).fit(X, y)
            assert run.mistakes_ == oracle.mistakes
            trace = run.trace_
            log = zip(
                trace.t.tolist(), trace.row.tolist(), trace.unit.tolist(), trace.coefficient.tolist(), strict=True
            )
            assert list(log) == oracle.log
            np.testing.assert_allclose(run._unit_scores(X), [decision(x) for x in X.tolist()], rtol=1e-9, atol=1e-9)


def test_rbf_is_the_textbook_run() -> None:
    X, y = real_numbers(50, 3, 2, 3)
    oracle = DualReference(rbf(0.7), fit_intercept=False).fit(X.tolist(), y.tolist(), epochs=3)
    run = KernelPerceptron(kernel="rbf", gamma=0.7, fit_intercept=False, keep="last", order="given", max_iter=3)
    run.fit(X, y)
    assert run.mistakes_ == oracle.mistakes
    np.testing.assert_allclose(run._unit_scores(X), [oracle.scores(x) for x in X.tolist()], atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("zeros", [0.2, 0.9])
def test_dense_sparse_single_and_precomputed_agree(kernel: str, zeros: float) -> None:
    draw = np.random.default_rng(1)
    X = draw.integers(-2, 3, (80, 12)) * (draw.random((80, 12)) > zeros) / 4
    y = draw.permutation(np.arange(80) % 3)
    model = KernelPerceptron(kernel=kernel, degree=2, gamma=0.5, max_iter=3)
    dense = clone(model).fit(X, y)
    sparse = clone(model).fit(sp.csr_array(X), y)
    assert bits(sparse.dual_coef_) == bits(dense.dual_coef_)
    assert bits(sparse.decision_function(X)) == bits(dense.decision_function(sp.csr_array(X)))
    single = clone(model).fit(X.astype(np.float32), y)
    assert (single.predict(X.astype(np.float32)) == dense.predict(X)).all()
    function = clone(model).set_params(kernel=lambda A, B: _table(kernel, A, B)).fit(X, y)
    table = clone(model).set_params(kernel="precomputed").fit(_table(kernel, X, X), y)
    for other, rows in ((function, X), (table, _table(kernel, X, X))):
        np.testing.assert_allclose(other.decision_function(rows), dense.decision_function(X), atol=1e-9)


def _table(kernel: str, A: Any, B: Any) -> Any:
    if kernel == "rbf":
        return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))
    return A @ B.T if kernel == "linear" else (0.5 * (A @ B.T) + 1) ** 2


def test_wide_sparse_rows_stay_sparse() -> None:
    draw = np.random.default_rng(0)
    X = sp.random_array((60, 100_000), density=1e-3, rng=draw, format="csr")
    y = np.arange(60) % 2
    run = KernelPerceptron(kernel="linear", keep="last", order="given").fit(X, y)
    primal = Perceptron(keep="last", order="given").fit(X, y)
    assert run.mistakes_ == primal.mistakes_
    assert sp.issparse(run.support_vectors_)
    np.testing.assert_allclose(run.dual_coef_ @ run.support_vectors_, primal.coef_, atol=1e-9)


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
@pytest.mark.parametrize("multi_class", SCHEMES)
def test_row_by_row_is_one_epoch(keep: str, multi_class: str) -> None:
    X, y = whole_numbers(50, 4, 3, 4)
    model = KernelPerceptron(kernel="poly", degree=2, gamma=1, keep=keep, multi_class=multi_class, order="given")
    batch = clone(model).set_params(max_iter=1).fit(X, y)
    stream = clone(model)
    for i in range(50):
        stream.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1, 2])
    assert (stream.t_, stream.n_mistakes_) == (batch.t_, batch.n_mistakes_)
    assert stream.support_.tolist() == batch.support_.tolist()
    assert bits(stream.decision_function(X)) == bits(batch.decision_function(X))


def test_a_run_continues_where_it_stopped() -> None:
    X, y = whole_numbers(50, 4, 3, 4)
    ten = KernelPerceptron(kernel="poly", gamma=1, max_iter=10).fit(X, y)
    five = KernelPerceptron(kernel="poly", gamma=1, max_iter=5, warm_start=True).fit(X, y)
    stored = pickle.loads(pickle.dumps(five))
    copied = copy.deepcopy(five)
    for run in (five, stored, copied):
        run.fit(X, y)
        assert run.mistakes_ == ten.mistakes_
        assert bits(run.decision_function(X)) == bits(ten.decision_function(X))


def test_weights_are_longer_steps_and_zero_is_no_row() -> None:
    X, y = whole_numbers(60, 5, 3, 1)
    weights = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    primal = Perceptron(class_weight={0: 2.0, 1: 1.0, 2: 3.0}, max_iter=3).fit(X, y, weights)
    dual = KernelPerceptron(kernel="linear", class_weight={0: 2.0, 1: 1.0, 2: 3.0}, max_iter=3).fit(X, y, weights)
    assert run_of(dual) == run_of(primal)
    np.testing.assert_allclose(dual._unit_scores(X), primal._unit_scores(X), atol=1e-9)


def test_separates_what_no_line_can() -> None:
    X, y = XOR
    run = KernelPerceptron(kernel="poly", degree=2, gamma=1, keep="last").fit(X, y)
    assert run.status_ == "separated"
    assert (run.predict(X) == y).all()
    assert KernelPerceptron(kernel="linear", keep="last", max_iter=20).fit(X, y).status_ == "budget"


@pytest.mark.parametrize("budget", [1, 5, 20])
@pytest.mark.parametrize("streamed", [False, True])
def test_the_budget_is_the_forgetron(budget: int, streamed: bool) -> None:
    X, y = make_moons(300, noise=0.2, random_state=0)
    oracle = ForgetronReference(rbf(2.0), budget)
    for x, label in zip(X.tolist(), (2 * y - 1).tolist(), strict=True):
        oracle.visit(x, label)
    run = KernelPerceptron(gamma=2.0, budget=budget, keep="last", order="given", fit_intercept=False, max_iter=1)
    if streamed:
        for at in range(0, 300, 50):
            run.partial_fit(X[at : at + 50], y[at : at + 50], classes=[0, 1])
    else:
        run.fit(X, y)
    assert run.n_mistakes_ == oracle.mistakes
    assert len(run.support_) == min(budget, oracle.mistakes)
    np.testing.assert_allclose(run.decision_function(X), [oracle.score(x) for x in X.tolist()], rtol=1e-6, atol=1e-9)


def test_a_budget_bounds_every_unit() -> None:
    X, y = real_numbers(200, 6, 4, 0)
    run = KernelPerceptron(budget=7, keep="last", max_iter=3).fit(sp.csr_array(X), y)
    assert (np.count_nonzero(run.dual_coef_, axis=1) <= 7).all()
    assert len(run.support_) <= 4 * 7
    table = X @ X.T
    assert len(KernelPerceptron(kernel="precomputed", budget=3, keep="last").fit(table, y).support_) <= 12


def test_coefficients_make_the_scores() -> None:
    X, y = whole_numbers(60, 5, 3, 2)
    for intercept in (True, False):
        run = KernelPerceptron(kernel="poly", degree=2, gamma=1, max_iter=3, fit_intercept=intercept).fit(X, y)
        table = (X @ run.support_vectors_.T + 1) ** 2
        np.testing.assert_allclose(run._unit_scores(X), table @ run.dual_coef_.T + run.intercept_, rtol=1e-9, atol=1e-9)
        assert (X[run.support_] == run.support_vectors_).all()


@pytest.mark.parametrize("single", [False, True])
def test_products_are_the_same_bits_on_every_instruction_set(single: bool) -> None:
    draw = np.random.default_rng(0)
    rows = (draw.normal(size=(75, 19)) * (draw.random((75, 19)) < 0.4)).astype(np.float32 if single else np.float64)
    panel = (native.SinglePanel if single else native.Panel)(19)
    for part in np.array_split(rows[:33], [1, 2, 5, 6, 20]):
        panel.extend(np.ascontiguousarray(part))
    assert (panel.rows() == rows[:33]).all()
    products = panel.products(rows, 0, 0.5, 1.0, 3, 2)
    one_by_one = np.hstack([panel.products(rows[i : i + 1], 0, 0.5, 1.0, 3, 1) for i in range(75)])
    assert (products == one_by_one).all()
    assert (panel.products(rows, 4, 0.5, 1.0, 3, 3) == products[8:]).all()
    exact = (0.5 * (rows[:33].astype(float) @ rows.T.astype(float)) + 1) ** 3
    np.testing.assert_allclose(products, exact, rtol=1e-4 if single else 1e-12, atol=1e-5 if single else 1e-12)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget": 0}, "must be None or an int of at least 1. Got 0"),
        ({"kernel": "sigmoid"}, "'linear', 'poly', 'rbf', 'precomputed' or a function"),
        ({"degree": 0}, "an int of at least 1"),
        ({"gamma": 0.0}, "greater than 0"),
        ({"gamma": "auto"}, "'scale'"),
        ({"coef0": -1.0}, "at least 0"),
        ({"cache_mb": -1}, "at least 0"),
        ({"budget": 3}, "keep='last'"),
        ({"budget": 3, "keep": "last", "multi_class": "joint"}, "multi_class='ovr' or multi_class='ovo'"),
        ({"budget": 3, "keep": "last", "record": True}, "record=False"),
    ],
)
def test_bad_options_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        KernelPerceptron(**changes).fit(*XOR)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda A, B: np.full((len(A), len(B)), np.nan), "returned nan between row 0 and row 0"),
        (lambda A, B: np.ones((len(A), len(B) + 1)), "must return numbers in the shape (rows of X, rows of Z)"),
        (lambda A, B: 1.0, "returned the shape ()"),
        (lambda A, B: np.full((len(A), len(B)), "x"), "values of type"),
    ],
)
def test_bad_kernels_are_refused(kernel: Any, words: str) -> None:
    with pytest.raises(DataError) as caught:
        KernelPerceptron(kernel=kernel).fit(*XOR)
    assert words in str(caught.value)


def test_a_table_must_be_square_and_dense() -> None:
    with pytest.raises(DataError, match="must be square"):
        KernelPerceptron(kernel="precomputed").fit(np.ones((4, 3)), XOR[1])
    with pytest.raises(DataError, match=r"it is sparse: call X.toarray"):
        KernelPerceptron(kernel="precomputed").fit(sp.eye_array(4, format="csr"), XOR[1])


def test_overflowing_kernels_are_refused_and_the_model_stays() -> None:
    X, y = real_numbers(40, 3, 2, 0)
    run = KernelPerceptron(kernel="poly", degree=50, gamma=1, keep="last").fit(X / 10, y)
    before = bits(run.decision_function(X / 10))
    for learn in (lambda: run.fit(X * 1e10, y), lambda: run.partial_fit(X * 1e10, y)):
        with pytest.raises(LearningOverflowError, match="scale the features, or lower degree"):
            learn()
        assert bits(run.decision_function(X / 10)) == before


@pytest.mark.parametrize(
    "changes", [{"keep": "pocket"}, {"kernel": "precomputed"}, {"gamma": "scale"}, {"class_weight": "balanced"}]
)
def test_what_needs_all_rows_cannot_be_streamed(changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"at once|over all"):
        KernelPerceptron(**changes).partial_fit(*XOR, classes=[0, 1])


def test_a_run_keeps_its_options() -> None:
    run = KernelPerceptron(kernel="linear").partial_fit(*XOR, classes=[0, 1])
    with pytest.raises(ParameterError, match="began with kernel='linear'"):
        run.set_params(kernel="rbf").partial_fit(*XOR)


def test_a_failing_function_leaves_the_model() -> None:
    X, y = real_numbers(40, 3, 2, 0)
    rows = [0]

    def kernel(A: Any, B: Any) -> Any:
        rows[0] += len(A)
        return A @ B.T if rows[0] < 200 else np.full((len(A), len(B)), np.inf)

    run = KernelPerceptron(kernel=kernel, keep="last").partial_fit(X, y, classes=[0, 1])
    before = (run.t_, run.n_mistakes_, len(run.support_))
    with pytest.raises(DataError, match="returned inf"):
        run.partial_fit(X, y).partial_fit(X, y).partial_fit(X, y)
    assert run.t_ % 40 == 0
    assert len(run.support_) >= before[2]


@pytest.mark.parametrize("layout", ["dense", "sparse", "precomputed"])
@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket"])
def test_a_run_that_goes_on_is_the_unbroken_run(keep: str, layout: str) -> None:
    rng = np.random.default_rng(3)
    rows, labels = rng.integers(-2, 3, (40, 3)).astype(float), rng.integers(0, 2, 40)
    X: Any = {"dense": rows, "sparse": sp.csr_array(rows), "precomputed": (1 + rows @ rows.T) ** 2}[layout]
    options: Any = {
        "kernel": "precomputed" if layout == "precomputed" else "poly",
        "degree": 2,
        "gamma": 1,
        "keep": keep,
    }
    unbroken = KernelPerceptron(max_iter=7, **options).fit(X, labels)
    parts = KernelPerceptron(max_iter=3, warm_start=True, **options).fit(X, labels)
    parts.set_params(max_iter=4).fit(X, labels)
    assert unbroken.mistakes_ == parts.mistakes_
    assert unbroken.support_.tolist() == parts.support_.tolist()
    assert (unbroken.dual_coef_ == parts.dual_coef_).all()
    assert (unbroken.decision_function(X) == parts.decision_function(X)).all()
