"""The function `compare`: the perceptron and its relatives on the same folds of the same data."""

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from rosenblatt import options
from rosenblatt.comparison.six_questions import QuestionAnswer, answer_questions
from rosenblatt.comparison.splits import Splits, stratified_splits
from rosenblatt.comparison.standardise import Standardised, with_scaling
from rosenblatt.estimators.adaline import Adaline
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.logistic_unit import LogisticUnit
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.evaluate.confidence_intervals import Estimate, wilson
from rosenblatt.records import Floats

_MAX_MARGIN_ENDINGS = {
    "separable": "the widest margin was found, within its gap",
    "inseparable": "proved that no hyperplane separates the rows",
    "undecided": "time ran out before it was proved either way",
}
_STEADY = 1e-4  # a loss has converged if its relative change in the last epoch is less than this


@dataclass(frozen=True)
class Method:
    """One line of the table. The margin is that of the model learned from all rows: negative if a row is wrong."""

    name: str
    error: Estimate  # over the held-out rows of all folds, with its 95% interval
    margin: float | None  # the least distance of a training row to the boundary; None if it is not one hyperplane
    seconds: float  # to learn one fold
    converged: bool
    why: str
    model: Any = field(repr=False, compare=False)


@dataclass(frozen=True)
class Comparison:
    """All methods on the same folds, the answers to the six questions, and notes about the data used."""

    methods: tuple[Method, ...]
    answers: tuple[QuestionAnswer, ...]
    rows: int
    features: int
    classes: tuple[Any, ...]
    folds: int
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """One line for each method: held-out error, seconds, and whether it converged."""
        lines = [f"{m.name:24} {100 * m.error.value:6.2f}%  {m.seconds:.3f} s  {m.why}" for m in self.methods]
        return "\n".join(lines)


@options.described_by(options.COMPARE)
def compare(
    X: Any,
    y: Any,
    *,
    folds: int = options.folds.default,
    scale: bool | Sequence[int] = False,
    max_iter: int = options.max_iter.default,
    max_rows: int | None = options.max_rows.default,
    questions: bool = options.questions.default,
    random_state: int = 0,
) -> Comparison:
    """Learn the same folds with every method, and measure each one.

    The methods are the perceptron with each value of `keep`, Adaline, the logistic unit, the maximum margin, and
    scikit-learn's LogisticRegression and LinearSVC. `scale` standardises all columns, or those at the given positions,
    by the training part of each fold. If there are more than `max_rows` rows, a random sample is used, and a note says
    so.

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each.
    y : array
        Their labels, of any number of classes.
    scale : bool or positions of columns, default=False
        Which columns are standardised.
    max_iter : int, default=50
        The epochs of each method.
    random_state : int, default=0
        The seed of the folds and of every method.

    Returns
    -------
    Comparison
        Each method with its test error and interval, margin, time and status; the answers to six questions.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(60, centers=[[0, 0], [4, 4]], random_state=0)
    >>> comparison = compare(X, y, folds=3)
    >>> [method.name for method in comparison.methods][:4]
    ['perceptron, last', 'perceptron, average', 'perceptron, vote', 'perceptron, pocket']
    >>> [answer.verdict for answer in comparison.answers]
    [True, False, True, False, False, True]
    """
    options.check("compare", {"folds": folds, "max_rows": max_rows, "questions": questions}, options.COMPARE)
    values, labels, notes = _check_examples(X, y, max_rows, random_state)
    splits = stratified_splits(values, labels, folds, random_state)
    methods = tuple(
        _measure(name, learner, values, labels, splits, scale)
        for name, learner in _learners(max_iter, random_state).items()
    )
    answers: tuple[QuestionAnswer, ...] = ()
    if questions:
        rows = values if isinstance(scale, bool) or not scale else Standardised(scale).fit_transform(values)
        answers = answer_questions(rows, labels, scale=scale is True, max_iter=max_iter, random_state=random_state)
    return Comparison(
        methods, answers, values.shape[0], values.shape[1], tuple(np.unique(labels).tolist()), folds, tuple(notes)
    )


def _check_examples(X: Any, y: Any, max_rows: int | None, seed: int) -> tuple[Any, NDArray[Any], list[str]]:
    values = check_input.check_values(Perceptron(), X, reset=True)
    labels = check_input.check_labels(y, values.shape[0])
    check_input.check_two_classes(np.unique(labels))
    matrix: Any = values if isinstance(values, np.ndarray) else _with_32_bit_indices(X)
    if max_rows is None or len(labels) <= max_rows:
        return matrix, labels, []
    sample = np.sort(np.random.default_rng(seed).permutation(len(labels))[:max_rows])
    return matrix[sample], labels[sample], [f"{max_rows:,} rows of {len(labels):,} were used, drawn at random."]


