"""What moves a predicted number: features by name, with what they add in the unit of the target.

A scaled number adds its weight for each standard deviation above its mean. The weight of a word is relative to the mean
of the words of its column.
"""

from __future__ import annotations

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.records import Floats
from rosenblatt.report.weights import ClassWeights, Weight, means_of_words, without_means_of_words


class NumberWeights(ClassWeights):
    """The weights of a unit in the unit of the target, looked up by column."""

    def __init__(self, model: NumberModel, unit: int) -> None:
        super().__init__(model, unit)
        self._weights = self._weights * model.target.scale.width


def number_weights(model: NumberModel, count: int) -> list[tuple[str, list[Weight]]]:
    """The features that raise the prediction most, and those that lower it most."""
    columns, weights, _ = model.run.unit(model.median_unit)
    if columns is None:
        numbers = without_means_of_words(model, np.array(weights, dtype=np.float64))
        return _both(model, numbers, list(range(len(numbers))), count)
    return _both(model, np.array(weights, dtype=np.float64), np.asarray(columns).tolist(), count)


def _both(model: NumberModel, weights: Floats, columns: list[int], count: int) -> list[tuple[str, list[Weight]]]:
    width, target = model.target.scale.width, model.target.name or "the number"
    return [
        (
            f"{verb} {target}",
            [
                Weight(model.name(columns[j]), sign * weight * width)
                for j, weight in native.largest_weights(weights, lowers, max(count, 0))
            ],
        )
        for verb, lowers, sign in (("raises", False, 1.0), ("lowers", True, -1.0))
    ]


def start_of(model: NumberModel) -> float:
    """The prediction from which the features move: with scaled columns at their means, and for each column of words
    the average of what its words add."""
    columns, weights, bias = model.run.unit(model.median_unit)
    words = 0.0 if columns is not None else sum(mean for _, mean in means_of_words(model, np.array(weights)))
    return float(model.target.scale.outside(np.array([bias + words]))[0])
