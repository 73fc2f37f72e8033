"""The worked numbers and claims of the lectures, item by item of the curriculum: A3, B1 to B9, D1, E7."""

import pickle
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import LogisticUnit
from tests.agree import bits, rule, run_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, OR, XOR = np.array([-1, -1, -1, 1]), np.array([-1, 1, 1, 1]), np.array([-1, 1, 1, -1])


def lecture_order(model: Any) -> list[float]:
    """[w0, w1, ..., wd] with x0 = 1."""
    return [*model.intercept_.tolist(), *model.coef_[0].tolist()]


def line(n: int, d: int, seed: int) -> tuple[Any, Any, Any]:
    """n Gaussian rows at least 0.1 from a random hyperplane w*·x + b* = 0 with |(w*, b*)| = 1, and their sides."""
    draw, y = np.random.default_rng(seed), np.ones(n)
    while len(np.unique(y)) < 2:
        star = draw.normal(size=d + 1)
        star /= np.linalg.norm(star)
        X = draw.normal(size=(20 * n, d))
        X = X[np.abs(X @ star[1:] + star[0]) > 0.1][:n]
        y = np.where(X @ star[1:] + star[0] > 0, 1, -1)
    return X, y, star


# ------------------------------------------------------------------------------------- A3. the bias absorbed


@pytest.mark.parametrize("labels", [AND, OR, XOR])
@pytest.mark.parametrize("order", ["given", "shuffle", "sample"])
def test_a3_augmented_and_explicit_forms_give_the_same_run(labels: Any, order: str) -> None:
    explicit = rule(order=order, max_iter=20).fit(CORNERS, labels)
    ones = np.hstack([np.ones((4, 1)), CORNERS])
    augmented = rule(order=order, max_iter=20, fit_intercept=False).fit(ones, labels)
    assert augmented.coef_[0].tolist() == lecture_order(explicit)
    assert augmented.intercept_.tolist() == [0.0]
    assert run_of(augmented) == run_of(explicit)


# ----------------------------------------------------------------------------------------- B. learning


def test_b1_and_row_by_row() -> None:
    model, steps = rule(), []
    for x, label in zip(CORNERS, AND, strict=True):
        model.partial_fit([x], [label], classes=[-1, 1])
        steps.append(lecture_order(model))
    assert steps == [[-1, 0, 0], [-1, 0, 0], [-1, 0, 0], [0, 1, 1]]


def test_b1_and_epoch_by_epoch() -> None:
    model, ends = rule(max_iter=1, warm_start=True), []
    while not ends or model.status_ != "separated":
        ends.append(lecture_order(model.fit(CORNERS, AND)))
    assert ends == [
        [0, 1, 1], [-1, 2, 1], [-2, 2, 1], [-2, 2, 2], [-2, 3, 2], [-3, 3, 2], [-3, 3, 3], [-4, 3, 2], [-4, 3, 2],
    ]  # fmt: skip


def test_b1_and_until_an_epoch_is_clean() -> None:
    model = rule(max_iter=100).fit(CORNERS, AND)
    assert lecture_order(model) == [-4, 3, 2]
    assert (model.status_, model.n_iter_, model.t_, model.n_mistakes_) == ("separated", 9, 36, 18)
    assert list(model.mistakes_) == [2, 3, 3, 2, 2, 3, 2, 1, 0]
    assert model.predict(CORNERS).tolist() == AND.tolist()


def test_b2_given_start() -> None:
    model = rule(init=[-5.0, 0.0, 1.0]).partial_fit([[5.0, 7.0]], [1], classes=[-1, 1])
    assert model.decision_function([[5.0, 7.0]]).tolist() == [2.0]
    assert lecture_order(model) == [-5, 0, 1]
    model.partial_fit([[2.0, 6.0]], [-1])
    assert lecture_order(model) == [-6, -2, -5]
    assert model.n_mistakes_ == 1


