"""A KernelPerceptron <-> a model file."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import ModelError
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.model.kernel import KernelModel
from rosenblatt.model.model import space_of_columns
from rosenblatt.storage.header import Header
from rosenblatt.version import __version__


def kernel_model_of(estimator: KernelPerceptron) -> KernelModel:
    """A fitted kernel perceptron as a model: the run is shared, not copied."""
    parameters = estimator.get_params(deep=False)
    weights = parameters.pop("class_weight")
    if not isinstance(parameters["random_state"], int | np.integer):
        parameters["random_state"] = None
    names = tuple(str(name) for name in vars(estimator).get("feature_names_in_", ()))
    features = int(estimator.n_features_in_)
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
    return KernelModel(
        classes=tuple(estimator.classes_.tolist()),
        space=space_of_columns(names, features),
        features=features,
        run=estimator._running(),
        provenance={"version": __version__},
        estimator={
            "parameters": plain,
            "class_weight": weights if weights is None or isinstance(weights, str) else _pairs(weights),
            "dtype": estimator.classes_.dtype.str,
        },
    )


def _pairs(weights: Mapping[Any, Any]) -> list[list[Any]]:
    return [[getattr(label, "item", lambda label=label: label)(), float(weight)] for label, weight in weights.items()]


def kernel_perceptron_of(model: KernelModel) -> KernelPerceptron:
    """A kernel model as the estimator it was, ready to predict and to go on learning."""
    header = Header(model.estimator)
    parameters = dict(header.section("parameters").values)
    weights = header.raw("class_weight")
    parameters["class_weight"] = dict(map(tuple, weights)) if isinstance(weights, list) else weights
    options.check("the model file", parameters, options.KERNEL_PERCEPTRON)
    made = KernelPerceptron(**parameters)
    made._check_options()
    dtype = header.text("dtype")
    if np.dtype(dtype).kind not in "biufUO":
        raise ModelError(f"{dtype!r} is no type of labels")
    made.classes_ = np.array(model.classes, dtype=dtype)
    made.n_features_in_ = model.features
    if model.space.columns:
        made.feature_names_in_ = np.array(model.space.columns, dtype=object)
    made._run = model.run
    made._chosen = made._kept()
    return made
