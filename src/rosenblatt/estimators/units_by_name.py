"""The estimators of linear units, by name and by loss. A new one is a file in this room and a line here."""

from collections.abc import Mapping

from rosenblatt.estimators.adaline import Adaline
from rosenblatt.estimators.common.online_estimator import OnlineEstimator
from rosenblatt.estimators.logistic_unit import LogisticUnit
from rosenblatt.estimators.perceptron import Perceptron

_ESTIMATORS: tuple[type[OnlineEstimator], ...] = (Perceptron, Adaline, LogisticUnit)

BY_NAME: Mapping[str, type[OnlineEstimator]] = {cls.__name__: cls for cls in _ESTIMATORS}
BY_LOSS: Mapping[str, type[OnlineEstimator]] = {cls._loss: cls for cls in _ESTIMATORS}
