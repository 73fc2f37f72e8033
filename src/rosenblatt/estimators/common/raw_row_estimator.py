"""What LinearSeparator and LinearPredictor share: they learn raw rows as `rosenblatt fit` learns a file."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from rosenblatt import native, options
from rosenblatt.errors import (
    DataError,
    DoubtfulDataWarning,
    ParameterError,
    UnknownValuesWarning,
    WorthlessModelWarning,
    listed,
)
from rosenblatt.estimators.common import check_input, raw_rows
from rosenblatt.estimators.common.base import DescribedEstimator, draft_of
from rosenblatt.estimators.common.run_attributes import FromLinearRun
from rosenblatt.input_checks import all_weights_zero, thread_count
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.readers.in_memory.arrow import to_arrow
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Floats

# Warnings that a fit raises; fitted_.warnings has them all.
_WARNINGS = {
    "no better": WorthlessModelWarning,
    "one class": WorthlessModelWarning,
    "leak": DoubtfulDataWarning,
    "few examples": DoubtfulDataWarning,
}


class RawRowEstimator(FromLinearRun, DescribedEstimator):
    _learning_options: ClassVar[Mapping[str, options.Option[Any]]]
    _reading_options: ClassVar[Mapping[str, options.Option[Any]]]
    _attributes: ClassVar[Mapping[str, str]] = {
        "model_": "What `save` writes and the command line reads: the run, and what the columns mean.",
        "fitted_": "How it was learned, as `fit_file` reports it: the rules tried, errors, warnings; not after `load`.",
        "n_features_in_, feature_names_in_": "The columns of X, and their names where they have any.",
    }
    model_: Any
    fitted_: Fitted
    n_jobs: int | None
    random_state: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the rows as `rosenblatt fit` learns a file.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows.
        y : array-like of shape (n_samples,), or str
            The label or the number of each row, or the column of the table that has it; for a path only the column.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        self
            This estimator, which has learned.
        """
        with draft_of(self) as draft:
            options.check(type(draft).__name__, draft.get_params(deep=False), draft._options)
            if raw_rows.is_path(X):
                draft._keep(draft._fit_path(X, y, sample_weight))
            else:
                draft._keep(draft._fit_rows(X, y, sample_weight))
        return self

    def _keep(self, fitted: Fitted) -> None:
        self.model_, self._run = fitted.model, fitted.model.run
        honest = fitted.honest_scores
        if honest is not None:  # native memory cannot be pickled
            honest = replace(honest, scores=np.asarray(honest.scores), truth=np.asarray(honest.truth))
        self.fitted_ = fitted._replace(honest_scores=honest)
        for caution in fitted.warnings:
            if caution.kind in _WARNINGS:
                warnings.warn(str(caution), _WARNINGS[caution.kind], stacklevel=3)

    def _fit_path(self, path: Any, label: Any, sample_weight: Any) -> Fitted:
        if sample_weight is not None:
            raise ParameterError("Sample weights are for rows in memory: read the file into a DataFrame, and fit that.")
        fitted = fit_file(path, reading=self._reading(label), **self._learning())
        self._restore(fitted.model)
        return fitted

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Fitted:
        raise NotImplementedError

    def _learning(self) -> dict[str, Any]:
        chosen = {name: getattr(self, name) for name in self._learning_options}
        return chosen | {"threads": thread_count(self.n_jobs), "seed": check_input.seed_from(self.random_state)}

    def _reading(self, label: str | None = None) -> ReadOptions:
        chosen = {name: getattr(self, name) for name in self._reading_options}
        chosen = {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}
        return ReadOptions(label=label, decide=True, **chosen)

    def _restore(self, model: LinearModel) -> None:
        """Take over the run and the columns of a model that was learned from a file."""
        self.model_, self._run = model, model.run
        names = raw_rows.columns_of_table(model.space)
        raw_rows.set_columns(self, len(names) or columns_of(model.features, model.settings.degree), names)

    def _unit_scores(self, X: Any) -> Floats:
        self._fitted_run()
        source = raw_rows.source_to_read(self, X, self.model_)
        with native.UsualFloats():
            scores = [self.model_.scores(block.values) for block in source.blocks(thread_count(self.n_jobs))]
        for sentence in source.warnings():
            warnings.warn(sentence, UnknownValuesWarning, stacklevel=3)
        return np.concatenate(scores)


def split_column(X: Any, y: Any, content: str) -> tuple[Any, Any, str | None]:
    """The rows, their labels or targets, and the name of these; y may name a column of X.

    `content` is what the column holds, for the error.
    """
    if not isinstance(y, str):
        return X, y, getattr(y, "name", None)
    table = to_arrow(X)
    if y not in table.column_names:
        raise DataError(f"X has no column {y!r} of {content}; its columns are {listed(table.column_names)}.")
    return table.drop_columns([y]), table.column(y).to_numpy(), y


def free_column_name(name: Any, usual_names: Sequence[str], rows: raw_rows.Rows) -> str:
    """A name for the column of labels or targets that no column of a table has: `name`, or a usual one."""
    column_names = rows.column_names if isinstance(rows, pa.Table) else []
    names = [name, *usual_names] if isinstance(name, str) and name else usual_names
    return next((name for name in names if name not in column_names), "_".join([usual_names[0], *column_names]))


def rows_that_count(rows: raw_rows.Rows, y: Any, weights: Any) -> tuple[raw_rows.Rows, Any, Any]:
    """The rows, their labels or targets, and their weights, without the rows of weight 0."""
    if weights is None or weights.all():
        return rows, y, weights
    if not weights.any():
        raise all_weights_zero("Sample")
    counted = np.flatnonzero(weights)
    return raw_rows.chosen_rows(rows, counted), y[counted], weights[counted]
