"""What `rosenblatt fit` does, as a scikit-learn classifier: raw tables, texts or matrices, and no option needed."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from rosenblatt import native, options
from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.estimators.common import check_input, raw_rows
from rosenblatt.estimators.common.base import draft_of, snapshot
from rosenblatt.estimators.common.label_matrix import label_matrix
from rosenblatt.estimators.common.raw_row_estimator import (
    RawRowEstimator,
    free_column_name,
    rows_that_count,
    split_column,
)
from rosenblatt.estimators.common.run_attributes import LinearRunEstimator
from rosenblatt.input_checks import all_weights_zero, thread_count
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.readers.block_rows import join_blocks
from rosenblatt.readers.in_memory.targets import Targets
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns.label_column import LABEL_NAMES
from rosenblatt.records import FeatureSpace, Floats


class LinearSeparator(RawRowEstimator, LinearRunEstimator):
    """The best linear separator that can be found without choosing options, from raw rows.

    X is a DataFrame (pandas, polars) or anything that supports Arrow, with numbers, words, dates, texts and missing
    values in its columns; a list of dicts; a list of texts; a matrix, dense or sparse; or the path of a file. y holds
    the labels, or names the column of the table that does. The weights are those of `rosenblatt fit` on the same rows
    in a file, to the bit; `save` writes a model that the command line reads, and `load` gives its models back as this.

    >>> fruit = {"weight": [7, 150, None, 180] * 10, "colour": ["red", "green", "red", "red"] * 10}
    >>> separator = LinearSeparator().fit(fruit, ["cherry", "apple", "cherry", "apple"] * 10)
    >>> separator.predict([{"weight": 8, "colour": "red"}]).tolist()
    ['cherry']
    """

    _options = options.LINEAR_SEPARATOR
    _learning_options = options.SEPARATOR_LEARNING
    _reading_options = options.SEPARATOR_READING
    model_: LinearModel

    def __init__(
        self,
        *,
        rule: str = options.rule.default,
        passes: int | str = options.passes.default,
        holdout: float = options.holdout.default,
        patience: int | None = options.patience.default,
        order: str | None = options.fit_file_order.default,
        features: str | None = options.features.default,
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
        multi_label: bool = options.separator_multi_label.default,
        class_weight: Any = options.separator_class_weight.default,
        threshold: float | str | None = options.threshold.default,
        forget: float = options.forget.default,
        n_jobs: int | None = options.separator_n_jobs.default,
        random_state: Any = options.random_state.default,
    ) -> None:
        self.rule = rule
        self.passes = passes
        self.holdout = holdout
        self.patience = patience
        self.order = order
        self.features = features
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
        self.multi_label = multi_label
        self.class_weight = class_weight
        self.threshold = threshold
        self.forget = forget
        self.n_jobs = n_jobs
        self.random_state = random_state

    # -- learning ---------------------------------------------------------------------------------------------------

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any, classes: Any = None, **learning: Any) -> Fitted:
        X, labels, name = split_column(X, y, "labels")
        rows = raw_rows.rows_to_learn(self, X)
        if self.multi_label:
            return self._fit_labels(rows, labels, sample_weight)
        labels = check_input.check_labels(labels, raw_rows.n_rows(rows))
        if classes is None:
            self.classes_, codes = check_input.encode(labels)
        else:
            self.classes_ = check_input.check_class_list(classes)
            codes = check_input.encode_as(self.classes_, labels)
        check_input.check_two_classes(self.classes_)
        weights = check_input.check_weights(sample_weight, len(codes))
        rows, codes, weights = rows_that_count(rows, codes, weights)
        known = self.classes_.tolist()
        targets = Targets(known, codes, weights, free_column_name(name, LABEL_NAMES, rows))
        reading = self._reading()._replace(classes=() if classes is None else tuple(known))
        source = raw_rows.source_to_learn(rows, reading, targets)
        fitted = fit_file(source, reading=reading, **self._learning() | learning)
        self.classes_ = self.classes_[np.isin(self.classes_, fitted.model.classes)]  # a class may have had weight 0
        return fitted

    def _fit_labels(self, rows: raw_rows.Rows, y: Any, sample_weight: Any) -> Fitted:
        matrix = label_matrix(y, raw_rows.n_rows(rows))
        sets, codes = matrix.sets()
        weights = check_input.check_weights(sample_weight, len(codes))
        if weights is not None and not weights.any():
            raise all_weights_zero("Sample")
        self.classes_ = matrix.labels
        targets = Targets(matrix.labels.tolist(), codes, weights, free_column_name(None, LABEL_NAMES, rows), sets)
        reading = self._reading()
        return fit_file(raw_rows.source_to_learn(rows, reading, targets), reading=reading, **self._learning())

    def _reading(self, label: str | None = None) -> ReadOptions:
        return super()._reading(label)._replace(task="classes")  # also where the labels of a file are numbers

    def _restore(self, model: LinearModel, classes: NDArray[Any] | None = None) -> None:
        super()._restore(model)
        self.classes_ = np.array(model.classes) if classes is None else classes

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows, once and in the order given, by the rule that was chosen.

        Without a fit before, the rows of the first call decide what the columns mean and which rule is best.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows.
        y : array-like of shape (n_samples,), or str
            The label of each row, or the column of the table that has it.
        classes : array-like, optional
            All the labels that will occur; the first call must name them.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        self
            This estimator, which has learned.
        """
        if self.multi_label:
            raise ParameterError("partial_fit learns one label per row: use fit with all rows where they have several.")
        with draft_of(self) as draft:
            draft._check_streaming_options()
            if not draft.__sklearn_is_fitted__():
                options.check(type(draft).__name__, draft.get_params(deep=False), draft._options)
                classes = check_input.check_class_list(classes)
                draft._keep(draft._fit_rows(X, y, sample_weight, classes, passes=1, order="given"))
            else:
                draft._check_same_classes(classes)
                draft._learn_more(X, y, sample_weight)
        return self

    def _learn_more(self, X: Any, y: Any, sample_weight: Any) -> None:
        if self.model_.is_small:
            raise ModelError("This model was made small and cannot continue learning: use the one it was made from.")
        X, labels, _ = split_column(X, y, "labels")
        n_rows = len(X) if hasattr(X, "__len__") else X.shape[0]
        codes = check_input.encode_as(self.classes_, check_input.check_labels(labels, n_rows))
        weights = check_input.check_weights(sample_weight, n_rows)
        if self.class_weight is not None:
            of_class = check_input.class_weights(self.class_weight, self.classes_, codes)[codes]
            weights = of_class if weights is None else weights * of_class
        targets = Targets(self.classes_.tolist(), codes, weights)
        threads = thread_count(self.n_jobs)
        source = raw_rows.source_to_read(self, X, self.model_, targets)
        block = join_blocks(list(source.blocks(threads)))  # all of them are learned, or none
        share_pass([self._run], replace(block, labels=codes), threads)
        self.model_ = replace(self.model_, run=self._run)  # drops the weights cached for scoring

    # -- predicting -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the most probable one.

        If a threshold, class weights or a number of passes was chosen: of two classes the positive one where the score
        is above 0, or above that threshold; of more classes the one with the highest score.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_labels)
            Labels as they were in y; with multi_label 1 where a label applies, else 0.
        """
        model = snapshot(self)
        unit_scores = model._unit_scores(X)
        decided = model.model_.predicted_classes(unit_scores)
        if model.model_.settings.multi_label:
            return decided.astype(np.int64)[:, model._columns_of_labels()]
        labels: NDArray[Any] = model.classes_[decided]
        return labels

    def predict_labels(self, X: Any) -> list[tuple[Any, ...]]:
        """The labels that apply to each row, where a row may have several.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        list of tuples
            The labels of each row; an empty tuple where none applies.
        """
        self._fitted_run()
        if not self.model_.settings.multi_label:
            raise ParameterError("predict_labels is for a separator with multi_label=True: use predict.")
        return [tuple(self.classes_[row.astype(bool)].tolist()) for row in self.predict(X)]

    def _columns_of_labels(self) -> list[int]:
        """The position of each label in the model, whose labels are sorted; those of y need not be."""
        position = {label: k for k, label in enumerate(self.model_.classes)}
        return [position[label] for label in self.classes_.tolist()]

    def decision_function(self, X: Any) -> Floats:
        """Signed scores: one per row for two classes, one per row and class, or label, for more.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            The higher, the surer.
        """
        model = snapshot(self)
        model._fitted_run()
        scores = super(LinearSeparator, model).decision_function(X)
        return scores[:, model._columns_of_labels()] if model.model_.settings.multi_label else scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.
        y : array-like of shape (n_samples,), or its labels for each row
            The right labels.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        float
            From 0 to 1; with several labels per row, a row is right if exactly its labels are predicted.
        """
        if not self.multi_label:
            return float(super().score(X, y, sample_weight))
        predicted = self.predict(X)
        matrix = label_matrix(y, len(predicted))
        columns = {label: k for k, label in enumerate(self.classes_.tolist())}
        truth = np.zeros_like(predicted)
        unknown = np.zeros(len(predicted), dtype=bool)
        for k, label in enumerate(matrix.labels.tolist()):
            if label in columns:
                truth[:, columns[label]] = matrix.indicators[:, k]
            else:
                unknown |= matrix.indicators[:, k]
        return float(np.average((truth == predicted).all(axis=1) & ~unknown, weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.multi_label
        return tags

    def _gives_probabilities(self) -> bool:
        if not self.__sklearn_is_fitted__() or self.model_.gives_probabilities:
            return True
        raise AttributeError("This model gives no probabilities: an older version learned it, so learn it again.")

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class.

        It is calibrated on the scores that rows had before they were learned.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        array of shape (n_samples, n_classes)
            A column for each of `classes_`.
        """
        model = snapshot(self)
        unit_scores = model._unit_scores(X)
        probabilities = np.asarray(model.model_.probabilities(unit_scores))
        return probabilities[:, model._columns_of_labels()] if model.model_.settings.multi_label else probabilities

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of predict_proba.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        array of shape (n_samples, n_classes)
            A column for each of `classes_`.
        """
        with np.errstate(divide="ignore"), native.UsualFloats():
            logarithms: Floats = np.log(self.predict_proba(X))
        return logarithms

    def _gives_confidence(self) -> bool:
        why = self.model_.why_no_confidence if self.__sklearn_is_fitted__() else None
        if why is None:
            return True
        raise AttributeError(f"This model {why}: use predict_proba, or learn it with rule='arow' for a confidence.")

    @available_if(_gives_confidence)
    def predict_confidence(self, X: Any) -> Floats:
        """How well the rows learned settle each prediction.

        It is not the chance of being right, which predict_proba gives.

        Parameters
        ----------
        X : DataFrame, Arrow table, list of dicts or of texts, matrix, or path
            The rows; their columns are found by name where they have names.

        Returns
        -------
        array of shape (n_samples,)
            The standard deviations of arow between the score of a row and a decision for another class.
        """
        model = snapshot(self)
        model._fitted_run()
        source = raw_rows.source_to_read(model, X, model.model_)
        parts = [
            model.model_.confidences(block.values, model.model_.unit_scores(block.values))
            for block in source.blocks(thread_count(model.n_jobs))
        ]
        return np.concatenate([np.asarray(part) for part in parts])

    @property
    def space_(self) -> FeatureSpace:
        """What the columns of a matrix mean that `predict` takes, for `read(path, like=...)`."""
        self._fitted_run()
        space = self.model_.space
        return space if space.kind != "index" else replace(space, shift=None, scale=None)
