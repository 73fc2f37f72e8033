"""Six questions about the perceptron and logistic regression, each answered by a measurement on the user's rows.

Some are about separable rows and one is about rows that are not. `certify` proves which kind the user's rows are.
If a question needs the other kind, it is asked of similar rows: the rows that one hyperplane gets right with some room,
in standardised columns; or all rows, with one of them repeated under the other label.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from rosenblatt.certificates.certify import certify
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.perceptron import Perceptron

QUESTIONS = (
    "Both are algorithms for binary classification.",
    "When the data is not linearly separable, neither converges.",
    "When the data is linearly separable, the logistic curve comes to look like the perceptron's step.",
    "Only the perceptron defines a decision boundary.",
    "The perceptron promotes a large margin.",
    "Logistic regression promotes a large margin.",
)
_MAX_ROWS = 2000  # the search for the widest separator is slow
_HARDLY_REGULARISED = 1e6  # C of a logistic regression that the data alone decides
_SEEDS = 10
_MAX_DENSE_VALUES = 2**22  # sparse rows with no more values than this are made dense
_TIME_LIMIT = 20.0  # seconds for the widest separator


@dataclass(frozen=True)
class QuestionAnswer:
    """A statement, whether it is true, and the measurement that says so."""

    question: str
    verdict: bool
    measured: str
    numbers: Mapping[str, float]


def answer_questions(
    X: Any, y: NDArray[Any], *, scale: bool = False, max_iter: int = 50, random_state: int = 0
) -> tuple[QuestionAnswer, ...]:
    """Answer the six questions on the two largest classes, with at most 2,000 rows of them."""
    rows, target = _two_classes(X, y, random_state)
    if scale:
        rows = _standardise(rows)
    kind = certify(rows, target, time_limit=_TIME_LIMIT, gap=0.5).kind
    separable, separable_target = (rows, target) if kind == "separable" else _separable_part(rows, target)
    inseparable, inseparable_target = (rows, target) if kind == "inseparable" else _with_contradiction(rows, target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            _both_classify(rows, target, max_iter, random_state),
            _neither_converges(inseparable, inseparable_target, max_iter, random_state),
            _becomes_a_step(separable, separable_target),
            _only_one_has_a_boundary(rows, target, max_iter, random_state),
            *_margins(separable, separable_target, max_iter),
        )


def _two_classes(X: Any, y: NDArray[Any], seed: int) -> tuple[Any, NDArray[np.intp]]:
    classes, counts = np.unique(y, return_counts=True)
    largest = np.sort(np.argsort(-counts, kind="stable")[:2])
    rows = np.flatnonzero(np.isin(y, classes[largest]))
    if len(rows) > _MAX_ROWS:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[:_MAX_ROWS])
    return _compact(X[rows]), (y[rows] == classes[largest[1]]).astype(np.intp)


def _compact(rows: Any) -> Any:
    """Sparse rows without their empty columns, and dense if they are small then: hashed words have millions of columns,
    and an empty column changes no weight."""
    if not isinstance(rows, np.ndarray):
        rows = rows[:, np.unique(rows.indices)]
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
        if rows.shape[0] * rows.shape[1] > _MAX_DENSE_VALUES:
            return rows.astype(np.float64)
        rows = rows.toarray()
    return np.asarray(rows, dtype=np.float64)


def _standardise(rows: Any) -> Any:
    """Columns of deviation 1, and of mean 0 unless the rows are sparse."""
    return StandardScaler(with_mean=isinstance(rows, np.ndarray)).fit_transform(rows)


def _logistic(C: float) -> Any:
    return LogisticRegression(C=C, max_iter=5000, tol=1e-8)


def _separable_part(rows: Any, target: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp]]:
    """The rows themselves if a logistic regression separates them; else, in standardised columns, those that it gets
    right by a tenth of the median distance: the nearest row decides how long learning takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if (_logistic(_HARDLY_REGULARISED).fit(rows, target).predict(rows) == target).all():
            return rows, target
        rows = _standardise(rows)
        scores = _logistic(_HARDLY_REGULARISED).fit(rows, target).decision_function(rows)
    margins = np.where(target == 1, scores, -scores)
    is_clear = margins > 0.1 * float(np.median(margins[margins > 0])) if (margins > 0).any() else margins > 0
    if len(np.unique(target[is_clear])) < 2:
        is_clear[:] = True
    return rows[is_clear], target[is_clear]


