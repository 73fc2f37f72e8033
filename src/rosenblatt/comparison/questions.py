"""Six questions about the perceptron and logistic regression, each answered by a measurement on the user's rows.

Two of them ask about rows that can be separated and one about rows that cannot. Which kind the user's rows are is
proved (`certify`), not guessed from a run that does not end. Where they are not of the kind asked for, the nearest
that are stand in: those that one hyperplane gets right with some room, in columns of one scale, or all of them with
one row again under the other label.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from rosenblatt.certificates.search import certify
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
_MOST = 2000  # rows that the widest separator is looked for among
_FIRM = 1e6  # C: so little regularisation that the data decides
_SEEDS = 10
_SMALL = 2**22  # values that are written out where the rows are sparse
_PATIENCE = 20.0  # seconds for the widest separator


@dataclass(frozen=True)
class Answer:
    """A statement, whether it is true, and the measurement that says so."""

    question: str
    verdict: bool
    measured: str
    numbers: Mapping[str, float]


def answers_on(
    X: Any, y: NDArray[Any], *, scale: bool = False, max_iter: int = 50, random_state: int = 0
) -> tuple[Answer, ...]:
    """The six answers, on the two largest classes and at most 2,000 rows of them."""
    rows, target = _two_classes(X, y, random_state)
    if scale:
        rows = _one_scale(rows)
    proved = certify(rows, target, time_limit=_PATIENCE, gap=0.5).kind
    easy, easy_target = (rows, target) if proved == "separable" else _separable(rows, target)
    hard, hard_target = (rows, target) if proved == "inseparable" else _contradicted(rows, target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            _both_classify(rows, target, max_iter, random_state),
            _neither_converges(hard, hard_target, max_iter, random_state),
            _becomes_a_step(easy, easy_target),
            _only_one_has_a_boundary(rows, target, max_iter, random_state),
            *_margins(easy, easy_target, max_iter),
        )


def _two_classes(X: Any, y: NDArray[Any], seed: int) -> tuple[Any, NDArray[np.intp]]:
    classes, counts = np.unique(y, return_counts=True)
    two = np.sort(np.argsort(-counts, kind="stable")[:2])
    where = np.flatnonzero(np.isin(y, classes[two]))
    if len(where) > _MOST:
        where = np.sort(np.random.default_rng(seed).permutation(where)[:_MOST])
    return _compact(X[where]), (y[where] == classes[two[1]]).astype(np.intp)


def _compact(rows: Any) -> Any:
    """Sparse rows without the columns in which all are 0, which move no weight, and dense if they are then small:
    hashed words have millions of columns."""
    if not isinstance(rows, np.ndarray):
        rows = rows[:, np.unique(rows.indices)]
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
        if rows.shape[0] * rows.shape[1] > _SMALL:
            return rows.astype(np.float64)
        rows = rows.toarray()
    return np.asarray(rows, dtype=np.float64)


def _one_scale(rows: Any) -> Any:
    """Columns of deviation 1; of mean 0 too where zeros need not stay zeros."""
    return StandardScaler(with_mean=isinstance(rows, np.ndarray)).fit_transform(rows)


def _logistic(C: float) -> Any:
    return LogisticRegression(C=C, max_iter=5000, tol=1e-8)


def _separable(rows: Any, target: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp]]:
    """The rows themselves where one hyperplane gets all of them right; else, in columns of one scale, those that it
    gets right with some room: a tenth of the usual distance, for the nearest row decides how long learning takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if (_logistic(_FIRM).fit(rows, target).predict(rows) == target).all():
            return rows, target
        rows = _one_scale(rows)
        scores = _logistic(_FIRM).fit(rows, target).decision_function(rows)
    clear = np.where(target == 1, scores, -scores)
    right = clear > 0.1 * float(np.median(clear[clear > 0])) if (clear > 0).any() else clear > 0
    if len(np.unique(target[right])) < 2:
        right[:] = True
    return rows[right], target[right]


def _contradicted(rows: Any, target: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp]]:
    """All the rows, and one of them again under the other label: nothing gets both right."""
    twice = np.append(np.arange(len(target)), 0)
    return rows[twice], np.append(target, 1 - target[0])


def _both_classify(rows: Any, target: NDArray[np.intp], max_iter: int, seed: int) -> Answer:
    share = float(np.mean(target))
    unit = float(np.mean(Perceptron(max_iter=max_iter, random_state=seed).fit(rows, target).predict(rows) == target))
    curve = float(np.mean(_logistic(1.0).fit(rows, target).predict(rows) == target))
    rate = max(share, 1 - share)
    measured = (
        f"Of {rows.shape[0]:,} rows of two classes the perceptron decides {unit:.1%} rightly, logistic regression "
        f"{curve:.1%}; always naming the larger class, {rate:.1%}."
    )
    numbers = {"perceptron": unit, "logistic": curve, "larger_class": rate}
    return Answer(QUESTIONS[0], True, measured, numbers)


def _neither_converges(rows: Any, target: NDArray[np.intp], max_iter: int, seed: int) -> Answer:
    run = Perceptron(keep="last", max_iter=20 * max_iter, random_state=seed).fit(rows, target)
    curve = _logistic(1.0).fit(rows, target)
    steps = int(curve.n_iter_[0])
    slope = _slope(curve, rows, target, 1.0)
    measured = (
        f"On {rows.shape[0]:,} rows that are not separable the perceptron made {run.mistakes_[-1]:,} mistakes still "
        f"in epoch {run.n_iter_:,}; logistic regression stopped after {steps:,} steps at a gradient of {slope:.0e} a "
        "row."
    )
    settled = steps < 5000
    numbers = {"mistakes_in_last_epoch": run.mistakes_[-1], "logistic_steps": steps, "logistic_gradient": slope}
    return Answer(QUESTIONS[1], not settled and run.status_ != "separated", measured, numbers)


