"""A LinearUnit <-> a model of numbers, whose targets are learned as they are."""

from dataclasses import replace

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.estimators.linear_unit import LinearUnit
from rosenblatt.estimators.model_files.parameters import from_json, name_and_parameters, saved_parameters, to_json
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.model.kinds.number import TASK, NumberModel
from rosenblatt.model.model import space_of_columns
from rosenblatt.version import __version__

_NAME = LinearUnit.__name__


def is_unit(model: NumberModel) -> bool:
    return model.estimator is not None and model.estimator.get("name") == _NAME


def unit_to_model(unit: LinearUnit) -> NumberModel:
    """A fitted unit as a model; they share the run."""
    estimator = name_and_parameters(unit, [LinearUnit])
    run = unit._fitted_run()
    origin = vars(unit).get("_origin", {})  # set if the unit was loaded from a file
    names = [str(column) for column in vars(unit).get("feature_names_in_", ())]
    space = origin.get("space") or space_of_columns(tuple(names), run.learner.features)
    return NumberModel(
        classes=(),
        space=replace(space, settings={**space.settings, "task": TASK}),
        run=run,
        provenance=origin.get("provenance") or {"version": __version__},
        estimator=estimator | {"chosen": [to_json("chosen", value) for value in run.chosen], "named": bool(names)},
    )


def model_to_unit(model: NumberModel) -> LinearUnit:
    """A model as the unit it was saved from; they share the run."""
    saved = model.estimator
    assert saved is not None
    unit = LinearUnit(**saved_parameters(saved))
    unit._settings()  # checks the parameters
    model.run.chosen = [from_json(value) for value in saved["chosen"]]
    if len(model.run.chosen) != len(unit._run_options()) or model.target.scale != type(model.target.scale)():
        raise ModelError("the options of its run are not those of its estimator")
    unit._run = model.run
    unit.n_features_in_ = columns_of(model.features, model.settings.degree)
    unit._origin = {"space": model.space, "provenance": dict(model.provenance)}
    if saved["named"]:
        unit.feature_names_in_ = np.array(model.space.columns, dtype=object)
    return unit
