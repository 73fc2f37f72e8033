"""A model as JSON: every weight that is not 0, by name, and how scores become a decision."""

import json
import math
from typing import Any

import numpy as np

from rosenblatt.learn.multiclass_schemes import class_pairs
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.records import FeatureSpace, logs_of

FORMAT_VERSION = 1
_TEXT_SETTINGS = ("chars", "splitting", "value", "unit")


def to_json(model: LinearModel) -> str:
    """The model as one JSON document; docs/export.md describes its keys."""
    space = model.space
    features: dict[str, Any] = {"kind": space.kind, "count": int(model.coef.shape[1])}
    if space.kind == "index":
        features["index_base"] = space.index_base
    if space.bits:
        hashing = {"bits": space.bits, "ngrams": space.ngrams}
        features |= hashing | {key: space.settings[key] for key in _TEXT_SETTINGS if key in space.settings}
    if space.kind == "columns" and "numbers" in space.settings:
        features |= _columns(space)
    document = {
        "format": "rosenblatt-linear",
        "format_version": FORMAT_VERSION,
        **_predicted(model),
        "scheme": model.scheme,
        "loss": model.settings.loss,
        "features": features,
        **_decision(model),
        "units": [_unit(model, unit) for unit in range(len(model.coef))],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _predicted(model: LinearModel) -> dict[str, Any]:
    """The classes; or the name of the predicted number, its quantiles and its interval."""
    if not isinstance(model, NumberModel):
        return {"classes": list(model.classes)}
    number: dict[str, Any] = {"target": model.target.name}
    if model.levels:
        number["quantiles"] = list(model.levels)
    interval = model.interval
    if interval is not None and math.isfinite(interval.half_width):
        number["interval"] = {"confidence": interval.confidence, "half_width": interval.half_width}
    return number


def _columns(space: FeatureSpace) -> dict[str, Any]:
    """Which columns of the table hold numbers, words, dates and texts, and which have indicators of missing numbers."""
    settings = space.settings
    kinds = {kind: list(settings[kind]) for kind in ("numbers", "words", "texts")}
    dates = {
        column: {"form": form, "hours": hours, "zones": zones}
        for column, (form, hours, zones) in settings.get("dates", {}).items()
    }
    indicators = [column for column in settings["numbers"] if f"{column}=missing" in space.columns]
    if space.bits:
        indicators = settings.get("columns", {}).get("missing", settings["numbers"])
    written = {
        column: {"decimal": decimal, "thousands": thousands, "before": before, "after": after, "missing": missing}
        for column, (decimal, thousands, before, after, _, missing) in settings.get("written", {}).items()
    }
    names = settings.get("columns", {}).get("names")  # words that are whole numbers, without leading zeros or a point
    of_some = {key: value for key, value in (("written", written), ("names", names)) if value}
    return {**kinds, "dates": dates, **of_some, "indicators": indicators}


def _decision(model: LinearModel) -> dict[str, Any]:
    """The threshold and the map to probabilities, if the model has them."""
    decision: dict[str, Any] = {}
    if model.threshold is not None:
        decision["threshold"] = model.decides_above
    if model.calibration is not None:
        decision["probabilities"] = {"map": model.calibration.kind, "parameters": list(model.calibration.parameters)}
    return decision


def _unit(model: LinearModel, unit: int) -> dict[str, Any]:
    """One hyperplane: the class that a positive score is for, and the class it is against."""
    classes = model.classes
    sides: dict[str, Any]
    if isinstance(model, NumberModel):
        sides = {"quantile": model.levels[unit]} if model.levels else {}
    elif model.scheme == "ovo":
        first, second = class_pairs(len(classes))[unit]
        sides = {"for": classes[second], "against": classes[first]}
    elif model.scheme == "binary":
        sides = {"for": classes[1], "against": classes[0]}
    else:
        sides = {"for": classes[unit], "against": None}
    row, space = model.coef[unit], model.space
    weights = []
    for j in np.flatnonzero(row):
        entry: dict[str, Any] = {"feature": model.name(int(j)), "column": int(j), "weight": float(row[j])}
        factors = model.factors(int(j))
        if len(factors) > 1:
            entry["product_of"] = [{"feature": model.input_name(part), **_scaled(space, part)} for part in factors]
        else:
            entry |= _scaled(space, factors[0])
        weights.append(entry)
    return {**sides, **_decision_about(model, unit), "intercept": float(model.intercept[unit]), "weights": weights}


def _decision_about(model: LinearModel, unit: int) -> dict[str, Any]:
    """The threshold of one of several labels, and its map to probabilities."""
    if not isinstance(model, MultiLabelModel):
        return {}
    decision: dict[str, Any] = {"threshold": model.decides_above_each[unit]}
    if model.calibrations:
        calibration = model.calibrations[unit]
        decision["probabilities"] = {"map": calibration.kind, "parameters": list(calibration.parameters)}
    return decision


def _scaled(space: FeatureSpace, j: int) -> dict[str, Any]:
    """The shift and scale of a column, if it has them, and the logarithm that is taken before."""
    if space.shift is None or space.scale is None or j >= len(space.shift):
        return {}
    centre, width = logs_of(space).get(space.columns[j] if j < len(space.columns) else "", (0.0, 0.0))
    log = {"log": {"centre": centre, "width": width}} if width else {}
    return {**log, "shift": float(space.shift[j]), "scale": float(space.scale[j])}
