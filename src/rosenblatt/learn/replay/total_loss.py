"""The loss of all examples together at some weights: an update lowers the loss of its example, not always the sum."""

from __future__ import annotations

from rosenblatt import losses
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.number_losses import unit_losses
from rosenblatt.learn.replay.replay import Replay
from rosenblatt.records import Floats


def totals_of(replay: Replay, scheme: str, sides: NDArray[np.int8], unit: int) -> tuple[float, int]:
    """The loss summed over all rows that are learned from, and how many of them would be mistakes now.

    For one unit; where the units decide jointly, for their joint decision.
    """
    rows, settings = replay.counted, replay.recording.settings
    labels, scores = replay.block.labels[rows], replay.scores(rows)
    weights = replay.recording.class_weight[labels]
    if replay.block.weights is not None:
        weights = weights * replay.block.weights[rows]
    margins = _gaps(scores, labels) if scheme == "joint" else sides * scores[:, unit]
    concerned = np.ones(len(rows), dtype=bool) if scheme == "joint" else sides != 0
    if scheme == "joint" and settings.loss == "logistic":
        top = scores.max(axis=1)
        cost = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top - scores[np.arange(len(rows)), labels]
    elif settings.loss in ("logistic", "squared"):
        cost = losses.LOSSES[settings.loss](margins)
    else:
        cost = np.maximum(settings.required - margins, 0.0)
    wrong = margins < settings.required if settings.strict else ~(margins > settings.required)
    return float((weights * cost)[concerned].sum()), int(wrong[concerned].sum())


def total_of_numbers(replay: Replay, unit: int) -> float:
    """The same loss where a number is predicted."""
    rows, block = replay.counted, replay.block
    assert block.targets is not None
    cost = unit_losses(replay.recording.settings)[unit](replay.scores(rows)[:, unit] - block.targets[rows])
    return float(cost.sum() if block.weights is None else (block.weights[rows] * cost).sum())


def _gaps(scores: Floats, labels: NDArray[np.int32]) -> Floats:
    """How far the right class scores above the best of the others."""
    at = np.arange(len(labels))
    others = scores.copy()
    others[at, labels] = -np.inf
    gaps: Floats = scores[at, labels] - others.max(axis=1)
    return gaps
