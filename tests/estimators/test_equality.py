"""The estimators equal the oracle of reference.py, bit for bit, for every combination of their options."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from rosenblatt import Learner, LogisticUnit
from tests.agree import (
    LEARNERS,
    Array,
    assert_same_decisions,
    assert_same_log,
    assert_same_run,
    assert_same_weights,
    real_numbers,
    twin,
    whole_numbers,
)
from tests.pairwise import pairwise
from tests.reference import Reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RATES = ("constant", "inverse", "invsqrt", "adagrad")
CLOSED_FORMS = ("pa1", "pa2", "arow")
SCHEMES = {"binary": ("ovr", 2), "ovr": ("ovr", 3), "ovo": ("ovo", 4), "joint": ("joint", 3)}
BATCHES = (1, 4, "full")
ORDERS = ("given", "shuffle", "sample")
SIZES = [(12, 1), (17, 5), (25, 3), (14, 8), (20, 13), (16, 20)]
WEIGHTS = (0.0, 0.5, 1.0, 1.7, 3.0)


def combinations() -> list[tuple[Any, ...]]:
    """(loss, rate, scheme, batch, order, keep) for every valid combination."""
    gradient = itertools.product(LEARNERS, RATES, SCHEMES, BATCHES, ORDERS, ("last", "average", "pocket"))
    votes = itertools.product(["perceptron"], RATES, SCHEMES, [1], ORDERS, ["vote"])
    closed = itertools.product(
        ["perceptron"], CLOSED_FORMS, SCHEMES, [1], ORDERS, ("last", "average", "vote", "pocket")
    )
    valid = [c for c in gradient if not (c[0] == "squared" and c[2] == "joint")]
    return [*valid, *votes, *closed]


def rest_of(draw: random.Random, loss: str) -> dict[str, Any]:
    """The remaining options, drawn at random for each combination."""
    rest: dict[str, Any] = {
        "eta0": draw.choice([0.01, 0.03]) if loss == "squared" else draw.choice([1.0, 0.25, 0.3]),
        "fit_intercept": draw.random() < 0.7,
        "init": draw.choice(["zeros", "zeros", "random"]),
        "random_state": draw.randrange(2**32),
    }
    if loss == "perceptron":
        rest |= {"margin": draw.choice([0.0, 0.0, 0.5, 1.3]), "r": draw.choice([1.0, 0.7])}
    return rest


def weights_of(draw: random.Random, n: int, classes: int) -> tuple[list[float] | None, dict[Any, float] | None]:
    sample = [draw.choice(WEIGHTS) for _ in range(n)] if draw.random() < 0.4 else None
    of_class = {k: draw.choice(WEIGHTS[1:]) for k in range(classes)} if draw.random() < 0.4 else None
    return sample, of_class


def model_and_oracle(
    loss: str, X: Array, y: Array, weights: list[float] | None, epochs: int, **options: Any
) -> tuple[Any, Reference]:
    oracle = Reference(loss, **options)
    model = twin(oracle, max_iter=epochs, record=True).fit(X, y, sample_weight=weights)
    return model, oracle.fit(X.tolist(), y.tolist(), weights, epochs)


def every_case() -> Iterator[Any]:
    """All combinations with both kinds of numbers; `make test` runs a pairwise selection."""
    numbers = {"whole": whole_numbers, "real": real_numbers}
    cases = [(*options, kind) for options in combinations() for kind in numbers]
    few = pairwise(cases)
    for *options, kind in cases:
        marks = () if (*options, kind) in few else pytest.mark.full_factorial
        yield pytest.param(*options, numbers[kind], id="-".join(map(str, [*options, kind])), marks=marks)


@pytest.mark.parametrize(("loss", "rate", "scheme", "batch", "order", "keep", "make"), list(every_case()))
def test_every_combination(loss: str, rate: str, scheme: str, batch: Any, order: str, keep: str, make: Any) -> None:
    draw = random.Random(f"{loss} {rate} {scheme} {batch} {order} {keep} {make.__name__}")
    multi_class, classes = SCHEMES[scheme]
    (n, d), options = draw.choice(SIZES), rest_of(draw, loss)
    X, y = make(n, d, classes, draw.randrange(10**6))
    sample, of_class = weights_of(draw, n, classes)
    options |= {"learning_rate": rate, "multi_class": multi_class, "batch": batch, "order": order, "keep": keep}
    model, oracle = model_and_oracle(loss, X, y, sample, draw.choice([1, 3]), class_weight=of_class, **options)
    assert_same_run(model, oracle)
    assert_same_decisions(model, oracle, make(8, d, classes, 0)[0])
    assert_same_log(model, oracle)


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket"])
@pytest.mark.parametrize(("multi_class", "classes"), [("ovr", 9), ("ovr", 17), ("ovo", 5), ("ovo", 6), ("joint", 11)])
@pytest.mark.parametrize("rate", ["constant", "adagrad", "arow"])
def test_more_units_than_lie_side_by_side(rate: str, multi_class: str, classes: int, keep: str) -> None:
    X, y = real_numbers(3 * classes, 6, classes, seed=classes)
    options = {"learning_rate": rate, "multi_class": multi_class, "keep": keep, "order": "shuffle"}
    model, oracle = model_and_oracle("perceptron", X, y, None, 2, **options)
    assert_same_run(model, oracle)
    assert_same_decisions(model, oracle, X)
    assert_same_log(model, oracle)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "joint"])
def test_softmax_and_logistic_over_many_classes(multi_class: str) -> None:
    X, y = real_numbers(30, 7, 10, seed=1)
    model, oracle = model_and_oracle("logistic", X, y, None, 2, multi_class=multi_class)
    assert_same_run(model, oracle)
    assert_same_log(model, oracle)


@pytest.mark.parametrize("shape", ["flat", "by unit", "weights only", "weights only, flat"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_given_start(shape: str, fit_intercept: bool) -> None:
    classes = 2 if "flat" in shape else 3
    X, y = real_numbers(15, 5, classes, seed=3)
    start = np.random.default_rng(0).normal(size=(1 if classes == 2 else 3, 6))
    if "weights" in shape or not fit_intercept:
        start[:, 0] = 0.0
    init = start[:, 1:] if "weights" in shape or not fit_intercept else start
    oracle = Reference(init=start.tolist(), fit_intercept=fit_intercept)
    model = twin(oracle, init=init[0] if "flat" in shape else init, max_iter=2).fit(X, y)
    assert_same_run(model, oracle.fit(X.tolist(), y.tolist(), epochs=2))


def test_balanced_classes_weigh_the_same_in_total() -> None:
    X, y = real_numbers(21, 4, 3, seed=5)
    y = np.where(y == 2, 0, y)  # 14 of class 0, 7 of class 1
    oracle = Reference(class_weight={0: 21 / (2 * 14), 1: 21 / (2 * 7)})
    model = twin(oracle, class_weight="balanced", max_iter=3).fit(X, y)
    assert_same_run(model, oracle.fit(X.tolist(), y.tolist(), epochs=3))


@st.composite
def streams(draw: st.DrawFn) -> dict[str, Any]:
    """A learner, its options, and rows split into calls at random places."""
    loss = draw(st.sampled_from(list(LEARNERS)))
    rate = draw(st.sampled_from(RATES + CLOSED_FORMS * (loss == "perceptron")))
    schemes = [s for s in SCHEMES if (loss, s) != ("squared", "joint")]
    n, d = draw(st.sampled_from(SIZES))
    batch = 1 if rate in CLOSED_FORMS else draw(st.sampled_from(BATCHES))
    votes = ["vote"] if loss == "perceptron" and batch == 1 else []
    return {
        "loss": loss,
        "scheme": draw(st.sampled_from(schemes)),
        "data": draw(st.sampled_from([whole_numbers, real_numbers])),
        "size": (n, d),
        "seed": draw(st.integers(0, 10**6)),
        "cuts": sorted(draw(st.sets(st.integers(1, n - 1), max_size=5))),
        "weights": draw(st.none() | st.lists(st.sampled_from(WEIGHTS), min_size=n, max_size=n)),
        "options": {
            "learning_rate": rate,
            "batch": batch,
            "keep": draw(st.sampled_from(["last", "average", *votes])),
            "order": draw(st.sampled_from(ORDERS)),
            "eta0": 0.03 if loss == "squared" else draw(st.sampled_from([1.0, 0.3])),
            "fit_intercept": draw(st.booleans()),
            "init": draw(st.sampled_from(["zeros", "random"])),
            "random_state": draw(st.integers(0, 2**31)),
        },
    }


@settings(max_examples=150)
@given(streams())
def test_streams_cut_anywhere(stream: dict[str, Any]) -> None:
    """After every call, an unfinished batch is shown as if it ended there, and continues with the next call."""
    multi_class, classes = SCHEMES[stream["scheme"]]
    options = stream["options"] | {"multi_class": multi_class}
    X, y = stream["data"](*stream["size"], classes, stream["seed"])
    oracle = Reference(stream["loss"], **options)
    model = twin(oracle)
    for part in np.split(np.arange(len(X)), stream["cuts"]):
        weights = None if stream["weights"] is None else [stream["weights"][i] for i in part]
        model.partial_fit(X[part], y[part], classes=list(range(classes)), sample_weight=weights)
        oracle.partial_fit(X[part].tolist(), y[part].tolist(), list(range(classes)), weights)
        assert_same_weights(model, oracle)
        assert_same_decisions(model, oracle, X[:4])


@pytest.mark.parametrize("batch", [1, "full"])
@pytest.mark.parametrize(("loss", "eta0"), [("squared", 0.03), ("logistic", 0.3)])
def test_loss_is_the_mean_over_the_visits(loss: str, eta0: float, batch: Any) -> None:
    """The oracle logs the gradient of each visit, and both losses are functions of their gradients."""
    X, y = real_numbers(18, 4, 2, seed=8)
    model, oracle = model_and_oracle(loss, X, y, None, 3, order="shuffle", eta0=eta0, batch=batch)
    gradient = np.abs([coefficient for *_, coefficient in oracle.log]).reshape(3, 18) / eta0
    losses = 0.5 * gradient**2 if loss == "squared" else -np.log1p(-gradient)
    assert model.loss_ == pytest.approx(losses.mean(axis=1), rel=1e-9)


@settings(max_examples=150)
@given(st.sampled_from(["perceptron", "hinge", "logistic", "squared"]), st.data())
def test_the_light_learner(loss: str, data: st.DataObject) -> None:
    """One row at a time, dense or (indices, values), with the number of features known or not."""
    closed = CLOSED_FORMS if loss in ("perceptron", "hinge") else ()
    options = {
        "learning_rate": data.draw(st.sampled_from(RATES + closed)),
        "eta0": 0.03 if loss == "squared" else 0.3,
        "margin": data.draw(st.sampled_from([0.0, 0.5])) if closed else 0.0,
        "keep": data.draw(st.sampled_from(["last", "average"])),
        "fit_intercept": data.draw(st.booleans()),
    }
    (n, d), make = data.draw(st.sampled_from(SIZES)), data.draw(st.sampled_from([whole_numbers, real_numbers]))
    X, y = make(n, d, 2, data.draw(st.integers(0, 10**6)))
    learner = Learner(data.draw(st.sampled_from([None, d])), loss=loss, **options)
    oracle = Reference(loss, **options)
    for x, label, c, sparse in zip(X, y.tolist(), itertools.cycle(WEIGHTS), itertools.cycle([0, 1, 1]), strict=False):
        (stored,) = np.nonzero(x)
        before = oracle.n_mistakes
        oracle.partial_fit([x.tolist()], [label], [0, 1], [c])
        mistake = learner.learn((stored, x[stored]) if sparse else x, 1 if label else -1, c)
        assert (mistake, learner.t) == (oracle.n_mistakes > before, oracle.t)
        assert learner.score(X[0]) == oracle.decision(X[0].tolist())[0]


REGULARISED = pairwise(
    [
        (loss, rate, scheme, batch, keep, strength)
        for loss, rate, scheme, batch, keep, strength in itertools.product(
            LEARNERS,
            RATES,
            SCHEMES,
            (1, 40, "full"),
            ("last", "average", "pocket"),
            ((0.01, 0), (0, 0.003), (0.1, 0.01)),
        )
        if not (loss == "squared" and scheme == "joint")
    ]
)


@pytest.mark.parametrize(("loss", "rate", "scheme", "batch", "keep", "strength"), REGULARISED, ids=str)
def test_regularised(loss: str, rate: str, scheme: str, batch: Any, keep: str, strength: tuple[float, float]) -> None:
    multi_class, classes = SCHEMES[scheme]
    X, y = real_numbers(150, 11, classes, seed=1)
    alpha, l1 = strength
    options = {"learning_rate": rate, "multi_class": multi_class, "batch": batch, "keep": keep, "eta0": 0.01}
    oracle = Reference(loss, alpha=alpha, l1=l1, order="shuffle", **options)
    model = twin(oracle, max_iter=2, n_jobs=2).fit(X, y)
    oracle.fit(X.tolist(), y.tolist(), None, 2)
    assert_same_run(model, oracle)
    sparse = twin(oracle, max_iter=2).fit(csr_matrix(X), y)
    assert_same_run(sparse, oracle)
    if batch != "full" and keep != "pocket":
        steady, row_by_row = Reference(loss, alpha=alpha, l1=l1, **options), twin(oracle)
        for i in range(100):
            row_by_row.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(classes))
        steady.partial_fit(X[:100].tolist(), y[:100].tolist(), list(range(classes)))
        assert_same_weights(row_by_row, steady)


def test_regularisation_lowers_its_objective() -> None:
    """Mean loss + alpha/2 |w|^2, within a thousandth of what scikit-learn reaches."""
    X, y = make_classification(400, 10, random_state=0)
    alpha = 0.05
    unit = LogisticUnit(alpha=alpha, learning_rate="invsqrt", eta0=0.1, max_iter=300).fit(X, y)
    peer = LogisticRegression(C=1 / (alpha * len(X)), tol=1e-10).fit(X, y)

    def objective(coef: Any, intercept: Any) -> float:
        margins = np.where(y == 1, 1, -1) * (X @ coef.ravel() + intercept)
        return float(np.logaddexp(0, -margins).mean() + alpha / 2 * np.square(coef).sum())

    best = objective(peer.coef_, peer.intercept_)
    assert best <= objective(unit.coef_, unit.intercept_) < 1.001 * best


def test_l1_makes_weights_exactly_zero() -> None:
    X, y = make_classification(400, 20, n_informative=2, n_redundant=0, class_sep=2.0, random_state=0)
    unit = LogisticUnit(l1=0.05, learning_rate="adagrad", eta0=0.1, keep="last", max_iter=20).fit(X, y)
    assert 1 <= np.count_nonzero(unit.coef_) <= 10
    assert unit.score(X, y) > 0.8
