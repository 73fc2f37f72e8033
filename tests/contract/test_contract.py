"""The learning contract, clause by clause, on whatever data hypothesis can think of.

Integer-valued data make every sum exact, so most clauses are checked against exact arithmetic written out here. The
clause "one answer" has a file of its own: test_one_answer.py. (That a model file is written whole or not at all,
the second half of clause 9, is tested in tests/cli/errors/test_no_file_is_lost.py; each warning of clause 10 by
itself in tests/model/warnings/test_fit_warnings.py.)
"""

import copy
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from rosenblatt import Adaline, LogisticUnit, Perceptron, fit_file
from tests.agree import Array, bits, rule, run_of, state

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ORDERS = st.sampled_from(["given", "shuffle", "sample"])
DYADIC = st.sampled_from([0.25, 0.5, 1.0, 2.0])  # exact in binary, so are their products with integers


@st.composite
def tables(draw: st.DrawFn, classes: int = 2, most: int = 10) -> tuple[Array, Array]:
    """Integer-valued rows with labels 0, 1, ...; every class is there."""
    n, d = draw(st.integers(classes, most)), draw(st.integers(1, 11))
    X = draw(npst.arrays(np.int64, (n, d), elements=st.integers(-4, 4)))
    y = draw(st.permutations([i % classes for i in range(n)]))
    return X.astype(float), np.array(y)


@st.composite
def separable(draw: st.DrawFn) -> tuple[Array, Array, list[Fraction]]:
    """Integer-valued rows labelled by a hyperplane (w*, b*) that none of them lies on."""
    d = draw(st.integers(1, 4))
    star = np.array(draw(st.lists(st.integers(-3, 3), min_size=d + 1, max_size=d + 1)))
    rows = draw(npst.arrays(np.int64, (draw(st.integers(2, 10)), d), elements=st.integers(-5, 5)))
    sides = rows @ star[:-1] + star[-1]
    X, y = rows[sides != 0].astype(float), (sides[sides != 0] > 0).astype(int)
    assume(len(set(y.tolist())) == 2)
    return X, y, [Fraction(int(s)) for s in star]


def mistake_bound(X: Array, y: Array, star: list[Fraction]) -> Fraction:
    """(R/gamma)², the bias a weight like the others: x0 = 1."""
    rows = [[*map(Fraction, x), Fraction(1)] for x in X.tolist()]
    radius = max(sum(v * v for v in row) for row in rows)
    sides = [sum(a * b for a, b in zip(star, row, strict=True)) for row in rows]
    gap = min(s if label else -s for s, label in zip(sides, y.tolist(), strict=True))
    return radius * sum(s * s for s in star) / gap**2


def textbook(X: Array, y: Array, eta: float, margin: float, intercept: bool = True) -> list[list[Fraction]]:
    """[b, w1, ..., wd] after each row of one pass, in exact arithmetic."""
    rate, steps = Fraction(eta), [[Fraction(0)] * (X.shape[1] + 1)]
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        sign, row = (1 if label else -1), [Fraction(int(intercept)), *map(Fraction, x)]
        s = sum(a * b for a, b in zip(steps[-1], row, strict=True))
        mistake = sign * s <= Fraction(margin)
        steps.append([w + rate * sign * v if mistake else w for w, v in zip(steps[-1], row, strict=True)])
    return steps[1:]


def lecture_order(model: Any) -> list[Fraction]:
    return [*map(Fraction, [*model.intercept_.tolist(), *model.coef_[0].tolist()])]


# ------------------------------------------------------------------------------------------------- 1. the rule


@given(tables(), DYADIC, st.sampled_from([0.0, 0.5, 3.0]), st.booleans(), st.booleans())
def test_clause_1_the_rule(table: Any, eta: float, margin: float, intercept: bool, sparse: bool) -> None:
    """A mistake is y·s <= margin; then w += η·y·x and b += η·y, the bias like any weight, in every layout."""
    X, y = table
    model = rule(eta0=eta, margin=margin, fit_intercept=intercept)
    rows = sp.csr_array(X) if sparse else X
    for i, expected in enumerate(textbook(X, y, eta, margin, intercept)):
        model.partial_fit(rows[i : i + 1], y[i : i + 1], classes=[0, 1])
        assert lecture_order(model) == expected


# ------------------------------------------------------------------------------------------ 3. honest stopping


@given(tables(), ORDERS, st.sampled_from([0.0, 1.0]), st.integers(1, 20), st.integers(0, 99))
def test_clause_3_honest_stopping(table: Any, order: str, margin: float, max_iter: int, seed: int) -> None:
    X, y = table
    model = rule(margin=margin, order=order, max_iter=max_iter, random_state=seed).fit(X, y)
    if model.status_ == "separated":
        assert model.mistakes_[-1] == 0
        assert np.all(np.where(y, 1, -1) * model.decision_function(X) > margin)  # of a sampled epoch too
    else:
        assert (model.status_, model.n_iter_) == ("budget", max_iter)
        assert order == "sample" or model.mistakes_[-1] > 0  # a sample may miss the rows it gets wrong


