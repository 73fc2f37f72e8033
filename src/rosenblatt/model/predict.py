"""Predictions for the examples of a file, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rosenblatt import native
from rosenblatt.available_cores import core_count
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.files.labels.labels_to_classes import class_codes
from rosenblatt.model.model import Model
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import Floats, SourceBlock


@dataclass(frozen=True)
class PredictedBlock:
    """The predictions for one block, in the order of the file; they become arrays on first access."""

    buffers: tuple[Any, Any, Any, Any]  # decided, scores, truth, weights
    block: SourceBlock  # the examples

    @cached_property
    def decided(self) -> NDArray[np.intp]:
        """Positions in the classes of the model; with several labels, whether each of them applies; for a model that
        predicts numbers, the predictions."""
        return np.asarray(self.buffers[0])

    @cached_property
    def scores(self) -> Floats:
        """One row per example, one column per unit."""
        return np.asarray(self.buffers[1])

    @cached_property
    def truth(self) -> NDArray[np.int32]:
        """Positions in the classes of the model; -1 without a label, -2 for a label that is none of the classes.

        With several labels, positions in the `label_sets` of the source; -1 for none of them.
        """
        return np.asarray(self.buffers[2])

    @property
    def targets(self) -> Floats:
        """The true numbers, for a model that predicts numbers; 0 where the truth is -1."""
        targets = self.block.targets
        return np.zeros(self.block.rows) if targets is None else targets

    @cached_property
    def weights(self) -> Floats | None:
        return None if self.buffers[3] is None else np.asarray(self.buffers[3])


def predict_file(
    model: Model, path: Paths, reading: ReadOptions | None = None, threads: int | None = None
) -> Iterator[PredictedBlock]:
    """Predict the class of each example in a file, or several, which are read like the file that was learned."""
    source = open_source(path, reading or ReadOptions(), model.space)
    return predict_source(model, source, threads or core_count())


def predict_source(model: Model, source: Source, threads: int = 1) -> Iterator[PredictedBlock]:
    """The predictions for each block of a source, which was opened with the space of the model."""
    codes: list[int] = []
    keeps_labels = source.label_sets is not None or source.task == "number"
    for block in source.blocks(threads):
        if not keeps_labels and len(codes) != len(source.labels):
            codes = class_codes(model.classes, source.labels)
        labels, weights = block.buffers
        scores = model.unit_scores(block.values)
        decided = model.decided(scores)
        truth = labels if keeps_labels else native.renumber_labels(labels, codes)[0]
        yield PredictedBlock((decided, scores, truth, weights), block)
