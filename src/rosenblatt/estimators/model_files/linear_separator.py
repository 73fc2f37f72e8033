"""A LinearSeparator <-> a linear model; every model that was learned from a file becomes one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import ModelError
from rosenblatt.estimators.linear_separator import LinearSeparator
from rosenblatt.estimators.model_files.parameters import from_json, label_array, to_json
from rosenblatt.model.kinds.linear import LinearModel

_NAME = LinearSeparator.__name__


def is_separator(model: LinearModel) -> bool:
    return model.estimator is None or model.estimator.get("name") == _NAME


def separator_to_model(separator: LinearSeparator) -> LinearModel:
    """The model of a separator; one that was loaded is written as it was read."""
    separator._fitted_run()
    if type(separator) is not LinearSeparator:
        name = type(separator).__name__
        raise ModelError(f"A {name} cannot be saved, because a file does not hold its code: save a {_NAME}.")
    if "fitted_" not in vars(separator):
        return separator.model_
    parameters = {name: to_json(name, value) for name, value in separator.get_params(deep=False).items()}
    dtype = separator.classes_.dtype.str
    return replace(separator.model_, estimator={"name": _NAME, "parameters": parameters, "dtype": dtype})


def model_to_separator(model: LinearModel) -> LinearSeparator:
    """A separator that reads rows as the model did; they share the run."""
    saved = model.estimator
    separator = LinearSeparator(**_parameters(model, saved))
    options.check("the model file", separator.get_params(deep=False), options.LINEAR_SEPARATOR)
    classes = np.array(model.classes) if saved is None else label_array(model.classes, saved["dtype"])
    separator._restore(model, classes)
    return separator


def _parameters(model: LinearModel, saved: Mapping[str, Any] | None) -> dict[str, Any]:
    """As they were saved; of a model of the command line, how its file was read."""
    if saved is not None:
        return {name: from_json(value) for name, value in saved["parameters"].items()}
    reading = model.provenance.get("reading", {})
    reading = {name: value for name, value in reading.items() if name in options.SEPARATOR_READING}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()}
