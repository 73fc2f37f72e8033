"""Adds to a model its map from scores to probabilities, and its threshold."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rosenblatt.learn.files.plan import Plan
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.probabilities.calibration import Calibration, calibrate
from rosenblatt.model.probabilities.reference_scores import reference_of
from rosenblatt.records import HonestScores

if TYPE_CHECKING:
    from rosenblatt.model.probabilities.choose_threshold import Threshold

_SURE = 2.0  # standard deviations


def with_probabilities(model: LinearModel, honest: HonestScores | None, plan: Plan) -> LinearModel:
    """The model with its map from scores to probabilities, and with the requested threshold.

    If everything is left to the data, so is the threshold: the more probable class by the map is decided, unless that
    is clearly worse than a threshold of 0.
    """
    if honest is None:
        return model
    calibration = calibrate(honest, model.scheme, len(model.classes), model.loss)
    is_moved = len(model.classes) == 2 and calibration.kind != "temperature"
    threshold = None
    if plan.threshold is not None or (is_moved and plan.passes == "auto" and plan.class_weight is None):
        threshold = _threshold(plan.threshold, honest, calibration)
    decided = replace(model, calibration=calibration, threshold=threshold)
    if threshold is not None and plan.threshold is None:
        by_score = replace(decided, threshold=None)
        if _clearly_worse(decided, by_score, honest):
            # A few outlying scores may bend a map; the temperature map is safer, as it does not move the threshold.
            plain = calibrate(honest, model.scheme, len(model.classes), model.loss, "temperature")
            decided = replace(by_score, calibration=plain)
    return replace(decided, reference=reference_of(honest, decided), final_reference=None)


def _clearly_worse(model: LinearModel, other: LinearModel, honest: HonestScores) -> bool:
    """Whether a model makes clearly more errors than another, judged by the examples on which they differ (McNemar)."""
    decisions = zip(model.decided(honest.scores).tolist(), other.decided(honest.scores).tolist(), strict=True)
    differ = [(a, b, truth) for (a, b), truth in zip(decisions, honest.truth.tolist(), strict=True) if a != b]
    lost: int = sum((b == truth) - (a == truth) for a, b, truth in differ)
    return lost > _SURE * math.sqrt(len(differ))


def _threshold(wanted: float | str | None, honest: HonestScores, calibration: Calibration) -> Threshold:
    """The requested threshold, or the one above which the positive class is the more probable."""
    from rosenblatt.model.probabilities.choose_threshold import EVEN, choose_threshold
    from rosenblatt.options.values.threshold_criterion import criterion_of

    criterion = criterion_of(EVEN if wanted is None else wanted)
    assert criterion is not None  # options have checked it
    return choose_threshold(criterion, honest, calibration)
