"""A linear model that predicts a number: the score itself, converted to the unit of the target.

The run learned targets that were centred and scaled. With quantiles it has a unit for each level, and the one
nearest to the median gives the prediction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from rosenblatt.lazy import np
from rosenblatt.learn.files.numbers.scaled_targets import TargetScale
from rosenblatt.learn.state.run_state import unpack_run
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model import unpack_provenance
from rosenblatt.model.probabilities.honest_sample import unpack_number_sample
from rosenblatt.model.probabilities.prediction_intervals import PredictionInterval, unpack_interval
from rosenblatt.readers.stored_feature_space import unpack_space
from rosenblatt.records import Floats
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors

TASK = "number"  # the setting `task` in the feature space of such a model


class Target(NamedTuple):
    """The predicted quantity: its name, if it has one, and how it was scaled."""

    name: str = ""
    scale: TargetScale = TargetScale()

    def pack(self) -> dict[str, Any]:
        return {"name": self.name, "centre": self.scale.centre, "width": self.scale.width}


def unpack_target(header: Header) -> Target:
    """The inverse of `pack`."""
    scale = TargetScale(header.number("centre"), header.number("width"))
    if not (scale.width > 0 and math.frexp(scale.width)[0] == 0.5):
        raise damaged(f"its target has the width {scale.width}, which is not a power of two")
    return Target(header.text("name"), scale)


@dataclass(frozen=True, eq=False)
class NumberModel(LinearModel):
    """A linear model without classes: `answers` are numbers in the unit of the target."""

    kind: ClassVar[str] = "number model"
    what_it_is: ClassVar[str] = "a model that predicts a number"

    target: Target = field(default_factory=Target)
    interval: PredictionInterval | None = None

    @property
    def coef(self) -> Floats:
        """The final weights, one row per unit, in the unit of the target."""
        return self.run.final_weights.coef * self.target.scale.width

    @property
    def intercept(self) -> Floats:
        return self.target.scale.outside(self.run.final_weights.intercept)

    @property
    def levels(self) -> tuple[float, ...]:
        """The quantiles that it predicts; none if it predicts the number itself."""
        return tuple(self.settings.quantiles)

    @cached_property
    def median_unit(self) -> int:
        """The unit whose answer is the prediction."""
        levels = self.levels or (0.5,)
        return min(range(len(levels)), key=lambda k: abs(levels[k] - 0.5))

    def answers(self, unit_scores: Any) -> Floats:
        """A row per example, a column per unit, in the unit of the target. Quantiles are sorted, which does not move
        any further from the truth (Chernozhukov, Fernandez-Val and Galichon 2010)."""
        answers = self.target.scale.outside(np.asarray(unit_scores))
        return np.sort(answers, axis=1) if answers.shape[1] > 1 else answers

    def predicted(self, unit_scores: Any) -> Floats:
        """The prediction for each example."""
        return np.ascontiguousarray(self.answers(unit_scores)[:, self.median_unit])

    def bounds(self, predicted: Floats) -> tuple[Floats, Floats] | None:
        """The lower and the upper bounds of prediction intervals; None if the model has none."""
        if self.interval is None:
            return None
        return predicted - self.interval.half_width, predicted + self.interval.half_width

    def decided(self, unit_scores: Any) -> memoryview:
        """The prediction for each example, as memory."""
        return self.predicted(unit_scores).data

    @property
    def why_no_confidence(self) -> str | None:
        return "predicts a number, whose intervals say how far it may be off"

    @property
    def gives_probabilities(self) -> bool:
        return False

    @property
    def weighs_errors(self) -> bool:
        return False

    def pack(self, tensors: Tensors) -> dict[str, Any]:
        header = super().pack(tensors)
        del header["classes"]
        header["target"] = self.target.pack()
        if self.interval is not None:
            header["interval"] = self.interval.pack()
        return header


def unpack_number_model(header: Header, tensors: Tensors) -> NumberModel:
    space = unpack_space(header.section("space"), tensors)
    run = unpack_run(header.section("run"), tensors, "run.", 1, compact=bool(space.bits))
    if not run.settings.predicts_number or space.settings.get("task") != TASK:
        raise damaged("its rule decides for a class, and does not predict a number")
    return NumberModel(
        classes=(),
        space=space,
        run=run,
        provenance=unpack_provenance(header),
        estimator=dict(header.section("estimator").values) if "estimator" in header else None,
        target=unpack_target(header.section("target")),
        interval=unpack_interval(header.section("interval")) if "interval" in header else None,
        sample=unpack_number_sample(header.section("sample"), tensors, run.learner.units)
        if "sample" in header
        else None,
    )
