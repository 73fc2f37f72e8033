"""A model as one Python file that predicts without any package: `standalone`, with the model in it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.readers.formats.registry import feature_kind
from rosenblatt.readers.hashing.cross import pairs_of_model
from rosenblatt.readers.hashing.settings import splitting_of
from rosenblatt.readers.table.columns.dates import ISO, MONTH_NUMBERS, PATTERNS, TYPED
from rosenblatt.readers.table.columns.missing_cells import MISSING
from rosenblatt.readers.table.columns.written_numbers import form_in_settings
from rosenblatt.records import logs_of
from rosenblatt.version import __version__

_PLACE = 'json.loads("{}")'  # in standalone.py, to be replaced by the model
_KINDS = {"numbered features": "numbers", "table": "table", "vw": "vw", "text": "text"}


def to_python(model: LinearModel) -> str:
    """The content of the file; its docstring explains its use."""
    document = json.dumps(standalone_model(model), ensure_ascii=True, allow_nan=False)
    program = files(__package__).joinpath("standalone.py").read_text(encoding="utf-8")
    if program.count(_PLACE) != 1:
        raise ModelError("The file standalone.py of this package has been changed: install rosenblatt again.")
    program = program.replace(_PLACE, f"json.loads(r'''{document.replace(chr(39), chr(92) + 'u0027')}''')")
    return f"# Written by rosenblatt {__version__}.\n{program}"


def standalone_model(model: LinearModel) -> dict[str, Any]:
    """Everything that `standalone` needs to know about a model, as JSON values."""
    space, settings = model.space, model.space.settings
    final, degree = model.run.final_weights, model.settings.degree  # the same bits as its own
    coef = final.coef
    weighted = np.flatnonzero((coef != 0).any(axis=0)).tolist()
    texts = list(settings.get("texts", ()))
    numbers = list(settings.get("numbers", space.columns if space.kind == "columns" else ()))
    return {
        "kind": _KINDS[feature_kind(space)],
        "classes": list(model.classes),
        "scheme": model.scheme,
        **_decision(model),
        "index_base": space.index_base,
        "bits": space.bits,
        "ngrams": space.ngrams,
        "chars": settings.get("chars"),
        "splitting": splitting_of(space),
        "value": settings.get("value"),
        "unit": settings.get("unit"),
        "numbers": numbers,
        "words": list(settings.get("words", ())),
        **({"names": names} if (names := settings.get("columns", {}).get("names")) else {}),
        "texts": texts,
        "first_text": settings.get("first_text"),
        "dates": {column: settings["dates"][column] for column in numbers if column in settings.get("dates", {})},
        "patterns": {**PATTERNS, TYPED: PATTERNS[ISO]} if settings.get("dates") else {},
        "written": {
            column: [form_in_settings(form).pattern, *form] for column, form in settings.get("written", {}).items()
        },
        "months": MONTH_NUMBERS,
        "columns": {} if texts else {name: j for j, name in enumerate(space.columns) if j >= len(numbers)},
        "optional": list(settings.get("columns", {}).get("optional", ())),
        "indicators": settings.get("columns", {}).get("missing"),
        "missing": list(MISSING),
        "logs": logs_of(space),
        "shift": [] if space.shift is None else np.asarray(space.shift).tolist(),
        "scale": [] if space.scale is None else np.asarray(space.scale).tolist(),
        "cross": [list(pair) for pair in pairs_of_model(space)],
        "degree": degree,
        "factors": {str(j): list(model.factors(j)) for j in weighted} if degree > 1 else {},
        "separator": "\t" if settings.get("format") == "tsv" else ",",
        "intercept": np.asarray(final.intercept).tolist(),
        "weights": {str(j): weights for j, weights in zip(weighted, coef[:, weighted].T.tolist(), strict=True)},
    }


def _decision(model: LinearModel) -> dict[str, Any]:
    """The threshold and the map to probabilities, with several labels a list of each; for a number, its scale."""
    if isinstance(model, NumberModel):
        centre, width = model.target.scale
        return {"target": {"centre": centre, "width": width, "median": model.median_unit}, "probabilities": None}
    if isinstance(model, MultiLabelModel):
        maps = [[calibration.kind, list(calibration.parameters)] for calibration in model.calibrations]
        return {
            "above": model.decides_above_each.tolist(),
            "probabilities": maps or None,
            "label_separator": model.separator,
        }
    calibration = model.probability_map
    return {
        "above": model.decides_above,
        "probabilities": None if calibration is None else [calibration.kind, list(calibration.parameters)],
    }