def _with_contradiction(rows: Any, target: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp]]:
    """All the rows, and the first of them again under the other label: no classifier gets both right."""
    positions = np.append(np.arange(len(target)), 0)
    return rows[positions], np.append(target, 1 - target[0])


def _both_classify(rows: Any, target: NDArray[np.intp], max_iter: int, seed: int) -> QuestionAnswer:
    positive = float(np.mean(target))
    majority = max(positive, 1 - positive)
    unit = Perceptron(max_iter=max_iter, random_state=seed).fit(rows, target)
    perceptron = float(np.mean(unit.predict(rows) == target))
    logistic = float(np.mean(_logistic(1.0).fit(rows, target).predict(rows) == target))
    measured = (
        f"On {rows.shape[0]:,} rows of two classes the perceptron is right on {perceptron:.1%}, logistic regression on "
        f"{logistic:.1%}; always naming the larger class is right on {majority:.1%}."
    )
    numbers = {"perceptron": perceptron, "logistic": logistic, "larger_class": majority}
    return QuestionAnswer(QUESTIONS[0], True, measured, numbers)


def _neither_converges(rows: Any, target: NDArray[np.intp], max_iter: int, seed: int) -> QuestionAnswer:
    unit = Perceptron(keep="last", max_iter=20 * max_iter, random_state=seed).fit(rows, target)
    logistic = _logistic(1.0).fit(rows, target)
    steps = int(logistic.n_iter_[0])
    gradient = _largest_gradient(logistic, rows, target, 1.0)
    measured = (
        f"On {rows.shape[0]:,} rows that are not separable the perceptron still made {unit.mistakes_[-1]:,} mistakes "
        f"in epoch {unit.n_iter_:,}; logistic regression stopped after {steps:,} steps at a gradient of {gradient:.0e} "
        "per row."
    )
    numbers = {"mistakes_in_last_epoch": unit.mistakes_[-1], "logistic_steps": steps, "logistic_gradient": gradient}
    return QuestionAnswer(QUESTIONS[1], steps >= 5000 and unit.status_ != "separated", measured, numbers)


def _largest_gradient(model: Any, rows: Any, target: NDArray[np.intp], C: float) -> float:
    """The largest component of the gradient of the mean regularised logistic loss."""
    residual = model.predict_proba(rows)[:, 1] - target
    return float(np.max(np.abs(rows.T @ residual + model.coef_[0] / C)) / rows.shape[0])


def _becomes_a_step(rows: Any, target: NDArray[np.intp]) -> QuestionAnswer:
    near_step, length = {}, {}
    for C in (1.0, _HARDLY_REGULARISED):
        model = _logistic(C).fit(rows, target)
        probability = model.predict_proba(rows)[:, 1]
        near_step[C] = float(np.mean(np.minimum(probability, 1 - probability) < 0.01))
        length[C] = float(np.linalg.norm(model.coef_))
    before, after = 1.0, _HARDLY_REGULARISED
    measured = (
        f"On {rows.shape[0]:,} separable rows, as the regularisation is removed, the length of the weights grows from "
        f"{length[before]:.3g} to {length[after]:.3g}, and the share of rows with a probability within 0.01 of 0 or 1 "
        f"from {near_step[before]:.0%} to {near_step[after]:.0%}."
    )
    numbers = {"near_step_before": near_step[before], "near_step_after": near_step[after]}
    verdict = length[after] > length[before] and near_step[after] >= near_step[before]
    return QuestionAnswer(QUESTIONS[2], verdict, measured, numbers)


