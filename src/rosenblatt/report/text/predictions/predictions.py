"""Predictions as lines of text, a block at a time and without numpy, so that printing does not slow down predicting.

They are tab-separated lines, CSV or one JSON object per line. In tab-separated lines a tab, a newline or a backslash
within a cell is written \\t, \\n or \\\\, so that every prediction is one line.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rosenblatt import native
from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model
from rosenblatt.model.predict import PredictedBlock
from rosenblatt.report.text.predictions.output_columns import (
    Part,
    Row,
    Shown,
    probabilities,
    reason_objects,
    reason_text,
    top_part,
)

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def answer_lines(model: Model, shown: Shown) -> tuple[bytes, Callable[[PredictedBlock], bytes]]:
    """The line with the names of the columns, which may be empty, and the function that writes the lines of a block."""
    parts = list(_parts(model, shown))
    header = _lines([[name for part in parts for name in part.names]], shown.form) if shown.header else b""
    if len(parts) == 1 and shown.form == "tsv" and not isinstance(model, NumberModel):
        if model.scheme == "multi-label":
            return header, _label_lines(model)
        lines = [f"{_escaped(str(label))}\n".encode() for label in model.classes]
        return header, lambda block: native.join_lines(lines, block.buffers[0])

    def to_lines(block: PredictedBlock) -> bytes:
        rows = zip(*(part.rows(block) for part in parts), strict=True)
        if shown.form == "jsonl":
            return "".join([_object(parts, cells) for cells in rows]).encode()
        return _lines(([cell for cells in row for cell in cells] for row in rows), shown.form)

    return header, to_lines


def _label_lines(model: Any) -> Callable[[PredictedBlock], bytes]:
    names, separator = [_escaped(str(label)).encode() for label in model.classes], model.separator.encode()
    return lambda block: native.join_labels(names, block.buffers[0], separator)


def _object(parts: Sequence[Part], cells: Sequence[Row]) -> str:
    record: dict[str, Any] = {}
    for part, of_part in zip(parts, cells, strict=True):
        record |= part.record(of_part)
    return json.dumps(record, ensure_ascii=False, default=str) + "\n"


def _lines(rows: Iterable[Row], form: str) -> bytes:
    if form == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue().encode()
    return "".join(["\t".join(map(_cell, row)) + "\n" for row in rows]).encode()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return repr(value)
    return "" if value is None else _escaped(str(value))


def _escaped(text: str) -> str:
    """
    >>> print(_escaped("two\\nlines"), _escaped("a b"))
    two\\nlines a b
    """
    return re.sub(r"[\\\t\n\r]", lambda match: _ESCAPES[match[0]], text) if not text.isalnum() else text


def _parts(model: Model, shown: Shown) -> Iterable[Part]:
    names, classes = [str(label) for label in model.classes], model.classes
    if shown.columns:
        yield _passed(shown)
    if model.scheme == "multi-label":
        yield from _label_parts(model, shown)
        return
    if isinstance(model, NumberModel):
        from rosenblatt.report.text.numbers.predictions import number_parts

        yield from number_parts(model, shown)
        return
    label = "label" if "label" not in shown.columns else "predicted"
    yield Part([label], lambda block: [[classes[k]] for k in block.buffers[0].tolist()], lambda row: {"label": row[0]})
    if shown.scores or shown.form == "jsonl":
        yield _scores(model, names)
    if shown.proba:
        yield Part(
            names,
            lambda block: probabilities(model, block),
            lambda row: {"probabilities": dict(zip(names, row, strict=True))},
        )
    if shown.confidence:
        yield _confidence(model)
    if shown.top:
        yield _top(model, shown.top)
    if shown.reasons:
        yield _reasons(model, shown)


def _label_parts(model: Any, shown: Shown) -> Iterable[Part]:
    from rosenblatt.report.text.predictions.label_predictions import label_parts

    return label_parts(model, shown)


def _passed(shown: Shown) -> Part:
    def rows(block: PredictedBlock) -> Iterable[Row]:
        return zip(*(column.to_pylist() for column in block.block.passed), strict=True)

    def record(row: Row) -> dict[str, Any]:
        named = dict(zip(shown.columns, row, strict=True))
        of_id = {"id": named[shown.id]} if shown.id is not None else {}
        return of_id | ({"with": {name: named[name] for name in shown.passed}} if shown.passed else {})

    return Part(list(shown.columns), rows, record)


def _class_scores(model: Model, block: PredictedBlock) -> list[list[float]]:
    scores: list[list[float]] = class_scores(model.scheme, block.buffers[1], len(model.classes)).tolist()
    return scores


def _scores(model: Model, names: list[str]) -> Part:
    """The score of the positive one of two classes, or of every class."""
    if len(names) == 2:
        return Part(["score"], lambda block: _class_scores(model, block), lambda row: {"score": row[0]})
    return Part(
        [f"score_{name}" for name in names],
        lambda block: _class_scores(model, block),
        lambda row: {"scores": dict(zip(names, row, strict=True))},
    )


def _confidence(model: Model) -> Part:
    assert isinstance(model, LinearModel)
    confidences = model.confidences

    def rows(block: PredictedBlock) -> Iterable[Row]:
        return zip(confidences(block.block.values, block.buffers[1]), strict=True)

    return Part(["confidence"], rows, lambda row: {"confidence": row[0]})


def _top(model: Model, count: int) -> Part:
    """The best classes with their probabilities, or with their scores if the model gives no probabilities."""

    def ranked(block: PredictedBlock) -> Iterable[tuple[list[int], Row]]:
        if model.gives_probabilities:
            numbers = probabilities(model, block)
        else:
            numbers = _class_scores(model, block)
            numbers = [[-row[0], row[0]] for row in numbers] if len(model.classes) == 2 else numbers
        for decided, row in zip(block.buffers[0].tolist(), numbers, strict=True):
            # The predicted class goes first: it may be tied, and with a threshold it may not be the most probable one.
            yield sorted(range(len(row)), key=lambda k: (k != decided, -row[k])), row

    return top_part(model, count, ranked)


def _reasons(model: Model, shown: Shown) -> Part:
    """The features that add most to the score of the predicted class, with what they add."""
    from rosenblatt.report.weights import Reasons

    reasons = Reasons(model, shown.reasons)

    def rows(block: PredictedBlock) -> Iterable[Row]:
        for parts in reasons.of_classes(block):
            yield reason_objects(parts) if shown.form == "jsonl" else [reason_text(parts)]

    return Part(["reasons"], rows, lambda row: {"reasons": row})
