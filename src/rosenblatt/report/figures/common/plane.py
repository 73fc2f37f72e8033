"""Examples in the plane: the two columns, the limits of the view, points, and lines clipped to the view."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError
from rosenblatt.records import Csr, Floats
from rosenblatt.report.figures.common.style import MARKERS, Axes, Palette, name, shortened

_SHAPE = 4 / 3  # width to height of the view
_REACH = 1.4  # the view is widened for lines whose distance from its centre is at most this many times its size
_NAME_LETTERS = 40  # of an axis; a longer name is cut
_UNEQUAL = 5.0  # ratio of the ranges of the two columns above which the axes get different scales


@dataclass(frozen=True)
class View:
    """Two columns of the examples, the means of all columns, and the rectangle that is drawn.

    If a model has more columns, a section is drawn: the other columns are at their means.
    """

    points: Floats
    columns: tuple[int, int]
    middle: Floats
    low: Floats
    high: Floats

    @property
    def size(self) -> Floats:
        size: Floats = self.high - self.low
        return size

    @property
    def equal(self) -> bool:
        """Whether both axes have the same scale, so that right angles look right."""
        return bool(np.isclose(self.size[0] / self.size[1], _SHAPE))

    def rows(self, flat: Floats) -> Floats:
        """Points of the plane as whole examples, with the other columns at their means."""
        rows = np.repeat(self.middle[None, :], len(flat), axis=0)
        rows[:, list(self.columns)] = flat
        return rows

    def line(self, weights: Floats) -> Floats:
        """The line [b, wi, wj] in which a hyperplane [b, w1, ..., wd] cuts the plane."""
        i, j = self.columns
        rest = weights[1:].copy()
        rest[[i, j]] = 0.0
        return np.array([weights[0] + rest @ self.middle, weights[1 + i], weights[1 + j]])


def view_of(X: Any, columns: tuple[int, int] | None, what: str) -> View:
    """A view of two columns; if there are more, `columns` must choose them."""
    values = X if isinstance(X, Csr) or hasattr(X, "tocsr") else np.asarray(X)
    if len(values.shape) != 2 or values.shape[0] == 0:
        raise DataError(f"{what} needs rows of examples. Got an array of shape {values.shape}.")
    i, j = _chosen(values.shape[1], columns, what)
    points = np.column_stack([_column(values, i), _column(values, j)])
    low, high = _rectangle(points)
    return View(points, (i, j), _means(values), low, high)


def _chosen(width: int, columns: tuple[int, int] | None, what: str) -> tuple[int, int]:
    if columns is None and width == 2:
        return 0, 1
    if columns is None or len(columns) != 2 or not all(-width <= c < width for c in columns):
        n_columns = "only one column" if width == 1 else f"{width} columns"
        hint = "add a second feature" if width == 1 else f"choose two of 0 to {width - 1} with columns=(i, j)"
        raise DataError(f"{what} draws two columns, and X has {n_columns}: {hint}.")
    i, j = (int(c) % width for c in columns)
    if i == j:
        raise DataError(f"{what} draws two columns, and columns=({i}, {j}) names one column twice: choose another.")
    return i, j


def _column(values: Any, j: int) -> Floats:
    """One column as floats, without making a sparse matrix dense."""
    if isinstance(values, Csr):
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        here = values.indices == j
        return np.bincount(rows[here], values.values[here], minlength=values.shape[0]).astype(np.float64)
    if hasattr(values, "tocsr"):
        return np.asarray(values.tocsr()[:, [j]].toarray(), dtype=np.float64).ravel()
    return np.asarray(values[:, j], dtype=np.float64)


def _means(values: Any) -> Floats:
    if isinstance(values, Csr):
        sums = np.bincount(values.indices, values.values, minlength=values.features)
        return (sums / values.shape[0]).astype(np.float64)
    return np.asarray(values.mean(axis=0), dtype=np.float64).ravel()


def _rectangle(points: Floats) -> tuple[Floats, Floats]:
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.where(high > low, high - low, max(float((high - low).max()), 1.0))
    centre, size = (low + high) / 2, size * (1.35 if len(points) > 10 else 1.6)
    if size.max() / size.min() <= _UNEQUAL:  # one scale for both axes
        height = max(size[1], size[0] / _SHAPE)
        size = np.array([height * _SHAPE, height])
    return centre - size / 2, centre + size / 2


def classes_of(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The labels, sorted, and the position of each row's label among them."""
    labels, index = np.unique(np.asarray(y), return_inverse=True)
    return labels, index.ravel()


