"""The linear unit of Widrow and Hoff: the squared loss of the score itself."""

from typing import Any

from rosenblatt import options
from rosenblatt.estimators.common.online_estimator import OnlineEstimator


class Adaline(OnlineEstimator):
    """The linear unit: gradient descent on (y - s)^2 / 2, the score s = w.x + b taken before any threshold.

    `batch="full"` descends along the gradient of all the examples, `batch=1` along that of one at a time. The loss has
    its minimum whether or not the classes are separable, so a run always spends its epochs; `loss_` shows the descent.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> unit = Adaline(batch="full", eta0=0.1, max_iter=200).fit(X, y)
    >>> unit.predict(X).tolist(), unit.loss_[0] > unit.loss_[-1]
    ([0, 0, 0, 1], True)
    """

    _loss = "squared"
    _options = options.ADALINE

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
        multi_class: str = options.adaline_multi_class.default,
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
