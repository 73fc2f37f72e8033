"""Precision and recall of the positive class, if it were predicted above another probability."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosenblatt.evaluate.confidence_intervals import Estimate, wilson
from rosenblatt.evaluate.roc_auc import Ranked

PROBABILITIES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class ThresholdRow:
    """How good predictions are if the positive class is predicted above a score."""

    decided: float  # the share of all examples above it
    precision: Estimate | None  # None: nothing is above it
    recall: Estimate
    f1: float


def threshold_table(by_rank: Ranked, thresholds: Sequence[float]) -> list[ThresholdRow]:
    """A row for each threshold, which are scores like those that were ranked."""
    hits = np.append(np.cumsum(by_rank.positive[::-1])[::-1], 0.0)
    false_alarms = np.append(np.cumsum(by_rank.negative[::-1])[::-1], 0.0)
    total, positives = float(by_rank.weights.sum()), float(hits[0])
    examples_per_weight = total / max(float(np.square(by_rank.weights).sum()), 1e-300)
    rows = []
    for at in np.searchsorted(by_rank.score, thresholds, side="right").tolist():
        hit, above = float(hits[at]), float(hits[at] + false_alarms[at])
        rows.append(
            ThresholdRow(
                above / max(total, 1e-300),
                wilson(hit / above, above * examples_per_weight) if above else None,
                wilson(hit / max(positives, 1e-300), positives * examples_per_weight),
                2 * hit / max(above + positives, 1e-300),
            )
        )
    return rows
