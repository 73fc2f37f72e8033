"""A ThresholdNetwork <-> a network model."""

import numpy as np

from rosenblatt import options
from rosenblatt.estimators.model_files.parameters import label_array, to_json
from rosenblatt.estimators.threshold_network import ThresholdNetwork
from rosenblatt.model.kinds.network import NetworkModel
from rosenblatt.model.model import space_of_columns
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import read_array
from rosenblatt.version import __version__


def to_network_model(estimator: ThresholdNetwork) -> NetworkModel:
    """A network, built or learned, as a model."""
    cascade = estimator._fitted_cascade()
    names = tuple(map(str, estimator._names))
    is_built = not estimator.growth_
    is_named = hasattr(estimator, "feature_names_in_")
    return NetworkModel(
        classes=tuple(estimator.classes_.tolist()),
        space=space_of_columns(names if is_named or is_built else (), len(names)),
        cascade=cascade,
        names=names,
        kinds=tuple(estimator._kinds),
        status=estimator.status_,
        growth=tuple(estimator.growth_),
        n_iter=estimator.n_iter_,
        contradictions=estimator.contradictions_,
        provenance={"version": __version__},
        estimator={
            "parameters": {name: to_json(name, value) for name, value in estimator.get_params(deep=False).items()},
            "dtype": estimator.classes_.dtype.str,
            "named": is_named,
        },
    )


def to_threshold_network(model: NetworkModel) -> ThresholdNetwork:
    """A model as the network it was saved from."""
    saved = Header(model.estimator)
    parameters = dict(saved.section("parameters").values)
    options.check("the model file", parameters, options.THRESHOLD_NETWORK)
    estimator = ThresholdNetwork(**parameters)
    estimator.classes_ = label_array(model.classes, saved.text("dtype"))
    estimator._cascade, estimator._names, estimator._kinds = model.cascade, model.names, list(model.kinds)
    estimator.n_features_in_ = len(model.names)
    if saved.flag("named"):
        estimator.feature_names_in_ = np.array(model.names, dtype=object)
    estimator.status_ = model.status  # type: ignore[assignment]
    estimator.growth_, estimator.n_iter_ = list(model.growth), model.n_iter
    contradictions = read_array({"contradictions": model.contradictions}, "contradictions", np.int64)
    if (contradictions < 0).any():
        raise damaged("the row of a contradiction is negative")
    estimator.contradictions_ = np.array(contradictions, dtype=np.intp)
    return estimator
