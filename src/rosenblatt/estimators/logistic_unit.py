"""The soft decision: a unit with a sigmoid, lowering the logistic loss."""

from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.metaestimators import available_if

from rosenblatt import native, options
from rosenblatt.estimators.common.online_estimator import OnlineEstimator
from rosenblatt.records import Floats


class LogisticUnit(OnlineEstimator):
    """Online logistic regression: every example pulls the weights by eta y / (1 + exp(y s)).

    Three or more classes decide jointly through a softmax unless `multi_class` says otherwise. Probabilities are
    offered where the loss models them: for two classes, and for classes that decide jointly.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> unit = LogisticUnit(eta0=1.0).fit(X, y)
    >>> unit.predict_proba(X).round(1).tolist()[3][1] > 0.5
    True
    """

    _loss = "logistic"
    _options = options.LOGISTIC_UNIT

    def __init__(
        self,
        *,
        eta0: float = options.smooth_eta0.default,
        learning_rate: str = options.smooth_learning_rate.default,
        alpha: float = options.alpha.default,
        l1: float = options.l1.default,
        keep: str = options.smooth_keep.default,
        batch: int | str = options.batch.default,
        order: str = options.order.default,
        max_iter: int = options.smooth_max_iter.default,
        fit_intercept: bool = options.fit_intercept.default,
        degree: int = options.degree.default,
        init: Any = options.init.default,
        multi_class: str = options.logistic_multi_class.default,
        class_weight: Any = options.class_weight.default,
        early_stopping: bool = options.early_stopping.default,
        validation_fraction: float = options.validation_fraction.default,
        n_iter_no_change: int = options.n_iter_no_change.default,
        warm_start: bool = options.warm_start.default,
        record: bool = options.record.default,
        n_jobs: int | None = options.n_jobs.default,
        random_state: Any = options.random_state.default,
    ) -> None:
        self.eta0 = eta0
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.l1 = l1
        self.keep = keep
        self.batch = batch
        self.order = order
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.degree = degree
        self.init = init
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.record = record
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _models_probabilities(self) -> bool:
        if self.multi_class == "joint" or ("_run" in self.__dict__ and len(self.classes_) == 2):
            return True
        raise AttributeError(
            f"Separate units (multi_class={self.multi_class!r}) have no common probabilities: use multi_class='joint'."
        )

    @available_if(_models_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class: a sigmoid of the score for two, a softmax of the scores for more.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples, n_classes)
            A column for each of `classes_`.
        """
        unit_scores = self._unit_scores(X)
        with native.UsualFloats():
            if unit_scores.shape[1] == 1:
                positive = expit(unit_scores[:, 0])
                return np.column_stack([1 - positive, positive])
            probabilities: Floats = softmax(unit_scores, axis=1)
        return probabilities

    @available_if(_models_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of predict_proba.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples, n_classes)
            A column for each of `classes_`.
        """
        unit_scores = self._unit_scores(X)
        with native.UsualFloats():
            if unit_scores.shape[1] == 1:
                return np.column_stack([log_expit(-unit_scores[:, 0]), log_expit(unit_scores[:, 0])])
            logarithms: Floats = log_softmax(unit_scores, axis=1)
        return logarithms