def test_b2_random_start_is_small_seeded_and_not_zero() -> None:
    rows = np.zeros((2, 5))  # on these rows only the bias can change
    starts = [rule(init="random", random_state=s).fit(rows, AND[2:]).coef_ for s in (1, 1, 2)]
    assert np.array_equal(starts[0], starts[1])
    assert not np.array_equal(starts[0], starts[2])
    assert 0 < np.abs(starts).min() <= np.abs(starts).max() < 0.01


@pytest.mark.parametrize("max_iter", [1, 7, 100])
def test_b3_xor_never_ends_and_says_so(max_iter: int) -> None:
    model = rule(max_iter=max_iter).fit(CORNERS, XOR)
    assert (model.status_, model.n_iter_) == ("budget", max_iter)
    assert min(model.mistakes_) > 0


@pytest.mark.parametrize("keep", ["last", "average"])
def test_b4_an_endless_stream_needs_no_more_memory(keep: str) -> None:
    X, y, _ = line(2000, 4, seed=1)
    model, sizes = rule(keep=keep), []
    for start in range(0, 2000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[-1, 1])
        sizes.append(len(pickle.dumps(model)))
    assert model.t_ == 2000
    assert model.score(X, y) > 0.9
    assert max(sizes) - min(sizes) < 100  # counters have more digits; nothing else grows


small_rows = st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=2, max_size=8)


@given(small_rows, st.sampled_from([0.5, 1.0, 2.0]), st.data())
def test_b5_an_update_lowers_the_error_of_its_own_example(rows: Any, eta: float, data: st.DataObject) -> None:
    """-y·s falls by exactly eta·|x|², x0 = 1 included; without a mistake nothing moves."""
    labels = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(rows), max_size=len(rows)))
    model = rule(eta0=eta).partial_fit([[0.0, 0.0, 0.0]], [1], classes=[-1, 1])
    for x, label in zip(np.array(rows, dtype=float), labels, strict=True):
        before = -label * model.decision_function([x])[0]
        after = -label * model.partial_fit([x], [label]).decision_function([x])[0]
        assert before - after == (eta * (x @ x + 1) if before >= 0 else 0)


def test_b5_but_not_always_the_total() -> None:
    """In the run on AND some updates raise the sum of all errors, and the run ends with no error."""
    log = rule(max_iter=9, record=True).fit(CORNERS, AND).trace_
    rows = np.hstack([np.ones((4, 1)), CORNERS])
    weights = np.cumsum(log.coefficient[:, None] * rows[log.row], axis=0)
    totals = np.maximum(0, -AND * (weights @ rows.T)).sum(axis=1)
    assert (np.diff(totals) > 0).any()
    assert totals[-1] == 0


@pytest.mark.parametrize("labels", [AND, XOR])
def test_b6_full_batch_subgradient_descent(labels: Any) -> None:
    """w += 1/(1+t)·(sum of y·x over the mistakes), written out in fractions."""
    rows = [[Fraction(1), *map(Fraction, x)] for x in CORNERS.tolist()]
    w = [Fraction(0)] * 3
    model = rule(batch="full", learning_rate="inverse", warm_start=True, max_iter=1)
    for t in range(12):
        scores = [sum(a * b for a, b in zip(w, x, strict=True)) for x in rows]
        missed = [(y, x) for y, x, s in zip(labels.tolist(), rows, scores, strict=True) if y * s <= 0]
        w = [wj + Fraction(1, 1 + t) * sum(y * x[j] for y, x in missed) for j, wj in enumerate(w)]
        assert lecture_order(model.fit(CORNERS, labels)) == pytest.approx([float(v) for v in w], rel=1e-12, abs=1e-12)
        assert model.mistakes_[-1] == len(missed)


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_b7_samples_are_drawn_anew_with_replacement(batch: int) -> None:
    """The logistic unit logs every visit, so the log shows the samples: n rows per epoch, K per step."""
    X, y, _ = line(30, 3, seed=2)
    log = LogisticUnit(order="sample", batch=batch, max_iter=40, record=True, keep="last").fit(X, y).trace_
    sampled_rows = log.row.reshape(40, 30)
    assert np.array_equal(log.t, np.arange(1200))
    assert all(len(set(epoch)) < 30 for epoch in sampled_rows.tolist())
    assert not np.array_equal(sampled_rows[0], sampled_rows[1])
    assert np.bincount(log.row, minlength=30).min() >= 15  # 40 each on average
    assert np.bincount(log.row, minlength=30).max() <= 75


