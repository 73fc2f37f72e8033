"""Checks what the page sends: points of the plane with their classes, and the options of a learner."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.multiclass_schemes import n_units, scheme_of
from rosenblatt.learn.polynomial import expand
from rosenblatt.records import Floats

MAX_BYTES = 4_000_000  # of one request, pasted tables included
MAX_POINTS = 10_000
MAX_CLASSES = 10
MAX_COLUMNS = 60
MAX_EPOCHS = 1_000
MAX_VISITS = 2_000_000
MAX_UPDATES = 20_000_000  # visits times units; each takes 60 bytes of memory
MAX_DEGREE = 8  # of products of two columns: 44 features
MAX_KERNEL_POINTS = 2_000  # so that the kernel values between all of them fit into memory
_UNNAMED = ("x1", "x2")
MAX_COORDINATE = 1e100  # so that squares of coordinates stay finite

LOSSES = ("perceptron", "squared", "logistic")  # those whose learner can be traced
# Options by learner: that of each loss, or the kernel perceptron.
LEARNER_OPTIONS: Mapping[str, Mapping[str, options.Option[Any]]] = {
    **options.TRACED,
    "kernel": options.KERNEL_PERCEPTRON,
}
# The options that the page shows, in this order.
CONTROLS = (*options.CONTROL_LABELS, *options.FOLDED_CONTROL_LABELS)


def read_json(body: bytes) -> dict[str, Any]:
    """The request that was sent as JSON."""
    try:
        request = json.loads(body, parse_constant=_refuse_constant)
        if b"\\ud" in body.lower():
            json.dumps(request, ensure_ascii=False).encode()  # half of a pair of surrogates is not a character
    except (ValueError, RecursionError):
        raise DataError("The request is not valid JSON.") from None
    if not isinstance(request, dict):
        raise DataError("A request must be a JSON object.")
    return request


def _refuse_constant(word: str) -> Any:
    """Python reads NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{word} is not JSON")


# -- points -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Points:
    """Examples in the plane: row i of `X` has label `y[i]`, which is `classes[index[i]]`; `classes` are sorted."""

    X: Floats
    y: NDArray[Any]
    index: NDArray[np.intp]
    classes: tuple[Any, ...]

    @property
    def present(self) -> list[int]:
        """The indices of the classes that have an example."""
        return [int(k) for k in np.unique(self.index)]


def read_points(request: Mapping[str, Any]) -> Points:
    """The examples of a request: `points` as pairs, `labels` as indices into `classes`; at least two classes.

    >>> points = read_points({"points": [[0, 0], [1, 1]], "labels": [0, 1], "classes": ["A", "B"]})
    >>> points.X.tolist(), points.y.tolist()
    ([[0.0, 0.0], [1.0, 1.0]], ['A', 'B'])
    """
    points = _read_labelled(request, "points", "labels")
    if len(points.present) < 2:
        raise DataError("A separator needs points of at least two classes: add some of another class.")
    return points


def read_columns(request: Mapping[str, Any]) -> tuple[str, str]:
    """The names of the two columns, for axes and headers; x1 and x2 if the request has none that can be headers.

    >>> read_columns({"columns": ["petal length", "petal width"]}), read_columns({"columns": ["a", "a"]})
    (('petal length', 'petal width'), ('x1', 'x2'))
    """
    match request.get("columns"):
        case [str(first), str(second)] if first != second and _is_header(first) and _is_header(second):
            return first, second
    return _UNNAMED


def _is_header(name: str) -> bool:
    """Whether it can be a header: a number would be read as a value, and `label` is the column of the labels."""
    if not 0 < len(name) <= 200 or not name.isprintable() or name.strip().lower() in ("", "label"):
        return False
    try:
        float(name)
    except ValueError:
        return True
    return False


def read_test_points(request: Mapping[str, Any]) -> Points | None:
    """The examples that were kept aside for testing, `test_points` and `test_labels`, if there are any."""
    return _read_labelled(request, "test_points", "test_labels") if request.get("test_points") else None


