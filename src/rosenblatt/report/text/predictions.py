"""Predictions as lines of text, a block at a time and without numpy: predicting must not wait for printing."""

import json
from collections.abc import Callable
from typing import Any

from rosenblatt import native
from rosenblatt.learn.schemes import class_scores
from rosenblatt.model.model import Model
from rosenblatt.model.predict import PredictedBlock


def label_lines(model: Model) -> Callable[[PredictedBlock], bytes]:
    """Each label on a line."""
    lines = [f"{label}\n".encode() for label in model.classes]
    return lambda block: native.join_lines(lines, block.buffers[0])


def column_names(model: Model, *, scores: bool) -> bytes:
    """The header of lines with probabilities: the label, the scores if there are any, the probability of each class."""
    names = [str(label) for label in model.classes]
    of_scores = ["score"] if len(names) == 2 else [f"score_{name}" for name in names]
    return ("\t".join(["label", *(of_scores if scores else []), *names]) + "\n").encode()


def number_lines(model: Model, *, scores: bool, proba: bool) -> Callable[[PredictedBlock], bytes]:
    """Each label with its scores (of two classes that of the positive one), its probabilities, or both, after tabs."""
    names = [str(label) for label in model.classes]

    def to_lines(block: PredictedBlock) -> bytes:
        columns = [*([_scores(model, block)] if scores else []), *([_probabilities(model, block)] if proba else [])]
        rows = zip(block.buffers[0].tolist(), *columns, strict=True)
        lines = ["\t".join([names[k], *(repr(x) for part in parts for x in part)]) + "\n" for k, *parts in rows]
        return "".join(lines).encode()

    return to_lines


def json_lines(model: Model, *, proba: bool) -> Callable[[PredictedBlock], bytes]:
    """Each prediction as an object: its label and scores, and with `proba` its probabilities."""
    names, classes = [str(label) for label in model.classes], model.classes

    def to_line(k: int, scores: list[float], *probabilities: list[float]) -> str:
        record: dict[str, Any] = {"label": classes[k]}
        record |= {"score": scores[0]} if len(scores) == 1 else {"scores": dict(zip(names, scores, strict=True))}
        if probabilities:
            record["probabilities"] = dict(zip(names, probabilities[0], strict=True))
        return json.dumps(record, ensure_ascii=False) + "\n"

    def to_lines(block: PredictedBlock) -> bytes:
        columns = [_scores(model, block), *([_probabilities(model, block)] if proba else [])]
        rows = zip(block.buffers[0].tolist(), *columns, strict=True)
        return "".join([to_line(*row) for row in rows]).encode()

    return to_lines


def _scores(model: Model, block: PredictedBlock) -> Any:
    return class_scores(model.scheme, block.buffers[1], len(model.classes)).tolist()


def _probabilities(model: Model, block: PredictedBlock) -> Any:
    return model.probabilities(block.buffers[1]).tolist()