def test_b7_a_step_of_k_samples_is_the_sum_of_their_subgradients() -> None:
    X, y, _ = line(12, 3, seed=3)
    X = np.round(4 * X)
    model = rule(order="sample", batch=5, max_iter=1, record=True, random_state=8).fit(X, y)
    log, w = model.trace_, np.zeros(4)
    rows = np.hstack([np.ones((12, 1)), X])
    for step in range(3):  # 12 rows: 5, 5 and the 2 left when the epoch ends
        in_step = log.t // 5 == step
        assert all(y[i] * (rows[i] @ w) <= 0 for i in log.row[in_step])
        w = w + y[log.row[in_step]] @ rows[log.row[in_step]]
    assert lecture_order(model) == w.tolist()


@pytest.mark.parametrize("order", ["given", "shuffle"])
def test_b8_the_weights_are_a_combination_of_the_examples(order: str) -> None:
    """w = sum of alpha_i·x_i, alpha_i = y_i times how often example i was a mistake: the dual form."""
    X, y, _ = line(25, 4, seed=4)
    X = np.round(8 * X)
    y = np.where(X.sum(axis=1) > 2, 1, -1)
    model = rule(order=order, max_iter=1000, record=True).fit(X, y)
    alpha = np.bincount(model.trace_.row, weights=model.trace_.coefficient, minlength=25)
    assert model.status_ == "separated"
    assert (y * alpha >= 0).all()
    assert np.abs(alpha).sum() == model.n_mistakes_
    assert (alpha @ X).tolist() == model.coef_[0].tolist()
    assert alpha.sum() == model.intercept_[0]


@given(st.sampled_from([0.125, 0.5, 1.0, 8.0]), st.lists(st.integers(-9, 9), min_size=3, max_size=3), st.integers(0, 9))
def test_b9_rate_and_start_change_the_answer_not_the_guarantee(eta: float, start: list[int], seed: int) -> None:
    options: dict[str, Any] = {"eta0": eta, "max_iter": 2000, "order": "shuffle", "random_state": seed}
    for labels in (AND, OR):
        model = rule(init=[float(v) for v in start], **options).fit(CORNERS, labels)
        assert model.status_ == "separated"
        assert model.predict(CORNERS).tolist() == labels.tolist()


def test_b9_from_zero_the_rate_only_scales_from_elsewhere_it_matters() -> None:
    full, half = (rule(eta0=eta, max_iter=50).fit(CORNERS, AND) for eta in (1.0, 0.5))
    assert lecture_order(half) == [v / 2 for v in lecture_order(full)] == [-2, 1.5, 1]
    start = [-1.0, 4.0, -2.0]
    ends = [rule(eta0=eta, init=start, max_iter=50).fit(CORNERS, AND) for eta in (1.0, 0.5, 4.0)]
    assert {end.status_ for end in ends} == {"separated"}
    assert len({tuple(lecture_order(end)) for end in ends}) == 3


# --------------------------------------------------------------------------------------- D1. the guarantee


@pytest.mark.parametrize("order", ["given", "shuffle"])
@pytest.mark.parametrize(("n", "d"), [(10, 1), (50, 2), (100, 5), (200, 10)])
def test_d1_at_most_r_over_gamma_squared_mistakes(n: int, d: int, order: str) -> None:
    for seed in range(5):
        X, y, star = line(n, d, seed)
        gamma = (y * (X @ star[1:] + star[0])).min()
        radius2 = (X**2).sum(axis=1).max() + 1
        model = rule(order=order, max_iter=100_000, random_state=seed).fit(X, y)
        assert model.status_ == "separated"
        assert 0 < model.n_mistakes_ <= radius2 / gamma**2


# ------------------------------------------------------------------------------- E7. more than two classes

