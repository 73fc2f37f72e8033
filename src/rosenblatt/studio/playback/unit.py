"""The run of a unit, bit for bit that of its estimator, but without the long import of scikit-learn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt import native, options
from rosenblatt.errors import DataError
from rosenblatt.learn.initial_weights import begin_run
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.learn.schemes import predicted_classes
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Floats
from rosenblatt.studio.request import TABLES, Plane


class Unit:
    """A perceptron, linear or logistic unit that has learned from the `values` of a plane's examples.

    `chosen` are the options of its estimator, a seed among them; products of a `degree` are in the values already.
    """

    def __init__(self, loss: str, chosen: Mapping[str, Any], values: Floats, plane: Plane) -> None:
        told = {name: option.default for name, option in TABLES[loss].items()} | dict(chosen) | {"degree": 1}
        options.check_together("The studio", {**told, "loss": loss})
        self.keep, self.multi_class = told["keep"], told["multi_class"]
        self.values = np.ascontiguousarray(values)
        self.index = np.searchsorted(plane.present, plane.index).astype(np.int32)
        used = {name: value for name, value in told.items() if name in Settings.__dataclass_fields__}
        settings = Settings(**used | {"loss": loss, "record": True})
        self.run = begin_run(
            settings,
            self.values.shape[1],
            np.ones(len(plane.present)),
            int(told["random_state"]),
            init=told["init"],
            dense=True,
        )
        self.run.fit(Block(self.values, self.index, None), told["max_iter"])
        record = self.run.summary
        assert record.mistake_log is not None
        self.trace = Trace(record.mistake_log, record, self.run.recording, np.array(plane.classes)[plane.present])

    @property
    def weights(self) -> Floats:
        """What `keep` made of the run: [b, w1, ...] of each unit."""
        return np.column_stack([self.run.final_weights.intercept, self.run.final_weights.coef])

    def errors(self) -> int:
        """Of what was kept, on the examples."""
        answer = self.run.final_weights
        found = answer.scores(native.rows_of(self.values))
        if not np.isfinite(found).all():
            raise DataError("The score of a point overflows: bring the points nearer to 0.")
        return int(np.sum(predicted_classes(answer.scheme, found, len(self.run.class_weight)) != self.index))
