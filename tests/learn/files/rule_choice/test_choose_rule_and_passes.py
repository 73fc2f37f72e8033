"""Few examples: the rule and the passes are chosen by folds that are left out, then all examples are learned."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression

from rosenblatt import native
from rosenblatt.learn.files import examples_of_each_pass
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice import allowed_work, folds, learn_in_memory, trial
from rosenblatt.learn.files.rule_choice.portfolio import RULES, candidates, fold_candidates
from rosenblatt.learn.run import Run
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file, fit_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Block
from tests import child
from tests.learn.files.rule_choice.nearly_alike import nearly_alike
from tests.learn.files.test_fit_file import make, same_run
from tests.learn.files.test_resume import Broken, press_ctrl_c
from tests.slow_twins.learn.files import Arrays, narrow_csr


def auto(**options: Any) -> Plan:
    options = {"passes": "auto", "order": "auto", "scale_to_length": True, "threads": 1, **options}
    by_folds = {
        "fold_candidates": fold_candidates("auto", words=False),
        "word_candidates": fold_candidates("auto", words=True),
    }
    return Plan(candidates("auto"), **{**by_folds, **options})


def by_passes_only() -> Plan:
    """The plan without the candidate that makes no passes."""
    rules = fold_candidates("auto", words=False)
    return auto(fold_candidates={name: rule for name, rule in rules.items() if name != "logistic-minimum"})


def same_fit(one: Fitted, other: Fitted) -> bool:
    assert one.honest_scores is not None
    assert other.honest_scores is not None
    assert np.asarray(one.honest_scores.scores).tobytes() == np.asarray(other.honest_scores.scores).tobytes()
    assert np.asarray(one.honest_scores.truth).tolist() == np.asarray(other.honest_scores.truth).tolist()
    assert one.choice is not None
    assert other.choice is not None
    assert one.choice.errors == other.choice.errors
    return same_run(one.model.run, other.model.run)


# -- folds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folds", [2, 5, 7])
def test_each_row_is_left_out_once_and_each_class_is_dealt_out_evenly(folds: int) -> None:
    labels = np.random.default_rng(0).choice(4, size=103, p=[0.6, 0.3, 0.07, 0.03]).astype(np.int32)
    parts = [(np.asarray(a), np.asarray(b)) for a, b in native.stratified_folds(labels, 4, folds, folds, 1)]
    assert sorted(row for _, left_out in parts for row in left_out) == list(range(103))
    for training, left_out in parts:
        assert sorted([*training, *left_out]) == list(range(103))
        assert training.tolist() == sorted(training)
    counts = np.array([np.bincount(labels[left_out], minlength=4) for _, left_out in parts])
    assert (counts.max(axis=0) - counts.min(axis=0) <= 1).all()
    again = native.stratified_folds(labels, 4, folds, 1, 1)
    assert np.asarray(again[0][1]).tolist() == parts[0][1].tolist()
    other = native.stratified_folds(labels, 4, folds, 1, 2)
    assert np.asarray(other[0][1]).tolist() != parts[0][1].tolist()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_judged_by_errors_and_by_loss(classes: int, weighted: bool) -> None:
    draw = np.random.default_rng(classes)
    scores = draw.normal(size=(40, 1 if classes == 2 else classes)) * 3
    labels, rows = draw.integers(0, classes, 60).astype(np.int32), draw.permutation(60)[:40].astype(np.uint32)
    weights = draw.random(60) if weighted else None
    wrong, total, loss = native.judge(scores, labels, rows, weights)
    two = np.hstack([np.zeros((40, 1)), scores]) if classes == 2 else scores
    counted, truth = np.ones(60)[rows] if weights is None else weights[rows], labels[rows]
    assert total == pytest.approx(counted.sum())
    assert wrong == pytest.approx(counted[two.argmax(axis=1) != truth].sum())

    def scaled_loss(scale: float) -> float:
        log_sum = np.log(np.exp(scale * two).sum(axis=1))
        return float((counted * (log_sum - scale * two[np.arange(40), truth])).sum())

    assert loss == pytest.approx(minimize_scalar(scaled_loss, bounds=(1e-6, 10), method="bounded").fun, rel=1e-3)
    assert native.judge(scores, labels, rows, weights, True) == (wrong, total, pytest.approx(scaled_loss(1.0)))


# -- the choice -------------------------------------------------------------------------------------------------------


def test_the_model_is_the_chosen_rule_on_all_rows_and_scores_are_out_of_fold() -> None:
    X, y = make(3, n=200)
    fitted = fit_source(Arrays(X, y.tolist()), auto())
    choice, honest = fitted.choice, fitted.honest_scores
    assert choice is not None
    assert honest is not None
    assert (choice.folds, choice.rows, honest.kind) == (5, 200, "out-of-fold")
    assert (fitted.chosen, fitted.passes) == (choice.rule, choice.passes)
    assert choice.rule == "logistic-average"
    block = Block(X, y.astype(np.int32))
    rows = native.rows_of(block.values)
    order = learn_in_memory.Shuffler(0, keep_order=False)

    def learned(numbers: Any) -> Run:
        run = Run(fitted.model.settings, X.shape[1], [1.0] * 3, 0)
        native.start_biases(run.learner, native.log_odds(block.labels, 3, None))
        for pass_ in range(choice.passes):
            run.visit(block, rows, order.order(numbers, pass_))
        return run

    run = learned(np.arange(200, dtype=np.uint32))
    assert run.final_weights.coef.tobytes() == fitted.model.coef.tobytes()
    parts = native.stratified_folds(block.labels, 3, 5, 5, 0)
    scores = np.concatenate([learned(training).final_weights.scores(rows)[left_out] for training, left_out in parts])
    np.testing.assert_allclose(np.asarray(honest.scores), scores, rtol=1e-12, atol=1e-12)
    truth = np.concatenate([y[np.asarray(left_out)] for _, left_out in parts])
    assert np.asarray(honest.truth).tolist() == truth.tolist()
    assert choice.error == pytest.approx(np.mean(scores.argmax(axis=1) != truth))


@pytest.mark.parametrize("sparse", [True, False])
def test_blocks_threads_and_pipes_decide_nothing(sparse: bool) -> None:
    X, y = make(3, n=150)
    first = fit_source(Arrays(X, y.tolist(), sparse=sparse), auto())
    for step, threads, rewindable in ((11, 4, True), (150, 2, False), (1, 3, True)):
        source = Arrays(X, y.tolist(), step=step, sparse=sparse, rewindable=rewindable)
        assert same_fit(first, fit_source(source, auto(threads=threads)))


def test_a_stream_sorted_by_label_is_learned_well() -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(300, 4)).round(3)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    order = np.argsort(y, kind="stable")
    fitted = fit_source(Arrays(X[order], y[order].tolist(), rewindable=False), auto())
    assert fitted.grouped
    assert fitted.order == "shuffle"
    assert fitted.choice is not None
    assert fitted.choice.error < 0.05
    assert np.mean((np.asarray(fitted.model.unit_scores(X))[:, 0] > 0) != y) < 0.05


def test_passes_are_many_where_they_help_and_few_where_they_do_not() -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(600, 10)).round(3)
    clean = (X @ np.linspace(1, 2, 10) > 0).astype(int)
    many = fit_source(Arrays(X, clean.tolist()), auto())
    assert many.choice is not None
    assert many.choice.passes > 1
    noise = draw.integers(0, 2, 600)
    few = fit_source(Arrays(X, noise.tolist()), auto())
    assert few.choice is not None
    assert few.choice.error > 0.4
    assert few.choice.passes < many.choice.passes / 10


@pytest.mark.parametrize("rule", ["perceptron", "arow"])
def test_a_named_rule_is_kept_and_only_its_passes_are_chosen(rule: str, tmp_path: Path) -> None:
    X, y = make(2, n=120)
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row) if x) for row, label in zip(X, y, strict=True)
    ]
    data = tmp_path / "data.svm"
    data.write_text("\n".join(lines) + "\n")
    fitted = fit_file(data, rule=rule)
    assert fitted.chosen == rule
    assert fitted.choice is not None
    once = fit_file(data, rule=rule, passes=1)
    assert once.choice is None
    assert once.honest_scores is not None
    assert once.honest_scores.kind == "progressive"


def test_many_rows_leave_out_one_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folds, "_FEW_ROWS", 100)
    monkeypatch.setattr(folds, "_LEFT_OUT_ROWS", 20)
    X, y = make(2, n=200)
    fitted = fit_source(Arrays(X, y.tolist()), auto())
    assert fitted.choice is not None
    assert (fitted.choice.folds, fitted.choice.rows, fitted.choice.how) == (1, 20, "20 rows left out")
    assert fitted.rows == 200


def test_little_work_judges_the_best_of_the_first_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make(2, n=200)
    monkeypatch.setattr(folds, "_FEW_ROWS", 100)
    monkeypatch.setattr(allowed_work, "_WORK", 3 * 200 * (23 + 16) * 3)
    fitted = fit_source(Arrays(X, y.tolist(), sparse=False), auto())
    assert fitted.choice is not None
    assert 1 <= len(fitted.choice.errors) <= 4
    monkeypatch.setattr(allowed_work, "_WORK", 100)
    once = fit_source(Arrays(X, y.tolist()), auto())
    assert once.choice is None
    assert once.passes == 1
    plain = fit_source(Arrays(X, y.tolist()), auto(passes=1))
    assert same_run(once.model.run, plain.model.run)


def test_more_examples_than_are_gathered_are_learned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make(2, n=200)
    monkeypatch.setattr(examples_of_each_pass, "_FEW_BYTES", 2000)
    once, plain = (fit_source(Arrays(X, y.tolist()), auto(passes=passes)) for passes in ("auto", 1))
    assert once.choice is None
    assert same_run(once.model.run, plain.model.run)


def in_runs(y: Any) -> Any:
    """An order of the rows in which four of one class or more follow each other."""
    pieces = [rows[k : k + 4] for c in range(2) for rows in [np.flatnonzero(y == c)] for k in range(0, len(rows), 4)]
    return np.concatenate([pieces[k] for k in np.random.default_rng(0).permutation(len(pieces))])


def test_where_one_pass_is_long_folds_may_cost_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make(2, n=200)
    monkeypatch.setattr(allowed_work, "SHORT_PASS", 1)
    once, plain = (fit_source(Arrays(X, y.tolist()), auto(passes=passes)) for passes in ("auto", 1))
    assert once.choice is None
    assert same_run(once.model.run, plain.model.run)
    monkeypatch.setattr(allowed_work, "_SHARE", 1.5)
    some = fit_source(Arrays(X, y.tolist()), auto())
    assert some.choice is not None
    assert some.choice.folds == 1
    assert 0 < len(some.choice.errors) < 5  # not all seven


def test_where_classes_come_in_runs_folds_may_cost_more(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make(2, n=400)
    order = in_runs(y)
    monkeypatch.setattr(allowed_work, "SHORT_PASS", 1)
    fitted = fit_source(Arrays(X[order], y[order].tolist()), auto())
    assert not fitted.grouped
    assert fitted.choice is not None
    assert fitted.choice.folds == 5
    assert fit_source(Arrays(X[order], y[order].tolist()), auto(order="given")).choice is None


@pytest.mark.parametrize("what", ["_WORK", "_FEW_BYTES"])
def test_where_classes_come_in_runs_and_folds_cost_too_much_all_is_shuffled(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = make(2, n=400)
    order = in_runs(y)
    monkeypatch.setattr(allowed_work if what == "_WORK" else examples_of_each_pass, what, 100)
    fitted = fit_source(Arrays(X[order], y[order].tolist()), auto())
    assert fitted.choice is None
    assert (fitted.order, fitted.grouped) == ("shuffle", False)
    assert fit_source(Arrays(X, y.tolist()), auto()).order == "given"


def test_held_out_rows_stay_out() -> None:
    X, y = make(2, n=200)
    fitted = fit_source(Arrays(X, y.tolist()), auto(holdout=0.2))
    assert fitted.choice is not None
    assert fitted.choice.rows == fitted.rows == 160
    assert fitted.holdout_rows == 40
    assert fitted.holdout_error is not None


@pytest.mark.parametrize("n", [2, 3, 4, 6, 11])
def test_a_handful_of_rows(n: int) -> None:
    X = np.eye(n)
    y = np.arange(n) % 2
    fitted = fit_source(Arrays(X, y.tolist()), auto())
    assert fitted.choice is not None
    assert fitted.rows == n


# -- interrupted ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 5])
def test_interrupted_in_the_first_pass_it_resumes_to_the_same_bits(at: int, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("rosenblatt.learn.files.passes._BATCH", 50)
    X, y = make(3, n=100)
    plan = auto(checkpoint=str(tmp_path / "a.checkpoint"))
    with pytest.raises(KeyboardInterrupt):
        fit_source(Broken(X, y.tolist(), at=at, call=press_ctrl_c), plan)
    resumed = fit_source(Arrays(X, y.tolist(), step=13), plan, resume=True)
    assert resumed.resumed
    assert same_fit(resumed, fit_source(Arrays(X, y.tolist()), auto()))
    assert list(tmp_path.iterdir()) == []


def test_interrupted_while_folds_are_judged_it_resumes_to_the_same_bits(tmp_path: Path, monkeypatch: Any) -> None:
    X, y = make(3, n=100)
    plan = auto(checkpoint=str(tmp_path / "a.checkpoint"))
    unbroken = fit_source(Arrays(X, y.tolist()), auto())
    judge, calls = trial.Trial.judge, []

    def press_once(self: Any, *arguments: Any) -> None:
        calls.append(1)
        if len(calls) == 9:
            press_ctrl_c()
        judge(self, *arguments)

    monkeypatch.setattr(trial.Trial, "judge", press_once)
    with pytest.raises(KeyboardInterrupt):
        fit_source(Arrays(X, y.tolist()), plan)
    assert (tmp_path / "a.checkpoint").exists()
    resumed = fit_source(Arrays(X, y.tolist()), plan, resume=True)
    assert resumed.resumed
    assert same_fit(resumed, unbroken)


# -- rare words -------------------------------------------------------------------------------------------------------


def test_variances_of_rare_columns_are_as_if_the_columns_were_multiplied() -> None:
    X, y = make(3, n=120)
    X[:, 3] = 1.0
    block = Block(narrow_csr(X), y.astype(np.int32))
    rows = native.rows_of(block.values)
    squares = np.asarray(native.squared_rarities(rows, X.shape[1]))
    rarity = 1 + np.log(121 / (1 + (X != 0).sum(axis=0)))
    np.testing.assert_allclose(np.sqrt(squares), rarity, atol=2**-10)
    assert native.weighted_squares(rows, 50, squares) == pytest.approx((squares * X[:50] ** 2).sum())
    settings = RULES["arow"]
    run = Run(settings, X.shape[1], [1.0] * 3, 0)
    native.start_variances(run.learner, squares)
    run.visit(block, rows, None)
    weighed = Block(np.ascontiguousarray(X * np.sqrt(squares)), block.labels)
    twin = Run(settings, X.shape[1], [1.0] * 3, 0)
    twin.visit(weighed, native.rows_of(weighed.values), None)
    np.testing.assert_allclose(run.final_weights.coef, twin.final_weights.coef * np.sqrt(squares), rtol=1e-9)
    with pytest.raises(ValueError, match="before its first example"):
        native.start_variances(run.learner, squares)
    with pytest.raises(ValueError, match="only arow"):
        native.start_variances(Run(RULES["logistic"], X.shape[1], [1.0] * 3, 0).learner, squares)


def test_rare_words_decide_between_many_topics(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    common = np.array([f"word{k}" for k in range(60)])
    lines = []
    for _ in range(800):
        topic = int(draw.integers(0, 12))
        rare = [f"topic{topic}x{draw.integers(0, 8)}" for _ in range(2)]
        lines.append(f"t{topic}\t" + " ".join([*draw.choice(common, 30), *rare]))
    data = tmp_path / "topics.txt"
    data.write_text("\n".join(lines) + "\n")
    fitted = [fit_file(data, threads=threads, reading=ReadOptions(ngrams=2)) for threads in (1, 3)]
    assert same_fit(*fitted)
    assert fitted[0].choice is not None
    errors = fitted[0].choice.errors
    assert errors["arow-rare"] < errors["arow"]


# -- the bias ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 5])
def test_runs_begin_at_the_shares_of_the_classes(classes: int, weighted: bool) -> None:
    draw = np.random.default_rng(classes)
    labels = draw.integers(0, classes, 80).astype(np.int32)
    weights = draw.random(80) * 3 if weighted else None
    logarithms = np.log(1 + np.bincount(labels, weights, minlength=classes))
    odds = logarithms - logarithms.mean() if classes > 2 else logarithms[1:] - logarithms[:1]
    biases = native.log_odds(labels, classes, weights)
    np.testing.assert_allclose(np.asarray(biases), odds, atol=2**-10)
    run = Run(RULES["logistic-average"], 3, [1.0] * classes, 0)
    native.start_biases(run.learner, biases)
    coef, intercept = run.weights()
    assert not coef.any()
    assert intercept.tolist() == np.asarray(biases).tolist()
    with pytest.raises(ValueError, match="a bias for each"):
        native.start_biases(run.learner, np.zeros(classes + 3))


def test_few_long_examples_do_not_lose_their_bias() -> None:
    """Of a thousand columns the rate is so small that the bias hardly moves; most examples are of one class."""
    draw = np.random.default_rng(0)
    causes = draw.normal(size=(1100, 6))
    X = (causes @ draw.normal(size=(6, 1000)) + draw.normal(size=(1100, 1000))).round(3)
    y = (causes @ np.arange(1, 7) + draw.normal(size=1100) > 6.5).astype(int)
    fitted = fit_source(Arrays(X[:100], y[:100].tolist(), sparse=False), auto())
    assert fitted.chosen == "logistic-average"
    wrong = np.mean((np.asarray(fitted.model.unit_scores(X[100:]))[:, 0] > 0) != y[100:])
    assert wrong < 0.11


def test_classes_that_are_nearly_separable_are_learned_until_the_weights_are_large() -> None:
    """The class is told by whether a number of heavy tails is 0: weights must be large, and passes many."""
    draw = np.random.default_rng(1)
    y = (draw.random(2000) < 0.78).astype(int)
    spent = np.where(y == 1, np.exp(draw.normal(2.0, 1.0, 2000)), 0.0) * (draw.random(2000) < 0.985)
    X = np.column_stack([spent, draw.normal(size=(2000, 3)) + 0.5 * y[:, None]])
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).round(4)
    peer = LogisticRegression(C=1000, max_iter=1000).fit(X[:600], y[:600])
    for plan, fewest in ((by_passes_only(), 378), (auto(), 1)):
        fitted = fit_source(Arrays(X[:600], y[:600].tolist(), sparse=False), plan)
        assert fitted.passes >= fewest
        right = np.mean((np.asarray(fitted.model.unit_scores(X[600:]))[:, 0] > 0) == y[600:])
        assert right >= peer.score(X[600:], y[600:]) - 0.002


# -- the minimum ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_minimum_is_that_of_logistic_regression(classes: int, weighted: bool) -> None:
    X, y = nearly_alike(300, classes=classes)
    weights = np.random.default_rng(0).random(300) * 2 if weighted else None
    rows, order = native.rows_of(X), np.random.default_rng(1).permutation(300)[:250].astype(np.uint32)
    units = 1 if classes == 2 else classes
    total = 250.0 if weights is None else float(weights[order].sum())
    numbers = (order, y.astype(np.int32), weights, classes, 1 / (3.0 * total), 2000)
    coef, bias, visits = native.logistic_minimum(rows, *numbers, None, np.zeros(units))
    peer = LogisticRegression(C=3.0, max_iter=20_000, tol=1e-9)
    peer.fit(X[order], y[order], None if weights is None else weights[order])
    np.testing.assert_allclose(np.asarray(coef), peer.coef_, rtol=0, atol=2e-2)
    assert visits > 10

    def chances(weights: Any, intercept: Any) -> Any:
        scores = X[order] @ np.asarray(weights).T + np.asarray(intercept)
        scores = np.hstack([np.zeros((250, 1)), scores]) if classes == 2 else scores
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)

    np.testing.assert_allclose(chances(coef, bias), chances(peer.coef_, peer.intercept_), atol=2e-3)
    for layout in (np.asfortranarray(X), narrow_csr(X)):
        again = native.logistic_minimum(native.rows_of(layout), *numbers, None, np.zeros(units))
        assert bytes(again[0]) == bytes(coef)
        assert bytes(again[1]) == bytes(bias)


MINIMUM = """
import numpy as np
from rosenblatt import native
from tests.learn.files.rule_choice.nearly_alike import nearly_alike
X, y = nearly_alike(70, 11, 3)
order = np.arange(70, dtype=np.uint32)
minimum = native.logistic_minimum(native.rows_of(X), order, y.astype(np.int32), None, 3, 0.01, 50, None, np.zeros(3))
print(native.instruction_set(), bytes(minimum[0]).hex() + bytes(minimum[1]).hex())
"""


def test_the_minimum_has_the_same_bits_on_every_instruction_set() -> None:
    assert len(child.outputs_by_instruction_set(MINIMUM)) == 1


def test_the_minimum_refuses_what_does_not_belong_together() -> None:
    X, y = nearly_alike(20)
    rows, order, labels = native.rows_of(X), np.arange(20, dtype=np.uint32), y.astype(np.int32)
    good: tuple[Any, ...] = (order, labels, None, 2, 0.1, 5, None, np.zeros(1))
    assert native.logistic_minimum(rows, *good)[2] > 0
    wrong = {0: order + 1, 1: labels + 1, 2: np.ones(3), 3: 1, 4: -1.0, 6: np.zeros((1, 2)), 7: np.zeros(2)}
    for position, value in wrong.items():
        with pytest.raises(ValueError, match=r"expected|must|a label|alpha"):
            native.logistic_minimum(rows, *good[:position], value, *good[position + 1 :])


@pytest.mark.parametrize("sparse", [True, False])
def test_columns_that_say_nearly_the_same_are_learned_at_the_minimum(sparse: bool) -> None:
    X, y = nearly_alike(900)
    fitted = fit_source(Arrays(X[:400], y[:400].tolist(), sparse=sparse), auto())
    assert fitted.chosen == "logistic-minimum"
    assert fitted.passes == 1
    wrong = np.mean((np.asarray(fitted.model.unit_scores(X[400:]))[:, 0] > 0) != y[400:])
    best = min(
        1 - LogisticRegression(C=C, max_iter=5000).fit(X[:400], y[:400]).score(X[400:], y[400:]) for C in (1, 100)
    )
    assert wrong <= best + 0.01
    for threads in (2, 4):
        assert same_fit(
            fitted, fit_source(Arrays(X[:400], y[:400].tolist(), sparse=sparse, step=7), auto(threads=threads))
        )