def _with_32_bit_indices(X: Any) -> Any:
    """The same sparse rows with 32-bit indices: scikit-learn's solvers take no others."""
    rows = X.tocsr()
    if rows.nnz >= 2**31 or rows.indices.dtype == rows.indptr.dtype == np.int32:
        return rows
    indices = (rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
    return type(rows)((rows.data, *indices), shape=rows.shape)


def _learners(max_iter: int, seed: int) -> dict[str, Any]:
    perceptrons = {
        f"perceptron, {keep}": Perceptron(keep=keep, max_iter=max_iter, random_state=seed)
        for keep in ("last", "average", "vote", "pocket")
    }
    return perceptrons | {
        "Adaline": Adaline(max_iter=max_iter, random_state=seed),
        "logistic unit": LogisticUnit(max_iter=max_iter, random_state=seed),
        "maximum margin": MaxMargin(),
        "LogisticRegression": LogisticRegression(random_state=seed),
        "LinearSVC": LinearSVC(random_state=seed),
    }


def _measure(name: str, learner: Any, X: Any, y: NDArray[Any], splits: Splits, scale: bool | Sequence[int]) -> Method:
    learner, n_errors, seconds = with_scaling(learner, scale, X), 0, 0.0
    for training, test in splits:
        model = clone(learner)
        start = time.perf_counter()
        _fit(model, X[training], y[training])
        seconds += time.perf_counter() - start
        n_errors += int(np.sum(model.predict(X[test]) != y[test]))
    model = clone(learner)
    gave_up = _fit(model, X, y)
    converged, why = _convergence(_last_step(model), gave_up)
    error = wilson(n_errors / len(y), len(y))
    return Method(name, error, training_margin(model, X, y), seconds / len(splits), converged, why, model)


def _last_step(model: Any) -> Any:
    return model[-1] if hasattr(model, "steps") else model


def _fit(model: Any, X: Any, y: NDArray[Any]) -> bool:
    """Fit the model; True if its solver warned that it did not converge."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    return any(issubclass(warning.category, ConvergenceWarning) for warning in caught)


def _convergence(model: Any, gave_up: bool) -> tuple[bool, str]:
    """Whether it converged, and how that is known."""
    iterations = int(np.max(getattr(model, "n_iter_", 0)))
    status = getattr(model, "status_", None)
    losses = list(getattr(model, "loss_", []))
    if isinstance(model, Perceptron):
        if status == "separated":
            return True, f"epoch {iterations} had no mistake: the rows are separated"
        return False, f"it still made {model.mistakes_[-1]:,} mistakes in epoch {iterations}"
    if status in _MAX_MARGIN_ENDINGS:
        return status == "separable", _MAX_MARGIN_ENDINGS[status]
    if len(losses) > 1:
        change = abs(losses[-1] - losses[-2]) / max(abs(losses[-2]), 1e-300)
        is_steady = change < _STEADY
        verb = "converged" if is_steady else "still changes"
        return is_steady, f"the loss {verb}: by {change:.0e} of its value in epoch {iterations}"
    if gave_up:
        return False, f"{iterations} iterations were not enough"
    return True, f"it reached its tolerance in {iterations} iterations" if iterations else str(status or "done")


def training_margin(model: Any, X: Any, y: NDArray[Any]) -> float | None:
    """The least signed distance of a row to the boundary of its class; None if that is not one hyperplane.

    Between classes k and l the boundary is where their scores are equal, so the distance is (s_k - s_l)/|w_k - w_l|.
    """
    learner = _last_step(model)
    if getattr(learner, "keep", None) == "vote" or not hasattr(learner, "coef_"):
        return None
    coef: Floats = np.atleast_2d(np.asarray(learner.coef_, dtype=np.float64))
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    index = np.searchsorted(learner.classes_, y)
    if scores.ndim == 1:
        length = float(np.linalg.norm(coef))
        return float(np.min(np.where(index == 1, scores, -scores)) / length) if length > 0 else 0.0
    lengths = np.linalg.norm(coef[:, None] - coef[None], axis=2)
    gaps = scores[np.arange(len(y)), index][:, None] - scores
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = np.where(lengths[index] > 0, gaps / lengths[index], np.inf)
    return float(distances.min())


def record_of(comparison: Comparison) -> Mapping[str, Any]:
    """The comparison as plain values, for JSON."""
    methods = [
        {
            "name": m.name,
            "error": m.error.value,
            "error_interval": [m.error.low, m.error.high],
            "margin": m.margin,
            "seconds": m.seconds,
            "converged": m.converged,
            "why": m.why,
        }
        for m in comparison.methods
    ]
    answers = [
        {"question": a.question, "verdict": a.verdict, "measured": a.measured, "numbers": dict(a.numbers)}
        for a in comparison.answers
    ]
    return {
        "rows": comparison.rows,
        "features": comparison.features,
        "classes": list(comparison.classes),
        "folds": comparison.folds,
        "methods": methods,
        "answers": answers,
        "notes": list(comparison.notes),
    }
