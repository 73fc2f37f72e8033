"""Boundaries that are no straight lines, and regions of several classes: scores on a grid, and their level lines.

The page says which part of the plane its picture shows and how large the picture is; it gets paths to draw in it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ParameterError
from rosenblatt.learn.schemes import class_scores, predicted_classes
from rosenblatt.records import Floats
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.playback.kernel_run import Dual
from rosenblatt.studio.playback.run import Played, Primal, learned
from rosenblatt.studio.playback.vote_edges import sharpened
from rosenblatt.studio.request import feature_degree, is_number, mapped

MOST_AT_ONCE = 40
_FINE, _COARSE, _MOST = 176, 72, 2_500_000  # columns of the grid, and values of the basis on it
_GRIDS = 4  # that a run remembers

Inside = Callable[[Floats], NDArray[np.bool_]]


class Grid:
    """The nodes of a grid over a box of the plane, and the way from there to the picture."""

    def __init__(self, box: Sequence[float], size: Sequence[float], across: int) -> None:
        left, right, low, high = box
        up = max(2, round(across * size[1] / size[0]))
        self.x, self.y, self.size, self.box = np.linspace(0, size[0], across), np.linspace(0, size[1], up), size, box
        columns, rows = np.meshgrid(np.linspace(left, right, across), np.linspace(high, low, up))
        self.points: Floats = np.column_stack([columns.ravel(), rows.ravel()])

    def contours(self, scores: Floats) -> Any:
        from contourpy import FillType, LineType, contour_generator

        return contour_generator(
            self.x,
            self.y,
            scores.reshape(len(self.y), len(self.x)),
            fill_type=FillType.OuterOffset,
            line_type=LineType.Separate,
        )

    def line(self, scores: Floats, level: float = 0.0) -> str:
        """Where the scores are at this level, as the path of an SVG."""
        return "".join(_path(part) for part in self.contours(scores).lines(level))

    def area(self, scores: Floats, low: float, high: float, inside: Inside | None = None) -> str:
        """Where the scores lie between two levels; holes go round the other way. Of scores that jump, `inside` says
        where exactly.
        """
        points, offsets = self.contours(scores).filled(low, high)
        if inside is not None:
            steps = (self.x[1], self.y[1])
            points = [sharpened(part, steps, lambda at: inside(self.plane_of(at))) for part in points]
        rings = [part[a:b] for part, at in zip(points, offsets, strict=True) for a, b in pairwise(at)]
        return "".join(_path(ring) + "Z" for ring in rings)

    def plane_of(self, picture: Floats) -> Floats:
        """Places of the picture as points of the plane."""
        left, right, low, high = self.box
        share = picture / np.asarray(self.size)
        return np.column_stack([left + share[:, 0] * (right - left), high - share[:, 1] * (high - low)])


def _path(points: NDArray[np.float64]) -> str:
    rounded = np.round(points * 10).astype(np.int64)
    kept = np.append(True, (rounded[1:] != rounded[:-1]).any(axis=1))
    words = [f"{u / 10:g} {v / 10:g}" for u, v in rounded[kept].tolist()]
    return "M" + "L".join(words)


def surfaces(request: Mapping[str, Any]) -> dict[str, Any]:
    """Regions and boundaries after so many visits (`at`, a list), as paths in a picture of this `size`.

    `box` is the part of the plane that the picture shows: left, right, low and high.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> asked = XOR | {"options": {"degree": 2}, "box": [-1, 2, -1, 2], "size": [300, 300], "at": [0, 12]}
    >>> start, later = surfaces(asked)["surfaces"]
    >>> start["regions"], sorted(later["regions"])
    ({}, ['0', '1'])
    """
    held = learned(request)
    grid, basis = _grid_of(held, request)
    times = request.get("at")
    if not isinstance(times, list) or len(times) > MOST_AT_ONCE or not all(_is_visit(t, held) for t in times):
        raise ParameterError(f"'at' lists up to {MOST_AT_ONCE} numbers of visits, 0 to {held.record.t}.")
    found = {}
    in_order = sorted(set(times))
    for t, coefficients in zip(in_order, held.coefficients(in_order) if in_order else [], strict=True):
        still_there()
        found[t] = {"at": t, **_surface(held, grid, coefficients @ basis, coefficients)}
    return {"surfaces": [found[t] for t in times]}


def _is_visit(t: object, held: Played) -> bool:
    return isinstance(t, int) and not isinstance(t, bool) and 0 <= t <= held.record.t


def _surface(held: Played, grid: Grid, scores: Floats, coefficients: Floats) -> dict[str, Any]:
    """`scores` has a line for each unit; regions are named by the place of their class."""
    present = held.plane.present
    if not np.ptp(scores):  # no weight has moved, or the bias alone: there is no boundary
        return {"regions": {}, "boundary": "", "units": [], "band": ""}
    regions = {
        str(k): path for k, path in zip(present, _regions(held, grid, scores, coefficients), strict=True) if path
    }
    if len(scores) > 1:
        return {"regions": regions, "boundary": "", "units": [grid.line(own) for own in scores], "band": ""}
    own = (coefficients @ held.basis(held.plane.X))[0] * held.signs[:, 0]
    least = float(own.min())
    band = grid.area(scores[0], -least, least) if least > 0 else ""
    return {"regions": regions, "boundary": grid.line(scores[0]), "units": [], "band": band}


def _regions(held: Played, grid: Grid, scores: Floats, coefficients: Floats) -> list[str]:
    far = 2 * float(np.abs(scores).max()) + 2
    if len(scores) == 1:
        return [grid.area(scores[0], -far, 0.0), grid.area(scores[0], 0.0, far)]
    classes = len(held.plane.present)
    votes = held.scheme == "ovo"
    judged = np.asarray(class_scores(held.scheme, scores.T, classes)).T

    def decided(points: Floats) -> NDArray[np.intp]:
        return predicted_classes(held.scheme, (coefficients @ held.basis(points)).T, classes)

    paths = []
    for k in range(classes):
        ahead = judged[k] - np.delete(judged, k, axis=0).max(axis=0)
        inside = (lambda points, k=k: decided(points) == k) if votes else None
        paths.append(grid.area(ahead, 0.0, far + 2 * classes, inside))
    return paths


# -- the grid ---------------------------------------------------------------------------------------------------------


def _grid_of(held: Played, request: Mapping[str, Any]) -> tuple[Grid, Floats]:
    """The grid of the picture and the basis on it; a run remembers the last few."""
    box, size = picture_of(request)
    known: dict[Any, tuple[Grid, Floats]] = held.__dict__.setdefault("grids", {})
    found = known.get((box, size))
    if found is None:
        lines = len(held.replay.support) if isinstance(held, Dual) else 1
        across = int(min(_FINE, max(_COARSE, math.sqrt(_MOST / max(1, lines) * size[0] / size[1]))))
        grid = Grid(box, size, across)
        while len(known) >= _GRIDS:
            known.pop(next(iter(known)), None)
        found = known[box, size] = grid, held.basis(grid.points)
    return found


def picture_of(request: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The part of the plane that a picture shows, and the size of the picture."""
    box, size = _numbers(request, "box", 4), _numbers(request, "size", 2)
    if not (box[0] < box[1] and box[2] < box[3] and all(10 <= side <= 5000 for side in size)):
        raise ParameterError("'box' is left, right, low and high, and 'size' two sides of 10 to 5000.")
    return box, size


