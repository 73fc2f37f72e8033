"""The map from scores to probabilities, fitted to scores of examples that the model had not learned.

cpp/calibrate/calibrate.hpp defines the maps. The one with the smallest log loss in cross-validation is kept; if chance
may explain the difference, the temperature map, in which the class with the highest score is always the most probable.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from sys import float_info
from typing import Any, NamedTuple

from rosenblatt import native
from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.records import HonestScores
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors, all_finite, read_buffer

_TENSOR = "calibration.parameters"
_FOLDS = 3
_FEWEST = {"platt": 20, "beta": 200, "isotonic": 1000}  # examples, a tenth of them of the rarer class
_FEWEST_OF_CLASS = 20  # examples for each class, if each has parameters of its own
_SURE = 1.0  # standard errors by which another map must be better than the temperature map


class Calibration(NamedTuple):
    """One map from scores to probabilities."""

    kind: str
    parameters: Any  # a buffer of doubles
    n_classes: int
    examples: int = 0  # that it was fitted to
    measured_on: str = ""  # what these were: out-of-fold, held-out or progressive

    def probabilities(self, scores: Any) -> memoryview:
        """One row per example, one column per class, from scores as `class_scores` gives them."""
        return native.probabilities(self.kind, self.parameters, scores, self.n_classes)

    def __reduce__(self) -> tuple[type[Calibration], tuple[Any, ...]]:  # native memory cannot be pickled
        return Calibration, tuple(self._replace(parameters=array("d", self.parameters)))

    def pack(self, tensors: Tensors) -> dict[str, Any]:
        tensors[_TENSOR] = self.parameters
        return {"kind": self.kind, "examples": self.examples, "measured_on": self.measured_on}


def calibrate(
    honest: HonestScores, scheme: str, n_classes: int, loss: str = "", kind: str | None = None
) -> Calibration:
    """The best map for these scores, or the best of one kind; `loss` is that of the rule that learned them."""
    scores = class_scores(scheme, honest.scores, n_classes)
    logits = own_probabilities(loss, scheme, n_classes) is not None
    kind = kind or _best_kind(scores, honest.truth, n_classes, logits)
    parameters = native.fit_probabilities(kind, scores, honest.truth, n_classes, logits)
    return Calibration(kind, parameters, n_classes, len(honest.truth), honest.kind)


def honest_losses(honest: HonestScores, scheme: str, n_classes: int, loss: str) -> array[float]:
    """The log loss of each example by the temperature of the others: what the same examples can be compared by.

    n examples cannot show that a probability is below 1 / (n + 2), the rule of succession: so no single one of them
    decides a comparison.
    """
    scores = class_scores(scheme, honest.scores, n_classes)
    logits = own_probabilities(loss, scheme, n_classes) is not None
    (losses,) = native.cross_validated_losses(["temperature"], scores, honest.truth, n_classes, _FOLDS, logits)
    most = math.log(len(losses) + 2)
    return array("d", (min(value, most) for value in losses))


def _best_kind(scores: Any, truth: Any, n_classes: int, logits: bool) -> str:
    best, least = "temperature", 0.0
    kinds = _kinds(truth, n_classes)
    if not kinds:
        return best
    losses, *others = native.cross_validated_losses([best, *kinds], scores, truth, n_classes, _FOLDS, logits)
    for kind, its_losses in zip(kinds, others, strict=True):
        mean, standard_error = native.mean_difference(its_losses, losses)
        if mean < min(least, -_SURE * standard_error):
            best, least = kind, mean
    return best


def _kinds(truth: Any, n_classes: int) -> list[str]:
    """The maps with more than one parameter for which there are enough examples."""
    examples = len(truth)
    if n_classes > 2:
        return ["softmax"] if examples >= _FEWEST_OF_CLASS * n_classes else []
    of_second = sum(truth)
    rarer = min(of_second, examples - of_second)
    return [kind for kind, fewest in _FEWEST.items() if examples >= fewest and rarer >= fewest / 10]


def own_probabilities(loss: str, scheme: str, n_classes: int) -> Calibration | None:
    """The map of a loss that models probabilities: a sigmoid of one score, or a softmax of joint scores."""
    if loss != "logistic" or scheme not in ("binary", "joint"):
        return None
    any_score = (-float_info.max, float_info.max)
    slopes, shifts = (1.0,) * (n_classes - (scheme == "binary")), (0.0,) * (n_classes - (scheme == "binary"))
    kind = "platt" if scheme == "binary" else "softmax"
    return Calibration(kind, array("d", (*slopes, *shifts, *any_score)), n_classes)


def unpack_calibration(header: Header, tensors: Tensors, n_classes: int) -> Calibration:
    """The map in a file, checked: its kind suits the number of classes, its parameters are finite and rising."""
    kind, parameters = header.text("kind"), read_buffer(tensors, _TENSOR, "float64")
    check_map(kind, parameters, n_classes)
    return Calibration(kind, parameters, n_classes, header.count("examples"), header.text("measured_on"))


def check_map(kind: str, parameters: memoryview, n_classes: int) -> str:
    """The kind of a map, if it suits the number of classes, and its parameters are finite and rising."""
    if kind not in ("temperature", *(("softmax",) if n_classes > 2 else _FEWEST)):
        raise damaged(f"{kind!r} is not a map from the scores of {n_classes} classes to probabilities")
    if not all_finite(parameters) or not _is_rising(kind, parameters.tolist(), n_classes):
        raise damaged("its map from scores to probabilities is not a rising one")
    return kind


def _is_rising(kind: str, numbers: Sequence[float], n_classes: int) -> bool:
    if kind == "isotonic":
        knots, values = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
        rising = sorted(values) == list(values) and sorted(set(knots)) == list(knots)
        return bool(knots) and len(knots) == len(values) and rising and values[0] >= 0 and values[-1] <= 1
    if kind == "temperature":
        doubt = numbers[2] if len(numbers) == 3 and n_classes > 2 else 0.0
        return len(numbers) in (2, 3 if n_classes > 2 else 2) and min(numbers) >= 0 and doubt <= 1
    count, slopes = {
        "platt": (4, numbers[:1]),
        "beta": (7, [numbers[0], *numbers[2:4]] if len(numbers) == 7 else []),
        "softmax": (2 * n_classes + 2, numbers[:n_classes]),
    }[kind]
    return len(numbers) == count and min(slopes) >= 0 and numbers[-2] <= numbers[-1]
