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

MOST_BYTES = 4_000_000  # of one question, a table among them
MOST_POINTS = 10_000
MOST_CLASSES = 10
MOST_COLUMNS = 60
MOST_EPOCHS = 1_000
MOST_VISITS = 2_000_000
MOST_DEGREE = 8  # of products of two columns: 44 features
MOST_KERNEL_POINTS = 2_000  # the kernel values among them fit into memory, and a step is a product with them
FURTHEST = 1e100  # squares of coordinates stay finite

# The learner of each loss that can be traced, and the dual form; their options that are controls, in this order.
LOSSES = ("perceptron", "squared", "logistic")
TABLES: Mapping[str, Mapping[str, options.Option[Any]]] = {
    "perceptron": options.PERCEPTRON,
    "squared": options.ADALINE,
    "logistic": options.LOGISTIC_UNIT,
    "kernel": options.KERNEL_PERCEPTRON,
}
CONTROLS = (
    *("kernel", "degree", "gamma", "coef0", "learning_rate", "eta0", "margin", "r", "order", "batch", "keep"),
    *("max_iter", "init", "fit_intercept", "multi_class", "random_state"),
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
        if not (isinstance(point, list) and len(point) == 2 and all(is_number(value) for value in point)):
            raise DataError(f"Point {at} is not a pair of numbers of a size that can be drawn: correct or erase it.")
        if not isinstance(label, int) or isinstance(label, bool) or not 0 <= label < len(names):
            raise DataError(f"The label of point {at} is not the place of a class, 0 to {len(names) - 1}.")
    index = np.array(labels, dtype=np.intp)
    if len(np.unique(index)) < least:
        raise DataError("A separator needs points of at least two classes: add some of another one.")
    X = np.array(points, dtype=np.float64).reshape(len(points), 2)
    return Plane(X, np.array(names)[index] if len(index) else np.empty(0), index, tuple(names))


def table_rows(request: Mapping[str, Any]) -> tuple[Floats, NDArray[Any]]:
    """The whole `rows` of a table whose columns are more than two, and their labels: checked as the plane is."""
    rows = request.get("rows")
    width = len(rows[0]) if isinstance(rows, list) and rows and isinstance(rows[0], list) else 0
    if not 1 <= width <= MOST_COLUMNS:
        raise DataError(f"A table has 1 to {MOST_COLUMNS} columns.")
    assert isinstance(rows, list)
    for at, row in enumerate(rows[:MOST_POINTS]):
        if not (isinstance(row, list) and len(row) == width and all(is_number(value) for value in row)):
            raise DataError(f"Row {at} is not {width} numbers of a size that can be drawn: correct or erase it.")
    plane = plane_of({**request, "points": [[0, 0]] * len(rows)})
    return np.array(rows, dtype=np.float64), plane.y


def _names(classes: list[Any]) -> list[Any]:
    """The classes, in sorted order: the larger label is the positive class everywhere."""
    if not 1 <= len(classes) <= MOST_CLASSES:
        raise DataError(f"The studio shows 1 to {MOST_CLASSES} classes, and these are {len(classes)}.")
    words = all(isinstance(name, str) and 0 < len(name) <= 200 for name in classes)
    if not words and not all(is_number(name) for name in classes):
        raise DataError("The classes are named by short words, or all by numbers.")
    if any(before >= after for before, after in pairwise(classes)):
        raise DataError("The classes must be sorted, each named once.")
    return classes


def is_number(value: object) -> bool:
    """A number whose square can be drawn."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= FURTHEST and math.isfinite(value)


def start_of(given: Any) -> Any:
    """The weights to start from: numbers written as text are the bias and the weights of one unit.

    >>> start_of("-5 0 1"), start_of("zeros")
    ([[-5.0, 0.0, 1.0]], 'zeros')
    """
    if not isinstance(given, str) or given in options.init.choices:
        return given
    words = given.replace("−", "-").replace(",", " ").split()
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != 3 or not all(map(is_number, numbers)):
        raise ParameterError(
            f"The start is zeros, random, or three numbers, the bias first, as in -5 0 1. Got {given[:40]!r} instead."
        )
    return [numbers]


def chosen_of(request: Mapping[str, Any], rows: int) -> tuple[str, dict[str, Any]]:
    """Whose options they are, a loss or the kernel's, and those that were chosen, checked one by one and together."""
    chosen = request.get("options", {})
    if not isinstance(chosen, dict):
        raise ParameterError("The options of a request are an object of names and values.")
    chosen = dict(chosen)
    loss, kernel = chosen.pop("loss", options.loss.default), chosen.pop("kernel", options.studio_kernel.default)
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ParameterError(f"The 'loss' of the studio must be one of {', '.join(LOSSES)}. Got {loss!r} instead.")
    options.studio_kernel.check(kernel, "the studio")
    unknown = [name for name in chosen if name not in CONTROLS]
    if unknown:
        raise ParameterError(f"The studio has no control {unknown[0]!r}; its controls are {', '.join(CONTROLS)}.")
    if "init" in chosen:
        chosen["init"] = start_of(chosen["init"])
    if kernel == options.studio_kernel.default:
        options.check("the studio", chosen, TABLES[loss])
        options.check_together("The studio", {**chosen, "loss": loss})
        told = {"order": options.trace_order.default, **chosen}
    else:
        if loss != options.loss.default:
            raise ParameterError(f"A kernel is for the perceptron loss: choose kernel='none' for the {loss} loss.")
        told = _with_kernel(kernel, chosen, rows)
        loss = "kernel"
    _refuse_long(told, rows)
    return loss, told


def _with_kernel(kernel: str, chosen: dict[str, Any], rows: int) -> dict[str, Any]:
    options.check("the studio", chosen, TABLES["kernel"])
    if rows > MOST_KERNEL_POINTS:
        raise ParameterError(
            f"The studio plays a kernel on up to {MOST_KERNEL_POINTS:,} points, and these are {rows:,}: use fewer, or "
            "learn with KernelPerceptron."
        )
    return {"kernel": kernel, "order": options.trace_order.default, **chosen}


def _refuse_long(told: Mapping[str, Any], rows: int) -> None:
    epochs, degree = told.get("max_iter", options.max_iter.default), told.get("degree", 1)
    if epochs > MOST_EPOCHS or epochs * rows > MOST_VISITS:
        raise ParameterError(
            f"The studio plays up to {MOST_EPOCHS:,} epochs and {MOST_VISITS:,} visits, and max_iter={epochs:,} over "
            f"{rows:,} points may need more: choose a smaller max_iter, or learn with Perceptron."
        )
    if degree > MOST_DEGREE:
        raise ParameterError(f"The studio draws degrees up to {MOST_DEGREE}. Got degree={degree} instead.")


def mapped(X: Floats, name: str, chosen: Mapping[str, Any]) -> Floats:
    """The features that the learner weighs: the two coordinates, or with a `degree` all their products.

    >>> mapped(np.array([[2.0, 3.0]]), "perceptron", {"degree": 2}).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """
    degree = feature_degree(name, chosen)
    if degree == 1:
        return X
    from rosenblatt.learn.polynomial import expand

    found: Floats = expand(X, degree)
    if not np.isfinite(found).all():
        raise DataError(
            f"Products of {degree} coordinates overflow: bring the points nearer to 0, or lower the degree."
        )
    return found


def feature_degree(name: str, chosen: Mapping[str, Any]) -> int:
    """How many coordinates are multiplied; the poly kernel with a constant reaches the products up to its degree."""
    if name != "kernel":
        return int(chosen.get("degree", options.degree.default))
    constant = chosen.get("coef0", options.coef0.default) > 0
    return int(chosen.get("degree", options.kernel_degree.default)) if chosen["kernel"] == "poly" and constant else 1
