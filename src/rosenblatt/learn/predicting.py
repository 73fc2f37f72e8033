"""Predictions for the examples of a file, chunk by chunk, as fast as learning them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.later import np
from rosenblatt.learn.decider import Decider
from rosenblatt.read import Reading, Source, open_source
from rosenblatt.records import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Predicted:
    """The predictions of one chunk, in the order of the file."""

    decided: NDArray[np.intp]  # positions in the classes of the model
    scores: Floats  # one row per example, one column per unit
    truth: NDArray[np.int32]  # positions in the classes of the model; -1 without a label, -2 for a label of no class
    weights: Floats | None
    first_row: int
    done: int


def predict_file(
    model: Decider, path: str | os.PathLike[str], reading: Reading | None = None, threads: int | None = None
) -> Iterator[Predicted]:
    """Read a file as the model's own was read, and decide about each of its examples."""
    source = open_source(path, reading or Reading(), model.space)
    return predict_source(model, source, threads or os.cpu_count() or 1)


def predict_source(model: Decider, source: Source, threads: int = 1) -> Iterator[Predicted]:
    index = {label: i for i, label in enumerate(model.classes)}
    codes = np.empty(0, dtype=np.int32)
    for chunk in source.chunks(threads):
        if len(codes) != len(source.labels) + 1:
            known = [index.get(label, index.get(str(label), -2)) for label in source.labels]
            codes = np.array([*known, -1], dtype=np.int32)  # a row without a label has the last position, -1
        scores = model.scores(chunk.values)
        decided = model.decide(scores)
        yield Predicted(decided, scores, codes[chunk.labels], chunk.weights, chunk.first_row, chunk.done)
