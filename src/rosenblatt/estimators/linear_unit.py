"""The linear unit: its prediction is its score, a number."""

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from rosenblatt import options
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.common.base import draft_of
from rosenblatt.estimators.common.early_stopping import hold_out
from rosenblatt.estimators.common.online_learner import OnlineLearner
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.learn.run import Run, Validation
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.records import Block, Floats, Values

_CLASS_WEIGHT = np.ones(1)  # there is one class of examples: all of them
_IN_SETTINGS = [name for name in Settings._fields if name in options.LINEAR_UNIT]


class LinearUnit(RegressorMixin, OnlineLearner):
    """A number as a linear function of the features, learned one example at a time: y = w.x + b.

    The squared loss leads to the mean of the targets, the absolute loss to their median, the quantile loss to the
    quantile that you name. The targets are learned as they are, and the features too: standardise them, or use
    LinearPredictor, which does so by itself.

    >>> X, y = [[0], [1], [2], [3]], [1, 3, 5, 7]
    >>> unit = LinearUnit(eta0=0.5).fit(X, y)
    >>> unit.predict([[10]]).round(1).tolist(), round(unit.score(X, y), 3), unit.status_
    ([21.0], 1.0, 'budget')
    """

    _options = options.LINEAR_UNIT
    _run_option_names = (*_IN_SETTINGS, "quantile")

    def __init__(
        self,
        *,
        loss: str = options.number_loss.default,
        quantile: float = options.quantile.default,
        width: float = options.width.default,
        eta0: float = options.number_eta0.default,
        learning_rate: str = options.number_learning_rate.default,
        r: float = options.number_r.default,
        alpha: float = options.alpha.default,
        l1: float = options.l1.default,
        keep: str = options.number_keep.default,
        batch: int | str = options.batch.default,
        order: str = options.order.default,
        max_iter: int = options.number_max_iter.default,
        fit_intercept: bool = options.fit_intercept.default,
        degree: int = options.degree.default,
        init: Any = options.init.default,
        early_stopping: bool = options.early_stopping.default,
        validation_fraction: float = options.validation_fraction.default,
        n_iter_no_change: int = options.n_iter_no_change.default,
        warm_start: bool = options.warm_start.default,
        record: bool = options.record.default,
        random_state: Any = options.random_state.default,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.width = width
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
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.record = record
        self.random_state = random_state

    # -- learning ---------------------------------------------------------------------------------------------------

    def _settings(self) -> Settings:
        values = {option: getattr(self, option) for option in self._options}
        options.check("LinearUnit", values, self._options)
        options.check_number_together("LinearUnit", values)
        quantiles = (float(self.quantile),) if self.loss == "quantile" else ()
        return Settings(task="number", quantiles=quantiles, **{name: values[name] for name in _IN_SETTINGS})

    def _check_y(self, y: Any, n_rows: int) -> NDArray[Any]:
        return check_input.check_targets(y, n_rows)

    def _begin(self, settings: Settings, values: Values, y: NDArray[Any], weights: Floats | None) -> tuple[Run, Block]:
        block = Block(values, np.zeros(len(y), dtype=np.int32), weights, targets=y)
        if self.warm_start and "_run" in self.__dict__:
            self._check_options_unchanged()
            return copy(self._run), block
        return self._new_run(settings, values, _CLASS_WEIGHT), block

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Visit the examples once, in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The number of each row.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        self
            This estimator, which has learned.
        """
        self._check_streaming_options()
        if "_run" in self.__dict__:
            self._visit(X, y, sample_weight)
            return self
        with draft_of(self) as draft:
            values = check_input.check_values(draft, X, reset=True)
            draft._run = draft._new_run(draft._settings(), values, _CLASS_WEIGHT)
            draft._visit(X, y, sample_weight)
        return self

    def _visit(self, X: Any, y: Any, sample_weight: Any) -> None:
        values = check_input.check_values(self, X, reset=False)
        targets = check_input.check_targets(y, values.shape[0])
        weights = check_input.check_weights(sample_weight, values.shape[0])
        self._check_options_unchanged()
        share_pass([self._run], Block(values, np.zeros(len(targets), dtype=np.int32), weights, targets=targets))

    def _held_out(self, run: Run, block: Block) -> Validation | None:
        if not self.early_stopping:
            return None
        return hold_out(
            run.counted(block), block.labels, run.split_seed, self.validation_fraction, self.n_iter_no_change
        )

    # -- predicting -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """The number that is predicted for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
            The scores w.x + b.
        """
        return self._unit_scores(X)[:, 0]

    # -- learned attributes -----------------------------------------------------------------------------------------

    @property
    def trace_(self) -> Trace:
        """The run step by step, if record=True: the log of its updates, and its replay."""
        log, run = self._mistake_log(), self._fitted_run()
        return Trace(log, run.summary, run.recording, np.empty(0))

    @property
    def coef_(self) -> Floats:
        """The weights."""
        weights: Floats = self._fitted_run().final_weights.coef[0]
        return weights

    @property
    def intercept_(self) -> float:
        """The bias."""
        return float(self._fitted_run().final_weights.intercept[0])

    @property
    def status_(self) -> str:
        """How the run ended: validated or budget; interrupted by a signal, or open while it streams."""
        return self._fitted_run().status
