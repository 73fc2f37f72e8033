"""Slow twins of learning from files: a source of arrays, and a simple count of errors made before learning."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.learn.multiclass_schemes import predicted_classes
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.readers.source import Source
from rosenblatt.records import Block, Csr, FeatureSpace, Label, SourceBlock


class Arrays(Source):
    """Rows in memory as a source of blocks; labels and features are numbered in order of appearance."""

    format = "arrays"

    def __init__(
        self,
        X: NDArray[Any],
        y: Any,
        *,
        step: int = 7,
        sparse: bool = True,
        rewindable: bool = True,
        weights: Any = None,
    ) -> None:
        self.X, self.y, self.step, self.sparse, self.weights = X, list(y), step, sparse, weights
        self.name, self.size, self.rewindable = "arrays", len(X), rewindable
        self.labels: list[Label] = []
        self.skipped, self.bad_rows = 0, []
        self.readings = 0

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        self.readings += 1
        if self.readings > 1 and not self.rewindable:
            raise AssertionError("a pipe was read twice")
        for first in range(0, len(self.X), self.step):
            part = slice(first, min(first + self.step, len(self.X)))
            for label in self.y[part]:
                if label is not None and label not in self.labels:
                    self.labels.append(label)
            codes = [-1 if label is None else self.labels.index(label) for label in self.y[part]]
            values = narrow_csr(self.X[part]) if self.sparse else np.ascontiguousarray(self.X[part])
            weights = None if self.weights is None else np.asarray(self.weights[part], dtype=np.float64)
            yield SourceBlock(values, np.array(codes, dtype=np.int32), weights, first, part.stop)

    @property
    def space(self) -> FeatureSpace:
        return FeatureSpace("index")


def narrow_csr(X: NDArray[Any]) -> Csr:
    """CSR that is only as wide as its own features require."""
    rows, columns = np.nonzero(X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))]).astype(np.int64)
    features = int(columns.max()) + 1 if len(columns) else 0
    return Csr(indptr, columns.astype(np.int32), X[rows, columns], features)


def progressive_error(
    settings: Settings, X: NDArray[Any], labels: NDArray[np.int32], classes: int, weights: Any = None
) -> float:
    """Predict each row with the current answer of the run, then learn it: the weighted share of wrong predictions."""
    run = Run(settings, X.shape[1], np.ones(classes), 0)
    weights = np.ones(len(X)) if weights is None else weights
    wrong = 0.0
    for i in range(len(X)):
        row = np.ascontiguousarray(X[i : i + 1])
        answer = run.final_weights
        predicted = predicted_classes(answer.scheme, answer.scores(native.rows_of(row)), classes)
        wrong += weights[i] * (predicted[0] != labels[i])
        share_pass([run], Block(row, labels[i : i + 1], weights[i : i + 1]))
    return float(wrong / weights.sum())
