"""Predictions as lines of text, a block at a time and without numpy: predicting must not wait for printing."""

import json
from collections.abc import Callable

from rosenblatt import native
from rosenblatt.model.model import Model
from rosenblatt.model.predict import PredictedBlock


def label_lines(model: Model) -> Callable[[PredictedBlock], bytes]:
    """Each label on a line."""
    lines = [f"{label}\n".encode() for label in model.classes]
    return lambda block: native.join_lines(lines, block.buffers[0])


def score_lines(model: Model, as_json: bool) -> Callable[[PredictedBlock], bytes]:
    """Each label with its score: of two classes the score of the positive one, of more the score of each."""
    from rosenblatt.learn.schemes import class_scores

    names, classes = [str(label) for label in model.classes], model.classes

    def as_object(k: int, scores: list[float]) -> str:
        record = {"label": classes[k]}
        more = {"score": scores[0]} if len(scores) == 1 else {"scores": dict(zip(names, scores, strict=True))}
        return json.dumps(record | more, ensure_ascii=False)

    def as_columns(k: int, scores: list[float]) -> str:
        return "\t".join([names[k], *map(repr, scores)])

    to_line = as_object if as_json else as_columns

    def to_lines(block: PredictedBlock) -> bytes:
        predicted, unit_scores, *_ = block.buffers
        rows = zip(predicted.tolist(), class_scores(model.scheme, unit_scores, len(classes)).tolist(), strict=True)
        return "".join([to_line(k, scores) + "\n" for k, scores in rows]).encode()

    return to_lines
