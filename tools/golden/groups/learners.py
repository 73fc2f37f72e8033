"""The learner of event loops: one example at a time, dense or sparse, growing or of a fixed width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import rosenblatt
from tools.golden.case import Case, named, product, refusal
from tools.golden.data.tables import binary, holey
from tools.golden.groups.fits import RATES, SMOOTH_RATES


def cases() -> Iterator[Case]:
    for loss in ("perceptron", "hinge", "logistic", "squared"):
        rates = RATES if loss in ("perceptron", "hinge") else SMOOTH_RATES
        for options in product(learning_rate=rates, keep=("last", "average"), fit_intercept=(True, False)):
            chosen = {"loss": loss, "eta0": 0.05 if loss == "squared" else 1.0, **options}
            for way in ("dense", "list", "sparse", "growing"):
                name = f"learners/{way}/{named(**chosen)}"
                yield Case(name, lambda way=way, chosen=chosen: _learned(way, chosen))
    for options in product(margin=(0.5, 2.0), r=(0.5,), learning_rate=RATES):
        yield Case(f"learners/dense/{named(**options)}", lambda options=options: _learned("dense", options))
    for name, attempt in {
        "label": lambda: rosenblatt.Learner(2).learn([1.0, 2.0], 7),
        "width": lambda: rosenblatt.Learner(2).learn([1.0, 2.0, 3.0], 1),
        "nan": lambda: rosenblatt.Learner(2).learn([1.0, float("nan")], 1),
        "weight": lambda: rosenblatt.Learner(2).learn([1.0, 2.0], 1, -1.0),
        "keep": lambda: rosenblatt.Learner(2, keep="vote"),
        "batch": lambda: rosenblatt.Learner(2, loss="squared", learning_rate="arow"),
        "index": lambda: rosenblatt.Learner(2).learn(([5], [1.0]), 1),
    }.items():
        yield Case(f"learners/refused/{name}", lambda attempt=attempt: refusal(attempt))


def _learned(way: str, options: dict[str, Any]) -> Any:
    X, y = binary() if way in ("dense", "list") else holey(40, 50)
    learner = rosenblatt.Learner(None if way == "growing" else X.shape[1], **options)
    mistakes, scores = [], []
    for place, (row, label) in enumerate(zip(X, y, strict=True)):
        example: Any = row.tolist() if way == "list" else row
        if way in ("sparse", "growing"):
            columns = np.flatnonzero(row)
            example = (columns.tolist(), row[columns].tolist()) if place % 2 else (columns, row[columns])
        scores.append(learner.score(example))
        mistakes.append(learner.learn(example, int(label), 1.0 if place % 3 else 0.5))
    return [mistakes, scores, np.asarray(learner.coef), learner.intercept, learner.t, learner.n_mistakes]
