"""Units that predict a number: every loss by every rate, layouts, batches, weights, runs that go on, their files."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import rosenblatt
from tools.golden.case import Case, named, product, refusal
from tools.golden.data.numbers import Stream
from tools.golden.data.places import fresh
from tools.golden.data.tables import LAYOUTS, Table
from tools.golden.normalise import model_file
from tools.golden.normalise.digest import rounded

LOSSES = ("squared", "absolute", "quantile", "huber")
PLAIN_RATES = ("constant", "inverse", "invsqrt", "adagrad")
RATES = (*PLAIN_RATES, "invariant")
STEADY = {"eta0": 0.0005, "width": 2.0, "quantile": 0.75, "max_iter": 5}


def prices(rows: int = 70, columns: int = 9) -> Table:
    """A number along a random direction, far from 0, with noise; a third of the values are 0."""
    stream = Stream(f"prices {rows} {columns}")
    X = np.where(stream.below(3, rows * columns).reshape(rows, columns) == 0, 0.0, stream.real(rows, columns) * 2.0)
    return X, (X * stream.real(columns)).sum(axis=1) * 4.0 + 7.5 + stream.real(rows)


def facts(unit: Any, probe: Any) -> dict[str, Any]:
    """All that a run leaves behind, and what it predicts for some rows."""
    left_behind = {
        "coef": unit.coef_,
        "intercept": unit.intercept_,
        "status": unit.status_,
        "n_iter": unit.n_iter_,
        "t": unit.t_,
        "loss": rounded(unit.loss_),
        "predicted": unit.predict(probe),
    }
    if unit.record:
        log = unit.trace_
        left_behind["log"] = [np.asarray(part) for part in (log.t, log.row, log.unit, log.coefficient)]
    return left_behind


def fitted(layout: str = "c64", sample_weight: Any = None, **options: Any) -> Any:
    X, y = prices()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unit = rosenblatt.LinearUnit(**{**STEADY, **options}).fit(LAYOUTS[layout](X), y, sample_weight)
        return facts(unit, LAYOUTS[layout](X[:13]))


def _fit(layout: str = "c64", **options: Any) -> Case:
    return Case(f"numbers/{layout}/{named(**options)}", lambda: fitted(layout, **options))


def cases() -> Iterator[Case]:
    for options in product(loss=LOSSES, learning_rate=RATES, keep=("last", "average")):
        for layout in LAYOUTS if options["loss"] == "squared" else ("c64", next(reversed(LAYOUTS))):
            yield _fit(layout, **options)
    for options in product(learning_rate=("arow",), r=(0.5, 1.0), keep=("last", "average")):
        yield _fit(**options)
    for options in product(loss=LOSSES, learning_rate=PLAIN_RATES, batch=(4, "full")):
        yield _fit(**options)
    for options in product(
        learning_rate=("adagrad", "invariant"), order=("given", "shuffle", "sample"), alpha=(0.0, 0.1), l1=(0.0, 0.05)
    ):
        yield _fit(**options)
    for options in product(
        learning_rate=("constant", "arow", "invariant"), record=(True,), fit_intercept=(True, False)
    ):
        yield _fit(**options)
    for options in product(degree=(2,), early_stopping=(True, False), init=("zeros", "random")):
        yield _fit(**options, max_iter=40)
    for rate in (*RATES, "arow"):
        yield Case(f"numbers/weights/{rate}", lambda rate=rate: _weighted(rate))
        yield Case(f"numbers/stream/{rate}", lambda rate=rate: _stream(rate))
        yield Case(f"numbers/file/{rate}", lambda rate=rate: _file(rate))
    for options in ({}, {"error": "absolute"}, {"quantiles": (0.2, 0.9)}):
        yield Case(f"numbers/fit/{named(**options)}", lambda options=options: _without_options(200, 9, **options))
    yield Case("numbers/fit/wide", lambda: _without_options(30, 80))
    yield Case("numbers/diverges", lambda: refusal(lambda: fitted(learning_rate="constant", eta0=3.0, max_iter=200)))


def _without_options(rows: int, columns: int, **options: Any) -> Any:
    """What `fit` learns: of the squared error the minimum, by products of columns where these are not too many."""
    X, y = prices(rows, columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that chance decides much among thirty rows
        predictor = rosenblatt.LinearPredictor(random_state=0, **options).fit(X, y)
    model = predictor.model_
    return {
        "rule": model.provenance["rule"],
        "coef": model.coef,
        "intercept": model.intercept,
        "target": model.target.pack(),
        "predicted": predictor.predict(X[:13]),
    }


def _weighted(rate: str) -> Any:
    weights = Stream("prices weighed").below(4, 70) / 2.0
    return fitted(learning_rate=rate, sample_weight=weights)


def _stream(rate: str) -> Any:
    """In parts, of which a copy goes on."""
    X, y = prices()
    unit = rosenblatt.LinearUnit(**{**STEADY, "learning_rate": rate})
    for start in (0, 11, 50):
        stop = {0: 11, 11: 50, 50: 70}[start]
        unit = copy.deepcopy(unit.partial_fit(X[start:stop], y[start:stop]))
    return facts(unit, X[:13])


def _file(rate: str) -> Any:
    X, y = prices()
    unit = rosenblatt.LinearUnit(**{**STEADY, "learning_rate": rate, "warm_start": True}).fit(X, y)
    path = fresh("price.model")
    rosenblatt.save(unit, path)
    loaded = rosenblatt.load(path)
    return [model_file.content(path), facts(loaded.fit(X, y), X[:13])]