def read_row_numbers(request: Mapping[str, Any], n_points: int) -> NDArray[np.intp]:
    """The row of each point in the page's table, from 0: `learned_rows` if other rows are kept aside for testing.

    >>> read_row_numbers({}, 3).tolist(), read_row_numbers({"learned_rows": [0, 2, 5]}, 3).tolist()
    ([0, 1, 2], [0, 2, 5])
    """
    rows = request.get("learned_rows", list(range(n_points)))
    if not (
        isinstance(rows, list) and len(rows) == n_points and all(type(row) is int and 0 <= row < 2**31 for row in rows)
    ):
        raise DataError("learned_rows must be a list with the row number of each point, counted from 0.")
    return np.array(rows, dtype=np.intp)


def _read_labelled(request: Mapping[str, Any], points_name: str, labels_name: str) -> Points:
    points, labels, classes = (request.get(name) for name in (points_name, labels_name, "classes"))
    if not isinstance(points, list) or not isinstance(labels, list) or not isinstance(classes, list):
        raise DataError("A request needs points, labels and classes, each as a list.")
    if len(points) > MAX_POINTS:
        raise DataError(f"The studio shows up to {MAX_POINTS:,} points, found {len(points):,}: use fewer.")
    if len(points) != len(labels):
        raise DataError(f"There are {len(points):,} points and {len(labels):,} labels: each point needs one.")
    _check_classes(classes)
    for row, (point, label) in enumerate(zip(points, labels, strict=True)):
        if not (isinstance(point, list) and len(point) == 2 and all(is_number(value) for value in point)):
            raise DataError(f"Point {row + 1} is not a pair of finite numbers up to 1e100: correct or erase it.")
        if not isinstance(label, int) or isinstance(label, bool) or not 0 <= label < len(classes):
            raise DataError(f"The label of point {row + 1} is not the index of a class, 0 to {len(classes) - 1}.")
    index = np.array(labels, dtype=np.intp)
    return Points(np.array(points, dtype=np.float64), np.array(classes)[index], index, tuple(classes))


def read_table(request: Mapping[str, Any]) -> tuple[Floats, NDArray[Any]]:
    """All columns of a wide table (`rows`), and its labels; checked like the points of the plane."""
    rows = read_rows(request.get("rows"))
    points = read_points({**request, "points": [[0, 0]] * len(rows)})
    return np.array(rows, dtype=np.float64), points.y


def read_rows(rows: Any) -> list[list[float]]:
    """The rows of a table, checked like the points of the plane."""
    width = len(rows[0]) if isinstance(rows, list) and rows and isinstance(rows[0], list) else 0
    if not 1 <= width <= MAX_COLUMNS:
        raise DataError(f"A table must have 1 to {MAX_COLUMNS} columns.")
    assert isinstance(rows, list)
    for k, row in enumerate(rows[:MAX_POINTS]):
        if not (isinstance(row, list) and len(row) == width and all(is_number(value) for value in row)):
            raise DataError(f"Row {k + 1} is not {width} finite numbers up to 1e100: correct or erase it.")
    return rows


def _check_classes(classes: list[Any]) -> None:
    """Sorted, because everywhere in the package the larger label is the positive class."""
    if not 1 <= len(classes) <= MAX_CLASSES:
        raise DataError(f"The studio shows 1 to {MAX_CLASSES} classes, found {len(classes)}.")
    all_words = all(isinstance(name, str) and 0 < len(name) <= 200 for name in classes)
    if not all_words and not all(is_number(name) and name == int(name) for name in classes):
        raise DataError("The names of the classes must be all short words, or all whole numbers.")
    if any(before >= after for before, after in pairwise(classes)):
        raise DataError("The classes must be sorted, each named once.")


