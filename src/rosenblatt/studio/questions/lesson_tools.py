"""What some lessons put under their task: losses along the margin, hidden units, and the mail of the package."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from rosenblatt import losses as cost
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.studio.request import plane_of

MOST_HIDDEN, MOST_HIDDEN_POINTS, MOST_LETTERS = 8, 300, 5_000
_MAIL = Path(__file__).parents[2] / "data" / "mail"
_WORDS = 16
_learning = Lock()  # two pages that ask at once wait for one learner


def losses(request: Mapping[str, Any]) -> dict[str, Any]:
    """Each loss over the margin from −3 to 3, and at one margin: its value, and its subgradients where it has any.

    >>> told = losses({"margin": 0})["losses"]
    >>> [(loss["name"], loss["value"]) for loss in told][:3]
    [('zero_one', 1.0), ('perceptron', 0.0), ('hinge', 1.0)]
    >>> told[-1]["name"], told[-1]["subgradients"]
    ('absolute', [-1.0, 1.0])
    """
    margin = request.get("margin", 0)
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not abs(margin) <= 1e6:
        raise ParameterError(f"A margin is a number of an ordinary size. Got {margin!r} instead.")
    at = np.linspace(-3, 3, 121)
    told = []
    for loss in (*cost.LOSSES.values(), cost.absolute):
        low, high = loss.subdifferential(float(margin))
        told.append(
            {
                "name": loss.name,
                "formula": loss.formula,
                "values": loss.value(at).tolist(),
                "value": loss.value(float(margin)),
                "subgradients": [low, high] if low <= high else None,
            }
        )
    return {"margins": at.round(12).tolist(), "margin": margin, "losses": told}


def hidden(request: Mapping[str, Any]) -> dict[str, Any]:
    """A layer of `units` hidden units and an output, learned by gradient on the plane: their lines and the errors left.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> [hidden(XOR | {"units": units})["errors"] for units in (1, 2)]
    [1, 0]
    """
    from rosenblatt.estimators.hidden_units import hidden_units

    plane, units = plane_of(request), request.get("units")
    if not isinstance(units, int) or isinstance(units, bool) or not 1 <= units <= MOST_HIDDEN:
        raise ParameterError(f"There are 1 to {MOST_HIDDEN} hidden units. Got {units!r} instead.")
    if len(plane.present) != 2 or len(plane.X) > MOST_HIDDEN_POINTS:
        raise DataError(f"Hidden units are learned here on two classes and up to {MOST_HIDDEN_POINTS} points.")
    model = hidden_units(plane.X, plane.y, units)
    (inner, outer), (bias, last) = model.coefs_, model.intercepts_
    lines = np.column_stack([bias, inner.T]).tolist()
    wrong = np.flatnonzero(model.predict(plane.X) != plane.y).tolist()
    return {
        "units": units,
        "lines": lines,
        "output": [*last.tolist(), *outer[:, 0].tolist()],
        "errors": len(wrong),
        "wrong": wrong,
    }


def mail(request: Mapping[str, Any]) -> dict[str, Any]:
    """What was learned from the mail in the package: how well it does on unseen messages, and the telling words."""
    return {name: value for name, value in _learned().items() if name != "model"}


def message(request: Mapping[str, Any]) -> dict[str, Any]:
    """Is this message spam? With the words that say so, the strongest first."""
    from rosenblatt.report.explanation import explain_example

    text = request.get("text")
    if not isinstance(text, str) or not text.strip() or len(text) > MOST_LETTERS:
        raise DataError(f"Write a message of 1 to {MOST_LETTERS:,} letters.")
    told = explain_example(_learned()["model"], text)
    words = [asdict(one) for one in told.pop("contributions") if one.contribution]
    return told | {"words": words[:_WORDS], "known": sum(" " not in word["feature"] for word in words)}


def _learned() -> dict[str, Any]:
    with _learning:
        return _learn_mail()


@lru_cache(maxsize=1)
def _learn_mail() -> dict[str, Any]:
    from rosenblatt.evaluate.evaluate_file import evaluate_file
    from rosenblatt.model.fit_file import fit_file
    from rosenblatt.readers.source import ReadOptions
    from rosenblatt.report.weights import classes_shown, top_features

    fitted = fit_file(str(_MAIL / "train.tsv.gz"), reading=ReadOptions())
    scores = evaluate_file(fitted.model, str(_MAIL / "test.tsv.gz"), ReadOptions()).scores()
    tops = {
        str(label): [asdict(weight) for weight in top_features(fitted.model, k, _WORDS)]
        for k, label in classes_shown(fitted.model)
    }
    return {
        "model": fitted.model,
        "rows": fitted.rows,
        "rule": fitted.chosen,
        "examples": scores.examples,
        "accuracy": scores.accuracy.value,
        "top": tops,
    }
