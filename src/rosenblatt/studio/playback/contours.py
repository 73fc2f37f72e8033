"""Boundaries and regions in a picture of the plane: scores on a grid, and their contours as SVG paths."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ParameterError
from rosenblatt.records import Floats
from rosenblatt.studio.request import is_number

_HALVINGS = 7  # of a cell of the grid: a hundredth of it is left

Membership = Callable[[Floats], NDArray[np.bool_]]


class Grid:
    """A grid of nodes over a box of the plane (left, right, low, high), for a picture of this size in pixels."""

    def __init__(self, box: Sequence[float], size: Sequence[float], n_columns: int) -> None:
        left, right, low, high = box
        n_rows = max(2, round(n_columns * size[1] / size[0]))
        self.box, self.size = box, size
        self.x, self.y = np.linspace(0, size[0], n_columns), np.linspace(0, size[1], n_rows)
        columns, rows = np.meshgrid(np.linspace(left, right, n_columns), np.linspace(high, low, n_rows))
        self.points: Floats = np.column_stack([columns.ravel(), rows.ravel()])

    def line(self, scores: Floats, level: float = 0.0) -> str:
        """The path along which the scores at the nodes have this level."""
        return "".join(_path(part) for part in self._contours(scores).lines(level))

    def area(self, scores: Floats, low: float, high: float, is_inside: Membership | None = None) -> str:
        """The path around the scores between two levels; holes run the other way round.

        Scores that jump, as votes do, have no exact contour: for them `is_inside` says which points of the plane belong
        to the area.
        """
        points, offsets = self._contours(scores).filled(low, high)
        if is_inside is not None:
            steps = (self.x[1], self.y[1])
            points = [move_to_edge(part, steps, lambda pixels: is_inside(self.to_plane(pixels))) for part in points]
        rings = [part[a:b] for part, cuts in zip(points, offsets, strict=True) for a, b in pairwise(cuts)]
        return "".join(_path(ring) + "Z" for ring in rings)

    def to_plane(self, pixels: Floats) -> Floats:
        """Pixels of the picture as points of the plane."""
        left, right, low, high = self.box
        share = pixels / np.asarray(self.size)
        return np.column_stack([left + share[:, 0] * (right - left), high - share[:, 1] * (high - low)])

    def _contours(self, scores: Floats) -> Any:
        from contourpy import FillType, LineType, contour_generator

        return contour_generator(
            self.x,
            self.y,
            scores.reshape(len(self.y), len(self.x)),
            fill_type=FillType.OuterOffset,
            line_type=LineType.Separate,
        )


def _path(pixels: NDArray[np.float64]) -> str:
    rounded = np.round(pixels * 10).astype(np.int64)
    distinct = np.append(True, (rounded[1:] != rounded[:-1]).any(axis=1))
    return "M" + "L".join(f"{u / 10:g} {v / 10:g}" for u, v in rounded[distinct].tolist())


def move_to_edge(corners: Floats, steps: Sequence[float], is_inside: Membership) -> NDArray[np.float64]:
    """The corners of an outline, each moved along its grid line to where `is_inside` changes, by bisection.

    A corner lies between two neighbouring nodes of a grid with these steps. It stays where it is if it lies on a node,
    or if both nodes are on the same side.

    >>> outline = np.array([[0.5, 1.0], [2.0, 2.0]])
    >>> move_to_edge(outline, (1.0, 1.0), lambda points: points[:, 0] > 0.75).round(1).tolist()
    [[0.8, 1.0], [2.0, 2.0]]
    """
    in_steps = corners / np.asarray(steps)
    off_node = np.abs(in_steps - in_steps.round()) > 1e-6
    first, last = (np.where(off_node, side(in_steps), in_steps.round()) * steps for side in (np.floor, np.ceil))
    first_inside, last_inside = is_inside(first), is_inside(last)
    movable = off_node.any(axis=1) & (first_inside != last_inside)
    low, high = first[movable], last[movable]
    for _ in range(_HALVINGS if len(low) else 0):
        middle = (low + high) / 2
        as_first = (is_inside(middle) == first_inside[movable])[:, None]
        low, high = np.where(as_first, middle, low), np.where(as_first, high, middle)
    moved = corners.copy()
    moved[movable] = (low + high) / 2
    return moved


def read_picture(request: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The `box` of the plane that the page's picture shows, and the `size` of the picture in pixels."""
    box, size = _read_numbers(request, "box", 4), _read_numbers(request, "size", 2)
    if not (box[0] < box[1] and box[2] < box[3] and all(10 <= side <= 5000 for side in size)):
        raise ParameterError("'box' must be left, right, low and high, and 'size' two sides of 10 to 5000 pixels.")
    return box, size


def _read_numbers(request: Mapping[str, Any], name: str, count: int) -> tuple[float, ...]:
    values = request.get(name)
    if not isinstance(values, list) or len(values) != count or not all(is_number(value) for value in values):
        raise ParameterError(f"{name!r} must be {count} numbers.")
    return tuple(float(value) for value in values)
