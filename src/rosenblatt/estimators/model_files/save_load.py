"""save and load: an estimator <-> a model file, with the whole state of its run.

An estimator that can be saved has two functions in this room, to a model and back, and a line in `_CONVERSIONS`.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from rosenblatt.errors import ModelError
from rosenblatt.estimators.base import Estimator
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.model_files.kernel import to_kernel_model, to_kernel_perceptron
from rosenblatt.estimators.model_files.linear import to_linear_model, to_online_estimator
from rosenblatt.estimators.model_files.network import to_network_model, to_threshold_network
from rosenblatt.estimators.online import OnlineEstimator
from rosenblatt.estimators.registry import BY_NAME
from rosenblatt.estimators.threshold_network import ThresholdNetwork
from rosenblatt.model.kernel import KernelModel
from rosenblatt.model.linear import LinearModel
from rosenblatt.model.model import Model
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.network import NetworkModel

Path: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class _Conversion:
    estimator: type[Estimator]
    to_model: Callable[[Any], Model]
    to_estimator: Callable[[Any], Estimator]


_CONVERSIONS: Mapping[type[Model], _Conversion] = {
    LinearModel: _Conversion(OnlineEstimator, to_linear_model, to_online_estimator),
    KernelModel: _Conversion(KernelPerceptron, to_kernel_model, to_kernel_perceptron),
    NetworkModel: _Conversion(ThresholdNetwork, to_network_model, to_threshold_network),
}


def save(model: Any, path: Path) -> None:
    """Write a fitted estimator, or the result of `fit_file`, to a file, atomically.

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
    save_model(model if isinstance(model, Model) else to_model(model), path)


def load(path: Path) -> Any:
    """The estimator in a file, ready to predict and to continue learning to the same bits.

    Nothing in the file is executed. A damaged, foreign or newer file raises ModelError. A model of `fit_file` becomes
    the estimator of its loss, for the columns that its file was read into.
    """
    model = load_model(path)
    try:
        return to_estimator(model)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(f"{os.fspath(path)}: its estimator cannot be restored: {error}") from None


def to_model(estimator: Any) -> Model:
    """A fitted estimator as a model; they share the run."""
    for conversion in _CONVERSIONS.values():
        if isinstance(estimator, conversion.estimator):
            return conversion.to_model(estimator)
    names = ", ".join([*BY_NAME, KernelPerceptron.__name__, ThresholdNetwork.__name__])
    raise ModelError(f"A {type(estimator).__name__} cannot be saved: save a fitted {names}, or the result of fit_file.")


def to_estimator(model: Model) -> Any:
    """A model as an estimator; they share the run."""
    return _CONVERSIONS[type(model)].to_estimator(model)
