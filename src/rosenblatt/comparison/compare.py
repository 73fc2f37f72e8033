"""The perceptron and its relatives on the same folds of the same data: one record, ready to be told or drawn."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from rosenblatt import options
from rosenblatt.comparison.questions import Answer, answers_on
from rosenblatt.errors import DataError
from rosenblatt.estimators import check_input
from rosenblatt.estimators.adaline import Adaline
from rosenblatt.estimators.logistic import LogisticUnit
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.standardise import Standardised, scaled
from rosenblatt.evaluate.intervals import Estimate, wilson
from rosenblatt.records import Floats

_WIDEST = {
    "separable": "the widest margin was found, within its gap",
    "inseparable": "proved that no hyperplane separates the rows",
    "undecided": "its time was spent before it was proved either way",
}
_STEADY = 1e-4  # a loss that moves less than this share in an epoch has settled


@dataclass(frozen=True)
class Method:
    """One line of the table. The margin is that of the model learned from all rows: below 0 where one is wrong."""

    name: str
    error: Estimate  # over the held-out rows of all folds, with its 95% interval
    margin: float | None  # the least distance of a training row to the boundary; None where there is no one boundary
    seconds: float  # to learn one fold
    converged: bool
    why: str
    model: Any = field(repr=False, compare=False)


@dataclass(frozen=True)
class Comparison:
    """All methods on the same folds, the six questions answered, and what should be known about both."""

    methods: tuple[Method, ...]
    answers: tuple[Answer, ...]
    rows: int
    features: int
    classes: tuple[Any, ...]
    folds: int
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """One line a method: held-out error in percent, margin, seconds."""
        lines = [f"{m.name:24} {100 * m.error.value:6.2f}%  {m.seconds:.3f} s  {m.why}" for m in self.methods]
        return "\n".join(lines)


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
    """Learn the same folds by every method and tell how each did.

    The perceptron with each of its answers, Adaline, the logistic unit, the widest separator where it is there, and
    scikit-learn's LogisticRegression and LinearSVC. `scale` standardises the columns, or those named by their
    positions, by each training part; of more than `max_rows` rows a random part is used, which the notes say.

    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(60, centers=[[0, 0], [4, 4]], random_state=0)
    >>> found = compare(X, y, folds=3)
    >>> [method.name for method in found.methods][:4]
    ['perceptron, last', 'perceptron, average', 'perceptron, vote', 'perceptron, pocket']
    >>> [answer.verdict for answer in found.answers]
    [True, False, True, False, False, True]
    """
    options.check("compare", {"folds": folds, "max_rows": max_rows, "questions": questions}, options.COMPARE)
    values, labels, notes = _examples(X, y, max_rows, random_state)
    smallest = int(np.unique(labels, return_counts=True)[1].min())
    if not 2 <= folds <= smallest:
        raise DataError(
            f"{folds} folds need as many rows of every class and at least 2; the smallest class has {smallest}: "
            "choose fewer folds, or bring more rows."
        )
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=random_state).split(values, labels))
    made = _methods(max_iter, random_state)
    methods = tuple(_measured(name, make, values, labels, splits, scale) for name, make in made.items())
    answers: tuple[Answer, ...] = ()
    if questions:
        rows = values if isinstance(scale, bool) or not scale else Standardised(scale).fit_transform(values)
        answers = answers_on(rows, labels, scale=scale is True, max_iter=max_iter, random_state=random_state)
    return Comparison(
        methods,
        answers,
        values.shape[0],
        values.shape[1],
        tuple(np.unique(labels).tolist()),
        folds,
        tuple(notes),
    )


def _examples(X: Any, y: Any, max_rows: int | None, seed: int) -> tuple[Any, NDArray[Any], list[str]]:
    probe = Perceptron(max_iter=1)
    values = check_input.check_values(probe, X, reset=True)
    labels = check_input.check_labels(y, values.shape[0])
    check_input.check_two_classes(np.unique(labels))
    matrix: Any = values if isinstance(values, np.ndarray) else _narrow(X)
    if max_rows is None or len(labels) <= max_rows:
        return matrix, labels, []
    chosen = np.sort(np.random.default_rng(seed).permutation(len(labels))[:max_rows])
    return matrix[chosen], labels[chosen], [f"{max_rows:,} rows of {len(labels):,} were used, drawn at random."]


def _narrow(X: Any) -> Any:
    """The same sparse rows with 32-bit indices, the only ones that scikit-learn's solvers take."""
    rows = X.tocsr()
    if rows.nnz >= 2**31 or rows.indices.dtype == rows.indptr.dtype == np.int32:
        return rows
    indices = (rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
    return type(rows)((rows.data, *indices), shape=rows.shape)


def _methods(max_iter: int, seed: int) -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {}
    for keep in ("last", "average", "vote", "pocket"):
        made[f"perceptron, {keep}"] = partial(Perceptron, keep=keep, max_iter=max_iter, random_state=seed)
    made["Adaline"] = lambda: Adaline(max_iter=max_iter, random_state=seed)
    made["logistic unit"] = lambda: LogisticUnit(max_iter=max_iter, random_state=seed)
    made["maximum margin"] = MaxMargin
    made["LogisticRegression"] = lambda: LogisticRegression(random_state=seed)
    made["LinearSVC"] = lambda: LinearSVC(random_state=seed)
    return made


def _measured(
    name: str,
    make: Callable[[], Any],
    X: Any,
    y: NDArray[Any],
    splits: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    scale: bool | Sequence[int],
) -> Method:
    learner, wrong, seconds = scaled(make(), scale, X), 0, 0.0
    for training, test in splits:
        model = clone(learner)
        start = time.perf_counter()
        _learn(model, X[training], y[training])
        seconds += time.perf_counter() - start
        wrong += int(np.sum(model.predict(X[test]) != y[test]))
    whole = clone(learner)
    gave_up = _learn(whole, X, y)
    converged, why = _ending(_last(whole), gave_up)
    error = wilson(wrong / len(y), len(y))
    return Method(name, error, training_margin(whole, X, y), seconds / len(splits), converged, why, whole)


def _last(model: Any) -> Any:
    return model[-1] if hasattr(model, "steps") else model


def _learn(model: Any, X: Any, y: NDArray[Any]) -> bool:
    """Learn; True if the solver said that it gave up."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model.fit(X, y)
    return any(issubclass(warning.category, ConvergenceWarning) for warning in heard)


def _ending(model: Any, gave_up: bool) -> tuple[bool, str]:
    """Did it converge, and how is that known?"""
    iterations = int(np.max(getattr(model, "n_iter_", 0)))
    status = getattr(model, "status_", None)
    losses = list(getattr(model, "loss_", []))
    if isinstance(model, Perceptron):
        if status == "separated":
            return True, f"epoch {iterations} had no mistake: the rows are separated"
        return False, f"{model.mistakes_[-1]:,} mistakes still in epoch {iterations}"
    if status in _WIDEST:
        return status == "separable", _WIDEST[status]
    if len(losses) > 1:
        change = abs(losses[-1] - losses[-2]) / max(abs(losses[-2]), 1e-300)
        settled = change < _STEADY
        return settled, f"the loss {'settled' if settled else 'still moves'}: {change:.0e} of it in epoch {iterations}"
    if gave_up:
        return False, f"its {iterations} iterations were not enough"
    return True, f"its tolerance was reached in {iterations} iterations" if iterations else str(status or "done")


def training_margin(model: Any, X: Any, y: NDArray[Any]) -> float | None:
    """The least signed distance of a row to the boundary it should be clear of; None without one hyperplane a class.

    Between classes k and l the boundary is where their scores are equal, so the distance is (s_k - s_l)/|w_k - w_l|.
    """
    learner = _last(model)
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


def record_of(found: Comparison) -> Mapping[str, Any]:
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
        for m in found.methods
    ]
    answers = [
        {"question": a.question, "verdict": a.verdict, "measured": a.measured, "numbers": dict(a.numbers)}
        for a in found.answers
    ]
    return {
        "rows": found.rows,
        "features": found.features,
        "classes": list(found.classes),
        "folds": found.folds,
        "methods": methods,
        "answers": answers,
        "notes": list(found.notes),
    }