def is_number(value: object) -> bool:
    """A finite number whose square is finite too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MAX_COORDINATE and math.isfinite(value)


# -- options ----------------------------------------------------------------------------------------------------------


def read_options(request: Mapping[str, Any], n_points: int) -> tuple[str, dict[str, Any]]:
    """The learner, a key of `LEARNER_OPTIONS`, and its chosen options, checked one by one and together."""
    chosen = request.get("options", {})
    if not isinstance(chosen, dict):
        raise ParameterError("The options of a request must be an object of names and values.")
    chosen = dict(chosen)
    loss, kernel = chosen.pop("loss", options.loss.default), chosen.pop("kernel", options.studio_kernel.default)
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ParameterError(f"The 'loss' of the studio must be one of {', '.join(LOSSES)}. Got {loss!r} instead.")
    options.studio_kernel.check(kernel, "the studio")
    unknown = [name for name in chosen if name not in CONTROLS]
    if unknown:
        raise ParameterError(f"The studio has no control {unknown[0]!r}; its controls are {', '.join(CONTROLS)}.")
    if "init" in chosen:
        chosen["init"] = read_init(chosen["init"])
    if kernel == options.studio_kernel.default:
        learner, first = loss, {}
        options.check("the studio", chosen, LEARNER_OPTIONS[loss])
        options.check_together("The studio", {**chosen, "loss": loss})
    else:
        learner, first = "kernel", {"kernel": kernel}
        _check_kernel(loss, chosen, n_points)
    chosen = {**first, "order": options.trace_order.default, **chosen}
    _check_size(chosen, n_points, max(2, len(request.get("classes") or ())))
    return learner, chosen


def read_init(value: Any) -> Any:
    """The initial weights; three numbers written as text are the bias and the weights of one unit.

    >>> read_init("-5 0 1"), read_init("zeros")
    ([[-5.0, 0.0, 1.0]], 'zeros')
    """
    if not isinstance(value, str) or value in options.init.choices:
        return value
    try:
        numbers = [float(word) for word in value.replace("−", "-").replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != 3 or not all(map(is_number, numbers)):
        raise ParameterError(
            "The 'init' parameter must be zeros, random, or three numbers, the bias first, as in -5 0 1. "
            f"Got {value[:40]!r} instead."
        )
    return [numbers]


def _check_kernel(loss: str, chosen: dict[str, Any], n_points: int) -> None:
    if loss != options.loss.default:
        raise ParameterError(f"A kernel needs the perceptron loss: choose kernel='none' for the {loss} loss.")
    options.check("the studio", chosen, LEARNER_OPTIONS["kernel"])
    if n_points > MAX_KERNEL_POINTS:
        raise ParameterError(
            f"The studio plays a kernel on up to {MAX_KERNEL_POINTS:,} points, found {n_points:,}: use fewer, or learn "
            "with KernelPerceptron."
        )


def _check_size(chosen: Mapping[str, Any], n_points: int, n_classes: int) -> None:
    epochs, degree = chosen.get("max_iter", options.max_iter.default), chosen.get("degree", 1)
    if epochs > MAX_EPOCHS or epochs * n_points > MAX_VISITS:
        raise ParameterError(
            f"The studio plays up to {MAX_EPOCHS:,} epochs and {MAX_VISITS:,} visits, and max_iter={epochs:,} over "
            f"{n_points:,} points may need more: choose a smaller max_iter, or learn with Perceptron."
        )
    scheme = scheme_of(chosen.get("multi_class", options.multi_class.default), n_classes)
    updates = epochs * n_points * n_units(scheme, n_classes)
    if updates > MAX_UPDATES:
        raise ParameterError(
            f"The studio plays up to {MAX_UPDATES:,} updates, and max_iter={epochs:,} over {n_points:,} points of "
            f"{n_classes} classes may need {updates:,}: choose a smaller max_iter, or fewer points or classes."
        )
    if degree > MAX_DEGREE:
        raise ParameterError(f"The studio draws degrees up to {MAX_DEGREE}. Got degree={degree} instead.")


# -- features ---------------------------------------------------------------------------------------------------------


def features_of(X: Floats, learner: str, chosen: Mapping[str, Any]) -> Floats:
    """The features that the learner weighs: the two coordinates or, with a `degree`, all their products up to it.

    >>> features_of(np.array([[2.0, 3.0]]), "perceptron", {"degree": 2}).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """
    degree = feature_degree(learner, chosen)
    if degree == 1:
        return X
    products: Floats = expand(X, degree)
    if not np.isfinite(products).all():
        raise DataError(
            f"Products of {degree} coordinates overflow: bring the points nearer to 0, or lower the degree."
        )
    return products


def feature_degree(learner: str, chosen: Mapping[str, Any]) -> int:
    """The highest degree of the products; the poly kernel with coef0 > 0 spans the products up to its degree."""
    if learner != "kernel":
        return int(chosen.get("degree", options.degree.default))
    constant = chosen.get("coef0", options.coef0.default) > 0
    return int(chosen.get("degree", options.kernel_degree.default)) if chosen["kernel"] == "poly" and constant else 1
