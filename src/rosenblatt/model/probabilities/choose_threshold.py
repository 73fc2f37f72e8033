"""The score above which the positive of two classes is decided, chosen on examples that the model had not learned.

All thresholds between two neighbouring scores decide alike, so that one between each two, one below all scores and one
above all are enough to choose from.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from sys import float_info
from typing import Any

from rosenblatt.model.probabilities.calibration import Calibration
from rosenblatt.options.values.threshold_criterion import Criterion, criterion_of
from rosenblatt.records import HonestScores
from rosenblatt.storage.checked_header import Header, damaged

EVEN = 0.5  # above this probability the positive of two classes is the more probable one
_HALVINGS = 200  # steps of the bisection, at most


@dataclass(frozen=True)
class Threshold:
    """A chosen threshold, its criterion, and its results on the examples that it was chosen on."""

    score: float
    probability: float  # of the positive class at this score
    criterion: str
    examples: int
    positives: int  # of these
    above: int  # examples above it, which are decided to be positive
    hits: int  # positives above it
    is_met: bool = True  # whether it meets the criterion

    @property
    def is_even(self) -> bool:
        """Whether it decides for the more probable class, as without a threshold."""
        criterion = criterion_of(self.criterion)
        return criterion is not None and criterion.kind == "probability" and criterion.number == EVEN

    @property
    def precision(self) -> float:
        """The share of positives among the examples above it; 1 if there are none."""
        return self.hits / self.above if self.above else 1.0

    @property
    def recall(self) -> float:
        """The share of the positives that is above it."""
        return self.hits / self.positives if self.positives else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.hits / max(self.above + self.positives, 1)

    def pack(self) -> dict[str, Any]:
        return asdict(self)


def choose_threshold(criterion: Criterion, honest: HonestScores, calibration: Calibration) -> Threshold:
    """The best threshold by the criterion."""
    pairs = sorted(zip((row[0] for row in honest.scores.tolist()), honest.truth.tolist(), strict=True), reverse=True)
    positives = sum(label for _, label in pairs)

    def at(score: float, above: int, hits: int) -> Threshold:
        return Threshold(score, 0.0, criterion.text, len(pairs), positives, above, hits)

    if criterion.kind == "probability":
        score = score_at(calibration, criterion.number)
        labels_above = [label for value, label in pairs if value > score]
        best = at(score, len(labels_above), sum(labels_above))
    else:
        best = _best(criterion, [at(*cut) for cut in _cuts(pairs)])
    return replace(best, probability=probability_at(calibration, best.score))


def _cuts(pairs: list[tuple[float, int]]) -> Iterator[tuple[float, int, int]]:
    """Every threshold that decides differently, the highest first, with the examples and the positives above it.

    `pairs` are scores and labels, the highest score first.
    """
    hits = 0
    yield float_info.max, 0, 0
    for k, (score, label) in enumerate(pairs):
        hits += label
        if k + 1 == len(pairs):
            yield -float_info.max, k + 1, hits
        elif pairs[k + 1][0] < score:
            lower = pairs[k + 1][0]
            middle = lower + (score - lower) / 2
            yield middle if lower <= middle < score else lower, k + 1, hits


def _best(criterion: Criterion, thresholds: list[Threshold]) -> Threshold:
    """The best threshold; they are given highest first, and of equally good ones the highest is taken."""
    if criterion.kind == "f1":
        return max(thresholds, key=lambda one: one.f1)
    if criterion.kind == "cost":
        false_positive, false_negative = criterion.number, criterion.other
        return min(
            thresholds,
            key=lambda one: false_positive * (one.above - one.hits) + false_negative * (one.positives - one.hits),
        )
    if criterion.kind == "recall":
        return next(one for one in thresholds if one.recall >= criterion.number or one is thresholds[-1])
    precise = [one for one in thresholds if one.hits and one.precision >= criterion.number]
    if precise:
        return max(precise, key=lambda one: one.hits)
    return replace(max(thresholds[1:], key=lambda one: (one.precision, one.hits)), is_met=False)


def score_at(calibration: Calibration, probability: float) -> float:
    """The highest score whose probability of the positive class is at most this one."""
    numbers: list[float] = calibration.parameters.tolist()
    knots = numbers[: len(numbers) // 2] if calibration.kind == "isotonic" else numbers[-2:]
    if calibration.kind == "temperature":
        knots = [-numbers[-1], numbers[-1]]
    low, high = knots[0], knots[-1]
    if probability_at(calibration, low) > probability:
        return -float_info.max
    if probability_at(calibration, high) <= probability:
        return float_info.max
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if probability_at(calibration, middle) <= probability else (low, middle)
    return low


def probability_at(calibration: Calibration, score: float) -> float:
    """The probability of the positive class at a score."""
    one = memoryview(array("d", [score])).cast("B").cast("d", shape=[1, 1])
    rows: Any = calibration.probabilities(one).tolist()
    return float(rows[0][1])


def unpack_threshold(header: Header, n_classes: int) -> Threshold:
    if n_classes != 2:
        raise damaged(f"it has a threshold, which is for two classes, and {n_classes} classes")
    counts = {name: header.count(name) for name in ("examples", "positives", "above", "hits")}
    return Threshold(
        header.number("score"),
        header.number("probability"),
        header.text("criterion"),
        **counts,
        is_met=header.flag("is_met"),
    )
