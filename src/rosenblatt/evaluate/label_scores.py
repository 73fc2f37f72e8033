"""How good predictions of several labels are: over all decisions together (micro), and as the mean over labels (macro).

The intervals of shares of decisions are from a jackknife over groups of examples: decisions about one example belong
together, and are not independent trials.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.evaluate.confidence_intervals import Estimate, logit_normal, wilson
from rosenblatt.evaluate.confusion import ClassScores, of_class, share_of
from rosenblatt.model.probabilities.normal_quantile import Z
from rosenblatt.model.several_labels import constant_baseline, worthless_labels
from rosenblatt.model.warnings.drift import Drift, NewWords
from rosenblatt.model.warnings.fit_warnings import Caution, few_examples, unknown_labels
from rosenblatt.records import Floats, Label

GROUPS = 100  # of examples, each left out once for the intervals
_HITS, _DECIDED, _REAL = range(3)


@dataclass(frozen=True)
class LabelScores:
    """How good the labels given to examples are, each number with its 95% confidence interval."""

    examples: int
    classes: tuple[Label, ...]  # the labels
    exact_match: Estimate  # examples with exactly their labels
    hamming_loss: Estimate  # of all decisions, one a label and example, the share that is wrong
    micro_precision: Estimate  # of all labels given, the share that is right
    micro_recall: Estimate  # of all labels that apply, the share that was given
    micro_f1: Estimate
    macro_precision: Estimate  # the means over the labels
    macro_recall: Estimate
    macro_f1: Estimate
    log_loss: Estimate | None  # of the probabilities, the mean over all decisions
    per_class: tuple[ClassScores, ...]
    baseline_error: float  # the lowest share of wrong decisions of any constant answer
    baseline_f1: float  # and the highest micro F1
    baseline_exact_match: float  # of always giving the commonest set of labels
    commonest: tuple[Label, ...]  # that set
    without: int  # examples that have no label
    unknown: int = 0  # examples with a label that the model never saw
    unknown_labels: tuple[Label, ...] = ()

    @property
    def error(self) -> Estimate:
        """The share of wrong decisions."""
        return self.hamming_loss

    def warnings(self, *, weighs_errors: bool = False) -> list[Caution]:
        """What a user must know about these scores, in a sentence each."""
        decided = [row.precision.value > 0 or row.recall.value > 0 for row in self.per_class]
        real = [row.support for row in self.per_class]
        deviation = (self.hamming_loss.high - self.hamming_loss.low) / 4
        worthless = worthless_labels(
            self.examples, self.micro_f1.value, self.hamming_loss.value, decided, real, deviation=deviation
        )
        return [
            *worthless,
            *few_examples(self.classes, real, noun="label"),
            *unknown_labels(self.unknown_labels, self.unknown, self.examples),
        ]


class LabelTally:
    """Labels given to examples and those that apply, counted block by block; `scores()` at any time."""

    def __init__(self, classes: tuple[Label, ...]) -> None:
        self.classes = classes
        self.examples = 0
        self.weights = np.zeros(GROUPS)  # of the examples of each group
        self.squares = 0.0  # of the weights
        self.counts = np.zeros((GROUPS, 3, len(classes)))  # hits, given, apply
        self.missed = np.zeros(GROUPS)  # labels that the model never saw
        self.exact = 0.0
        self.losses = np.zeros(GROUPS)
        self.has_probabilities = False
        self.without = 0
        self.unknown = 0
        self.unknown_labels: list[Label] = []
        self.reading_warnings: list[str] = []
        self.drift: Drift | None = None
        self.new_words: NewWords | None = None
        self._sets: dict[bytes, float] = {}  # weight of the examples with each set of labels

    def add(
        self,
        decided: NDArray[Any],
        truth: NDArray[Any],
        weights: Floats | None = None,
        probabilities: Floats | None = None,
        unknown: NDArray[np.int64] | None = None,
    ) -> None:
        """Count a block: a row per example, a column per label; `unknown` counts the other labels of each row."""
        rows = len(truth)
        decided, truth = np.asarray(decided, bool), np.asarray(truth, bool)
        weights = np.ones(rows) if weights is None else np.asarray(weights, dtype=np.float64)
        others = np.zeros(rows, np.int64) if unknown is None else unknown
        group = (self.examples + np.arange(rows)) % GROUPS
        for count, applies in ((_HITS, decided & truth), (_DECIDED, decided), (_REAL, truth)):
            np.add.at(self.counts[:, count], group, weights[:, None] * applies)
        np.add.at(self.weights, group, weights)
        np.add.at(self.missed, group, weights * others)
        self.squares += float(np.square(weights).sum())
        self.exact += float(weights[(decided == truth).all(axis=1) & (others == 0)].sum())
        self.without += int(np.count_nonzero(~truth.any(axis=1) & (others == 0)))
        self.unknown += int(np.count_nonzero(others))
        for bits, weight in zip(np.packbits(truth, axis=1), weights, strict=True):
            key = bits.tobytes()
            self._sets[key] = self._sets.get(key, 0.0) + float(weight)
        if probabilities is not None:
            self.has_probabilities = True
            chance = np.where(truth, probabilities, 1 - probabilities)
            np.add.at(self.losses, group, weights * -np.log(np.maximum(chance, 1e-300)).mean(axis=1))
        self.examples += rows

    def scores(self) -> LabelScores:
        """The scores of everything counted so far."""
        weight = float(self.weights.sum())
        n = weight * weight / self.squares if self.squares else 0.0
        hits, decided, real = self.counts.sum(axis=0)
        baseline_error, baseline_f1, _ = constant_baseline(real.tolist(), weight)
        commonest = max(self._sets, key=self._sets.__getitem__)
        bits = np.unpackbits(np.frombuffer(commonest, np.uint8))[: len(self.classes)]
        return LabelScores(
            examples=self.examples,
            classes=self.classes,
            exact_match=wilson(self.exact / weight if weight else 0.0, n),
            hamming_loss=self._estimate(_hamming),
            micro_precision=self._estimate(_micro_precision),
            micro_recall=self._estimate(_micro_recall),
            micro_f1=self._estimate(_micro_f1),
            macro_precision=self._estimate(lambda c, w, m: _ratio(c[_HITS], c[_DECIDED])),
            macro_recall=self._estimate(lambda c, w, m: _ratio(c[_HITS], c[_REAL])),
            macro_f1=self._estimate(lambda c, w, m: _ratio(2 * c[_HITS], c[_DECIDED] + c[_REAL])),
            log_loss=self._log_loss() if self.has_probabilities else None,
            per_class=tuple(
                of_class(_two_by_two(hits[k], decided[k], real[k], weight), n, 1, label)
                for k, label in enumerate(self.classes)
            ),
            baseline_error=baseline_error,
            baseline_f1=baseline_f1,
            baseline_exact_match=self._sets[commonest] / weight if weight else 0.0,
            commonest=tuple(label for label, applies in zip(self.classes, bits, strict=True) if applies),
            without=self.without,
            unknown=self.unknown,
            unknown_labels=tuple(self.unknown_labels),
        )

    def _estimate(self, score: Callable[[Floats, float, float], float]) -> Estimate:
        """A score of all counts, and its deviation by a jackknife over the groups (Quenouille, Tukey)."""
        counts, weight, missed = self.counts.sum(axis=0), float(self.weights.sum()), float(self.missed.sum())
        value = score(counts, weight, missed)
        used = np.flatnonzero(self.weights)
        others = [
            score(counts - self.counts[g], weight - self.weights[g], missed - self.missed[g]) for g in used.tolist()
        ]
        return logit_normal(value, _jackknife(others), float(len(used)))

    def _log_loss(self) -> Estimate:
        total, weight = float(self.losses.sum()), float(self.weights.sum())
        used = np.flatnonzero(self.weights)
        others = [(total - self.losses[g]) / max(weight - self.weights[g], 1e-300) for g in used.tolist()]
        half = Z * _jackknife(others)
        value = total / max(weight, 1e-300)
        return Estimate(value, max(value - half, 0.0), value + half)


def _jackknife(others: Sequence[float]) -> float:
    """The standard deviation of a number from its values where each group is left out."""
    n = len(others)
    return float(np.std(others)) * (n - 1) ** 0.5 if n > 1 else 0.0


def _hamming(counts: Floats, weight: float, missed: float) -> float:
    wrong = float((counts[_DECIDED] + counts[_REAL] - 2 * counts[_HITS]).sum())
    return wrong / max(weight * len(counts[_HITS]), 1e-300)


def _micro_precision(counts: Floats, weight: float, missed: float) -> float:
    return share_of(float(counts[_HITS].sum()), float(counts[_DECIDED].sum()))


def _micro_recall(counts: Floats, weight: float, missed: float) -> float:
    return share_of(float(counts[_HITS].sum()), float(counts[_REAL].sum()) + missed)


def _micro_f1(counts: Floats, weight: float, missed: float) -> float:
    return share_of(2 * float(counts[_HITS].sum()), float(counts[_DECIDED].sum() + counts[_REAL].sum()) + missed)


def _ratio(tops: Floats, bottoms: Floats) -> float:
    """The mean of shares, of which one without a denominator is 0."""
    return float(np.divide(tops, bottoms, out=np.zeros(len(tops)), where=bottoms > 0).mean())


def _two_by_two(hits: float, decided: float, real: float, weight: float) -> Floats:
    """The confusion matrix of one label: whether it applies, down, and whether it was given, across."""
    return np.array([[weight - decided - real + hits, decided - hits], [real - hits, hits]])
