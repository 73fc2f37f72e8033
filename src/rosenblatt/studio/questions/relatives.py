"""The boundaries of the perceptron and its relatives on the same points, to be compared."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.records import Floats
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.questions.regions import Grid, picture_of
from rosenblatt.studio.questions.verdict import SECONDS
from rosenblatt.studio.request import Plane, chosen_of, plane_of

_FINE = 176


def relatives(request: Mapping[str, Any]) -> dict[str, Any]:
    """The boundaries of the perceptron and its relatives on the same two classes, each with its own defaults.

    All of them take the `degree` of the page; with one above 1 they are curves, sent as paths.
    """
    from rosenblatt.estimators.adaline import Adaline
    from rosenblatt.estimators.logistic import LogisticUnit
    from rosenblatt.estimators.perceptron import Perceptron

    plane = plane_of(request)
    name, chosen = chosen_of(request, len(plane.X))
    if len(plane.present) > 2:
        return {"lines": [], "words": "The relatives are compared on two classes: erase the others."}
    degree = int(chosen.get("degree", 1)) if name != "kernel" else 1
    made: dict[str, Any] = {
        "perceptron, last": Perceptron(keep="last", degree=degree),
        "perceptron, average": Perceptron(keep="average", degree=degree),
        "Adaline": Adaline(degree=degree),
        "logistic unit": LogisticUnit(degree=degree),
    }
    lines = [_line(name, model, plane, plane.X) for name, model in made.items()]
    lines.append(_widest(plane, degree))
    if degree > 1:
        _curve(lines, request, degree)
    return {"lines": lines, "words": _words(len(plane.X), degree, name)}


def _words(points: int, degree: int, name: str) -> str:
    where = f" and degree {degree}" if degree > 1 else ", as straight lines" if name == "kernel" else ""
    return f"Errors on these {points:,} points, each with its own defaults{where}."


def _line(name: str, model: Any, plane: Plane, X: Floats) -> dict[str, Any]:
    still_there()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no line separates is the verdict's to say
        model.fit(X, plane.y)
    wrong = int(np.sum(model.predict(X) != plane.y))
    return {"name": name, "weights": [float(model.intercept_[0]), *model.coef_[0].tolist()], "errors": wrong}


def _widest(plane: Plane, degree: int) -> dict[str, Any]:
    """The widest margin has no degree of its own: it is given the products."""
    from rosenblatt.estimators.max_margin import MaxMargin
    from rosenblatt.learn.polynomial import expand

    return _line("maximum margin", MaxMargin(time_limit=SECONDS), plane, expand(plane.X, degree))


def _curve(lines: list[dict[str, Any]], request: Mapping[str, Any], degree: int) -> None:
    from rosenblatt.learn.polynomial import expand

    grid = Grid(*picture_of(request), _FINE)
    products = expand(grid.points, degree)
    for line in lines:
        bias, *weights = line["weights"]
        line["path"] = grid.line(products @ np.array(weights) + bias)
