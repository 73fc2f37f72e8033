"""Every step of a run, comparisons of methods, the degrees of polynomials, and models that were saved and opened."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

import rosenblatt
from tools.golden.case import Case, Parts, named, product, refusal
from tools.golden.data.places import fresh
from tools.golden.data.tables import LAYOUTS, Table, binary, boolean, holey, many
from tools.golden.groups.fits import KEEPS, ORDERS, RATES, SMOOTH_RATES, facts
from tools.golden.normalise import model_file
from tools.golden.normalise.digest import rounded

STEP = ("epoch", "t", "row", "unit", "target", "x", "score", "mistake", "coefficient", "before", "after")


def cases() -> Iterator[Case]:
    yield from _traced()
    yield from _saved()
    yield from _compared()


# -- traces -----------------------------------------------------------------------------------------------------------


def _traced() -> Iterator[Case]:
    for options in product(learning_rate=RATES, order=ORDERS):
        yield _trace("binary", binary(30, 3), **options)
    for options in product(multi_class=("ovr", "ovo", "joint"), margin=(0.0, 0.5)):
        yield _trace("many", many(24, 3, 3), **options)
    losses = ("squared", "logistic")
    for options in product(loss=losses, learning_rate=SMOOTH_RATES, batch=(1, 4, "full"), eta0=(0.05,)):
        yield _trace("binary", binary(30, 3), **options)
    yield _trace("holey", (LAYOUTS["csr32"](holey(20, 30)[0]), holey(20, 30)[1]), fit_intercept=False)
    yield Case("traces/refused/loss", lambda: refusal(lambda: rosenblatt.trace(*binary(), loss="magic")))
    yield Case("traces/refused/option", lambda: refusal(lambda: rosenblatt.trace(*binary(), speed=1)))


def _trace(data: str, table: Table, **options: Any) -> Case:
    return Case(f"traces/trace/{data}/{named(**options)}", lambda: _steps(table, **options))


def _steps(table: Table, **options: Any) -> Parts:
    run = rosenblatt.trace(*table, max_iter=4, **options)
    steps = [[getattr(step, name) for name in STEP] for step in run.steps()]
    totals = [[step.total_loss, step.total_errors] for step in run.steps(totals=True, limit=25)]
    dual = [] if options.get("learning_rate") in ("adagrad", "arow") or "loss" in options else [run.dual()]
    text, table_text = io.StringIO(), io.StringIO()
    run.to_json(text, limit=6)
    run.to_csv(table_text, limit=6)
    chosen = [[step.t, step.unit] for step in run.steps(mistakes_only=True, epochs=(2, 3), since=10)]
    updates = [[step.t, step.row, step.score] for step in islice(run, 20)]
    replayed = [run.replay(count) for count in range(0, len(run), max(1, len(run) // 5))]
    epochs = [[end.epoch, end.t, end.mistakes, end.weights] for end in run.epochs()]
    return Parts(
        log=[run.t, run.row, run.unit, run.coefficient, run.n_units, run.n_features, run.fit_intercept],
        steps=[steps, rounded(totals), chosen, updates],
        replay=[replayed, run.replay(), epochs, dual],
        files=[rounded(json.loads(text.getvalue())), list(csv.reader(io.StringIO(table_text.getvalue())))],
    )


# -- saved and opened -------------------------------------------------------------------------------------------------


def _saved() -> Iterator[Case]:
    for options in product(learning_rate=RATES, keep=KEEPS):
        for record in (False, True):
            chosen = {**options, "record": record}
            yield Case(
                f"traces/saved/Perceptron/{named(**chosen)}",
                lambda chosen=chosen: _opened("Perceptron", binary(40, 5), **chosen),
            )
    for options in product(multi_class=("ovr", "ovo", "joint"), keep=KEEPS):
        yield Case(
            f"traces/saved/Perceptron/many/{named(**options)}",
            lambda options=options: _opened("Perceptron", many(), **options),
        )
    for estimator in ("Adaline", "LogisticUnit"):
        for options in product(learning_rate=SMOOTH_RATES, keep=("last", "average", "pocket"), eta0=(0.05,)):
            yield Case(
                f"traces/saved/{estimator}/{named(**options)}",
                lambda estimator=estimator, options=options: _opened(estimator, binary(40, 5), **options),
            )
    extras: dict[str, dict[str, Any]] = {
        "frame": {"layout": "frame"},
        "sparse": {"layout": "csr32"},
        "products": {"degree": 2},
        "no-intercept": {"fit_intercept": False},
        "class-weight": {"class_weight": {0: 2.0, 1: 0.5}},
        "init": {"init": np.ones((1, 5))},
        "early": {"early_stopping": True, "max_iter": 30},
        "batch": {"batch": 7},
    }
    for name, options in extras.items():
        yield Case(
            f"traces/saved/Perceptron/{name}",
            lambda options=options: _opened("Perceptron", binary(40, 5), **{"max_iter": 4, **options}),
        )
    for name, options in KERNELS.items():
        yield Case(f"traces/saved/kernel/{name}", lambda options=options: _opened_kernel(**options))
    yield Case("traces/saved/network/learned", lambda: _opened_network(rosenblatt.ThresholdNetwork().fit(*boolean())))
    for text in ("a & b", "a ^ b ^ c", "~(a | b) -> c"):
        yield Case(
            f"traces/saved/network/{text}",
            lambda text=text: _opened_network(rosenblatt.ThresholdNetwork.from_expression(text)),
        )
    yield Case("traces/refused/function", lambda: refusal(_save_function))
    yield Case("traces/refused/unfitted", lambda: refusal(lambda: rosenblatt.save(rosenblatt.Perceptron(), "no.model")))


KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "gamma": 0.25},
    "poly-average-sparse": {"kernel": "poly", "gamma": 0.5, "layout": "csr32"},
    "poly-pocket": {"kernel": "poly", "gamma": 0.5, "keep": "pocket"},
    "poly-vote": {"kernel": "poly", "gamma": 0.5, "keep": "vote"},
    "rbf": {"kernel": "rbf", "gamma": 0.25, "keep": "last"},
    "record": {"kernel": "linear", "record": True},
    "budget": {"kernel": "linear", "budget": 6, "keep": "last"},
}


def _opened(estimator: str, table: Table, layout: str = "c64", **options: Any) -> Parts:
    """The file, the estimator that it opens as, and how its run goes on."""
    X, y = LAYOUTS[layout](table[0]), table[1]
    path = fresh("saved.model")
    unit = getattr(rosenblatt, estimator)(**{"max_iter": 3, "warm_start": True, **options}).fit(X, y)
    rosenblatt.save(unit, path)
    file = model_file.content(path)
    again = rosenblatt.load(path)
    same = [type(again).__name__, np.array_equal(again.predict(X), unit.predict(X))]
    further = again.fit(X, y)
    record = further.record
    further.record = False  # the log of a run that was opened is not whole
    continued = facts(further, X)
    further.record = record
    return Parts(file=file, opened=same, continued=continued)


def _opened_kernel(layout: str = "c64", **options: Any) -> Parts:
    X, y = binary(40, 8, kind="grid")
    rows, path = LAYOUTS[layout](X), fresh("kernel.model")
    unit = rosenblatt.KernelPerceptron(max_iter=4, **options).fit(rows, y)
    rosenblatt.save(unit, path)
    again = rosenblatt.load(path)
    scores = rounded(np.asarray(again.decision_function(rows)), 8)
    return Parts(file=model_file.content(path), opened=[scores, again.predict(rows), again.status_, again.support_])


def _opened_network(network: Any) -> Parts:
    path = fresh("network.model")
    rosenblatt.save(network, path)
    again = rosenblatt.load(path)
    rows = np.array([[place >> bit & 1 for bit in range(again.n_features_in_)] for place in range(8)], dtype=float)
    opened = [again.predict(rows), again.decision_function(rows), again.status_]
    return Parts(file=model_file.content(path), opened=opened)


def _save_function() -> None:
    unit = rosenblatt.KernelPerceptron(kernel=lambda X, Z: X @ Z.T).fit(*binary(20, 3))
    rosenblatt.save(unit, "function.model")


# -- comparisons ------------------------------------------------------------------------------------------------------


def _compared() -> Iterator[Case]:
    tables = {"binary": binary(60, 4, kind="grid"), "many": many(60, 4, 3, kind="grid"), "sparse": holey(60, 40)}
    for name, table in tables.items():
        for options in product(folds=(2, 3), random_state=(0, 1)):
            yield Case(
                f"traces/compare/{name}/{named(**options)}",
                lambda table=table, options=options: _methods(table, **options),
            )
    for options in product(folds=(3,), keep=("last", "average"), scale=(False,)):
        yield Case(f"traces/degrees/{named(**options)}", lambda options=options: _degrees(**options))


def _methods(table: Table, **options: Any) -> Any:
    """The perceptrons, Adaline and the logistic unit; the rest is other people's solvers."""
    comparison = rosenblatt.compare(*table, questions=False, max_iter=8, **options)
    methods = [
        [method.name, rounded([method.error.value, method.error.low, method.error.high]), method.converged]
        for method in comparison.methods[:6]
    ]
    size = [comparison.rows, comparison.features, comparison.folds, len(comparison.methods)]
    return [methods, size, list(map(str, comparison.classes))]


def _degrees(**options: Any) -> Any:
    report = rosenblatt.degree_report(*binary(60, 4, kind="grid"), degrees=[1, 2, 3], max_iter=5, **options)
    degrees = [
        [entry.degree, entry.training_error, entry.held_out_error.value, entry.support] for entry in report.degrees
    ]
    return [degrees, report.best.degree, list(report.overfits), report.rows, report.folds]
