"""The function `degree_report`: training and held-out error against the degree of a polynomial kernel."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt import options
from rosenblatt.comparison.splits import Splits, stratified_splits
from rosenblatt.comparison.standardise import with_scaling
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.evaluate.confidence_intervals import Estimate, wilson


@dataclass(frozen=True)
class Degree:
    """The errors of one degree, and the number of its support examples."""

    degree: int
    training_error: float
    held_out_error: Estimate  # over the held-out rows of all folds, with its 95% interval
    support: float  # the mean number of support examples over the folds


@dataclass(frozen=True)
class DegreeReport:
    """All degrees on the same folds, and the one with the least held-out error."""

    degrees: tuple[Degree, ...]
    rows: int
    folds: int

    @property
    def best(self) -> Degree:
        """The degree with the least held-out error; of equals, the lowest."""
        return min(self.degrees, key=lambda degree: (degree.held_out_error.value, degree.degree))

    @property
    def overfits(self) -> tuple[int, ...]:
        """Degrees above the best with no higher training error, but a held-out error whose whole interval is higher."""
        best = self.best
        return tuple(
            other.degree
            for other in self.degrees
            if other.degree > best.degree
            and other.training_error <= best.training_error
            and other.held_out_error.low > best.held_out_error.value
        )

    def __str__(self) -> str:
        lines = [f"{'degree':>6} {'training':>9} {'held out':>9} {'95% interval':>16} {'support':>8}"]
        for degree in self.degrees:
            error = degree.held_out_error
            interval = f"{100 * error.low:.1f}% to {100 * error.high:.1f}%"
            mark = "  best" if degree is self.best else "  overfits" if degree.degree in self.overfits else ""
            lines.append(
                f"{degree.degree:6d} {100 * degree.training_error:8.2f}% {100 * error.value:8.2f}% {interval:>16} "
                f"{degree.support:8.0f}{mark}"
            )
        return "\n".join(lines)


@options.described_by({"folds": options.folds, "keep": options.keep})
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

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each.
    y : array
        Their labels, of any number of classes.
    degrees : numbers, default=1 to 6
        The degrees to try.
    scale : bool, default=True
        Standardise the columns by the training part of each fold.
    max_iter : int, default=50
        The epochs of each fit.
    random_state : int, default=0
        The seed of the folds and fits.

    Returns
    -------
    DegreeReport
        Both errors for each degree; the best one, and those that overfit.

    Examples
    --------
    >>> draw = np.random.default_rng(0)
    >>> X = draw.normal(size=(200, 4))
    >>> y = X[:, 0] * X[:, 1] + 0.3 * draw.normal(size=200) > 0
    >>> report = degree_report(X, y, folds=4)
    >>> report.best.degree, report.overfits
    (2, (5, 6))
    """
    options.check("degree_report", {"folds": folds}, {"folds": options.folds})
    if not isinstance(degrees, Iterable):
        raise ParameterError(f"degree_report takes the degrees as a list, such as [1, 2, 3]. Got {degrees!r} instead.")
    degrees = list(degrees)
    if not degrees:
        raise ParameterError("degree_report needs at least one degree.")
    values = check_input.check_values(KernelPerceptron(), X, reset=True)
    labels = check_input.check_labels(y, values.shape[0])
    check_input.check_two_classes(np.unique(labels))
    matrix: Any = values if isinstance(values, np.ndarray) else X
    splits = stratified_splits(matrix, labels, folds, random_state)
    measured = []
    for degree in degrees:
        unit = KernelPerceptron(kernel="poly", degree=degree, keep=keep, max_iter=max_iter, random_state=random_state)
        measured.append(_measure(unit, degree, matrix, labels, splits, scale))
    return DegreeReport(tuple(measured), len(labels), folds)


def _measure(unit: KernelPerceptron, degree: int, X: Any, y: Any, splits: Splits, scale: bool) -> Degree:
    training_errors, test_errors, n_training, n_support = 0, 0, 0, 0
    for training, test in splits:
        model: Any = with_scaling(clone(unit), scale, X)
        model.fit(X[training], y[training])
        training_errors += int(np.sum(model.predict(X[training]) != y[training]))
        test_errors += int(np.sum(model.predict(X[test]) != y[test]))
        n_training += len(training)
        n_support += len((model[-1] if scale else model).support_)
    error = wilson(test_errors / len(y), len(y))
    return Degree(degree, training_errors / n_training, error, n_support / len(splits))