def two_classes_of(y: Any, what: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """`classes_of` for a picture of two classes."""
    labels, index = classes_of(y)
    if len(labels) != 2:
        raise DataError(f"{what} draws two classes, and y has {len(labels)}: give it the rows of two.")
    return labels, index


def names_of(X: Any) -> list[str] | None:
    """The names of a frame's columns."""
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def axis_names(view: View, names: Sequence[str] | None = None) -> tuple[str, str]:
    """The names of the two columns that are drawn; x1, x2, ... if the columns have none."""
    i, j = view.columns
    return (names[i], names[j]) if names else (f"x{i + 1}", f"x{j + 1}")


def frame(ax: Axes, view: View, names: Sequence[str] | None = None) -> None:
    """Set the limits, the aspect and the names of the axes."""
    ax.set_xlim(view.low[0], view.high[0])
    ax.set_ylim(view.low[1], view.high[1])
    ax.set_aspect("equal" if view.equal else "auto", adjustable="box")
    across, up = axis_names(view, names)
    ax.set_xlabel(shortened(across, _NAME_LETTERS), parse_math=False)
    ax.set_ylabel(shortened(up, _NAME_LETTERS), parse_math=False)


def point_area(count: int) -> float:
    """The area of one point among `count`, in square points."""
    return float(np.clip(9000 / max(count, 1), 8, 64))


def scatter(
    ax: Axes, view: View, index: NDArray[np.intp], labels: Sequence[Any], look: Palette, size: float | None = None
) -> None:
    """Draw the points, each class in its own colour and shape."""
    area = size if size is not None else point_area(len(view.points))
    for k, label in enumerate(labels):
        points = view.points[index == k]
        ax.scatter(
            points[:, 0], points[:, 1], s=area, marker=MARKERS[k % len(MARKERS)], color=look.of_class(k),
            edgecolors=look.paper, linewidths=0.6 if area > 20 else 0.15, label=name(label), zorder=4,
        )  # fmt: skip


def ring(ax: Axes, points: Floats, color: str, label: str | None = None, *, among: int = 0, area: float = 170) -> None:
    """Draw circles around points, smaller if these are a few among many (`among`)."""
    if len(points):
        area = min(area, 3.2 * point_area(among))
        ax.scatter(
            points[:, 0],
            points[:, 1],
            s=area,
            facecolors="none",
            edgecolors=color,
            linewidths=1.6 if area > 60 else 0.9,
            label=label,
            zorder=5,
        )


def clipped(view: View, line: Floats) -> Floats | None:
    """Where b + wi x + wj y = 0 enters and leaves the view, as two points; None if it does not pass through."""
    b, *w = line
    ends: list[Floats] = []
    for axis in (0, 1):
        other = 1 - axis
        if w[axis] == 0:
            continue
        for at in (view.low[other], view.high[other]):
            value = -(b + w[other] * at) / w[axis]
            slack = 1e-9 * view.size[axis]
            if view.low[axis] - slack <= value <= view.high[axis] + slack:
                point = np.empty(2)
                point[axis], point[other] = value, at
                ends.append(point)
    if len(ends) < 2:
        return None
    points = np.array(ends)
    distances = np.abs((points[:, None] - points[None]) / view.size).sum(axis=2)
    first, last = np.unravel_index(int(distances.argmax()), distances.shape)
    return None if distances[first, last] < 1e-9 else points[[first, last]]


def foot_of_normal(view: View, *lines: Floats) -> Floats | None:
    """Where the arrows of w start: the middle of the first of these lines that is in the view."""
    ends = next((ends for ends in (clipped(view, line) for line in lines) if ends is not None), None)
    return None if ends is None else ends.mean(axis=0)


def widened_view(view: View, lines: Sequence[Floats]) -> View:
    """The view, widened to show lines that pass near it; at most twice as wide and as high."""
    centre, corners = (view.low + view.high) / 2, [view.low, view.high]
    for line in lines:
        w = line[1:] * view.size  # in units of the view
        if w.any() and clipped(view, line) is None:
            foot = -(line[0] + line[1:] @ centre) / float(w @ w) * w  # the nearest point of the line
            if np.abs(foot).max() <= _REACH:
                corners.append(centre + 1.06 * foot * view.size)
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    size = high - low
    if view.equal:
        size = np.array([_SHAPE, 1.0]) * max(size[1], size[0] / _SHAPE)
    middle = (low + high) / 2
    return replace(view, low=middle - size / 2, high=middle + size / 2)


def draw_line(ax: Axes, view: View, line: Floats, **style: Any) -> Floats | None:
    """Draw a line clipped to the view; returns its ends, or None if it does not pass through."""
    ends = clipped(view, line)
    if ends is not None:
        defaults: dict[str, Any] = {"zorder": 3, "solid_capstyle": "butt"}
        ax.plot(ends[:, 0], ends[:, 1], **defaults | style)
    return ends


def arrow(ax: Axes, start: Floats, end: Floats, color: str, label: str | None = None, **style: Any) -> None:
    """Draw an arrow, in the units of the data."""
    drawn = ax.annotate(
        "", xy=(end[0], end[1]), xytext=(start[0], start[1]), annotation_clip=True,
        arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2.0, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 14}
        | style, zorder=6,
    )  # fmt: skip
    if drawn.arrow_patch is not None:  # an arrow from outside would cross the numbers of the axes
        drawn.arrow_patch.set_clip_path(ax.patch)
    if label:
        ax.plot([], [], color=color, lw=2.0, label=label)
