"""The linear estimators: every rule, what is kept, layouts, batches, orders, weights, and runs that go on."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import rosenblatt
from tools.golden.case import Case, named, product
from tools.golden.data.tables import LAYOUTS, Table, binary, holey, many
from tools.golden.normalise.digest import rounded

RATES = ("constant", "inverse", "invsqrt", "adagrad", "pa1", "pa2", "arow")
SMOOTH_RATES = RATES[:4]
KEEPS = ("last", "average", "vote", "pocket")
SMOOTH_KEEPS = ("last", "average", "pocket")
ORDERS = ("given", "shuffle", "sample")
# A logistic unit as it was before its rate adapted to each feature; the options of a case come after these.
STEADY = {"learning_rate": "constant", "eta0": 1.0, "keep": "average"}


def facts(unit: Any, probe: Any) -> dict[str, Any]:
    """All that a run leaves behind, and what it says about some rows."""
    left_behind = {
        "classes": unit.classes_,
        "coef": np.asarray(unit.coef_),
        "intercept": np.asarray(unit.intercept_),
        "status": unit.status_,
        "n_iter": unit.n_iter_,
        "t": unit.t_,
        "n_mistakes": unit.n_mistakes_,
        "mistakes": unit.mistakes_,
        "loss": rounded(unit.loss_),
        "scores": np.asarray(unit.decision_function(probe)),
        "labels": unit.predict(probe),
    }
    if unit.record:
        log = unit.trace_
        left_behind["log"] = [np.asarray(part) for part in (log.t, log.row, log.unit, log.coefficient)]
    return left_behind


def fitted(estimator: str, table: Table, layout: str = "c64", sample_weight: Any = None, **options: Any) -> Any:
    """The facts of one fit."""
    X, y = table
    values = LAYOUTS[layout](X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = {"max_iter": 6, **(STEADY if estimator == "LogisticUnit" else {}), **options}
        unit = getattr(rosenblatt, estimator)(**chosen).fit(values, y, sample_weight)
        return facts(unit, LAYOUTS[layout](X[:13]))


def _fit(estimator: str, data: str, table: Table, layout: str = "c64", **options: Any) -> Case:
    name = f"fits/{estimator}/{data}/{layout}/{named(**options)}"
    return Case(name, lambda: fitted(estimator, table, layout, **options))


def cases() -> Iterator[Case]:
    yield from _rules_and_layouts()
    yield from _many_classes()
    yield from _batches()
    yield from _margins_and_rates()
    yield from _products()
    yield from _smooth_units()
    yield from _weights()
    yield from _starts()
    yield from _early_stopping()
    yield from _going_on()
    yield from _records()
    yield from _shapes()


def _rules_and_layouts() -> Iterator[Case]:
    for layout in LAYOUTS:
        for options in product(learning_rate=RATES, keep=KEEPS):
            yield _fit("Perceptron", "binary", binary(), layout, **options)
    for layout in ("c64", "csr32", "csr64", "csr-unsorted", "csr-float32"):
        for options in product(learning_rate=RATES, keep=("last", "average")):
            yield _fit("Perceptron", "holey", holey(), layout, **options)


def _many_classes() -> Iterator[Case]:
    for layout in ("c64", "c32", "csr32"):
        for options in product(multi_class=("ovr", "ovo", "joint"), learning_rate=RATES, keep=KEEPS):
            yield _fit("Perceptron", "many", many(), layout, **options)
    for options in product(multi_class=("ovr", "ovo", "joint"), keep=KEEPS):
        yield _fit("Perceptron", "holey-5", holey(classes=5), "csr32", **options)
    for options in product(multi_class=("ovr", "ovo", "joint"), learning_rate=SMOOTH_RATES, batch=(5, "full")):
        yield _fit("Perceptron", "many", many(), "c64", **options)


def _batches() -> Iterator[Case]:
    for options in product(batch=(2, 7, 64, "full"), learning_rate=SMOOTH_RATES, keep=SMOOTH_KEEPS):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
    for options in product(batch=(3, "full"), learning_rate=SMOOTH_RATES, order=ORDERS):
        yield _fit("Perceptron", "holey", holey(), "csr32", **options)


def _margins_and_rates() -> Iterator[Case]:
    for options in product(margin=(0.25, 2.0), learning_rate=RATES, order=ORDERS):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
    for options in product(eta0=(0.1, 3.0), learning_rate=RATES[:6], keep=("last", "average")):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
    for options in product(r=(0.1, 10.0), learning_rate=("arow",), keep=KEEPS):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
    for options in product(fit_intercept=(False,), learning_rate=RATES, keep=KEEPS):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
    for options in product(order=ORDERS, keep=KEEPS, random_state=(1, 7, 2**31)):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
    for options in product(n_jobs=(2, -1), keep=KEEPS, multi_class=("ovr", "ovo", "joint")):
        yield _fit("Perceptron", "many", many(), "c64", **options)
    for options in product(max_iter=(1, 2, 40), keep=KEEPS):
        yield _fit("Perceptron", "separable", binary(noise=0), "c64", **options)


def _products() -> Iterator[Case]:
    for layout in ("c64", "c32", "strided", "f64"):
        for options in product(degree=(2, 3), learning_rate=RATES):
            yield _fit("Perceptron", "binary", binary(columns=4), layout, **options)
    for estimator in ("Adaline", "LogisticUnit"):
        for options in product(degree=(2, 4)):
            yield _fit(estimator, "binary", binary(columns=4), "c64", **options)
    for options in product(degree=(2,), keep=KEEPS, multi_class=("ovr", "ovo", "joint")):
        yield _fit("Perceptron", "many", many(), "c64", **options)


def _smooth_units() -> Iterator[Case]:
    for estimator in ("Adaline", "LogisticUnit"):
        rate = {"eta0": 0.05} if estimator == "Adaline" else {"eta0": 0.5}
        for layout in ("c64", "f64", "strided", "c32", "int8", "csr32", "csr-unsorted", "frame"):
            # whole numbers are large, and a constant rate would overflow on them
            scale = {"eta0": 0.001} if layout == "int8" else rate
            for options in product(learning_rate=SMOOTH_RATES, keep=SMOOTH_KEEPS):
                yield _fit(estimator, "binary", binary(), layout, **scale, **options)
        for options in product(batch=(4, "full"), learning_rate=SMOOTH_RATES, order=ORDERS):
            small = {"eta0": 0.01} if options["batch"] == "full" else rate
            yield _fit(estimator, "binary", binary(), "c64", **small, **options)
        schemes = ("ovr", "ovo") if estimator == "Adaline" else ("ovr", "ovo", "joint")
        for layout in ("c64", "csr32"):
            for options in product(multi_class=schemes, learning_rate=SMOOTH_RATES, keep=SMOOTH_KEEPS):
                yield _fit(estimator, "many", many(), layout, **rate, **options)
        yield _fit(estimator, "binary", binary(), "c64", fit_intercept=False)
        yield _fit(estimator, "binary", binary(), "c64")
    for options in product(multi_class=("joint",), keep=SMOOTH_KEEPS):
        yield Case(f"fits/LogisticUnit/probabilities/{named(**options)}", lambda options=options: _chances(**options))


def _chances(**options: Any) -> Any:
    X, y = many()
    unit = rosenblatt.LogisticUnit(max_iter=5, **STEADY | options).fit(X, y)
    return rounded([unit.predict_proba(X[:9]), unit.predict_log_proba(X[:9])])


def _weights() -> Iterator[Case]:
    X, y = binary()
    heavy = {
        "ones-and-twos": 1.0 + np.arange(len(y)) % 2,
        "thirds": np.arange(len(y)) / 3.0,
        "some-zero": y * 1.5 + 0.0,
    }
    classes = {"balanced": "balanced", "dict": {0: 0.5, 1: 3.0}}
    for estimator in ("Perceptron", "Adaline", "LogisticUnit"):
        rates = RATES if estimator == "Perceptron" else SMOOTH_RATES
        for rate in rates:
            options: dict[str, Any] = {"learning_rate": rate, **({} if estimator == "Perceptron" else {"eta0": 0.05})}
            for weight, values in heavy.items():
                yield Case(
                    f"fits/{estimator}/sample-weight/{weight}/{rate}",
                    lambda e=estimator, w=values, o=options: fitted(e, (X, y), sample_weight=w, **o),
                )
            for weight, balance in classes.items():
                yield Case(
                    f"fits/{estimator}/class-weight/{weight}/{rate}",
                    lambda e=estimator, b=balance, o=options: fitted(e, (X, y), class_weight=b, **o),
                )
    letters = {"a": 1.0, "b": 2.0, "c": 0.25, "d": 1.5}
    for options in product(multi_class=("ovr", "ovo", "joint"), keep=KEEPS):
        for weight, balance in {"balanced": "balanced", "dict": letters}.items():
            yield Case(
                f"fits/Perceptron/class-weight/many/{weight}/{named(**options)}",
                lambda b=balance, o=options: fitted("Perceptron", many(), class_weight=b, **o),
            )
            yield Case(
                f"fits/Perceptron/both-weights/many/{weight}/{named(**options)}",
                lambda b=balance, o=options: fitted(
                    "Perceptron", many(), sample_weight=np.arange(72) % 5 / 2.0, class_weight=b, **o
                ),
            )


def _starts() -> Iterator[Case]:
    with_bias, without = np.arange(8.0).reshape(1, 8) / 8 - 0.5, np.arange(7.0).reshape(1, 7) / 4 - 1.0
    for rate in RATES:
        for keep in KEEPS:
            for start, value in {"random": "random", "weights": without, "bias-and-weights": with_bias}.items():
                yield Case(
                    f"fits/Perceptron/init/{start}/{named(learning_rate=rate, keep=keep)}",
                    lambda r=rate, k=keep, v=value: fitted("Perceptron", binary(), init=v, learning_rate=r, keep=k),
                )
    for estimator in ("Adaline", "LogisticUnit"):
        for seed in (0, 3):
            yield _fit(estimator, "binary", binary(), "c64", init="random", random_state=seed)
    for scheme in ("ovr", "ovo", "joint"):
        yield _fit("Perceptron", "many", many(), "c64", init="random", multi_class=scheme)


def _early_stopping() -> Iterator[Case]:
    for options in product(
        early_stopping=(True,),
        validation_fraction=(0.1, 0.3),
        n_iter_no_change=(1, 3),
        keep=("last", "average", "pocket"),
        max_iter=(30,),
    ):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
        yield _fit("LogisticUnit", "many", many(), "csr32", **options)
    for options in product(early_stopping=(True,), random_state=(1, 2, 3), max_iter=(20,)):
        yield _fit("Perceptron", "many", many(), "c64", **options)
        yield _fit("Adaline", "binary", binary(), "c64", **options)


def _going_on() -> Iterator[Case]:
    for rate in RATES:
        for keep in KEEPS:
            options = {"learning_rate": rate, "keep": keep}
            yield Case(f"fits/Perceptron/warm-start/{named(**options)}", lambda o=options: _continued("Perceptron", o))
            if keep != "pocket":
                yield Case(f"fits/Perceptron/pieces/{named(**options)}", lambda o=options: _in_pieces("Perceptron", o))
    for estimator in ("Adaline", "LogisticUnit"):
        for options in product(learning_rate=SMOOTH_RATES, keep=SMOOTH_KEEPS, eta0=(0.05,)):
            name = f"fits/{estimator}/{{}}/{named(**options)}"
            yield Case(name.format("warm-start"), lambda e=estimator, o=options: _continued(e, o))
            if options["keep"] != "pocket":
                yield Case(name.format("pieces"), lambda e=estimator, o=options: _in_pieces(e, o))
    for options in product(multi_class=("ovr", "ovo", "joint"), keep=("last", "average")):
        yield Case(
            f"fits/Perceptron/pieces-many/{named(**options)}", lambda o=options: _in_pieces("Perceptron", o, many())
        )


def _continued(estimator: str, options: dict[str, Any]) -> Any:
    """Three epochs, and four more."""
    X, y = binary()
    unit = getattr(rosenblatt, estimator)(warm_start=True, max_iter=3, **options).fit(X, y)
    unit.max_iter = 4
    return facts(unit.fit(X, y), X[:13])


def _in_pieces(estimator: str, options: dict[str, Any], table: Table | None = None) -> Any:
    """All the examples through partial_fit: some at once, some one by one, some as sparse rows."""
    X, y = binary() if table is None else table
    unit = getattr(rosenblatt, estimator)(**options)
    unit.partial_fit(X[:20], y[:20], classes=np.unique(y))
    for row in range(20, 26):
        unit.partial_fit(X[row : row + 1], y[row : row + 1])
    unit.partial_fit(LAYOUTS["csr32"](X[26:45]), y[26:45])
    unit.partial_fit(X[45:], y[45:], sample_weight=np.full(len(y) - 45, 0.75))
    return facts(unit, X[:13])


def _records() -> Iterator[Case]:
    for options in product(record=(True,), learning_rate=RATES, order=ORDERS):
        yield _fit("Perceptron", "binary", binary(), "c64", **options)
    for options in product(record=(True,), multi_class=("ovr", "ovo", "joint"), keep=KEEPS):
        yield _fit("Perceptron", "many", many(), "csr32", **options)
    for estimator in ("Adaline", "LogisticUnit"):
        for options in product(record=(True,), batch=(1, 5, "full"), eta0=(0.05,)):
            yield _fit(estimator, "binary", binary(), "c64", **options)


def _shapes() -> Iterator[Case]:
    """Rows of many lengths: each fills the machine's registers in another way."""
    for columns in (1, 2, 3, 5, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257):
        for layout in ("c64", "c32", "f64"):
            yield _fit("Perceptron", f"columns-{columns}", binary(40, columns), layout, learning_rate="pa1")
        yield _fit("Perceptron", f"columns-{columns}", many(40, columns), "c64", multi_class="joint")
        yield _fit("LogisticUnit", f"columns-{columns}", binary(40, columns), "c64", eta0=0.1)
    for classes in (3, 5, 8):
        for scheme in ("ovr", "ovo", "joint"):
            yield _fit("Perceptron", f"classes-{classes}", many(90, 20, classes), "c64", multi_class=scheme)
            yield _fit("Perceptron", f"classes-{classes}", many(90, 20, classes), "csr32", multi_class=scheme)
