"""save and load: an estimator <-> a model file, with the whole state of its run."""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.estimators.adaline import Adaline
from rosenblatt.estimators.base import Unit
from rosenblatt.estimators.kernel_files import kernel_model_of, kernel_perceptron_of
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.logistic import LogisticUnit
from rosenblatt.estimators.network_files import network_model_of, threshold_network_of
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.threshold_network import ThresholdNetwork
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.model.file import load_model, save_model
from rosenblatt.model.kernel import KernelModel
from rosenblatt.model.linear import LinearModel
from rosenblatt.model.model import Model, space_of_columns
from rosenblatt.model.network import NetworkModel
from rosenblatt.records import Label
from rosenblatt.version import __version__

Path: TypeAlias = str | os.PathLike[str]
# The linear units that a model file can hold.
REGISTRY: Mapping[str, type[Unit]] = {"Perceptron": Perceptron, "Adaline": Adaline, "LogisticUnit": LogisticUnit}
_BY_LOSS = {"perceptron": Perceptron, "hinge": Perceptron, "logistic": LogisticUnit, "squared": Adaline}


def save(model: Any, path: Path) -> None:
    """Write a fitted estimator, or what `fit_file` learned, to a file: whole, or not at all.

    >>> import tempfile, pathlib
    >>> from rosenblatt import Perceptron, load, save
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "and.model"
    ...     save(Perceptron(keep="last").fit(X, y), path)
    ...     load(path).predict(X).tolist()
    [0, 0, 0, 1]
    """
    model = getattr(model, "model", model)
    save_model(model if isinstance(model, Model) else model_of(model), path)


def load(path: Path) -> Any:
    """The estimator in a file, ready to predict and to go on learning to the same bits.

    Nothing in the file is run. A damaged, foreign or newer file raises ModelError. What `fit_file` learned opens as the
    estimator of its loss, for the columns that its file was read into.
    """
    model = load_model(path)
    try:
        return estimator_of(model)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(f"{os.fspath(path)}: its estimator cannot be made: {error}") from None


def model_of(estimator: Any) -> Model:
    """A fitted estimator as a model: the run is shared, not copied."""
    if isinstance(estimator, KernelPerceptron):
        return kernel_model_of(estimator)
    if isinstance(estimator, ThresholdNetwork):
        return network_model_of(estimator)
    return _linear_model_of(estimator)


def _linear_model_of(estimator: Any) -> LinearModel:
    name = type(estimator).__name__
    if REGISTRY.get(name) is not type(estimator):
        raise ModelError(f"A {name} cannot be saved: save a fitted {', '.join(REGISTRY)}, or what fit_file gave.")
    run = estimator._running()
    known = vars(estimator).get("_origin", {})
    names = [str(column) for column in vars(estimator).get("feature_names_in_", ())]
    space = known.get("space") or space_of_columns(tuple(names), run.learner.features)
    parameters = {key: _plain(key, value) for key, value in estimator.get_params(deep=False).items()}
    chosen = [_plain("chosen", value) for value in run.chosen]
    return LinearModel(
        classes=_labels(estimator.classes_),
        space=space,
        run=run,
        provenance=known.get("provenance") or {"version": __version__},
        estimator={
            "name": name,
            "parameters": parameters,
            "chosen": chosen,
            "dtype": estimator.classes_.dtype.str,
            "named": bool(names),
        },
    )


def estimator_of(model: Model) -> Any:
    """A model as an estimator: the run is shared, not copied."""
    make: Callable[[Any], Any] = _ESTIMATOR_OF[type(model)]
    return make(model)


def _linear_unit_of(model: LinearModel) -> Unit:
    made = _bare(model) if model.estimator is None else _restored(model, model.estimator)
    made._run = model.run
    made.n_features_in_ = columns_of(model.features, model.settings.degree)
    made._origin = {"space": model.space, "provenance": dict(model.provenance)}
    return made


def _restored(model: LinearModel, saved: Mapping[str, Any]) -> Unit:
    cls = REGISTRY.get(saved["name"])
    if cls is None:
        raise ModelError(f"it holds a {saved['name']!r}, which this version does not know")
    made = cls(**{key: _value(value) for key, value in saved["parameters"].items()})
    made._settings()  # refuses what the constructor does not
    chosen = [_value(value) for value in saved["chosen"]]
    now = made._options_now()
    if len(chosen) != len(now) or (made._loss != model.settings.loss and cls is not Perceptron):
        raise ModelError("the options of its run are not those of its estimator")
    model.run.chosen = chosen
    made.classes_ = _class_array(model.classes, saved["dtype"])
    if saved["named"]:
        made.feature_names_in_ = np.array(model.space.columns, dtype=object)
    return made


def _bare(model: LinearModel) -> Unit:
    """What a file taught, as the estimator of its loss. The hinge is the perceptron that asks for a margin."""
    settings = model.settings
    cls = _BY_LOSS[settings.loss]
    values = {key: getattr(settings, key) for key in cls._options if hasattr(settings, key)}
    if settings.loss == "hinge" and settings.margin == 0:
        values["margin"] = 1.0
    made = cls(**values)
    made.classes_ = np.array(model.classes)
    model.run.chosen = made._options_now()
    return made


_ESTIMATOR_OF: Mapping[type[Model], Callable[[Any], Any]] = {
    LinearModel: _linear_unit_of,
    KernelModel: kernel_perceptron_of,
    NetworkModel: threshold_network_of,
}


# -- plain values -----------------------------------------------------------------------------------------------------


def _labels(classes: Any) -> tuple[Label, ...]:
    return tuple(classes.tolist())


def _class_array(labels: tuple[Label, ...], dtype: object) -> Any:
    """The labels as the array they were; only plain kinds of arrays are made."""
    if not isinstance(dtype, str) or np.dtype(dtype).kind not in "biufUO":
        raise ModelError(f"{dtype!r} is no type of labels")
    made = np.array(labels, dtype=dtype)
    if made.tolist() != list(labels):
        raise ModelError("its labels do not fit the type they should have")
    return made


def _plain(key: str, value: Any) -> Any:
    """A parameter as JSON has it. Of a random generator only what the run drew from it is kept."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"weights": [[_plain(key, label), _plain(key, weight)] for label, weight in value.items()]}
    if key == "random_state":
        return None
    try:
        return {"array": np.asarray(value, dtype=np.float64).tolist()}
    except (TypeError, ValueError):
        raise ModelError(f"The parameter {key}={value!r} cannot be saved.") from None


def _value(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return dict(map(tuple, plain["weights"])) if "weights" in plain else np.array(plain["array"], dtype=np.float64)
    return plain
