"""Requests that several tests of the studio send."""

import re
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.studio.questions.example_tables import example

AND: dict[str, Any] = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
XOR: dict[str, Any] = AND | {"labels": [0, 1, 1, 0]}


def cloud(n_points: int, n_classes: int = 2, seed: int = 0) -> dict[str, Any]:
    """Overlapping normal clouds, with at least one point of each class."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_points - n_classes)])
    centres = np.array([[0, 0], [2, 2], [0, 4], [4, 0], [4, 4]])[labels]
    points = centres + rng.normal(size=(n_points, 2))
    return {"points": points.tolist(), "labels": labels.tolist(), "classes": list("ABCDE")[:n_classes]}


def example_points(name: str) -> dict[str, Any]:
    """An example table, with the two columns that the page shows first."""
    table = example({"name": name})
    across, up = table.get("axes", [0, 1])
    points = [[row[across], row[up]] for row in table["rows"]]
    return {"points": points, "labels": table["labels"], "classes": table["classes"]}


def inside(path: str, place: tuple[float, float]) -> bool:
    """Is the place of the picture within a path, by the even-odd rule?"""
    crossings = 0
    for ring in filter(None, re.split("[MZ]", path)):
        corners = [tuple(map(float, corner.split())) for corner in ring.split("L")]
        for (x1, y1), (x2, y2) in pairwise([*corners, corners[0]]):
            if (y1 > place[1]) != (y2 > place[1]):
                crossings += x1 + (place[1] - y1) / (y2 - y1) * (x2 - x1) > place[0]
    return crossings % 2 == 1
