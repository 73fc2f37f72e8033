"""The loss that a run minimises where it predicts numbers."""

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
    """The mean loss of scores [row, unit] over rows and units, the rows weighted."""
    row_losses = np.zeros(len(targets))
    for unit, loss in enumerate(unit_losses(settings)):
        row_losses += loss(scores[:, unit] - targets)
    mean: float = float(np.average(row_losses, weights=weights))
    return mean / int(scores.shape[1])
