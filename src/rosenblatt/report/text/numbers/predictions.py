"""Predicted numbers as columns: the number, its interval, its quantiles, and what moved it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rosenblatt.lazy import np
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.predict import PredictedBlock
from rosenblatt.records import Floats
from rosenblatt.report.text.predictions.output_columns import Part, Row, Shown, reason_objects, reason_text


def number_parts(model: NumberModel, shown: Shown) -> Iterator[Part]:
    """The prediction of each row, or a column for each quantile; on request the interval and the reasons."""
    name = "prediction" if "prediction" not in shown.columns else "predicted"
    if model.levels:
        yield _quantiles(model, name, shown)
    else:
        yield Part([name], lambda block: zip(block.buffers[0].tolist()), lambda row: {"prediction": row[0]})
    if shown.intervals:
        yield _interval(model)
    if shown.reasons:
        yield _reasons(model, shown)


def _quantiles(model: NumberModel, name: str, shown: Shown) -> Part:
    """A column for each quantile. An object also has the prediction, the quantile nearest to the median."""
    texts = [f"{level:g}" for level in model.levels]

    def record(row: Row) -> dict[str, Any]:
        return {"prediction": row[model.median_unit], "quantiles": dict(zip(texts, row, strict=True))}

    return Part([f"q{text}" for text in texts], lambda block: model.answers(block.buffers[1]).tolist(), record)


def _interval(model: NumberModel) -> Part:
    def rows(block: PredictedBlock) -> Iterable[Row]:
        bounds = model.bounds(np.asarray(block.buffers[0]))
        assert bounds is not None  # refuse_unfit has checked it
        return zip(*(_finite_or_none(bound) for bound in bounds), strict=True)

    return Part(["low", "high"], rows, lambda row: {"low": row[0], "high": row[1]})


def _finite_or_none(bound: Floats) -> list[float | None]:
    """The bounds, with None for infinite ones, which JSON cannot write."""
    return [value if abs(value) < float("inf") else None for value in bound.tolist()]


def _reasons(model: NumberModel, shown: Shown) -> Part:
    """The features that move the prediction furthest, either way, in the unit of the target."""
    from rosenblatt.report.weights import ClassWeights, contributions

    weights, width = ClassWeights(model, model.median_unit), model.target.scale.width

    def rows(block: PredictedBlock) -> Iterable[Row]:
        for row in range(block.block.rows):
            parts = contributions(model, block.block.values, row, weights, block.block.names)
            parts = [part for part in parts if part.contribution != 0][: shown.reasons]
            is_object = shown.form == "jsonl"
            yield reason_objects(parts, width) if is_object else [reason_text(parts, spec="+.6g", width=width)]

    return Part(["reasons"], rows, lambda row: {"reasons": row})
