"""Explains the decision of a model about one example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.logic.network.cascade_conversion import network_from_cascade
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.network import NetworkModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model, check_width
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.readers.in_memory.example import read_example
from rosenblatt.records import Floats, SourceBlock
from rosenblatt.report.number_weights import NumberWeights
from rosenblatt.report.weights import ClassWeights, bias, contributions


def explain_example(model: LinearModel, example: str | SourceBlock, row: int = 0) -> dict[str, Any]:
    """The predicted class, its score as `predict` gives it, and what each feature adds to it, the largest first.

    The example is text, or a row of a block. With two classes the score is that of the second: contributions below 0
    are for the first.
    """
    block = _block(model, example)
    unit_scores = model.scores(block.values)
    if isinstance(model, NumberModel):
        return _explain_number(model, block, row, unit_scores)
    if isinstance(model, MultiLabelModel):
        return _explain_labels(model, block, row, unit_scores)
    k = int(model.predicted_classes(unit_scores)[row])
    scores = model.class_scores(unit_scores)[row]
    unit = 1 if model.scheme == "binary" else k
    return {
        "label": model.classes[k],
        "score": float(scores[0] if model.scheme == "binary" else scores[k]),
        "bias": bias(model, unit),
        "contributions": contributions(model, block.values, row, ClassWeights(model, unit), block.names),
    }


def _explain_number(model: NumberModel, block: SourceBlock, row: int, unit_scores: Floats) -> dict[str, Any]:
    """The prediction, its quantiles or interval, and what each feature adds to it, in the unit of the target."""
    answers = model.answers(unit_scores)[row]
    unit = int(np.argsort(unit_scores[row], kind="stable")[model.median_unit])  # units of quantiles may cross
    bounds = model.bounds(answers[model.median_unit : model.median_unit + 1])
    record: dict[str, Any] = {"prediction": float(answers[model.median_unit])}
    if model.levels:
        record["quantiles"] = dict(zip([f"{level:g}" for level in model.levels], answers.tolist(), strict=True))
    if bounds is not None and np.isfinite(bounds[0][0]):
        record |= {"low": float(bounds[0][0]), "high": float(bounds[1][0])}
    weights = NumberWeights(model, unit)
    return record | {
        "bias": float(model.intercept[unit]),
        "contributions": contributions(model, block.values, row, weights, block.names),
    }


def _explain_labels(model: MultiLabelModel, block: SourceBlock, row: int, unit_scores: Floats) -> dict[str, Any]:
    """The labels that apply, and for each what the features add to its score; if none applies, for the likeliest."""
    decided = np.asarray(model.decided(unit_scores))[row]
    scores, above = unit_scores[row], np.asarray(model.decides_above_each)
    probabilities = np.asarray(model.probabilities(unit_scores))[row].tolist() if model.gives_probabilities else None
    likeliest = int(np.argmax(probabilities if probabilities is not None else scores - above))
    units = np.flatnonzero(decided).tolist() or [likeliest]
    return {
        "labels": model.labels_of(decided.tolist()),
        "explained": [
            {
                "label": model.classes[k],
                "applies": bool(decided[k]),
                "score": float(scores[k]),
                "threshold": float(above[k]),
                "probability": None if probabilities is None else probabilities[k],
                "bias": bias(model, k),
                "contributions": contributions(model, block.values, row, ClassWeights(model, k), block.names),
            }
            for k in units
        ],
    }


def explain_network_example(model: NetworkModel, example: str | SourceBlock, row: int = 0) -> dict[str, Any]:
    """The predicted class, its score as `predict` gives it, and the score of each unit of the network."""
    one_row = take_rows(_block(model, example).values, np.array([row]))
    values = check_width(one_row, len(model.names))
    all_units = replace(model.cascade, outputs=tuple(range(len(model.cascade.coef))))
    unit_scores = all_units.scores(native.rows_of(values))[0].tolist()
    units = network_from_cascade(model.cascade, model.names, model.kinds).units
    scores = model.scores(values)
    k, binary = int(model.predicted_classes(scores)[0]), len(model.classes) == 2
    return {
        "label": model.classes[k],
        "score": float(scores[0, 0 if binary else k]),
        "units": [
            {"unit": unit.name, "kind": unit.kind, "score": unit_score, "fires": unit_score > 0}
            for unit, unit_score in zip(units, unit_scores, strict=True)
        ],
    }


def _block(model: Model, example: str | SourceBlock) -> SourceBlock:
    if isinstance(example, SourceBlock):
        return example
    return read_example(model.space, model.provenance.get("data", {}).get("format"), example)
