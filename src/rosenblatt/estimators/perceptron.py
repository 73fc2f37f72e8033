"""Rosenblatt's perceptron, and the rules that grew out of it."""

from typing import Any

from rosenblatt import options
from rosenblatt.estimators.common.online_estimator import OnlineEstimator


class Perceptron(OnlineEstimator):
    """Rosenblatt's rule: on a mistake, y (w.x + b) <= margin, add eta y x to the weights and eta y to the bias.

    The same examples in the same order give the same bits, dense or sparse, in one call or row by row. A run ends
    `separated` after a whole epoch without a mistake, `validated` by early stopping, or with its `budget` of epochs
    spent; `status_` says which.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> unit = Perceptron(order="given", keep="last", max_iter=100).fit(X, y)
    >>> unit.intercept_.tolist(), unit.coef_.tolist(), unit.n_iter_, unit.status_
    ([-4.0], [[3.0, 2.0]], 9, 'separated')
    """

    _loss = "perceptron"
    _options = options.PERCEPTRON

    def __init__(
        self,
        *,
        margin: float = options.margin.default,
        eta0: float = options.eta0.default,
        learning_rate: str = options.learning_rate.default,
        r: float = options.r.default,
        alpha: float = options.alpha.default,
        l1: float = options.l1.default,
        keep: str = options.keep.default,
        batch: int | str = options.batch.default,
        order: str = options.order.default,
        max_iter: int = options.max_iter.default,
        fit_intercept: bool = options.fit_intercept.default,
        degree: int = options.degree.default,
        init: Any = options.init.default,
        multi_class: str = options.multi_class.default,
        class_weight: Any = options.class_weight.default,
        early_stopping: bool = options.early_stopping.default,
        validation_fraction: float = options.validation_fraction.default,
        n_iter_no_change: int = options.n_iter_no_change.default,
        warm_start: bool = options.warm_start.default,
        record: bool = options.record.default,
        n_jobs: int | None = options.n_jobs.default,
        random_state: Any = options.random_state.default,
    ) -> None:
        self.margin = margin
        self.eta0 = eta0
        self.learning_rate = learning_rate
        self.r = r
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
