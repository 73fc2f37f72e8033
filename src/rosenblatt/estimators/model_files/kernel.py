"""A KernelPerceptron <-> a kernel model."""

from collections.abc import Mapping

import numpy as np

from rosenblatt import options
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.model_files.parameters import label_array, to_json
from rosenblatt.input_checks import plain_label
from rosenblatt.model.kinds.kernel import KernelModel
from rosenblatt.model.model import space_of_columns
from rosenblatt.storage.checked_header import Header
from rosenblatt.version import __version__


def to_kernel_model(estimator: KernelPerceptron) -> KernelModel:
    """A fitted kernel perceptron as a model; they share the run."""
    run = estimator._fitted_run()
    parameters = estimator.get_params(deep=False)
    class_weight = parameters.pop("class_weight")
    if isinstance(class_weight, Mapping):
        class_weight = [[plain_label(label), float(weight)] for label, weight in class_weight.items()]
    names = tuple(str(name) for name in vars(estimator).get("feature_names_in_", ()))
    n_features = int(estimator.n_features_in_)
    return KernelModel(
        classes=tuple(estimator.classes_.tolist()),
        space=space_of_columns(names, n_features),
        features=n_features,
        run=run,
        provenance={"version": __version__},
        estimator={
            "parameters": {name: to_json(name, value) for name, value in parameters.items()},
            "class_weight": class_weight,
            "dtype": estimator.classes_.dtype.str,
        },
    )


def to_kernel_perceptron(model: KernelModel) -> KernelPerceptron:
    """A model as the kernel perceptron it was saved from; they share the run."""
    saved = Header(model.estimator)
    parameters = dict(saved.section("parameters").values)
    class_weight = saved.raw("class_weight")
    parameters["class_weight"] = dict(map(tuple, class_weight)) if isinstance(class_weight, list) else class_weight
    options.check("the model file", parameters, options.KERNEL_PERCEPTRON)
    estimator = KernelPerceptron(**parameters)
    estimator._check_options()
    estimator.classes_ = label_array(model.classes, saved.text("dtype"))
    estimator.n_features_in_ = model.features
    if model.space.columns:
        estimator.feature_names_in_ = np.array(model.space.columns, dtype=object)
    estimator._run = model.run
    estimator._chosen = estimator._run_options()
    return estimator
