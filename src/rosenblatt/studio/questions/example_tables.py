"""The example tables that the page offers."""

import csv
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.logic.xor_and_parity import wraparound_limit
from rosenblatt.studio.questions.user_tables import table_for_page

_LETTERS = np.array(["A", "B", "C", "D", "E"])
_IRIS = Path(__file__).parents[2] / "data" / "iris.csv"


def example(request: Mapping[str, Any]) -> dict[str, Any]:
    """One of the examples, by its name.

    >>> example({"name": "AND"})["labels"]
    [0, 0, 0, 1]
    """
    name = request.get("name")
    if not isinstance(name, str) or name not in EXAMPLES:
        raise ParameterError(f"There is no example {name!r}; the examples are {'; '.join(EXAMPLES)}.")
    return EXAMPLES[name]() | {"name": name}


def _gate(targets: list[int], description: str) -> Callable[[], dict[str, Any]]:
    inputs = np.array(list(product([0.0, 1.0], repeat=2)))
    return lambda: table_for_page(inputs, np.array(targets), description=description)


def _blobs() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal([-1.6, -1.0], 0.8, (30, 2)), rng.normal([1.6, 1.2], 0.8, (30, 2))])
    return _alternating(X, 30, "Two clouds with a gap between them.")


def _rings() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    angle = rng.uniform(0, 2 * np.pi, 80)
    radius = np.repeat([1.0, 2.6], 40) + rng.normal(0, 0.18, 80)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return _alternating(X, 40, "One class around the other: no line can separate them, an ellipse can.")


def _moons() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, np.pi, (2, 40))
    upper = np.column_stack([np.cos(angle[0]), np.sin(angle[0])])
    lower = np.column_stack([1 - np.cos(angle[1]), 0.45 - np.sin(angle[1])])
    X = np.concatenate([upper, lower]) + rng.normal(0, 0.08, (80, 2))
    return _alternating(X, 40, "Two half circles, interlocked.")


def _five_classes() -> dict[str, Any]:
    rng = np.random.default_rng(6)
    angle = 2 * np.pi * np.arange(5) / 5 + np.pi / 2
    centres = 3.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    index = np.tile(np.arange(5), 16)
    X = np.round(centres[index] + rng.normal(0, 0.6, (80, 2)), 2)
    return table_for_page(X, _LETTERS[index], description="Five classes: one unit for each, or one for each pair.")


def _wraparound() -> dict[str, Any]:
    """Two patterns of three pixels on a ring of eight, in all their shifts (the lectures' limit of one unit)."""
    X, y = wraparound_limit("1101", "1011", 8)
    description = "Shifts of 1101 and 1011: both light each of the 8 pixels equally often."
    pixels = [f"pixel {k + 1}" for k in range(8)]
    return table_for_page(X, np.array(["1011", "1101"])[1 - y], pixels, description) | {"axes": [0, 2]}


def _narrow_gap() -> dict[str, Any]:
    """Points on both sides of x2 = x1/2 + 3, some as near as 0.02: separable, with a large bound on the mistakes."""
    rng = np.random.default_rng(3)
    along = rng.uniform(-2, 2, 40)
    away = rng.uniform(0.02, 1.2, 40) * np.repeat([-1.0, 1.0], 20)
    away[[0, 1, 20, 21]] = [-0.02, -0.02, 0.02, 0.02]
    along[[0, 1, 20, 21]] = [-1.8, 1.8, -1.5, 1.5]
    X = np.column_stack([along - 0.447 * away, along / 2 + 3 + 0.894 * away])
    return _alternating(X, 20, "Separable, but few lines fit: finding one takes many mistakes.")


def _alternating(X: Any, n_first: int, description: str) -> dict[str, Any]:
    """The two classes alternate, so that the given order is not sorted by class; values have two decimals."""
    order = np.argsort(np.concatenate([np.arange(n_first), np.arange(len(X) - n_first) + 0.5]), kind="stable")
    labels = _LETTERS[(order >= n_first).astype(int)]
    return table_for_page(np.round(X[order], 2), labels, description=description)


def _iris(*species: str) -> Callable[[], dict[str, Any]]:
    def make() -> dict[str, Any]:
        with _IRIS.open(encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file))
        rows = [line for line in lines if line[-1] in species]
        X, y = np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] for row in rows])
        description = f"Fisher's irises (1936): {', '.join(species)}, 50 of each."
        return table_for_page(X, y, header[:-1], description) | {"axes": [2, 3]}

    return make


EXAMPLES: Mapping[str, Callable[[], dict[str, Any]]] = {
    "AND": _gate([-1, -1, -1, 1], "True only if both inputs are: the run that the lectures do by hand."),
    "OR": _gate([-1, 1, 1, 1], "True if at least one input is."),
    "XOR": _gate([-1, 1, 1, -1], "True if exactly one input is. No line can separate it: four rows prove it."),
    "two blobs": _blobs,
    "rings": _rings,
    "moons": _moons,
    "hair's breadth": _narrow_gap,
    "iris: setosa, versicolor": _iris("setosa", "versicolor"),
    "iris: versicolor, virginica": _iris("versicolor", "virginica"),
    "iris: all three": _iris("setosa", "versicolor", "virginica"),
    "five classes": _five_classes,
    "wrap-around patterns": _wraparound,
}
