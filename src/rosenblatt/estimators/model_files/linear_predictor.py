"""A LinearPredictor <-> a model of numbers; every such model that was learned from a file becomes one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import options
from rosenblatt.errors import ModelError
from rosenblatt.estimators.linear_predictor import LinearPredictor
from rosenblatt.estimators.model_files.parameters import from_json, to_json
from rosenblatt.model.kinds.number import NumberModel

_NAME = LinearPredictor.__name__


def is_predictor(model: NumberModel) -> bool:
    return model.estimator is None or model.estimator.get("name") == _NAME


def predictor_to_model(predictor: LinearPredictor) -> NumberModel:
    """The model of a predictor; one that was loaded is written as it was read."""
    predictor._fitted_run()
    if type(predictor) is not LinearPredictor:
        name = type(predictor).__name__
        raise ModelError(f"A {name} cannot be saved, because a file does not hold its code: save a {_NAME}.")
    if "fitted_" not in vars(predictor):
        return predictor.model_
    parameters = {name: to_json(name, value) for name, value in predictor.get_params(deep=False).items()}
    return replace(predictor.model_, estimator={"name": _NAME, "parameters": parameters})


def model_to_predictor(model: NumberModel) -> LinearPredictor:
    """A predictor that reads rows as the model did; they share the run."""
    predictor = LinearPredictor(**_parameters(model, model.estimator))
    options.check("the model file", predictor.get_params(deep=False), options.LINEAR_PREDICTOR)
    predictor._restore(model)
    return predictor


def _plain(levels: Any) -> Any:
    """Levels as they were given: a text, or numbers, which a file gives back as an array."""
    return levels if isinstance(levels, str) else tuple(map(float, levels))


def _parameters(model: NumberModel, saved: Mapping[str, Any] | None) -> dict[str, Any]:
    """As they were saved; of a model of the command line, how its file was read."""
    if saved is not None:
        parameters = {name: from_json(value) for name, value in saved["parameters"].items()}
        levels = parameters.get("quantiles")
        return parameters if levels is None else parameters | {"quantiles": options.levels_of(_plain(levels))}
    reading = model.provenance.get("reading", {})
    reading = {name: value for name, value in reading.items() if name in options.PREDICTOR_READING}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()}