@given(tables(), st.integers(1, 30))
def test_clause_3_a_contradiction_is_never_separated(table: Any, max_iter: int) -> None:
    X, y = np.vstack([table[0], table[0][:1]]), np.append(table[1], 1 - table[1][0])
    model = rule(max_iter=max_iter, order="shuffle").fit(X, y)
    assert (model.status_, model.n_iter_) == ("budget", max_iter)


@pytest.mark.parametrize("learner", [Adaline, LogisticUnit])
def test_clause_3_a_smooth_loss_is_not_stopped_by_a_clean_epoch(learner: Any) -> None:
    X, y = np.array([[-1.0], [-2.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    model = learner(max_iter=7, eta0=0.01).fit(X, y)
    assert model.mistakes_[-1] == 0
    assert (model.status_, model.n_iter_) == ("budget", 7)


@pytest.mark.parametrize("patience", [1, 3])
def test_clause_3_validated_only_when_asked_for(patience: int) -> None:
    """Rows all alike with both labels: no epoch is clean, and nothing ever gets better."""
    X, y = np.ones((40, 2)), np.arange(40) % 2
    stopped = rule(early_stopping=True, n_iter_no_change=patience, max_iter=50).fit(X, y)
    assert stopped.status_ == "validated"
    assert patience <= stopped.n_iter_ < 50
    assert run_of(rule(max_iter=50).fit(X, y))["status_"] == "budget"


# --------------------------------------------------------------------------------------------- 4. epochs count


@given(tables(), st.sampled_from(["given", "shuffle"]), st.integers(1, 15), DYADIC)
def test_clause_4_epochs_count(table: Any, order: str, max_iter: int, eta: float) -> None:
    """n_iter_ epochs, n_mistakes_ updates, t_ examples: recounted here, epoch by epoch."""
    X, y = table
    model = rule(order=order, max_iter=max_iter, eta0=eta, record=True).fit(X, y)
    assert model.t_ == len(X) * model.n_iter_
    assert len(model.mistakes_) == model.n_iter_
    assert model.n_mistakes_ == sum(model.mistakes_) == len(model.trace_.t)
    by_epoch = np.bincount(model.trace_.t // len(X), minlength=model.n_iter_)
    assert by_epoch.tolist() == list(model.mistakes_)
    assert all(model.mistakes_[:-1])  # a clean epoch is the last one


@given(tables(classes=3), st.sampled_from(["ovr", "ovo", "joint"]), st.integers(1, 8))
def test_clause_4_mistakes_of_all_units_are_counted(table: Any, multi_class: str, max_iter: int) -> None:
    X, y = table
    model = rule(multi_class=multi_class, max_iter=max_iter, record=True).fit(X, y)
    updates = len(model.trace_.t)
    assert model.n_mistakes_ == sum(model.mistakes_) == (updates / 2 if multi_class == "joint" else updates)
    assert model.t_ == len(X) * model.n_iter_


# --------------------------------------------------------------------------------------------- 5. what is kept


@given(tables(most=12), DYADIC, st.integers(1, 6), st.integers(0, 20))
def test_clause_5_average_is_the_mean_over_every_example(table: Any, eta: float, epochs: int, cut: int) -> None:
    """Exact, also when streamed: the sums of dyadic numbers are, and one division is left to round."""
    X, y = (np.tile(a, (epochs, 1)) if a.ndim == 2 else np.tile(a, epochs) for a in table)
    model = rule(eta0=eta, keep="average")
    for part in np.split(np.arange(len(X)), [min(cut, len(X))]):
        if len(part):
            model.partial_fit(X[part], y[part], classes=[0, 1])
    steps = textbook(X, y, eta, 0.0)
    means = [float(sum(column) / len(steps)) for column in zip(*steps, strict=True)]
    assert [*model.intercept_, *model.coef_[0]] == pytest.approx(means, rel=1e-13, abs=1e-13)


@given(tables(most=12), st.integers(1, 4))
def test_clause_5_vote_counts_every_hypothesis_as_long_as_it_survived(table: Any, epochs: int) -> None:
    X, y = table
    model = rule(keep="vote", max_iter=epochs).fit(X, y)
    steps = textbook(np.tile(X, (epochs, 1)), np.tile(y, epochs), 1.0, 0.0)[: model.t_]
    probe = np.vstack([X, -X, X[::-1] + 1])
    for x, shown in zip(probe.tolist(), model.decision_function(probe), strict=True):
        scores = [w[0] + sum(a * Fraction(v) for a, v in zip(w[1:], x, strict=True)) for w in steps]
        assert shown == float(Fraction(sum(1 if s > 0 else -1 for s in scores), len(steps)))


@given(tables(most=12), st.sampled_from(["given", "shuffle"]), st.integers(0, 99))
def test_clause_5_pocket_never_gets_worse(table: Any, order: str, seed: int) -> None:
    X, y = table
    model = rule(keep="pocket", order=order, max_iter=1, warm_start=True, random_state=seed)
    errors = []
    for _ in range(12):
        wrong = int((model.fit(X, y).predict(X) != y).sum())
        if model.t_ > model.n_mistakes_:  # a row was right, so some weights have been judged
            errors.append(wrong)
    assert errors == sorted(errors, reverse=True)
    if model.status_ == "separated":
        assert errors[-1] == 0


def test_clause_5_pocket_keeps_what_the_last_weights_lose() -> None:
    """One row of a line mislabelled: one error is the fewest, and cycling never stays there."""
    X, y = np.arange(-4.0, 5)[:, None], np.array([1, 0, 0, 0, 0, 1, 1, 1, 1])
    options = {"order": "shuffle", "max_iter": 1, "warm_start": True}
    errors = {}
    for keep in ("pocket", "last"):
        model = rule(keep=keep, **options)
        errors[keep] = [int((model.fit(X, y).predict(X) != y).sum()) for _ in range(40)]
    assert errors["pocket"][-1] == 1 < max(errors["last"][20:])


# ------------------------------------------------------------------------------------------------ 6. prediction


@given(tables(), st.sampled_from([(0, 1), (-1, 1), ("ham", "spam"), (7, 3), (False, True)]))
def test_clause_6_prediction(table: Any, names: tuple[Any, Any]) -> None:
    X, y = table
    model = rule(max_iter=3).fit(X, np.array(names)[y])
    assert model.classes_.tolist() == sorted(names)
    scores = model.decision_function(X)
    assert model.predict(X).tolist() == [model.classes_[1] if s > 0 else model.classes_[0] for s in scores]


@pytest.mark.parametrize("learner", [Perceptron, Adaline, LogisticUnit])
def test_clause_6_a_score_of_zero_is_not_positive(learner: Any) -> None:
    model = learner(fit_intercept=False).fit([[1.0], [-1.0]], ["b", "a"])
    assert model.decision_function([[0.0]]) == 0
    assert model.predict([[0.0], [1.0], [-1.0]]).tolist() == ["a", "b", "a"]


# ----------------------------------------------------------------------------------------------- 7. the theorem


@given(separable(), DYADIC, st.sampled_from(["given", "shuffle"]), st.integers(0, 99))
def test_clause_7_the_theorem(data: Any, eta: float, order: str, seed: int) -> None:
    """From w = 0 at most (R/gamma)² mistakes, so one epoch more than that is always enough to separate."""
    X, y, star = data
    bound = mistake_bound(X, y, star)
    model = rule(eta0=eta, order=order, random_state=seed, max_iter=int(bound) + 1).fit(X, y)
    assert model.status_ == "separated"
    assert model.n_mistakes_ <= bound
    assert model.score(X, y) == 1.0


# ------------------------------------------------------------------------------------ 8. the mistake log is the run


@given(tables(), st.integers(1, 6), st.sampled_from(["given", "shuffle"]), st.sampled_from([1, 3, "full"]), DYADIC)
def test_clause_8_the_weights_are_the_sum_over_the_log(
    table: Any, epochs: int, order: str, batch: Any, eta: float
) -> None:
    X, y = table
    model = rule(eta0=eta, order=order, batch=batch, max_iter=epochs, record=True).fit(X, y)
    log = model.trace_
    assert np.abs(log.coefficient).tolist() == [eta] * model.n_mistakes_
    assert np.array_equal(np.sign(log.coefficient), np.where(y[log.row], 1, -1))
    assert np.array_equal(log.coefficient @ X[log.row], model.coef_[0])
    assert log.coefficient.sum() == model.intercept_[0]


@given(st.integers(2, 20), st.integers(1, 17), st.sampled_from(["constant", "inverse", "invsqrt", "pa1", "pa2"]),
       st.integers(0, 999))  # fmt: skip
def test_clause_8_any_step_can_be_replayed_exactly(n: int, d: int, rate: str, seed: int) -> None:
    """On real numbers too: the log's coefficients, applied one by one, pass through the same bits as the run."""
    draw = np.random.default_rng(seed)
    X, y = draw.normal(size=(n, d)), np.append([0, 1], draw.integers(0, 2, n - 2))
    options: dict[str, Any] = {"learning_rate": rate, "eta0": 0.3}
    log = rule(record=True, max_iter=1, **options).fit(X, y).trace_
    w, b, stream = np.zeros(d), 0.0, rule(**options)
    for t in range(n):
        for row, a in zip(log.row[log.t == t], log.coefficient[log.t == t], strict=True):
            w, b = w + a * X[row], b + a
        stream.partial_fit(X[t : t + 1], y[t : t + 1], classes=[0, 1])
        assert (bits(stream.coef_[0]), bits(stream.intercept_)) == (bits(w), bits([b]))


# -------------------------------------------------------------------------------------------- 9. nothing is lost


def spoiled(X: Array, y: Array, how: str) -> tuple[Any, Any, Any]:
    """The rows with one thing wrong at the end of them."""
    X, weights = X.copy(), np.ones(len(X))
    if how == "nan":
        X[-1, -1] = np.nan
    elif how == "infinity":
        X[-1, 0] = -np.inf
    elif how == "too wide":
        X = np.hstack([X, X])
    elif how == "unknown label":
        y = np.append(y[:-1], 7)
    elif how == "labels missing":
        y = y[:-1]
    elif how == "bad weight":
        weights[-1] = np.nan
    elif how == "overflow":
        X[-2:], y, weights[-2:] = 1e300, np.append(y[:-2], [0, 1]), 1e300  # one of the two is a mistake
    elif how == "negative index":
        X = sp.csr_array((np.ones(len(X)), np.full(len(X), 0), np.arange(len(X) + 1)), shape=X.shape)
        X.indices[-1] = -1
    return X, y, weights


FAULTS = ["nan", "infinity", "too wide", "unknown label", "labels missing", "bad weight", "overflow", "negative index"]


@pytest.mark.parametrize("how", FAULTS)
@given(table=tables(), keep=st.sampled_from(["last", "average", "vote"]), batch=st.sampled_from([1, 3]))
@settings(max_examples=15)
def test_clause_9_a_bad_row_never_corrupts_a_model(how: str, table: Any, keep: str, batch: int) -> None:
    """Refused with a ValueError; the model is as before and learns on as if nothing had happened."""
    X, y = table
    batch = 1 if keep == "vote" or how == "overflow" else batch
    model = rule(keep=keep, batch=batch).partial_fit(X, y, classes=[0, 1])
    untouched = copy.deepcopy(model)
    bad, labels, weights = spoiled(X, y, how)
    with pytest.raises(ValueError):  # noqa: PT011  the words are tested with the messages
        model.partial_fit(bad, labels, sample_weight=weights)
    assert state(model, X) == state(untouched, X)
    assert state(model.partial_fit(X, 1 - y), X) == state(untouched.partial_fit(X, 1 - y), X)


@pytest.mark.parametrize("how", [fault for fault in FAULTS if fault != "too wide"])
def test_clause_9_a_failed_first_call_leaves_nothing(how: str) -> None:
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]]), np.array([0, 1, 1])
    model, new = rule(), rule()
    bad, labels, weights = spoiled(X, y, how)
    with pytest.raises(ValueError):  # noqa: PT011
        model.partial_fit(bad, labels, classes=[0, 1], sample_weight=weights)
    assert vars(model) == vars(new)
    narrow = X[:, :1]  # not even the number of features was remembered
    model.partial_fit(narrow, y, classes=[0, 1])
    assert state(model, narrow) == state(new.partial_fit(narrow, y, classes=[0, 1]), narrow)


@pytest.mark.parametrize("how", [fault for fault in FAULTS if fault not in ("too wide", "unknown label")])
@pytest.mark.parametrize("warm_start", [False, True])
def test_clause_9_a_failed_fit_leaves_the_last_answer(how: str, warm_start: bool) -> None:
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]]), np.array([0, 1, 1])
    model = rule(warm_start=warm_start, max_iter=2).fit(X, y)
    before = state(model, X) | run_of(model)
    bad, labels, weights = spoiled(X, y, how)
    with pytest.raises(ValueError):  # noqa: PT011
        model.fit(bad, labels, sample_weight=weights)
    assert state(model, X) | run_of(model) == before


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.floats(0.02, 0.5))
def test_clause_10_no_worthless_answer_in_silence(seed: int, columns: int, share: float) -> None:
    """Labels that the columns know nothing of: the baseline is the share of the rarer class, and a warning is given."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(300, columns)), (random.random(300) < share).astype(int)
    assume(30 <= y.sum() <= 270)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "noise.npz"), X=X, y=y)
        fitted = fit_file(Path(folder, "noise.npz"))
    assert fitted.baseline_error == pytest.approx(min(y.mean(), 1 - y.mean()))
    learned = (fitted.choice.error if fitted.choice else fitted.progressive_error) < fitted.baseline_error
    assert learned or {"no better", "one class"} & {caution.kind for caution in fitted.warnings}
