"""How far scores are from the numbers they predict, summed exactly, so that it has the same bits on every machine."""

from __future__ import annotations

import math

from rosenblatt.lazy import np
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Floats


def losses_of(settings: Settings, scores: Floats, targets: Floats) -> Floats:
    """The error of each row by the loss of the rule: squared, absolute, or the mean pinball loss of its quantiles.

    >>> rule = Settings(task="number", loss="quantile", quantiles=(0.1, 0.9))
    >>> losses_of(rule, np.array([[0.0, 2.0]]), np.array([1.0])).round(6).tolist()
    [0.1]
    """
    if settings.loss == "squared":  # not halved, unlike the loss that a rule minimises
        missing: Floats = targets - scores[:, 0]
        return missing * missing
    from rosenblatt.learn.number_losses import unit_losses  # loads numpy, which a fit of classes does without

    total: Floats = np.zeros(len(targets))
    for unit, loss in enumerate(unit_losses(settings)):
        total += loss(scores[:, unit] - targets)
    mean: Floats = total / int(scores.shape[1])
    return mean


def total_loss(settings: Settings, scores: Floats, targets: Floats, weights: Floats | None = None) -> float:
    losses = losses_of(settings, scores, targets)
    return math.fsum(losses if weights is None else weights * losses)
