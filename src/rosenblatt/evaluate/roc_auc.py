"""How well scores rank: the ROC curve and its area, average precision. Equal scores count half."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt.evaluate.confidence_intervals import Estimate, effective, logit_normal, wilson
from rosenblatt.records import Floats


@dataclass(frozen=True)
class Ranked:
    """Scores of one class against the rest, rising, with equal ones as one group.

    `group[i]` is the group of example i; `score[g]`, `positive[g]` and `negative[g]` are its score and its weights.
    """

    group: NDArray[np.intp]
    positive: Floats
    negative: Floats
    is_positive: NDArray[np.bool_]
    weights: Floats
    score: Floats

    @property
    def both(self) -> bool:
        """Are there both positives and negatives?"""
        return bool(self.positive.any() and self.negative.any())


def ranked(scores: Floats, is_positive: NDArray[np.bool_], weights: Floats | None = None) -> Ranked:
    """Scores sorted once, for every measure below."""
    weights = np.ones(len(scores)) if weights is None else weights
    score, group = np.unique(scores, return_inverse=True)
    group = group.reshape(-1)
    groups = int(group.max(initial=-1)) + 1
    positive: Floats = np.bincount(group, weights * is_positive, groups).astype(np.float64)
    negative: Floats = np.bincount(group, weights * ~is_positive, groups).astype(np.float64)
    return Ranked(group, positive, negative, is_positive, weights, score)


def influence(by_rank: Ranked) -> tuple[float, Floats]:
    """The area under the ROC curve, and how much each example moves it: the components of DeLong et al. (1988).

    The area is the chance that a positive scores above a negative. A positive's component is the share of negatives
    below it, a negative's that of positives above it; the squares of how much each moves the area sum to its variance.
    """
    positives, negatives = float(by_rank.positive.sum()), float(by_rank.negative.sum())
    below = (np.cumsum(by_rank.negative) - by_rank.negative / 2) / negatives
    above = 1 - (np.cumsum(by_rank.positive) - by_rank.positive / 2) / positives
    area = float(by_rank.positive @ below) / positives
    component = np.where(by_rank.is_positive, below[by_rank.group], above[by_rank.group]) - area
    moved = component * by_rank.weights / np.where(by_rank.is_positive, positives, negatives)
    for side in (by_rank.is_positive, ~by_rank.is_positive):  # as DeLong's divisor n - 1
        n = effective(by_rank.weights[side])
        moved[side] *= (n / (n - 1)) ** 0.5 if n > 1 else 1.0
    return area, moved


def roc_auc(by_rank: Ranked) -> Estimate:
    """The area under the ROC curve, its log odds taken as normal with DeLong's variance.

    Where that is 0, as for a perfect ranking: Wilson's interval, with the size of the smaller class as the trials.
    """
    area, moved = influence(by_rank)
    smaller_class = min(effective(by_rank.weights[side]) for side in (by_rank.is_positive, ~by_rank.is_positive))
    return logit_normal(area, float(np.square(moved).sum()) ** 0.5, smaller_class)


def average_precision(by_rank: Ranked) -> Estimate:
    """The mean, over the positives, of the precision at their score, with Wilson's interval for a share of them."""
    positive, negative = by_rank.positive[::-1], by_rank.negative[::-1]
    true_positives = np.cumsum(positive)
    predicted = true_positives + np.cumsum(negative)
    precision = np.divide(true_positives, predicted, out=np.zeros_like(true_positives), where=predicted > 0)
    value = min(float(positive @ precision) / float(true_positives[-1]), 1.0)
    return wilson(value, effective(by_rank.weights[by_rank.is_positive]))


def roc_points(by_rank: Ranked, most: int = 256) -> tuple[Floats, Floats]:
    """The ROC curve from (0, 0) to (1, 1): false and true positive rates, thinned to at most this many points."""
    false = np.concatenate([[0.0], np.cumsum(by_rank.negative[::-1])])
    true = np.concatenate([[0.0], np.cumsum(by_rank.positive[::-1])])
    false, true = false / false[-1], true / true[-1]
    if len(false) > most:  # evenly along the curve, not along the scores
        along = false + true
        at = np.unique(np.searchsorted(along, np.linspace(0, along[-1], most)).clip(0, len(along) - 1))
        false, true = false[at], true[at]
    return false, true


def precision_recall_points(by_rank: Ranked, most: int = 256) -> tuple[Floats, Floats]:
    """The precision-recall curve from the highest score down: recalls and precisions, thinned to at most this many."""
    hits = np.cumsum(by_rank.positive[::-1])
    decided = hits + np.cumsum(by_rank.negative[::-1])
    recall, precision = hits / hits[-1], hits / decided
    if len(recall) > most:  # evenly along the recall, and of equal ones the first and the last
        at = np.unique(np.searchsorted(recall, np.linspace(0, 1, most)).clip(0, len(recall) - 1))
        recall, precision = recall[at], precision[at]
    return recall, precision
