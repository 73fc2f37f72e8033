"""A run for the page: its moments along the mistake log, the ends of its epochs, and visits one by one."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.input_checks import plain_label
from rosenblatt.learn.multiclass_schemes import predicted_classes
from rosenblatt.report.text.trace_table import how_it_ended
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.linear_run import LinearRun
from rosenblatt.studio.playback.recent_runs import run_of
from rosenblatt.studio.playback.run import Moment, PlayedRun
from rosenblatt.studio.request import Points, read_options, read_test_points

MAX_VISITS = 64  # in one answer
_MIN_SORTED_ROWS = 10  # a truth table is sorted too, and does not need to be shuffled


def learn(request: Mapping[str, Any]) -> dict[str, Any]:
    """The run: its start, every moment at which the weights changed, the ends of its epochs, and what was kept.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> run = learn(AND)
    >>> run["n_mistakes"], run["status"], run["moments"][-1]["after"]
    (18, 'separated', [[-4.0, 3.0, 2.0]])
    """
    run, test = run_of(request), read_test_points(request)
    summary, moments = run.summary, run.moments()
    _add_errors(run, moments, [moment["t"] + 1 for moment in moments], test)
    start: Moment = {"after": run.weights_for_page(run.coefficients([0])[0])}
    _add_errors(run, [start], [0], test)
    return {
        "start": start,
        "moments": moments,
        "n_updates": len(run.update_visits),
        "complete": len(moments) == len(run.moving_visits),
        "epochs": _epoch_ends(run, test),
        "mistakes": list(summary.mistakes),
        "n_mistakes": summary.n_mistakes,
        "n_iter": summary.n_iter,
        "t": summary.t,
        "status": summary.status,
        "ending": how_it_ended(summary),
        "advice": _advice_on_order(run, read_options(request, len(run.points.X))[1]["order"]),
        "units": run.unit_names,
        "classes": run.points.present,
        "scheme": run.scheme,
        "curved": run.curved,
        "features": run.feature_names if isinstance(run, LinearRun) and run.curved else None,
        "kept": _kept_answer(run),
    }


def _advice_on_order(run: PlayedRun, order: str) -> str | None:
    """Advice if rows sorted by class were not separated: the last class of each epoch pulls the boundary last."""
    is_sorted = np.count_nonzero(np.diff(run.points.index)) == len(run.points.present) - 1
    if run.summary.status == "separated" or order != "given" or not is_sorted or len(run.points.X) < _MIN_SORTED_ROWS:
        return None
    last = plain_label(run.points.y[-1])
    return f"The rows are sorted by class, so the boundary leans towards {last}: shuffle them."


def _epoch_ends(run: PlayedRun, test: Points | None) -> list[Moment]:
    epoch_size = run.summary.t // max(1, run.summary.n_iter)
    times = [epoch_size * (epoch + 1) for epoch in range(run.summary.n_iter)]
    mistakes = np.cumsum(run.summary.mistakes).tolist()
    after = run.coefficients(times)
    ends = [
        {
            "epoch": epoch + 1,
            "t": t,
            "k": run.n_updates(t),
            "mistakes": mistakes[epoch],
            "after": run.weights_for_page(after[epoch]),
        }
        for epoch, t in enumerate(times)
    ]
    _add_errors(run, ends, times, test)
    return ends


def _kept_answer(run: PlayedRun) -> dict[str, Any]:
    """What `keep` chose; only a straight line has weights here, and votes are not one boundary."""
    weights = run.kept_weights if isinstance(run, LinearRun) and not run.curved else None
    return {"keep": run.keep, "weights": None if weights is None else weights.tolist(), "errors": run.errors()}


def _add_errors(run: PlayedRun, moments: list[Moment], times: list[int], test: Points | None) -> None:
    """Add to each moment its training errors and, of a single unit, the margin: the least distance, or score.

    With points for testing also the errors on them.
    """
    present, targets = np.array(run.points.present), run.targets.T
    for moment, scores in zip(moments, run.scores(times), strict=True):
        raise_if_cancelled()
        # a score of 0 is decided as negative (contract 6), so it is an error for positive examples alone
        predicted = predicted_classes(run.scheme, scores.T, len(present))
        moment["errors"] = int(np.sum(predicted != run.labels))
        if len(scores) == 1:
            norm = 1.0 if run.curved else float(np.hypot(*moment["after"][0][1:]))
            moment["margin"] = float((scores * targets).min()) / norm if norm > 0 else None
    if test is not None:
        basis = run.basis(test.X)
        for moment, weights in zip(moments, run.coefficients(times), strict=True):
            raise_if_cancelled()
            predicted = present[predicted_classes(run.scheme, (weights @ basis).T, len(present))]
            moment["test_errors"] = int(np.sum(predicted != test.index))


def visits(request: Mapping[str, Any]) -> dict[str, Any]:
    """Up to 64 visits from number `since` on (0 is the first); with `updates_only`, those that made an update."""
    run = run_of(request)
    since, n_visits = request.get("since"), run.summary.t
    if not isinstance(since, int) or isinstance(since, bool) or not 0 <= since < max(1, n_visits):
        raise ParameterError(f"The run has visits 0 to {n_visits - 1}. Got {since!r} instead.")
    moments = (run.next_updates if request.get("updates_only") is True else run.visits)(since, MAX_VISITS)
    _add_errors(run, moments, [moment["t"] + 1 for moment in moments], read_test_points(request))
    return {"since": since, "visits": moments}
