"""A KernelPerceptron <-> a model file."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import ModelError
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.learn.kernel.state import pack_kernel_run, unpack_kernel_run
from rosenblatt.model.kernel import KIND
from rosenblatt.readers.feature_space import pack_classes, unpack_classes
from rosenblatt.storage.container import write_container
from rosenblatt.storage.header import Header
from rosenblatt.storage.tensors import Tensors
from rosenblatt.version import __version__


def save_kernel(estimator: KernelPerceptron, path: str | os.PathLike[str]) -> None:
    """Write a fitted kernel perceptron: whole, or not at all."""
    tensors: Tensors = {}
    run = pack_kernel_run(estimator._running(), tensors)
    given = estimator.get_params(deep=False)
    weights = given.pop("class_weight")
    if not isinstance(given["random_state"], int | np.integer):
        given["random_state"] = None
    names = [str(name) for name in vars(estimator).get("feature_names_in_", ())]
    header = {
        "kind": KIND,
        "classes": pack_classes(tuple(estimator.classes_.tolist())),
        "run": run,
        "parameters": {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()},
        "class_weight": weights if weights is None or isinstance(weights, str) else _pairs(weights),
        "dtype": estimator.classes_.dtype.str,
        "n_features": int(estimator.n_features_in_),
        "names": names,
        "provenance": {"version": __version__},
    }
    write_container(path, header, tensors)


def _pairs(weights: Mapping[Any, Any]) -> list[list[Any]]:
    return [[getattr(label, "item", lambda label=label: label)(), float(weight)] for label, weight in weights.items()]


def kernel_of(header: Header, tensors: Tensors) -> KernelPerceptron:
    """The kernel perceptron in a file, ready to predict and to go on learning."""
    classes = unpack_classes(header.section("classes"))
    parameters = dict(header.section("parameters").values)
    weights = header.raw("class_weight")
    parameters["class_weight"] = dict(map(tuple, weights)) if isinstance(weights, list) else weights
    options.check("the model file", parameters, options.KERNEL_PERCEPTRON)
    made = KernelPerceptron(**parameters)
    made._check_options()
    dtype = header.text("dtype")
    if np.dtype(dtype).kind not in "biufUO":
        raise ModelError(f"{dtype!r} is no type of labels")
    made.classes_ = np.array(classes, dtype=dtype)
    made.n_features_in_ = header.count("n_features", 2**32)
    names = header.items("names")
    if names:
        made.feature_names_in_ = np.array([str(name) for name in names], dtype=object)
    made._run = unpack_kernel_run(header.section("run"), tensors, len(classes))
    support = made._run.support
    if len(support) and made.kernel != "precomputed" and support.rows.values.shape[1] != made.n_features_in_:
        raise ModelError("its support has other features than its estimator")
    made._chosen = made._kept()
    return made
