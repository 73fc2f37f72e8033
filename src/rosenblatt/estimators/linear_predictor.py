"""What `rosenblatt fit` does with a number, as a scikit-learn regressor: raw tables, texts or matrices."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from rosenblatt import native, options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.common import check_input, raw_rows
from rosenblatt.estimators.common.base import snapshot
from rosenblatt.estimators.common.raw_row_estimator import (
    RawRowEstimator,
    free_column_name,
    rows_that_count,
    split_column,
)
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.number import TASK, NumberModel
from rosenblatt.readers.in_memory.targets import Targets
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Floats

_NAMES = ("target", "y", "value")


class LinearPredictor(RegressorMixin, RawRowEstimator):
    """The best linear function for a number that can be found without choosing options, from raw rows.

    X is what LinearSeparator takes: a DataFrame or anything that supports Arrow, a list of dicts or of texts, a matrix,
    or the path of a file. y holds the numbers, or names the column of the table that does. They are centred and scaled
    while they are learned, and predictions are in their unit.

    >>> houses = {"area": [50, 80, 120, 65] * 10, "place": ["town", "town", "village", "village"] * 10}
    >>> predictor = LinearPredictor().fit(houses, [150, 210, 260, 150] * 10)
    >>> predictor.predict([{"area": 100, "place": "town"}]).round(-1).tolist()
    [250.0]
    """

    _options = options.LINEAR_PREDICTOR
    _learning_options = options.PREDICTOR_LEARNING
    _reading_options = options.PREDICTOR_READING
    model_: NumberModel

    def __init__(
        self,
        *,
        rule: str = options.predictor_rule.default,
        passes: int | str = options.passes.default,
        holdout: float = options.holdout.default,
        patience: int | None = options.patience.default,
        order: str | None = options.fit_file_order.default,
        features: str | None = options.features.default,
        error: str = options.error.default,
        quantiles: Any = options.quantiles.default,
        forget: float = options.forget.default,
        scale: bool | None = options.scale.default,
        drop: tuple[str, ...] = options.drop.default,
        keep: tuple[str, ...] = options.separator_keep.default,
        as_: tuple[str, ...] = options.as_.default,
        text: tuple[str, ...] = options.text.default,
        words: tuple[str, ...] = options.words.default,
        cross: tuple[str, ...] = options.cross.default,
        bits: int | None = options.bits.default,
        ngrams: int | None = options.ngrams.default,
        chars: int | str | tuple[int, int] | None = options.chars.default,
        value: str = options.value.default,
        unit: bool = options.unit.default,
        n_jobs: int | None = options.separator_n_jobs.default,
        random_state: Any = options.random_state.default,
    ) -> None:
        self.rule = rule
        self.passes = passes
        self.holdout = holdout
        self.patience = patience
        self.order = order
        self.features = features
        self.error = error
        self.quantiles = quantiles
        self.forget = forget
        self.scale = scale
        self.drop = drop
        self.keep = keep
        self.as_ = as_
        self.text = text
        self.words = words
        self.cross = cross
        self.bits = bits
        self.ngrams = ngrams
        self.chars = chars
        self.value = value
        self.unit = unit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Fitted:
        X, numbers, name = split_column(X, y, "targets")
        rows = raw_rows.rows_to_learn(self, X)
        targets = check_input.check_targets(numbers, raw_rows.n_rows(rows))
        weights = check_input.check_weights(sample_weight, len(targets))
        rows, targets, weights = rows_that_count(rows, targets, weights)
        if len(targets) == 1:
            raise DataError("X has 1 sample: learning a number needs at least two rows with different targets.")
        codes = np.zeros(len(targets), dtype=np.int32)
        in_memory = Targets((0,), codes, weights, free_column_name(name, _NAMES, rows), numbers=targets)
        reading = self._reading()
        return fit_file(raw_rows.source_to_learn(rows, reading, in_memory), reading=reading, **self._learning())

    def _reading(self, label: str | None = None) -> ReadOptions:
        return super()._reading(label)._replace(task=TASK)

    # -- predicting -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """The number predicted for each row; with quantiles the one nearest the median.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        array of shape (n_samples,)
            In the unit of y.
        """
        model = snapshot(self)
        unit_scores = model._unit_scores(X)
        with native.UsualFloats():
            return model.model_.predicted(unit_scores)

    def predict_interval(self, X: Any) -> tuple[Floats, Floats]:
        """The bounds for each row between which nine of ten targets lie.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        low, high : arrays of shape (n_samples,)
            Their distance from the prediction is that of targets of rows not yet learned (split conformal prediction).
        """
        model = snapshot(self)
        predicted = model.predict(X)
        with native.UsualFloats():
            bounds = model.model_.bounds(predicted)
        if bounds is None:
            raise DataError("There are no intervals: too few rows were learned.")
        return bounds

    def predict_quantiles(self, X: Any) -> Floats:
        """A column for each of `quantiles`, in their order.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        array of shape (n_samples, n_quantiles)
            In the unit of y.
        """
        model = snapshot(self)
        unit_scores = model._unit_scores(X)
        if not model.model_.levels:
            raise ParameterError("This predictor has learned no quantiles: fit it with quantiles=(…).")
        with native.UsualFloats():
            return model.model_.answers(unit_scores)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R², the share of the variance of y that is explained.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.
        y : array-like of shape (n_samples,)
            The number of each row.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        float
            1 is best, 0 what always guessing the mean reaches.
        """
        return float(RegressorMixin.score(self, X, y, sample_weight))
