"""A LinearSeparator <-> a linear model; every model that was learned from a file becomes one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.estimators.linear_separator import LinearSeparator
from rosenblatt.estimators.model_files.parameters import (
    label_array,
    name_and_parameters,
    reading_parameters,
    saved_parameters,
)
from rosenblatt.model.kinds.linear import LinearModel

_NAME = LinearSeparator.__name__


def is_separator(model: LinearModel) -> bool:
    return model.estimator is None or model.estimator.get("name") == _NAME


def separator_to_model(separator: LinearSeparator) -> LinearModel:
    """The model of a separator; one that was loaded is written as it was read."""
    separator._fitted_run()
    estimator = name_and_parameters(separator, [LinearSeparator])
    if "fitted_" not in vars(separator):
        return separator.model_
    return replace(separator.model_, estimator=estimator | {"dtype": separator.classes_.dtype.str})


def model_to_separator(model: LinearModel) -> LinearSeparator:
    """A separator that reads rows as the model did; they share the run."""
    saved = model.estimator
    separator = LinearSeparator(**_parameters(model, saved))
    options.check("the model file", separator.get_params(deep=False), options.LINEAR_SEPARATOR)
    classes = np.array(model.classes) if saved is None else label_array(model.classes, saved["dtype"])
    separator._restore(model, classes)
    return separator


def _parameters(model: LinearModel, saved: Mapping[str, Any] | None) -> dict[str, Any]:
    """The saved parameters; for a model of the command line, those with which its file was read."""
    if saved is not None:
        return saved_parameters(saved)
    return reading_parameters(model.provenance, options.SEPARATOR_READING)
