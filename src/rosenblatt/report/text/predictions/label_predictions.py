"""The output for each prediction of a model of several labels: the labels that apply, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rosenblatt.model.kinds.multi_label import MultiLabelModel
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


def label_parts(model: MultiLabelModel, shown: Shown) -> Iterator[Part]:
    """The labels that apply, joined by the separator of the data; then the other requested columns."""
    names = [str(label) for label in model.classes]
    yield _labels(model, shown)
    if shown.scores or shown.form == "jsonl":
        yield Part(
            [f"score_{name}" for name in names],
            lambda block: block.buffers[1].tolist(),
            lambda row: {"scores": dict(zip(names, row, strict=True))},
        )
    if shown.proba:
        yield Part(
            names,
            lambda block: probabilities(model, block),
            lambda row: {"probabilities": dict(zip(names, row, strict=True))},
        )
    if shown.top:
        yield _top(model, shown.top)
    if shown.reasons:
        yield _reasons(model, shown)


def _labels(model: MultiLabelModel, shown: Shown) -> Part:
    def rows(block: PredictedBlock) -> Iterable[Row]:
        for decided in block.buffers[0].tolist():
            labels = model.labels_of(decided)
            yield labels if shown.form == "jsonl" else [model.separator.join(map(str, labels))]

    name = "labels" if "labels" not in shown.columns else "predicted"
    return Part([name], rows, lambda row: {"labels": list(row)})


def _top(model: MultiLabelModel, count: int) -> Part:
    """The most probable labels with their probabilities, whether they apply or not."""

    def ranked(block: PredictedBlock) -> Iterable[tuple[list[int], Row]]:
        numbers = probabilities(model, block) if model.gives_probabilities else block.buffers[1].tolist()
        return ((sorted(range(len(row)), key=lambda k: -row[k]), row) for row in numbers)

    return top_part(model, count, ranked)


def _reasons(model: MultiLabelModel, shown: Shown) -> Part:
    """The features that add most to the score of each label that applies."""
    from rosenblatt.report.weights import Reasons

    reasons = Reasons(model, shown.reasons)

    def rows(block: PredictedBlock) -> Iterable[Row]:
        for by_label in reasons.of_labels(block):
            if shown.form == "jsonl":
                yield [{str(label): reason_objects(parts)} for label, parts in by_label.items()]
            else:
                yield ["; ".join(f"{label}: {reason_text(parts, ', ')}" for label, parts in by_label.items())]

    def record(row: Row) -> dict[str, Any]:
        return {"reasons": {label: parts for of_label in row for label, parts in of_label.items()}}

    return Part(["reasons"], rows, record)
