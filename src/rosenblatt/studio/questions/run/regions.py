"""Boundaries that are not straight lines, and regions of several classes, as SVG paths for the page's picture."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ParameterError
from rosenblatt.learn.multiclass_schemes import class_scores, predicted_classes
from rosenblatt.records import Floats
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.contours import Grid, read_picture
from rosenblatt.studio.playback.kernel_run import KernelRun
from rosenblatt.studio.playback.linear_run import LinearRun
from rosenblatt.studio.playback.recent_runs import run_of
from rosenblatt.studio.playback.run import PlayedRun
from rosenblatt.studio.request import feature_degree, features_of, is_number

MAX_TIMES = 40
_MIN_COLUMNS, _MAX_COLUMNS = 72, 176  # of the grid
_MAX_BASIS_VALUES = 2_500_000  # a larger basis gets a coarser grid
_GRIDS_PER_RUN = 4  # that are remembered


def regions(request: Mapping[str, Any]) -> dict[str, Any]:
    """Regions and boundaries at the `times` asked for (numbers of visits), as paths.

    `size` is that of the picture in pixels, `box` the part of the plane that it shows: left, right, low and high.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> picture = {"box": [-1, 2, -1, 2], "size": [300, 300]}
    >>> start, later = regions(XOR | picture | {"options": {"degree": 2}, "times": [0, 12]})["pictures"]
    >>> start["regions"], sorted(later["regions"])
    ({}, ['0', '1'])
    """
    run = run_of(request)
    grid, basis = _grid_and_basis(run, request)
    times = request.get("times")
    if not isinstance(times, list) or len(times) > MAX_TIMES or not all(_is_time(t, run) for t in times):
        raise ParameterError(f"'times' must be up to {MAX_TIMES} numbers of visits, 0 to {run.summary.t}.")
    rising = sorted(set(times))
    pictures = {}
    for t, coefficients in zip(rising, run.coefficients(rising) if rising else [], strict=True):
        raise_if_cancelled()
        pictures[t] = {"time": t, **_picture(run, grid, coefficients @ basis, coefficients)}
    return {"pictures": [pictures[t] for t in times]}


def _is_time(t: object, run: PlayedRun) -> bool:
    return isinstance(t, int) and not isinstance(t, bool) and 0 <= t <= run.summary.t


def _picture(run: PlayedRun, grid: Grid, scores: Floats, coefficients: Floats) -> dict[str, Any]:
    """`scores` has one row per unit; the keys of `regions` are the indices of the classes."""
    if not np.ptp(scores):  # no weight but the bias has moved: there is no boundary
        return {"regions": {}, "boundary": "", "units": [], "band": ""}
    paths = zip(run.points.present, _class_regions(run, grid, scores, coefficients), strict=True)
    areas = {str(k): path for k, path in paths if path}
    if len(scores) > 1:
        return {"regions": areas, "boundary": "", "units": [grid.line(row) for row in scores], "band": ""}
    margins = (coefficients @ run.basis(run.points.X))[0] * run.targets[:, 0]
    least = float(margins.min())
    band = grid.area(scores[0], -least, least) if least > 0 else ""
    return {"regions": areas, "boundary": grid.line(scores[0]), "units": [], "band": band}


def _class_regions(run: PlayedRun, grid: Grid, scores: Floats, coefficients: Floats) -> list[str]:
    beyond = 2 * float(np.abs(scores).max()) + 2  # above every score
    if len(scores) == 1:
        return [grid.area(scores[0], -beyond, 0.0), grid.area(scores[0], 0.0, beyond)]
    n_classes = len(run.points.present)
    by_votes = run.scheme == "ovo"
    by_class = np.asarray(class_scores(run.scheme, scores.T, n_classes)).T

    def decided_class(points: Floats) -> NDArray[np.intp]:
        return predicted_classes(run.scheme, (coefficients @ run.basis(points)).T, n_classes)

    paths = []
    for k in range(n_classes):
        lead = by_class[k] - np.delete(by_class, k, axis=0).max(axis=0)
        is_inside = (lambda points, k=k: decided_class(points) == k) if by_votes else None
        paths.append(grid.area(lead, 0.0, beyond + 2 * n_classes, is_inside))
    return paths


def _grid_and_basis(run: PlayedRun, request: Mapping[str, Any]) -> tuple[Grid, Floats]:
    """The grid of the picture and the run's basis on it; a run remembers the last few."""
    box, size = read_picture(request)
    known: dict[Any, tuple[Grid, Floats]] = run.__dict__.setdefault("grids", {})
    entry = known.get((box, size))
    if entry is None:
        n_functions = len(run.replay.support) if isinstance(run, KernelRun) else 1
        affordable = math.sqrt(_MAX_BASIS_VALUES / max(1, n_functions) * size[0] / size[1])
        grid = Grid(box, size, int(min(_MAX_COLUMNS, max(_MIN_COLUMNS, affordable))))
        while len(known) >= _GRIDS_PER_RUN:
            known.pop(next(iter(known)), None)
        entry = known[box, size] = grid, run.basis(grid.points)
    return entry


# -- curves that do not change during the run -------------------------------------------------------------------------


def fixed_curves(request: Mapping[str, Any]) -> dict[str, Any]:
    """The boundary that `keep` chose; with `weights`, also the curve at each of `levels` of a unit with them."""
    run = run_of(request)
    grid, basis = _grid_and_basis(run, request)
    weights = request.get("weights")
    curves: dict[str, Any] = {"kept": _kept_boundary(run, grid, basis)}
    if weights is not None:
        curves["levels"] = _level_curves(run, grid, weights, request.get("levels", [0.0]))
    return curves


def _kept_boundary(run: PlayedRun, grid: Grid, basis: Floats) -> str:
    if run.keep == "last" or len(run.unit_names) > 1:
        return ""
    if isinstance(run, LinearRun):
        return "" if run.kept_weights is None else grid.line((run.kept_weights @ basis)[0])
    return grid.line(run.model.decision_function(grid.points))


def _level_curves(run: PlayedRun, grid: Grid, weights: Any, levels: Any) -> list[str]:
    features = features_of(grid.points, run.learner, run.chosen)
    are_lists = isinstance(weights, list) and isinstance(levels, list) and len(levels) <= 9
    if not are_lists or not all(is_number(value) for value in [*weights, *levels]):
        raise ParameterError("'weights' and 'levels' must be lists of numbers.")
    if len(weights) != features.shape[1] + 1:
        degree = feature_degree(run.learner, run.chosen)
        raise ParameterError(
            f"'weights' must be {features.shape[1] + 1} numbers: the bias and one per product up to degree {degree}."
        )
    scores = weights[0] + features @ np.array(weights[1:], dtype=np.float64)
    return [grid.line(scores, level) for level in levels]
