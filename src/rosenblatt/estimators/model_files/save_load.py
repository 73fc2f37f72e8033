"""save and load: an estimator <-> a model file, with the whole state of its run.

An estimator that can be saved has two functions in this room, to a model and back, and a line in `_CONVERSIONS`.
"""

import os
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from rosenblatt.errors import ModelError
from rosenblatt.estimators.common.base import DescribedEstimator
from rosenblatt.estimators.common.online_estimator import OnlineEstimator
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.linear_predictor import LinearPredictor
from rosenblatt.estimators.linear_separator import LinearSeparator
from rosenblatt.estimators.linear_unit import LinearUnit
from rosenblatt.estimators.model_files.kernel import to_kernel_model, to_kernel_perceptron
from rosenblatt.estimators.model_files.linear import to_linear_model, to_online_estimator
from rosenblatt.estimators.model_files.linear_predictor import is_predictor, model_to_predictor, predictor_to_model
from rosenblatt.estimators.model_files.linear_separator import is_separator, model_to_separator, separator_to_model
from rosenblatt.estimators.model_files.linear_unit import is_unit, model_to_unit, unit_to_model
from rosenblatt.estimators.model_files.network import to_network_model, to_threshold_network
from rosenblatt.estimators.threshold_network import ThresholdNetwork
from rosenblatt.estimators.units_by_name import BY_NAME
from rosenblatt.model.kinds.kernel import KernelModel
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.network import NetworkModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model
from rosenblatt.model.model_file import load_model, save_model

Path: TypeAlias = str | os.PathLike[str]


class _Conversion(NamedTuple):
    model: type[Model]
    estimator: type[DescribedEstimator]
    to_model: Callable[[Any], Model]
    to_estimator: Callable[[Any], DescribedEstimator]
    converts: Callable[[Any], bool] = lambda model: True  # whether a model of this type becomes this estimator


_CONVERSIONS = (
    _Conversion(LinearModel, LinearSeparator, separator_to_model, model_to_separator, is_separator),
    _Conversion(MultiLabelModel, LinearSeparator, separator_to_model, model_to_separator),
    _Conversion(NumberModel, LinearPredictor, predictor_to_model, model_to_predictor, is_predictor),
    _Conversion(NumberModel, LinearUnit, unit_to_model, model_to_unit, is_unit),
    _Conversion(LinearModel, OnlineEstimator, to_linear_model, to_online_estimator),
    _Conversion(KernelModel, KernelPerceptron, to_kernel_model, to_kernel_perceptron),
    _Conversion(NetworkModel, ThresholdNetwork, to_network_model, to_threshold_network),
)


def save(model: Any, path: Path) -> None:
    """Write a fitted estimator, or the result of `fit_file`, to a file, atomically.

    Parameters
    ----------
    model : estimator or Fitted
        What was fitted.
    path : path
        The file, which is written whole or not at all.

    Examples
    --------
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

    Nothing in the file is executed. A damaged, foreign or newer file raises ModelError. A model of the command line
    or of `fit_file` becomes a LinearSeparator, or for numbers a LinearPredictor, which reads rows as its file was read.

    Parameters
    ----------
    path : path
        A file that `save` or the command line has written.

    Returns
    -------
    estimator
        Of the class that was saved.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rosenblatt import Perceptron
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Perceptron().fit([[0], [1]], ["no", "yes"]), pathlib.Path(folder, "m.model"))
    ...     load(pathlib.Path(folder, "m.model")).predict([[1]]).tolist()
    ['yes']
    """
    model = load_model(path)
    try:
        return to_estimator(model)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(f"{os.fspath(path)}: its estimator cannot be restored: {error}") from None


def to_model(estimator: Any) -> Model:
    """A fitted estimator as a model; they share the run."""
    for conversion in _CONVERSIONS:
        if isinstance(estimator, conversion.estimator):
            return conversion.to_model(estimator)
    names = ", ".join(
        [
            LinearSeparator.__name__,
            LinearPredictor.__name__,
            LinearUnit.__name__,
            *BY_NAME,
            KernelPerceptron.__name__,
            ThresholdNetwork.__name__,
        ]
    )
    raise ModelError(f"A {type(estimator).__name__} cannot be saved: save a fitted {names}, or the result of fit_file.")


def to_estimator(model: Model) -> Any:
    """A model as an estimator; they share the run."""
    conversion = next(each for each in _CONVERSIONS if each.model is type(model) and each.converts(model))
    return conversion.to_estimator(model)
