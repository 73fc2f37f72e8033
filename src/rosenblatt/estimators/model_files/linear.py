"""A Perceptron, Adaline or LogisticUnit <-> a linear model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.estimators.common.online_estimator import OnlineEstimator
from rosenblatt.estimators.model_files.parameters import (
    from_json,
    label_array,
    name_and_parameters,
    saved_parameters,
    to_json,
)
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.units_by_name import BY_NAME
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.learn.state.run_state import ADDED_LATER
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model import space_of_columns
from rosenblatt.version import __version__


def to_linear_model(estimator: OnlineEstimator) -> LinearModel:
    """A fitted estimator as a model; they share the run."""
    saved = name_and_parameters(estimator, BY_NAME.values())
    run = estimator._fitted_run()
    origin = vars(estimator).get("_origin", {})  # set if the estimator was loaded from a file
    names = [str(column) for column in vars(estimator).get("feature_names_in_", ())]
    return LinearModel(
        classes=tuple(estimator.classes_.tolist()),
        space=origin.get("space") or space_of_columns(tuple(names), run.learner.features),
        run=run,
        provenance=origin.get("provenance") or {"version": __version__},
        estimator={
            **saved,
            "chosen": [to_json("chosen", value) for value in run.chosen],
            "dtype": estimator.classes_.dtype.str,
            "named": bool(names),
        },
    )


def to_online_estimator(model: LinearModel) -> OnlineEstimator:
    """A model as the estimator it was saved from; they share the run."""
    assert model.estimator is not None
    estimator = _saved_estimator(model, model.estimator)
    estimator._run = model.run
    estimator.n_features_in_ = columns_of(model.features, model.settings.degree)
    estimator._origin = {"space": model.space, "provenance": dict(model.provenance)}
    return estimator


def _saved_estimator(model: LinearModel, saved: Mapping[str, Any]) -> OnlineEstimator:
    cls = BY_NAME.get(saved["name"])
    if cls is None:
        raise ModelError(f"it holds a {saved['name']!r}, which this version does not know")
    estimator = cls(**saved_parameters(saved))
    estimator._settings()  # checks the parameters
    chosen = [from_json(value) for value in saved["chosen"]]
    current = estimator._run_options()
    if len(current) - len(chosen) <= len(ADDED_LATER):  # None: the estimator has no such option
        chosen += [None if value is None else 0.0 for value in current[len(chosen) :]]
    if len(chosen) != len(current) or (estimator._loss != model.loss and cls is not Perceptron):
        raise ModelError("the options of its run are not those of its estimator")
    model.run.chosen = chosen
    estimator.classes_ = label_array(model.classes, saved["dtype"])
    if saved["named"]:
        estimator.feature_names_in_ = np.array(model.space.columns, dtype=object)
    return estimator