def _only_one_has_a_boundary(rows: Any, target: NDArray[np.intp], max_iter: int, seed: int) -> QuestionAnswer:
    unit = Perceptron(max_iter=max_iter, random_state=seed).fit(rows, target)
    logistic = _logistic(1.0).fit(rows, target)
    v, w = unit.coef_[0], logistic.coef_[0]
    lengths = float(np.linalg.norm(v) * np.linalg.norm(w))
    angle = float(np.degrees(np.arccos(np.clip(v @ w / lengths, -1, 1)))) if lengths else 0.0
    agreement = float(np.mean(unit.predict(rows) == logistic.predict(rows)))
    measured = (
        f"Both have a hyperplane w.x + b = 0 as their boundary; for logistic regression it is where the probability is "
        f"1/2. The two normals are {angle:.0f} degrees apart, and the predictions agree on {agreement:.1%} of the rows."
    )
    return QuestionAnswer(QUESTIONS[3], lengths == 0, measured, {"degrees_apart": angle, "agreement": agreement})


def _margins(rows: Any, target: NDArray[np.intp], max_iter: int) -> tuple[QuestionAnswer, QuestionAnswer]:
    """Margins on separable rows, as shares of the widest; logistic regression tends to it (Soudry et al. 2018)."""
    widest = _margin(MaxMargin(gap=1e-3, time_limit=_TIME_LIMIT).fit(rows, target), rows, target)
    units = [
        Perceptron(keep="last", max_iter=20 * max_iter, random_state=seed).fit(rows, target) for seed in range(_SEEDS)
    ]
    separating = [unit for unit in units if unit.status_ == "separated"]
    logistic = {C: _margin(_logistic(C).fit(rows, target), rows, target) for C in (1.0, 1e3, _HARDLY_REGULARISED)}
    # Where time ran out before the widest was proven, the widest that was found is used.
    widest = max([widest, 1e-300, *logistic.values()])
    shares = np.array([_margin(unit, rows, target) / widest for unit in separating] or [0.0])
    logistic_shares = {C: margin / widest for C, margin in logistic.items()}
    mean = float(np.mean(shares))
    numbers = {"mean_share": mean, "least_share": float(shares.min()), "separated": float(len(separating))}
    of_perceptron = _perceptron_margins(rows.shape[0], len(separating), shares, 20 * max_iter)
    listed = ", ".join(f"{_percent(share)} (C={C:g})" for C, share in logistic_shares.items())
    is_wide = logistic_shares[_HARDLY_REGULARISED] > max(mean, logistic_shares[1.0] - 0.01)
    return (
        QuestionAnswer(QUESTIONS[4], bool(mean > 0.9), of_perceptron, numbers),
        QuestionAnswer(
            QUESTIONS[5],
            bool(is_wide),
            f"Its margin as a share of the widest, as the regularisation is removed: {listed}.",
            {f"C={C:g}": float(share) for C, share in logistic_shares.items()},
        ),
    )


def _perceptron_margins(n_rows: int, n_separating: int, shares: NDArray[Any], epochs: int) -> str:
    if not n_separating:
        return (
            f"On {n_rows:,} separable rows it found no separator in {epochs:,} epochs, in any of {_SEEDS} orders: the "
            "margin of these rows is narrow, and it does not look for the widest."
        )
    unfinished = "" if n_separating == _SEEDS else f" ({_SEEDS - n_separating} more were not done in {epochs:,} epochs)"
    return (
        f"On {n_rows:,} separable rows its margin is {np.mean(shares):.0%} of the widest on average over "
        f"{n_separating} orders{unfinished}, from {shares.min():.0%} to {shares.max():.0%}: it stops at the first "
        "separator it finds."
    )


def _percent(share: float) -> str:
    return f"{share:.0%}" if share > 0 else "none, a row is misclassified"


def _margin(model: Any, rows: Any, target: NDArray[np.intp]) -> float:
    """The least distance of a row to the boundary; negative if a row is misclassified."""
    length = float(np.linalg.norm(model.coef_))
    scores = model.decision_function(rows)
    return float(np.min(np.where(target == 1, scores, -scores)) / length) if length else 0.0
