"""Shared by the tests of the learners: generated data, and comparisons of two runs."""

import hashlib
from dataclasses import fields
from typing import Any
from warnings import catch_warnings

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from rosenblatt import Adaline, LinearSeparator, LogisticUnit, Perceptron
from tests.reference import Reference
from tests.slow_twins.learn.arithmetic import argmax

Array = NDArray[Any]
LEARNERS: dict[str, Any] = {"perceptron": Perceptron, "logistic": LogisticUnit, "squared": Adaline}


def rule(**changes: Any) -> Perceptron:
    """Rosenblatt's original rule: from zero, cyclic, a constant rate of 1, predicting with the last weights."""
    own = {"learning_rate": "constant", "eta0": 1.0, "margin": 0.0, "order": "given", "keep": "last"}
    return Perceptron(**own | changes)


def twin(oracle: Reference, **more: Any) -> Any:
    """The estimator with all options of the oracle, so that no default can make them differ."""
    learner = LEARNERS[oracle.loss]
    options = {option.name: getattr(oracle, option.name) for option in fields(oracle)} | more
    return learner(**{name: value for name, value in options.items() if name in learner().get_params()})


def whole_numbers(n: int, d: int, classes: int, seed: int) -> tuple[Array, Array]:
    """Small integers, many of them 0, so that every score is exact; each class occurs."""
    draw = np.random.default_rng(seed)
    X = draw.integers(-3, 4, (n, d)) * draw.integers(0, 2, (n, d))
    return X.astype(float), draw.permutation(np.arange(n) % classes)


def real_numbers(n: int, d: int, classes: int, seed: int) -> tuple[Array, Array]:
    """Gaussian numbers, a third of them 0, so that the order of every sum shows in the last bit."""
    draw = np.random.default_rng(seed)
    return draw.normal(size=(n, d)) * (draw.random((n, d)) < 0.7), draw.permutation(np.arange(n) % classes)


def bits(values: Any) -> tuple[tuple[int, ...], list[str]]:
    """The shape and every bit: -0.0 differs from 0.0, and close is not equal."""
    array = np.asarray(values, dtype=float)
    return array.shape, [value.hex() for value in array.ravel().tolist()]


def state(model: Any, X: Any = None) -> dict[str, Any]:
    """The visible state of a run, to be compared with ==."""
    attributes = {name: getattr(model, name) for name in ("t_", "n_mistakes_")}
    attributes |= {name: bits(getattr(model, name)) for name in ("coef_", "intercept_")}
    if X is not None:
        attributes["scores"] = bits(model.decision_function(X))
    return attributes


def run_of(model: Any) -> dict[str, Any]:
    return {"n_iter_": model.n_iter_, "mistakes_": list(model.mistakes_), "status_": model.status_}


def assert_same_weights(model: Any, oracle: Reference) -> None:
    answer = np.array(oracle.answer())
    assert bits(model.coef_) == bits(answer[:, :-1])
    assert bits(model.intercept_) == bits(answer[:, -1])
    assert (model.t_, model.n_mistakes_) == (oracle.t, oracle.n_mistakes)


def assert_same_run(model: Any, oracle: Reference) -> None:
    assert_same_weights(model, oracle)
    assert list(model.mistakes_) == oracle.mistakes
    assert model.n_iter_ == len(oracle.mistakes)
    assert model.status_ == oracle.status


def assert_same_decisions(model: Any, oracle: Reference, X: Array) -> None:
    scores = np.array([oracle.decision(x) for x in X.tolist()])
    if len(oracle.classes) == 2:
        assert bits(model.decision_function(X)) == bits(scores[:, 0])
        assert model.predict(X).tolist() == [oracle.classes[int(s > 0)] for s in scores[:, 0]]
    elif not oracle.pairs:
        assert bits(model.decision_function(X)) == bits(scores)
        assert model.predict(X).tolist() == [oracle.classes[argmax(s)] for s in scores]
    else:
        for label, s in zip(model.predict(X), scores, strict=True):
            wins = [j if sij > 0 else i for (i, j), sij in zip(oracle.pairs, s, strict=True)]
            assert wins.count(oracle.classes.index(label)) == max(map(wins.count, wins))


def assert_same_log(model: Any, oracle: Reference) -> None:
    """Compare update by update; the units that one joint decision moves may be in any order."""
    trace = model.trace_
    columns = (trace.t, trace.row, trace.unit, trace.coefficient)
    entries = sorted(entry for entry in zip(*(c.tolist() for c in columns), strict=True) if entry[-1])
    assert entries == sorted(entry for entry in oracle.log if entry[-1])


def fingerprint() -> str:
    """A digest of many runs, for comparing processes: every rule, dense and sparse, narrow and wide."""
    digest = hashlib.sha256()
    for seed, (classes, d) in enumerate([(2, 1), (2, 43), (3, 8), (10, 21)]):
        X, y = real_numbers(40, d, classes, seed)
        for rows in (X, np.asfortranarray(X, dtype=np.float32), sp.csr_array(X)):
            for name, learner in learners_of_every_kind().items():
                run = clone(learner).fit(rows, y)
                digest.update(repr((name, state(run, rows), run_of(run))).encode())
            for name in ("perceptron", "arow", "logistic", "pa1"):
                with catch_warnings(action="ignore"):  # labels at random are not learned
                    forgets = LinearSeparator(rule=name, forget=3.0).fit(rows, y)
                digest.update(repr((name, bits(forgets.coef_), bits(forgets.decision_function(rows)))).encode())
    return digest.hexdigest()


def learners_of_every_kind() -> dict[str, Any]:
    gradient, closed = ("constant", "invsqrt", "adagrad"), ("pa1", "pa2", "arow")
    learners = {f"perceptron {rate}": Perceptron(learning_rate=rate, eta0=0.3) for rate in gradient + closed}
    learners |= {f"joint {rate}": Perceptron(learning_rate=rate, multi_class="joint") for rate in gradient + closed}
    learners |= {f"logistic {rate}": LogisticUnit(learning_rate=rate, multi_class="ovo") for rate in gradient}
    learners |= {f"adaline {batch}": Adaline(batch=batch, eta0=0.003) for batch in (1, 7, "full")}
    learners |= {keep: Perceptron(keep=keep, eta0=0.7) for keep in ("last", "vote", "pocket")}
    learners["softmax"] = LogisticUnit(multi_class="joint", batch=5)
    return {name: learner.set_params(max_iter=3) for name, learner in learners.items()}
