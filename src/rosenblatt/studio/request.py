"""What the page sends, checked: points of the plane, their classes, and the options of a learner."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.records import Floats

MOST_POINTS = 10_000
MOST_CLASSES = 10
MOST_EPOCHS = 1_000
MOST_VISITS = 2_000_000
_FURTHEST = 1e100  # squares of coordinates stay finite

# The learner of each loss that can be traced, and its options that are controls on the page, in this order.
TABLES: Mapping[str, Mapping[str, options.Option[Any]]] = {
    "perceptron": options.PERCEPTRON,
    "squared": options.ADALINE,
    "logistic": options.LOGISTIC_UNIT,
}
CONTROLS = (
    *("learning_rate", "eta0", "margin", "r", "order", "batch", "keep", "max_iter", "init"),
    *("fit_intercept", "multi_class", "random_state"),
)


@dataclass(frozen=True)
class Plane:
    """Examples in the plane: one row of `X` and one label of `y` each; `classes` are the labels in the page's order."""

    X: Floats
    y: NDArray[Any]
    index: NDArray[np.intp]
    classes: tuple[Any, ...]

    @property
    def present(self) -> list[int]:
        """Which of the classes have an example, by their place."""
        return [int(k) for k in np.unique(self.index)]


def plane_of(request: Mapping[str, Any], *, least: int = 2) -> Plane:
    """The examples of a request: `points` as pairs, `labels` as places in `classes`; `least` classes have an example.

    >>> plane = plane_of({"points": [[0, 0], [1, 1]], "labels": [0, 1], "classes": ["A", "B"]})
    >>> plane.X.tolist(), plane.y.tolist()
    ([[0.0, 0.0], [1.0, 1.0]], ['A', 'B'])
    """
    points, labels, classes = (request.get(name) for name in ("points", "labels", "classes"))
    if not isinstance(points, list) or not isinstance(labels, list) or not isinstance(classes, list):
        raise DataError("A request needs points, labels and classes, each as a list.")
    if len(points) > MOST_POINTS:
        raise DataError(f"The studio shows up to {MOST_POINTS:,} points, and these are {len(points):,}: use fewer.")
    if len(points) != len(labels):
        raise DataError(f"There are {len(points):,} points and {len(labels):,} labels: each point needs one.")
    names = _names(classes)
    for at, (point, label) in enumerate(zip(points, labels, strict=True)):
        if not (isinstance(point, list) and len(point) == 2 and all(_is_number(value) for value in point)):
            raise DataError(f"Point {at} is not a pair of numbers of a size that can be drawn: correct or erase it.")
        if not isinstance(label, int) or isinstance(label, bool) or not 0 <= label < len(names):
            raise DataError(f"The label of point {at} is not the place of a class, 0 to {len(names) - 1}.")
    index = np.array(labels, dtype=np.intp)
    if len(np.unique(index)) < least:
        raise DataError("A separator needs points of at least two classes: add some of another one.")
    X = np.array(points, dtype=np.float64).reshape(len(points), 2)
    return Plane(X, np.array(names)[index] if len(index) else np.empty(0), index, tuple(names))


def _names(classes: list[Any]) -> list[Any]:
    """The classes, in sorted order: the larger label is the positive class everywhere."""
    if not 1 <= len(classes) <= MOST_CLASSES:
        raise DataError(f"The studio shows 1 to {MOST_CLASSES} classes, and these are {len(classes)}.")
    words = all(isinstance(name, str) and 0 < len(name) <= 200 for name in classes)
    if not words and not all(_is_number(name) for name in classes):
        raise DataError("The classes are named by short words, or all by numbers.")
    if any(before >= after for before, after in pairwise(classes)):
        raise DataError("The classes must be sorted, each named once.")
    return classes


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _FURTHEST and math.isfinite(value)


def chosen_of(request: Mapping[str, Any], rows: int) -> tuple[str, dict[str, Any]]:
    """The loss, and the options of its learner that were chosen, checked one by one and together."""
    chosen = request.get("options", {})
    if not isinstance(chosen, dict):
        raise ParameterError("The options of a request are an object of names and values.")
    chosen = dict(chosen)
    loss = chosen.pop("loss", options.loss.default)
    if not isinstance(loss, str) or loss not in TABLES:
        raise ParameterError(f"The 'loss' of the studio must be one of {', '.join(TABLES)}. Got {loss!r} instead.")
    unknown = [name for name in chosen if name not in CONTROLS]
    if unknown:
        raise ParameterError(f"The studio has no control {unknown[0]!r}; its controls are {', '.join(CONTROLS)}.")
    options.check("the studio", chosen, TABLES[loss])
    options.check_together("The studio", {**chosen, "loss": loss})
    told = {"order": options.trace_order.default, **chosen}
    epochs = told.get("max_iter", options.max_iter.default)
    if epochs > MOST_EPOCHS or epochs * rows > MOST_VISITS:
        raise ParameterError(
            f"The studio plays up to {MOST_EPOCHS:,} epochs and {MOST_VISITS:,} visits, and max_iter={epochs:,} over "
            f"{rows:,} points may need more: choose a smaller max_iter, or learn with Perceptron."
        )
    return loss, told
