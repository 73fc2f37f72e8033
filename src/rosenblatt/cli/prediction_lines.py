"""Decisions as lines of text, made a chunk at a time: predicting must not wait for printing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosenblatt.model.model import Model
    from rosenblatt.model.predict import PredictedBlock


def labels(model: Model) -> Callable[[PredictedBlock], bytes]:
    """Each label on a line of its own."""
    from rosenblatt import native

    lines = [f"{label}\n".encode() for label in model.classes]
    return lambda chunk: native.joined(lines, chunk.memory[0])


def with_scores(model: Model, as_json: bool) -> Callable[[PredictedBlock], bytes]:
    """Each label with its score: of two classes the score of the positive one, of more the score of each."""
    from rosenblatt.learn.schemes import class_scores

    names, classes = [str(label) for label in model.classes], model.classes

    def as_object(decided: int, scores: list[float]) -> str:
        one = {"label": classes[decided]}
        more = {"score": scores[0]} if len(scores) == 1 else {"scores": dict(zip(names, scores, strict=True))}
        return json.dumps(one | more, ensure_ascii=False)

    def as_columns(decided: int, scores: list[float]) -> str:
        return "\t".join([names[decided], *map(repr, scores)])

    line = as_object if as_json else as_columns

    def written(chunk: PredictedBlock) -> bytes:
        decided, scores, *_ = chunk.memory
        rows = zip(decided.tolist(), class_scores(model.scheme, scores, len(classes)).tolist(), strict=True)
        return "".join([line(decided, scores) + "\n" for decided, scores in rows]).encode()

    return written
