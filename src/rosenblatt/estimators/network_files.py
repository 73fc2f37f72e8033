"""A ThresholdNetwork <-> a model file."""

import os

import numpy as np

from rosenblatt import options
from rosenblatt.errors import ModelError
from rosenblatt.estimators.threshold_network import ThresholdNetwork
from rosenblatt.learn.files.predictor import space_of
from rosenblatt.model.network import NetworkModel, pack_network, unpack_network
from rosenblatt.storage.container import write_container
from rosenblatt.storage.header import Header, damaged
from rosenblatt.storage.tensors import Tensors, read_array
from rosenblatt.version import __version__


def save_network(estimator: ThresholdNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network, built or learned: whole, or not at all."""
    cascade = estimator._fitted()
    named = [str(name) for name in vars(estimator).get("feature_names_in_", ())]
    built = not estimator.growth_
    model = NetworkModel(
        classes=tuple(estimator.classes_.tolist()),
        space=space_of(tuple(named) or (tuple(estimator._names) if built else ()), len(estimator._names)),
        cascade=cascade,
        names=tuple(map(str, estimator._names)),
        kinds=tuple(estimator._kinds),
        status=estimator.status_,
        growth=tuple(estimator.growth_),
        n_iter=estimator.n_iter_,
        provenance={"version": __version__},
    )
    tensors: Tensors = {}
    header = pack_network(model, tensors)
    tensors["contradictions"] = np.asarray(estimator.contradictions_, dtype=np.int64)
    given = estimator.get_params(deep=False)
    if not isinstance(given["random_state"], int | np.integer):
        given["random_state"] = None
    plain_values = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
    dtype = estimator.classes_.dtype.str
    write_container(path, header | {"parameters": plain_values, "dtype": dtype, "named": bool(named)}, tensors)


def network_of(header: Header, tensors: Tensors) -> ThresholdNetwork:
    """The network in a file as the estimator it was."""
    model = unpack_network(header, tensors)
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
    left_out = read_array(tensors, "contradictions", np.int64)
    if (left_out < 0).any():
        raise damaged("a contradiction lies before its first row")
    made.contradictions_ = np.array(left_out, dtype=np.intp)
    return made
