"""A LinearPredictor <-> a model of numbers; every such model that was learned from a file becomes one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import options
from rosenblatt.estimators.linear_predictor import LinearPredictor
from rosenblatt.estimators.model_files.parameters import name_and_parameters, reading_parameters, saved_parameters
from rosenblatt.model.kinds.number import NumberModel

_NAME = LinearPredictor.__name__


def is_predictor(model: NumberModel) -> bool:
    return model.estimator is None or model.estimator.get("name") == _NAME


def predictor_to_model(predictor: LinearPredictor) -> NumberModel:
    """The model of a predictor; one that was loaded is written as it was read."""
    predictor._fitted_run()
    estimator = name_and_parameters(predictor, [LinearPredictor])
    return replace(predictor.model_, estimator=estimator) if "fitted_" in vars(predictor) else predictor.model_


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
    """The saved parameters; for a model of the command line, those with which its file was read."""
    if saved is not None:
        parameters = saved_parameters(saved)
        levels = parameters.get("quantiles")
        return parameters if levels is None else parameters | {"quantiles": options.levels_of(_plain(levels))}
    return reading_parameters(model.provenance, options.PREDICTOR_READING)
