"""The loss of numbers that are predicted, as a run lowers it."""

from __future__ import annotations

from rosenblatt import losses
from rosenblatt.lazy import np
from rosenblatt.learn.settings import Settings
from rosenblatt.losses import Loss
from rosenblatt.records import Floats


def unit_losses(settings: Settings) -> list[Loss]:
    """The loss of each unit, a function of the score minus the target."""
    if settings.loss == "quantile":
        return [losses.quantile(level) for level in settings.quantiles]
    if settings.loss == "huber":
        return [losses.huber(settings.width)]
    return [losses.absolute if settings.loss == "absolute" else losses.squared_error]


def mean_loss(settings: Settings, scores: Floats, targets: Floats, weights: Floats | None) -> float:
    """Of scores [row, unit], the mean over both; rows count by their weights."""
    of_rows = np.zeros(len(targets))
    for unit, loss in enumerate(unit_losses(settings)):
        of_rows += loss(scores[:, unit] - targets)
    mean: float = float(np.average(of_rows, weights=weights))
    return mean / int(scores.shape[1])
