"""Columns of one scale, measured on the rows that are learned from and on no others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class Standardised(TransformerMixin, BaseEstimator):
    """Mean 0 and deviation 1 for some columns of a table; the others, words among them, stay as they are.

    >>> Standardised([0]).fit_transform(np.array([[1.0, 1.0], [3.0, 0.0]])).tolist()
    [[-1.0, 1.0], [1.0, 0.0]]
    """

    def __init__(self, columns: Sequence[int]) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> "Standardised":
        own = StandardScaler().fit(self._own(X))
        self.mean_, self.scale_ = np.zeros(X.shape[1]), np.ones(X.shape[1])
        self.mean_[self.columns], self.scale_[self.columns] = own.mean_, own.scale_
        return self

    def transform(self, X: Any) -> Any:
        if isinstance(X, np.ndarray):
            return (X - self.mean_) / self.scale_
        columns = np.asarray(self.columns, dtype=np.int32)
        numbers = (self._own(X) - self.mean_[columns]) / self.scale_[columns]
        others = X.tocsr(copy=True)
        others.data[np.isin(others.indices, columns)] = 0.0
        starts = np.arange(0, numbers.size + 1, len(columns), dtype=np.int32)  # scikit-learn takes 32-bit indices only
        return others + csr_array((numbers.ravel(), np.tile(columns, len(numbers)), starts), shape=X.shape)

    def _own(self, X: Any) -> Any:
        own = X[:, list(self.columns)]
        return own if isinstance(own, np.ndarray) else own.toarray()


def scaled(learner: Any, scale: bool | Sequence[int], X: Any) -> Any:
    """The learner behind a scaler of all columns, of some, or of none."""
    if scale is True:
        return make_pipeline(StandardScaler(with_mean=isinstance(X, np.ndarray)), learner)
    return make_pipeline(Standardised(list(scale)), learner) if scale else learner
