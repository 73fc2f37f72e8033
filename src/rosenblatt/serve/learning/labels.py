"""Labels of examples, classes or numbers: as clients write them, as the log stores them, as answers give them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from typing import Any, Literal

from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.serve.learning.live_model import LiveModel, Predictions
from rosenblatt.serve.messages import Prediction

_MOST_PROBABILITIES = 10  # classes whose probabilities are all given
_MOST_NAMED = 20
_LARGEST_TARGET = 1e9  # how far from the centre of the scale a target may be, in its widths


class Labels(ABC):
    """The labels of one model. The log stores the code of a label."""

    typecode: Literal["i", "d"]

    @abstractmethod
    def code(self, label: Any) -> float | None:
        """The code of a label; None if the model does not know it."""

    @abstractmethod
    def refusal(self, label: Any) -> str:
        """The error message for a label without a code."""

    @abstractmethod
    def answers(self, predictions: Predictions, ids: Sequence[str | None]) -> list[Prediction]:
        """The answer to each example that could be read."""

    def packed(self, codes: Sequence[float]) -> array[Any]:
        return array(self.typecode, codes)


class ClassLabels(Labels):
    """A class, however it is written: of the classes 1 and -1, "+1" is the first."""

    typecode = "i"

    def __init__(self, model: LinearModel) -> None:
        self._labels = model.classes
        self._names = [str(label) for label in model.classes]
        self._codes: dict[Any, int] = {str(label): k for k, label in enumerate(model.classes)}
        self._codes.update({label: k for k, label in enumerate(model.classes)})

    def code(self, label: Any) -> float | None:
        code = self._codes.get(label)
        if code is None and isinstance(label, str) and len(label) < 40:
            try:
                return self._codes.get(float(label))
            except ValueError:
                return None
        return code

    def refusal(self, label: Any) -> str:
        labels = ", ".join(repr(each) for each in self._labels[:_MOST_NAMED])
        more = ", …" if len(self._labels) > _MOST_NAMED else ""
        return f"{str(label)[:80]!r} is not a class of this model: they are {labels}{more}."

    def answers(self, predictions: Predictions, ids: Sequence[str | None]) -> list[Prediction]:
        version, probabilities = predictions.version, predictions.probabilities
        all_given = len(self._labels) <= _MOST_PROBABILITIES
        answers = []
        good = _of_good_rows(ids, predictions)
        for k, (code, scores, id_) in enumerate(zip(predictions.decided, predictions.scores, good, strict=True)):
            score = scores[0] if len(scores) == 1 else scores[code]
            answer = Prediction(self._labels[code], score, version, id=id_)
            if probabilities is not None:
                answer.probability = probabilities[k][code]
                if all_given:
                    answer.probabilities = dict(zip(self._names, probabilities[k], strict=True))
            answers.append(answer)
        return answers


class NumberLabels(Labels):
    """A number, in the unit of the target; the answer has its interval, or its quantiles."""

    typecode = "d"

    def __init__(self, model: NumberModel) -> None:
        self._scale = model.target.scale
        self._levels = [f"{level:g}" for level in model.levels]

    def code(self, label: Any) -> float | None:
        if isinstance(label, bool) or not isinstance(label, (int, float)):
            return None
        try:
            number = float(label)
        except OverflowError:
            return None
        return number if abs(number - self._scale.centre) <= _LARGEST_TARGET * self._scale.width else None

    def refusal(self, label: Any) -> str:
        if isinstance(label, bool) or not isinstance(label, (int, float)):
            return f"This model learns numbers, and {str(label)[:80]!r} is none."
        centre = f"{self._scale.centre:g}"
        return f"{str(label)[:40]} is too far from the numbers that this model learns, which are about {centre}."

    def answers(self, predictions: Predictions, ids: Sequence[str | None]) -> list[Prediction]:
        answers = []
        good = _of_good_rows(ids, predictions)
        for number, of_levels, id_ in zip(predictions.decided, predictions.scores, good, strict=True):
            answer = Prediction(number, number, predictions.version, id=id_)
            if self._levels:
                answer.quantiles = dict(zip(self._levels, of_levels, strict=True))
            width = predictions.half_width
            if width is not None and math.isfinite(width):
                answer.low, answer.high = number - width, number + width
            answers.append(answer)
        return answers


def _of_good_rows(ids: Sequence[str | None], predictions: Predictions) -> Sequence[str | None]:
    bad = predictions.bad
    return [id_ for k, id_ in enumerate(ids) if k not in bad] if bad else ids


def labels_of(live: LiveModel) -> Labels:
    model = live.model
    return NumberLabels(model) if isinstance(model, NumberModel) else ClassLabels(model)
