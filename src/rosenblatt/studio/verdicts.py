"""The verdict for the page: a certificate with what is drawn of it, the theorem along a run, other learners' lines."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.certify import Inseparable, Separable, certify, certify_classes, theorem_run
from rosenblatt.studio.request import Plane, chosen_of, plane_of

SECONDS = 5.0  # that a search may take before it says that it does not know
_CURVE = 300  # points of a curve


def verdict(request: Mapping[str, Any]) -> dict[str, Any]:
    """Can a line tell the classes apart? With two classes the proof, to be drawn; with more, every pair.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> answer = verdict(XOR)
    >>> answer["kind"], answer["rows"], answer["weights"], answer["meets"]
    ('inseparable', [0, 1, 2, 3], ['1/2', '1/2', '1/2', '1/2'], [0.5, 0.5])
    """
    plane = plane_of(request)
    if len(plane.present) > 2:
        return _pairs(plane)
    answer = certify(plane.X, plane.y, time_limit=SECONDS)
    told: dict[str, Any] = {"kind": answer.kind, "verified": answer.verified, "words": answer.explain()}
    if isinstance(answer, Separable):
        return told | _separable(answer) | {"theorem": _theorem(request, plane, answer)}
    return told | (_inseparable(answer, plane) if isinstance(answer, Inseparable) else {})


def _separable(answer: Separable) -> dict[str, Any]:
    return {
        "weights": [float(answer.b), *(float(w) for w in answer.w)],
        "margin": answer.margin,
        "support": answer.support.tolist(),
        "radius": answer.radius,
        "augmented_margin": answer.augmented_margin,
        "mistake_bound": answer.mistake_bound if np.isfinite(answer.mistake_bound) else None,
    }


def _inseparable(answer: Inseparable, plane: Plane) -> dict[str, Any]:
    positive = [at for at, sign in enumerate(answer.signs) if sign > 0]
    meets = sum(float(answer.weights[at]) * plane.X[int(answer.rows[at])] for at in positive)
    shown = [str(weight) if len(str(weight)) <= 24 else f"{float(weight):.6g}" for weight in answer.weights]
    rows = [(int(row), sign) for row, sign in zip(answer.rows, answer.signs, strict=True)]
    hulls = [_hull(plane, [row for row, sign in rows if sign == side]) for side in (-1, 1)]
    return {"rows": answer.rows.tolist(), "weights": shown, "meets": np.asarray(meets).tolist(), "hulls": hulls}


def _hull(plane: Plane, rows: list[int]) -> list[int]:
    """The rows of the proof in order round their middle: at most three in the plane, so any order is a polygon."""
    middle = plane.X[rows].mean(axis=0)
    return sorted(rows, key=lambda row: float(np.arctan2(*(plane.X[row] - middle)[::-1])))


def _pairs(plane: Plane) -> dict[str, Any]:
    table = certify_classes(plane.X, plane.y, scheme="ovo", time_limit=SECONDS)
    pairs = [{name: row[name] for name in ("first", "second", "answer")} for row in table.to_rows()]
    apart = sum(pair["answer"] == "separable" for pair in pairs)
    words = f"A straight line tells {apart} of the {len(pairs)} pairs of classes apart without an error."
    return {"kind": "pairs", "words": words, "pairs": [{k: _plain(v) for k, v in pair.items()} for pair in pairs]}


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


# -- the theorem ------------------------------------------------------------------------------------------------------


def _theorem(request: Mapping[str, Any], plane: Plane, answer: Separable) -> dict[str, Any] | None:
    """The two inequalities along Rosenblatt's rule with this order and seed; None where the rule is another one."""
    loss, chosen = chosen_of(request, len(plane.X))
    if not is_rosenblatts(loss, chosen):
        return None
    seed = chosen.get("random_state", options.random_state.default)
    epochs = chosen.get("max_iter", options.max_iter.default)
    run = theorem_run(
        plane.X, plane.y, order=chosen["order"], max_iter=epochs, random_state=seed or 0, certificate=answer
    )
    at = np.unique(np.linspace(0, run.mistakes, min(_CURVE, run.mistakes + 1)).round().astype(np.intp))
    curves = {name: getattr(run, name)[at].tolist() for name in _CURVES}
    return {"k": at.tolist(), **curves, "mistakes": run.mistakes, "holds": run.holds, "margin": run.margin}


_CURVES = ("progress", "progress_bound", "norm_squared", "norm_bound")
# The theorem's rule: every mistake adds y x, from zero, one example at a time. A constant rate scales all weights.
_ROSENBLATT = {"learning_rate": "constant", "margin": 0.0, "batch": 1, "init": "zeros", "fit_intercept": True}


def is_rosenblatts(loss: str, chosen: Mapping[str, Any]) -> bool:
    """Is this the rule that the convergence theorem speaks of, with the rate that its figures are drawn for?"""
    asked = {name: chosen.get(name, options.PERCEPTRON[name].default) for name in (*_ROSENBLATT, "eta0")}
    return loss == "perceptron" and asked == {**_ROSENBLATT, "eta0": 1.0}


# -- the relatives ----------------------------------------------------------------------------------------------------


def relatives(request: Mapping[str, Any]) -> dict[str, Any]:
    """The lines of the perceptron and its relatives on the same two classes, each with its own defaults."""
    from rosenblatt.estimators import Adaline, LogisticUnit, MaxMargin, Perceptron

    plane = plane_of(request)
    if len(plane.present) > 2:
        return {"lines": [], "words": "The relatives are compared on two classes: erase the others."}
    made: dict[str, Any] = {
        "perceptron, last": Perceptron(keep="last"),
        "perceptron, average": Perceptron(keep="average"),
        "Adaline": Adaline(),
        "logistic unit": LogisticUnit(),
        "maximum margin": MaxMargin(time_limit=SECONDS),
    }
    lines = []
    for name, model in made.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that no line separates is the verdict's to say
            model.fit(plane.X, plane.y)
        wrong = int(np.sum(model.predict(plane.X) != plane.y))
        weights = [float(model.intercept_[0]), *model.coef_[0].tolist()]
        lines.append({"name": name, "weights": weights, "errors": wrong})
    return {"lines": lines, "words": f"Errors on these {len(plane.X):,} points, each with its own defaults."}
