"""Columns of mean 0 and deviation 1, measured on the training rows only."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class Standardised(TransformerMixin, BaseEstimator):
    """Mean 0 and deviation 1 for some columns of a table; the others, such as words, are left unchanged.

    >>> Standardised([0]).fit_transform(np.array([[1.0, 1.0], [3.0, 0.0]])).tolist()
    [[-1.0, 1.0], [1.0, 0.0]]
    """

    def __init__(self, columns: Sequence[int]) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> "Standardised":
        scaler = StandardScaler().fit(self._dense_columns(X))
        self.mean_, self.scale_ = np.zeros(X.shape[1]), np.ones(X.shape[1])
        self.mean_[self.columns], self.scale_[self.columns] = scaler.mean_, scaler.scale_
        return self

    def transform(self, X: Any) -> Any:
        if isinstance(X, np.ndarray):
            return (X - self.mean_) / self.scale_
        columns = np.asarray(self.columns, dtype=np.int32)
        scaled = (self._dense_columns(X) - self.mean_[columns]) / self.scale_[columns]
        others = X.tocsr(copy=True)
        others.data[np.isin(others.indices, columns)] = 0.0
        indptr = np.arange(0, scaled.size + 1, len(columns), dtype=np.int32)  # scikit-learn takes 32-bit indices only
        return others + csr_array((scaled.ravel(), np.tile(columns, len(scaled)), indptr), shape=X.shape)

    def _dense_columns(self, X: Any) -> Any:
        columns = X[:, list(self.columns)]
        return columns if isinstance(columns, np.ndarray) else columns.toarray()


def with_scaling(learner: Any, scale: bool | Sequence[int], X: Any) -> Any:
    """The learner behind a scaler of all columns, of those in `scale`, or of none."""
    if scale is True:
        return make_pipeline(StandardScaler(with_mean=isinstance(X, np.ndarray)), learner)
    return make_pipeline(Standardised(list(scale)), learner) if scale else learner
