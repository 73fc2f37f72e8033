"""Training and held-out error against the degree of a polynomial: the warning of overfitting, measured."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import check_input
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.evaluate.intervals import Estimate, wilson


@dataclass(frozen=True)
class Degree:
    """One degree: the errors, and how many examples the boundary rests on."""

    degree: int
    training_error: float
    held_out_error: Estimate  # over the held-out rows of all folds, with its 95% interval
    support: float  # support examples of a fold, on average


@dataclass(frozen=True)
class DegreeReport:
    """All degrees on the same folds, and the one with the least held-out error."""

    degrees: tuple[Degree, ...]
    rows: int
    folds: int

    @property
    def best(self) -> Degree:
        """The least held-out error; of equals, the lowest degree."""
        return min(self.degrees, key=lambda one: (one.held_out_error.value, one.degree))

    @property
    def overfits(self) -> tuple[int, ...]:
        """Degrees above the best whose training error is no higher but whose held-out error surely is."""
        best = self.best
        return tuple(
            one.degree
            for one in self.degrees
            if one.degree > best.degree
            and one.training_error <= best.training_error
            and one.held_out_error.low > best.held_out_error.value
        )

    def __str__(self) -> str:
        lines = [f"{'degree':>6} {'training':>9} {'held out':>9} {'95% interval':>16} {'support':>8}"]
        for one in self.degrees:
            error = one.held_out_error
            interval = f"{100 * error.low:.1f}% to {100 * error.high:.1f}%"
            mark = "  best" if one is self.best else "  overfits" if one.degree in self.overfits else ""
            lines.append(
                f"{one.degree:6d} {100 * one.training_error:8.2f}% {100 * error.value:8.2f}% {interval:>16} "
                f"{one.support:8.0f}{mark}"
            )
        return "\n".join(lines)


def degree_report(
    X: Any,
    y: Any,
    degrees: Iterable[int] = range(1, 7),
    *,
    folds: int = options.folds.default,
    scale: bool = True,
    max_iter: int = options.max_iter.default,
    keep: str = options.keep.default,
    random_state: int = 0,
) -> DegreeReport:
    """Learn the same folds with polynomial kernels of each degree: training error falls, held-out error need not.

    >>> draw = np.random.default_rng(0)
    >>> X = draw.normal(size=(200, 4))
    >>> y = X[:, 0] * X[:, 1] + 0.3 * draw.normal(size=200) > 0
    >>> found = degree_report(X, y, folds=4)
    >>> found.best.degree, found.overfits
    (2, (5, 6))
    """
    options.check("degree_report", {"folds": folds}, {"folds": options.folds})
    if not isinstance(degrees, Iterable):
        raise ParameterError(f"degree_report takes the degrees as a list, such as [1, 2, 3]. Got {degrees!r} instead.")
    wanted = list(degrees)
    if not wanted:
        raise ParameterError("degree_report needs at least one degree.")
    values = check_input.check_values(KernelPerceptron(), X, reset=True)
    labels = check_input.check_labels(y, values.shape[0])
    check_input.check_two_classes(np.unique(labels))
    smallest = int(np.unique(labels, return_counts=True)[1].min())
    if not 2 <= folds <= smallest:
        raise DataError(
            f"folds={folds} needs as many rows of every class and at least 2; the smallest class has {smallest}."
        )
    matrix: Any = values if isinstance(values, np.ndarray) else X
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=random_state).split(matrix, labels))
    found = []
    for degree in wanted:
        unit: Any = KernelPerceptron(
            kernel="poly", degree=degree, keep=keep, max_iter=max_iter, random_state=random_state
        )
        found.append(_measured(unit, degree, matrix, labels, splits, scale))
    return DegreeReport(tuple(found), len(labels), folds)


def _measured(unit: Any, degree: int, X: Any, y: Any, splits: list[Any], scale: bool) -> Degree:
    wrong_training, wrong, seen, support = 0, 0, 0, 0
    for training, test in splits:
        model: Any = clone(unit)
        if scale:
            model = make_pipeline(StandardScaler(with_mean=isinstance(X, np.ndarray)), model)
        model.fit(X[training], y[training])
        wrong_training += int(np.sum(model.predict(X[training]) != y[training]))
        wrong += int(np.sum(model.predict(X[test]) != y[test]))
        seen += len(training)
        support += len((model[-1] if scale else model).support_)
    return Degree(degree, wrong_training / seen, wilson(wrong / len(y), len(y)), support / len(splits))