def _numbers(request: Mapping[str, Any], name: str, count: int) -> tuple[float, ...]:
    values = request.get(name)
    if not isinstance(values, list) or len(values) != count or not all(is_number(value) for value in values):
        raise ParameterError(f"{name!r} must be {count} numbers.")
    return tuple(float(value) for value in values)


# -- curves that stay -------------------------------------------------------------------------------------------------


def still_curves(request: Mapping[str, Any]) -> dict[str, Any]:
    """Curves that do not move with the run: what `keep` kept, and of `weights` on the mapped features each `level`."""
    held = learned(request)
    grid, basis = _grid_of(held, request)
    weights = request.get("weights")
    told: dict[str, Any] = {"kept": _kept(held, grid, basis)}
    if weights is not None:
        told["levels"] = _levels(held, grid, weights, request.get("levels", [0.0]))
    return told


def _kept(held: Played, grid: Grid, basis: Floats) -> str:
    if held.keep == "last" or len(held.units) > 1:
        return ""
    if isinstance(held, Primal):
        return "" if held.kept is None else grid.line((held.kept @ basis)[0])
    return grid.line(held.model.decision_function(grid.points))


def _levels(held: Played, grid: Grid, weights: Any, levels: Any) -> list[str]:
    values = mapped(grid.points, held.name, held.chosen)
    listed = isinstance(weights, list) and isinstance(levels, list) and len(levels) <= 9
    if not listed or not all(is_number(value) for value in [*weights, *levels]):
        raise ParameterError("'weights' and 'levels' must be lists of numbers.")
    if len(weights) != values.shape[1] + 1:
        degree = feature_degree(held.name, held.chosen)
        raise ParameterError(f"'weights' must be {values.shape[1] + 1} numbers, a bias and those of degree {degree}.")
    scores = weights[0] + values @ np.array(weights[1:], dtype=np.float64)
    return [grid.line(scores, level) for level in levels]
