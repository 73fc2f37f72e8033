"""Predictions for the examples of a file, chunk by chunk, as fast as learning them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property

from rosenblatt import kernels
from rosenblatt.frozen import record
from rosenblatt.later import TYPE_CHECKING, np
from rosenblatt.learn.answer import by_class
from rosenblatt.learn.decider import Decider
from rosenblatt.read import Reading, Source, open_source
from rosenblatt.records import Floats

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


@record
class Predicted:
    """The predictions of one chunk, in the order of the file; they become arrays when somebody asks."""

    memory: tuple[Any, Any, Any, Any]  # decided, scores, truth, weights
    first_row: int
    done: int

    @cached_property
    def decided(self) -> NDArray[np.intp]:
        """Positions in the classes of the model."""
        return np.asarray(self.memory[0])

    @cached_property
    def scores(self) -> Floats:
        """One row per example, one column per unit."""
        return np.asarray(self.memory[1])

    @cached_property
    def truth(self) -> NDArray[np.int32]:
        """Positions in the classes of the model; -1 without a label, -2 for a label of no class."""
        return np.asarray(self.memory[2])

    @cached_property
    def weights(self) -> Floats | None:
        return None if self.memory[3] is None else np.asarray(self.memory[3])


def predict_file(
    model: Decider, path: str | os.PathLike[str], reading: Reading | None = None, threads: int | None = None
) -> Iterator[Predicted]:
    """Read a file as the model's own was read, and decide about each of its examples."""
    source = open_source(path, reading or Reading(), model.space)
    return predict_source(model, source, threads or os.cpu_count() or 1)


def predict_source(model: Decider, source: Source, threads: int = 1) -> Iterator[Predicted]:
    index = {label: i for i, label in enumerate(model.classes)}
    codes: list[int] = []
    for chunk in source.chunks(threads):
        if len(codes) != len(source.labels):
            codes = [index.get(label, index.get(str(label), -2)) for label in source.labels]
        labels, weights = chunk.memory
        scores = model.scored(chunk.values)
        decided = kernels.highest(by_class(model.scheme, scores, len(model.classes)))
        truth, _ = kernels.coded(labels, codes)
        yield Predicted((decided, scores, truth, weights), chunk.first_row, chunk.done)
