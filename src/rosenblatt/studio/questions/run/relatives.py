"""The boundaries of the perceptron and its relatives on the same points, for comparison."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.learn.polynomial import expand
from rosenblatt.records import Floats
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.contours import Grid, read_picture
from rosenblatt.studio.questions.run.verdict import TIME_LIMIT
from rosenblatt.studio.request import Points, read_options, read_points

_GRID_COLUMNS = 176


def relatives(request: Mapping[str, Any]) -> dict[str, Any]:
    """The boundary of each relative on two classes, with its own defaults and the `degree` of the page.

    With a degree above 1 the boundaries are curves, sent as paths.
    """
    from rosenblatt.estimators.adaline import Adaline
    from rosenblatt.estimators.logistic_unit import LogisticUnit
    from rosenblatt.estimators.max_margin import MaxMargin
    from rosenblatt.estimators.perceptron import Perceptron

    points = read_points(request)
    learner, chosen = read_options(request, len(points.X))
    if len(points.present) > 2:
        return {"lines": [], "caption": "The relatives are compared on two classes: erase the others."}
    degree = int(chosen.get("degree", 1)) if learner != "kernel" else 1
    models: dict[str, Any] = {
        "perceptron, last": Perceptron(keep="last", degree=degree),
        "perceptron, average": Perceptron(keep="average", degree=degree),
        "Adaline": Adaline(degree=degree),
        "logistic unit": LogisticUnit(degree=degree),
    }
    lines = [_fitted_line(name, model, points, points.X) for name, model in models.items()]
    # MaxMargin has no degree parameter, so it gets the products.
    lines.append(_fitted_line("maximum margin", MaxMargin(time_limit=TIME_LIMIT), points, expand(points.X, degree)))
    if degree > 1:
        _add_paths(lines, Grid(*read_picture(request), _GRID_COLUMNS), degree)
    shape = f" and degree {degree}" if degree > 1 else ", as straight lines" if learner == "kernel" else ""
    caption = f"Errors on these {len(points.X):,} points, each with its own defaults{shape}."
    return {"lines": lines, "caption": caption}


def _fitted_line(name: str, model: Any, points: Points, X: Floats) -> dict[str, Any]:
    raise_if_cancelled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the verdict already says whether a line separates them
        model.fit(X, points.y)
    errors = int(np.sum(model.predict(X) != points.y))
    return {"name": name, "weights": [float(model.intercept_[0]), *model.coef_[0].tolist()], "errors": errors}


def _add_paths(lines: list[dict[str, Any]], grid: Grid, degree: int) -> None:
    products = expand(grid.points, degree)
    for line in lines:
        bias, *weights = line["weights"]
        line["path"] = grid.line(products @ np.array(weights) + bias)