CENTRES = np.array([[0.0, 6.0], [6.0, -4.0], [-6.0, -4.0]])


def three_clouds(n: int, seed: int = 0) -> tuple[Any, Any]:
    draw, labels = np.random.default_rng(seed), np.arange(n) % 3
    return CENTRES[labels] + draw.normal(size=(n, 2)), np.array(["north", "east", "west"])[labels]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "joint"])
def test_e7_three_classes_are_learned(multi_class: str) -> None:
    X, y = three_clouds(90)
    model = rule(multi_class=multi_class, max_iter=200).fit(X, y)
    assert model.status_ == "separated"
    assert model.classes_.tolist() == ["east", "north", "west"]
    assert model.score(*three_clouds(300, seed=1)) > 0.98


@pytest.mark.parametrize("keep", ["last", "average"])
def test_e7_one_against_all_is_one_unit_per_class_and_the_highest_score(keep: str) -> None:
    X, y = three_clouds(30)
    X = X + np.random.default_rng(1).normal(size=X.shape, scale=9)  # overlapping: no unit ends early
    model = rule(multi_class="ovr", keep=keep, max_iter=5).fit(X, y)
    units = [rule(keep=keep, max_iter=5).fit(X, y == name) for name in model.classes_]
    assert {unit.status_ for unit in units} == {"budget"}
    assert bits(model.coef_) == bits(np.vstack([unit.coef_ for unit in units]))
    assert bits(model.intercept_) == bits(np.concatenate([unit.intercept_ for unit in units]))
    assert model.n_mistakes_ == sum(unit.n_mistakes_ for unit in units)
    scores = np.column_stack([unit.decision_function(X) for unit in units])
    assert model.predict(X).tolist() == model.classes_[scores.argmax(axis=1)].tolist()


def test_e7_one_against_one_is_one_unit_per_pair_and_the_majority() -> None:
    X, y = three_clouds(30)
    X = X + np.random.default_rng(1).normal(size=X.shape, scale=9)
    model = rule(multi_class="ovo", max_iter=5).fit(X, y)
    votes = np.zeros((30, 3), dtype=int)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        pair = np.isin(y, model.classes_[[i, j]])
        unit = rule(max_iter=5).fit(X[pair], y[pair])
        assert unit.status_ == "budget"
        assert bits([*model.coef_[k], model.intercept_[k]]) == bits([*unit.coef_[0], *unit.intercept_])
        votes[np.arange(30), np.where(unit.decision_function(X) > 0, j, i)] += 1
    chosen = np.searchsorted(model.classes_, model.predict(X))
    assert (votes[np.arange(30), chosen] == votes.max(axis=1)).all()


def test_e7_joint_moves_the_label_up_and_its_rival_down() -> None:
    """By hand: (1, 2) is of class c; at w = 0 all tie, and the first other class is the rival. Then (3, 1) is of b."""
    model = rule(multi_class="joint").partial_fit([[1.0, 2.0]], ["c"], classes=["a", "b", "c"])
    assert model.coef_.tolist() == [[-1, -2], [0, 0], [1, 2]]
    assert model.intercept_.tolist() == [-1, 0, 1]
    model.partial_fit([[3.0, 1.0]], ["b"])  # scores -6, 0, 6: the rival is c
    assert model.coef_.tolist() == [[-1, -2], [3, 1], [-2, 1]]
    assert model.intercept_.tolist() == [-1, 1, 0]
    assert model.n_mistakes_ == 2


@pytest.mark.parametrize("multi_class", ["ovo", "joint"])
def test_e7_with_two_classes_every_scheme_is_the_one_unit(multi_class: str) -> None:
    X, y, _ = line(20, 3, seed=7)
    ovr, other = (rule(multi_class=scheme, max_iter=3).fit(X, y) for scheme in ("ovr", multi_class))
    assert other.coef_.shape == (1, 3)
    assert bits(other.coef_) == bits(ovr.coef_)
    assert bits(other.decision_function(X)) == bits(ovr.decision_function(X))
