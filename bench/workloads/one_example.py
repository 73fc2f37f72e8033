"""One row at a time: ``partial_fit`` of the estimators, and the light learner of event loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench import peers
from bench.machine import call_limit
from bench.records import Machine, Race, Row, Side, Size, Target
from bench.timing import run
from bench.workloads.generate import gaussian_rows

FEATURES = 50


def one_row(size: Size, machine: Machine) -> Iterator[Row]:
    """Calls of ``partial_fit`` with one row, with scikit-learn's checks, and with them off on both sides."""
    import sklearn

    calls = 500 if size.quick else 4_000
    X, y = gaussian_rows(calls, FEATURES)
    rows = [(X[i : i + 1], y[i : i + 1]) for i in range(calls)]
    limit = call_limit(machine, FEATURES, calls)
    sides = partial_fit_sides(rows)
    for name, unchecked, target in (("one-row", False, Target(10.0)), ("one-row-unchecked", True, None)):
        work = f"one-row partial_fit, {FEATURES} features" + (", checks off" if unchecked else "")
        with sklearn.config_context(assume_finite=unchecked, skip_parameter_validation=unchecked):
            yield run(Race(name, work, *sides, limit, target, calls, "call"), size)


def partial_fit_sides(rows: list[tuple[Any, Any]]) -> tuple[Side, Side]:
    """The same loop over both estimators; the classes are passed in the first call only."""
    from sklearn.linear_model import Perceptron as Theirs

    from rosenblatt import Perceptron as Ours

    def loop(make: Callable[[], Any]) -> Callable[[], object]:
        def visit() -> Any:
            model = make()
            model.partial_fit(*rows[0], classes=np.array([0, 1]))
            for X, y in rows[1:]:
                model.partial_fit(X, y)
            return model

        return visit

    return (
        Side("Perceptron.partial_fit", loop(lambda: Ours(random_state=0))),
        Side("scikit-learn Perceptron.partial_fit", loop(lambda: Theirs(random_state=0))),
    )


def light(size: Size, machine: Machine) -> Iterator[Row]:
    """The light learner, dense row and pair of arrays, against river's ``learn_one`` and Vowpal Wabbit's ``learn``."""
    calls = 2_000 if size.quick else 20_000
    X, y = gaussian_rows(calls, FEATURES)
    labels = (2 * y - 1).tolist()
    limit = call_limit(machine, FEATURES, calls)
    indices = np.arange(FEATURES)
    dense = learner_side("Learner.learn(row, y)", list(X), labels)
    pairs = learner_side("Learner.learn((indices, values), y)", [(indices, row) for row in X], labels)

    def race(name: str, end: str, ours: Side, peer: Side, target: Target | None) -> Row:
        work = f"one example at a time, {FEATURES} features{end}"
        return run(Race(name, work, ours, peer, limit, target, calls, "call"), size)

    river = peers.if_installed(lambda: river_side(X, y))
    if river:
        yield race("light", "", dense, river, Target(5.0))
        yield race("light-pairs", " as pairs", pairs, river, Target(5.0))
    wabbit = peers.if_installed(lambda: wabbit_side(X, y))
    if wabbit:
        yield race("light-parsed", ", parsed before", dense, wabbit, None)


def learner_side(name: str, rows: list[Any], labels: list[int]) -> Side:
    """Our learner on rows that need no conversion."""
    from rosenblatt import Learner

    def visit() -> Any:
        learner = Learner(n_features=FEATURES, loss="perceptron")
        learn = learner.learn
        for x, y in zip(rows, labels, strict=True):
            learn(x, y)
        return learner

    return Side(name, visit)


def river_side(X: Any, y: Any) -> Side:
    """river's Perceptron on dictionaries that are built before the clock starts."""
    from river.linear_model import Perceptron

    rows = [dict(enumerate(row)) for row in X.tolist()]
    labels = [bool(label) for label in y]

    def visit() -> Any:
        model = Perceptron()
        learn_one = model.learn_one
        for x, label in zip(rows, labels, strict=True):
            learn_one(x, label)
        return model

    return Side("river Perceptron.learn_one", visit)


def wabbit_side(X: Any, y: Any) -> Side:
    """Vowpal Wabbit over examples parsed before the clock starts."""
    from vowpalwabbit import Workspace

    options = "--quiet --loss_function hinge --sgd --power_t 0 -l 0.5"
    model = Workspace(options)
    texts = (
        f"{2 * label - 1} | {' '.join(f'{index}:{value:.6g}' for index, value in enumerate(row))}"
        for row, label in zip(X.tolist(), y, strict=True)
    )
    examples = [model.parse(text) for text in texts]

    def visit() -> Any:
        learn = model.learn
        for example in examples:
            learn(example)
        return model

    return Side("Vowpal Wabbit learn", visit)
