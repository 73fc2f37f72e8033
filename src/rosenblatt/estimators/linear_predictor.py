"""What `rosenblatt fit` does with a number, as a scikit-learn regressor: raw tables, texts or matrices."""

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from sklearn.base import RegressorMixin

from rosenblatt import options
from rosenblatt.errors import DataError, ParameterError, UnknownValuesWarning, WorthlessModelWarning, listed
from rosenblatt.estimators.common import check_input, raw_rows
from rosenblatt.estimators.common.base import DescribedEstimator, draft_of, snapshot
from rosenblatt.estimators.common.run_attributes import FromLinearRun
from rosenblatt.input_checks import all_weights_zero, thread_count
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.number import TASK, NumberModel
from rosenblatt.readers.in_memory.arrow import to_arrow
from rosenblatt.readers.in_memory.targets import Targets
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Floats

_NAMES = ("target", "y", "value")


class LinearPredictor(RegressorMixin, FromLinearRun, DescribedEstimator):
    """The best linear function for a number that can be found without an option, from rows as they are.

    X is what LinearSeparator takes: a DataFrame or anything that speaks Arrow, a list of dicts, of texts, a matrix, or
    the path of a file. y holds the numbers, or names the column of the table that does. They are centred and scaled
    while they are learned, and predictions are in their unit.

    >>> houses = {"area": [50, 80, 120, 65] * 10, "place": ["town", "town", "village", "village"] * 10}
    >>> predictor = LinearPredictor().fit(houses, [150, 210, 260, 150] * 10)
    >>> predictor.predict([{"area": 100, "place": "town"}]).round(-1).tolist()
    [250.0]
    """

    _options = options.LINEAR_PREDICTOR
    _attributes: ClassVar[dict[str, str]] = {
        "model_": "What `save` writes and the command line reads: the run, and what the columns mean.",
        "fitted_": "How it was learned, as `fit_file` says it: the rules tried, errors, warnings; not after `load`.",
        "n_features_in_, feature_names_in_": "The columns of X, and their names where they have any.",
    }
    model_: NumberModel
    fitted_: Fitted

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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the rows as `rosenblatt fit` learns a file. The targets of a path are in its file: y may name them."""
        with draft_of(self) as draft:
            options.check(type(draft).__name__, draft.get_params(deep=False), draft._options)
            if raw_rows.is_path(X):
                draft._keep(draft._fit_path(X, y, sample_weight))
            else:
                draft._keep(draft._fit_rows(X, y, sample_weight))
        return self

    def _keep(self, fitted: Fitted) -> None:
        assert isinstance(fitted.model, NumberModel)
        self.model_, self._run = fitted.model, fitted.model.run
        honest = fitted.honest_scores
        if honest is not None:  # native memory cannot be pickled
            honest = replace(honest, scores=np.asarray(honest.scores), truth=np.asarray(honest.truth))
        self.fitted_ = fitted._replace(honest_scores=honest)
        for caution in fitted.warnings:
            if caution.kind == "no better":
                warnings.warn(str(caution), WorthlessModelWarning, stacklevel=3)

    def _fit_path(self, path: Any, label: Any, sample_weight: Any) -> Fitted:
        if sample_weight is not None:
            raise ParameterError("Sample weights are for rows in memory: read the file into a DataFrame, and fit that.")
        fitted = fit_file(path, reading=self._reading(label), **self._learning())
        assert isinstance(fitted.model, NumberModel)
        self._restore(fitted.model)
        return fitted

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Fitted:
        X, numbers, name = _split_target(X, y)
        rows = raw_rows.rows_to_learn(self, X)
        targets = check_input.check_targets(numbers, raw_rows.n_rows(rows))
        weights = check_input.check_weights(sample_weight, len(targets))
        if weights is not None and not weights.any():
            raise all_weights_zero("Sample")
        if weights is not None and not weights.all():
            counted = np.flatnonzero(weights)
            rows, targets, weights = raw_rows.chosen_rows(rows, counted), targets[counted], weights[counted]
        codes = np.zeros(len(targets), dtype=np.int32)
        in_memory = Targets((0,), codes, weights, _target_name(name, rows), numbers=targets)
        reading = self._reading()
        return fit_file(raw_rows.source_to_learn(rows, reading, in_memory), reading=reading, **self._learning())

    def _learning(self) -> dict[str, Any]:
        chosen = {name: getattr(self, name) for name in options.PREDICTOR_LEARNING}
        return chosen | {"threads": thread_count(self.n_jobs), "seed": check_input.seed_from(self.random_state)}

    def _reading(self, label: str | None = None) -> ReadOptions:
        chosen = {name: getattr(self, name) for name in options.PREDICTOR_READING}
        chosen = {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}
        return ReadOptions(label=label, decide=True, task=TASK, **chosen)

    def _restore(self, model: NumberModel) -> None:
        """Become what a model of a file is."""
        self.model_, self._run = model, model.run
        names = raw_rows.columns_of_table(model.space)
        raw_rows.set_columns(self, len(names) or columns_of(model.features, model.settings.degree), names)

    # -- predicting -------------------------------------------------------------------------------------------------

    def _unit_scores(self, X: Any) -> Floats:
        self._fitted_run()
        source = raw_rows.source_to_read(self, X, self.model_)
        scores = [self.model_.scores(block.values) for block in source.blocks(thread_count(self.n_jobs))]
        for sentence in source.warnings():
            warnings.warn(sentence, UnknownValuesWarning, stacklevel=3)
        return np.concatenate(scores)

    def predict(self, X: Any) -> Floats:
        """The number predicted for each row, in the unit of y; with quantiles the one nearest the median."""
        model = snapshot(self)
        return model.model_.predicted(model._unit_scores(X))

    def predict_interval(self, X: Any) -> tuple[Floats, Floats]:
        """The lower and the upper bound for each row, between which nine of ten targets lie: as far from the prediction
        as those of rows that were not yet learned were off (split conformal prediction)."""
        model = snapshot(self)
        bounds = model.model_.bounds(model.predict(X))
        if bounds is None:
            raise DataError("There are no intervals: too few rows were learned.")
        return bounds

    def predict_quantiles(self, X: Any) -> Floats:
        """A column for each of `quantiles`, in their order."""
        model = snapshot(self)
        unit_scores = model._unit_scores(X)
        if not model.model_.levels:
            raise ParameterError("predict_quantiles is for a predictor that learned some: fit it with quantiles=(…).")
        return model.model_.answers(unit_scores)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R², the share of the variance of y that is explained: 1 is best, 0 what always guessing the mean reaches."""
        return float(RegressorMixin.score(self, X, y, sample_weight))


def _split_target(X: Any, y: Any) -> tuple[Any, Any, str | None]:
    """The rows, their targets, and the name of these; y may name a column of a table."""
    if not isinstance(y, str):
        return X, y, getattr(y, "name", None)
    table = to_arrow(X)
    if y not in table.column_names:
        raise DataError(f"X has no column {y!r} of targets; its columns are {listed(table.column_names)}.")
    return table.drop_columns([y]), table.column(y).to_numpy(), y


def _target_name(name: Any, rows: raw_rows.Rows) -> str:
    """A name for the column of targets that no column of a table has."""
    taken = rows.column_names if isinstance(rows, pa.Table) else []
    names = [name, *_NAMES] if isinstance(name, str) and name else list(_NAMES)
    return next((name for name in names if name not in taken), "_".join(["target", *taken]))