def _slope(model: Any, rows: Any, target: NDArray[np.intp], C: float) -> float:
    """The largest slope of the mean regularised logistic loss."""
    rest = model.predict_proba(rows)[:, 1] - target
    return float(np.max(np.abs(rows.T @ rest + model.coef_[0] / C)) / rows.shape[0])


def _becomes_a_step(rows: Any, target: NDArray[np.intp]) -> Answer:
    share, length = {}, {}
    for C in (1.0, _FIRM):
        model = _logistic(C).fit(rows, target)
        probability = model.predict_proba(rows)[:, 1]
        share[C] = float(np.mean(np.minimum(probability, 1 - probability) < 0.01))
        length[C] = float(np.linalg.norm(model.coef_))
    measured = (
        f"On {rows.shape[0]:,} separable rows the weights grow from {length[1.0]:.3g} to {length[_FIRM]:.3g} as the "
        f"regularisation is taken away, and the rows given a probability within 0.01 of 0 or 1 from {share[1.0]:.0%} "
        f"to {share[_FIRM]:.0%}."
    )
    numbers = {"near_step_before": share[1.0], "near_step_after": share[_FIRM]}
    return Answer(QUESTIONS[2], length[_FIRM] > length[1.0] and share[_FIRM] >= share[1.0], measured, numbers)


def _only_one_has_a_boundary(rows: Any, target: NDArray[np.intp], max_iter: int, seed: int) -> Answer:
    unit = Perceptron(max_iter=max_iter, random_state=seed).fit(rows, target)
    curve = _logistic(1.0).fit(rows, target)
    v, w = unit.coef_[0], curve.coef_[0]
    lengths = float(np.linalg.norm(v) * np.linalg.norm(w))
    angle = float(np.degrees(np.arccos(np.clip(v @ w / lengths, -1, 1)))) if lengths else 0.0
    agree = float(np.mean(unit.predict(rows) == curve.predict(rows)))
    measured = (
        f"Both are a hyperplane w.x + b = 0, logistic regression where its probability is 1/2: the two normals lie "
        f"{angle:.0f} degrees apart and the decisions agree on {agree:.1%} of the rows."
    )
    return Answer(QUESTIONS[3], lengths == 0, measured, {"degrees_apart": angle, "agreement": agree})


def _margins(rows: Any, target: NDArray[np.intp], max_iter: int) -> tuple[Answer, Answer]:
    """Margins on separable rows, as shares of the widest; logistic regression tends to it (Soudry et al. 2018)."""
    widest = _margin(MaxMargin(gap=1e-3, time_limit=_PATIENCE).fit(rows, target), rows, target)
    units = [
        Perceptron(keep="last", max_iter=20 * max_iter, random_state=seed).fit(rows, target) for seed in range(_SEEDS)
    ]
    ended = [unit for unit in units if unit.status_ == "separated"]
    curves = {C: _margin(_logistic(C).fit(rows, target), rows, target) for C in (1.0, 1e3, _FIRM)}
    widest = max([widest, 1e-300, *curves.values()])  # where time was too short to prove the widest, the widest found
    shares = np.array([_margin(unit, rows, target) / widest for unit in ended] or [0.0])
    within = {C: margin / widest for C, margin in curves.items()}
    mean = float(np.mean(shares))
    numbers = {"mean_share": mean, "least_share": float(shares.min()), "separated": float(len(ended))}
    return (
        Answer(QUESTIONS[4], bool(mean > 0.9), _of_units(rows.shape[0], len(ended), shares, 20 * max_iter), numbers),
        Answer(
            QUESTIONS[5],
            bool(within[_FIRM] > max(mean, within[1.0] - 0.01)),
            f"Its margin as a share of the widest, as the regularisation is taken away: "
            f"{', '.join(f'{_share(share)} (C={C:g})' for C, share in within.items())}.",
            {f"C={C:g}": float(share) for C, share in within.items()},
        ),
    )


def _of_units(rows: int, ended: int, shares: NDArray[Any], epochs: int) -> str:
    if not ended:
        return (
            f"On {rows:,} separable rows it found no separator in {epochs:,} epochs, in none of {_SEEDS} orders: it "
            "does not look for the widest, and this one is narrow."
        )
    some = "" if ended == _SEEDS else f" (in {_SEEDS - ended} more it had not ended after {epochs:,} epochs)"
    return (
        f"On {rows:,} separable rows its margin is {np.mean(shares):.0%} of the widest on average over {ended} orders"
        f"{some}, from {shares.min():.0%} to {shares.max():.0%}: it stops at the first separator it meets."
    )


def _share(share: float) -> str:
    return f"{share:.0%}" if share > 0 else "none, a row is on the wrong side"


def _margin(model: Any, rows: Any, target: NDArray[np.intp]) -> float:
    length = float(np.linalg.norm(model.coef_))
    scores = model.decision_function(rows)
    return float(np.min(np.where(target == 1, scores, -scores)) / length) if length else 0.0
