"""How good probabilities are: log loss, Brier score, calibration error and the reliability curve, in bounded memory.

The reliability curve compares what was promised with what happened: of the examples that were given about 0.8, did 0.8
turn out positive? With more than two classes it is about the predicted class: how sure, and how often right.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt.evaluate.confidence_intervals import Estimate, normal, wilson
from rosenblatt.records import Floats

MAX_BINS = 15  # of the reliability curve, each with about as many examples
FEWEST_IN_BIN = 10
_FINE = 1024  # bins in which examples are counted: a sixteenth of a unit of log odds wide
_PER_UNIT = 16
_DRAWS = 400


@dataclass(frozen=True)
class ReliabilityBin:
    """Examples that were given about the same probability: its mean, and the share for which it came true."""

    predicted: float
    observed: Estimate
    examples: float  # their weight


class ProbabilityTally:
    """Probabilities of blocks of examples, counted."""

    def __init__(self, n_classes: int) -> None:
        self._n_classes = n_classes
        self.sums = np.zeros(5)  # weight, log losses, their squares, Brier scores, their squares; all weighted
        self.bins = np.zeros((4, _FINE))  # weight, its squares, weighted probabilities, weighted outcomes

    def add(self, probabilities: Floats, truth: NDArray[np.integer], weights: Floats) -> None:
        """Count a block: a column of probabilities for each class, and the true class of each row."""
        rows = np.arange(len(truth))
        losses = -np.log(np.maximum(probabilities[rows, truth], 1e-300))
        if probabilities.shape[1] == 2:
            chance, happened = probabilities[:, 1], np.asarray(truth) == 1
            brier = np.square(chance - happened)
        else:
            decided = probabilities.argmax(axis=1)
            chance, happened = probabilities[rows, decided], decided == truth
            brier = np.square(probabilities).sum(axis=1) + 1 - 2 * probabilities[rows, truth]
        self.sums += [
            weights.sum(), weights @ losses, weights @ losses**2, weights @ brier, weights @ brier**2,
        ]  # fmt: skip
        inner = np.clip(chance, 1e-15, 1 - 1e-15)
        at = np.clip(np.rint(np.log(inner / (1 - inner)) * _PER_UNIT) + _FINE // 2, 0, _FINE - 1).astype(np.intp)
        for row, values in zip(self.bins, (weights, weights**2, weights * chance, weights * happened), strict=True):
            row += np.bincount(at, values, _FINE)

    def _mean(self, total: int, n: float, highest: float) -> Estimate | None:
        """A mean of independent losses: normal, with the deviation of the losses over the root of their number."""
        weight = self.sums[0]
        if weight <= 0:
            return None
        mean = self.sums[total] / weight
        variance = max(self.sums[total + 1] / weight - mean * mean, 0.0) / max(n - 1, 1.0)
        return normal(float(mean), float(variance) ** 0.5, high=highest)

    def log_loss(self, n: float) -> Estimate | None:
        return self._mean(1, n, float("inf"))

    def brier(self, n: float) -> Estimate | None:
        return self._mean(3, n, 1.0 if self._n_classes == 2 else 2.0)

    def _joined(self) -> Floats:
        """Neighbouring fine bins joined until each has its share of the examples."""
        weight = self.bins[0]
        n = float(weight.sum()) ** 2 / max(float(self.bins[1].sum()), 1e-300)
        count = int(np.clip(n / FEWEST_IN_BIN, 1, MAX_BINS))
        middle = (np.cumsum(weight) - weight / 2) / max(float(weight.sum()), 1e-300)
        group = np.minimum((middle * count).astype(np.intp), count - 1)
        joined: Floats = np.stack([np.bincount(group, row, count) for row in self.bins]).astype(np.float64)
        return joined[:, joined[0] > 0]

    def reliability(self) -> tuple[ReliabilityBin, ...]:
        """The points of the reliability curve, by rising probability, with Wilson's intervals."""
        return tuple(
            ReliabilityBin(float(chance / weight), wilson(float(happened / weight), float(weight**2 / squares)), weight)
            for weight, squares, chance, happened in self._joined().T.tolist()
        )

    def calibration_error(self) -> Estimate | None:
        """The mean distance of the reliability curve from the diagonal (ECE).

        For the upper bound the share of each bin is drawn from its posterior (Jeffreys), again and again; the lower
        bound is as far below the measured error. Chance alone moves every bin off the diagonal, so the true error is
        more likely smaller than larger.
        """
        weight, squares, chance, happened = self._joined()
        if weight.sum() <= 0:
            return None
        share, predicted, observed = weight / weight.sum(), chance / weight, happened / weight
        value = float(share @ np.abs(observed - predicted))
        n, hits = weight**2 / squares, np.clip(observed, 0, 1) * weight**2 / squares
        drawn = np.random.default_rng(0).beta(hits + 0.5, n - hits + 0.5, (_DRAWS, len(n)))
        high = max(float(np.quantile(np.abs(drawn - predicted) @ share, 0.975)), value)
        return Estimate(value, max(2 * value - high, 0.0), high)
