"""A layer of hidden units learned by gradient descent, for the lesson about networks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.studio.playback.contours import Grid, read_picture
from rosenblatt.studio.request import read_points

MAX_HIDDEN_UNITS, MAX_HIDDEN_POINTS = 8, 300
_GRID_COLUMNS = 120


def hidden_units(request: Mapping[str, Any]) -> dict[str, Any]:
    """A layer of `units` hidden units and an output unit, learned on the plane: their lines, and the errors left.

    With the `box` and `size` of a picture also the regions in which each class is decided, as paths.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> [hidden_units(XOR | {"units": units})["errors"] for units in (1, 2)]
    [1, 0]
    """
    from rosenblatt.comparison.hidden_units import hidden_units as learn_hidden_units

    points, n_units = read_points(request), request.get("units")
    if not isinstance(n_units, int) or isinstance(n_units, bool) or not 1 <= n_units <= MAX_HIDDEN_UNITS:
        raise ParameterError(f"Choose 1 to {MAX_HIDDEN_UNITS} hidden units. Got {n_units!r} instead.")
    if len(points.present) != 2 or len(points.X) > MAX_HIDDEN_POINTS:
        raise DataError(f"Hidden units are learned here on two classes and up to {MAX_HIDDEN_POINTS} points.")
    model = learn_hidden_units(points.X, points.y, n_units)
    (hidden_weights, output_weights), (hidden_biases, output_bias) = model.coefs_, model.intercepts_
    wrong_rows = np.flatnonzero(model.predict(points.X) != points.y).tolist()
    answer = {} if "box" not in request else {"regions": _regions(model, request)}
    return answer | {
        "units": n_units,
        "lines": np.column_stack([hidden_biases, hidden_weights.T]).tolist(),
        "output": [*output_bias.tolist(), *output_weights[:, 0].tolist()],
        "errors": len(wrong_rows),
        "wrong_rows": wrong_rows,
    }


def _regions(model: Any, request: Mapping[str, Any]) -> list[str]:
    """Where the negative and the positive class are decided."""
    grid = Grid(*read_picture(request), _GRID_COLUMNS)
    chance = model.predict_proba(grid.points)[:, 1] - 0.5
    return [grid.area(chance, -1.0, 0.0), grid.area(chance, 0.0, 1.0)]
