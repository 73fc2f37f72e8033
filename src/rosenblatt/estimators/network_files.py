"""A ThresholdNetwork <-> a model file."""

import numpy as np

from rosenblatt import options
from rosenblatt.errors import ModelError
from rosenblatt.estimators.threshold_network import ThresholdNetwork
from rosenblatt.model.model import space_of_columns
from rosenblatt.model.network import NetworkModel
from rosenblatt.storage.header import Header, damaged
from rosenblatt.storage.tensors import read_array
from rosenblatt.version import __version__


def network_model_of(estimator: ThresholdNetwork) -> NetworkModel:
    """A network, built or learned, as a model."""
    cascade = estimator._fitted()
    named = [str(name) for name in vars(estimator).get("feature_names_in_", ())]
    built = not estimator.growth_
    parameters = estimator.get_params(deep=False)
    if not isinstance(parameters["random_state"], int | np.integer):
        parameters["random_state"] = None
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
    return NetworkModel(
        classes=tuple(estimator.classes_.tolist()),
        space=space_of_columns(tuple(named) or (tuple(estimator._names) if built else ()), len(estimator._names)),
        cascade=cascade,
        names=tuple(map(str, estimator._names)),
        kinds=tuple(estimator._kinds),
        status=estimator.status_,
        growth=tuple(estimator.growth_),
        n_iter=estimator.n_iter_,
        contradictions=estimator.contradictions_,
        provenance={"version": __version__},
        estimator={"parameters": plain, "dtype": estimator.classes_.dtype.str, "named": bool(named)},
    )


def threshold_network_of(model: NetworkModel) -> ThresholdNetwork:
    """A network as the estimator it was."""
    header = Header(model.estimator)
    parameters = dict(header.section("parameters").values)
    options.check("the model file", parameters, options.THRESHOLD_NETWORK)
    made = ThresholdNetwork(**parameters)
    dtype = header.text("dtype")
    if np.dtype(dtype).kind not in "biufUO":
        raise ModelError(f"{dtype!r} is no type of labels")
    made.classes_ = np.array(model.classes, dtype=dtype)
    if made.classes_.tolist() != list(model.classes):
        raise ModelError("its labels do not fit the type they should have")
    made._cascade, made._names, made._kinds = model.cascade, model.names, list(model.kinds)
    made.n_features_in_ = len(model.names)
    if header.flag("named"):
        made.feature_names_in_ = np.array(model.names, dtype=object)
    made.status_, made.growth_, made.n_iter_ = model.status, list(model.growth), model.n_iter  # type: ignore[assignment]
    left_out = read_array({"contradictions": model.contradictions}, "contradictions", np.int64)
    if (left_out < 0).any():
        raise damaged("the row of a contradiction is negative")
    made.contradictions_ = np.array(left_out, dtype=np.intp)
    return made
