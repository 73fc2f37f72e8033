"""Examples with several labels: each unit learns its label as a learner of that label alone does, to the bit."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import native
from rosenblatt.learn.files.rule_choice.portfolio import RULES
from rosenblatt.learn.run import Run
from rosenblatt.records import Block, Csr
from tests.reference import Reference

N_LABELS = (1, 2, 5, 8, 9, 17)


def make(n_labels: int, n: int = 120, seed: int = 0) -> tuple[Any, Any]:
    """Rows of small integers, and an indicator matrix: some rows have no label, some several."""
    draw = np.random.default_rng(seed)
    X = (draw.integers(-2, 3, size=(n, 13)) * (draw.random((n, 13)) < 0.5)).astype(np.float64)
    Y = X @ draw.normal(size=(13, n_labels)) + draw.normal(size=(n, n_labels)) > 1.0
    return X, Y


def sets_of(Y: Any) -> tuple[native.LabelSets, Any]:
    """The table of sets, and the set of each row."""
    sets, number = native.LabelSets(Y.shape[1]), {b"\0" * Y.shape[1]: 0}
    codes = []
    for row in Y:
        key = row.astype(np.uint8).tobytes()
        if key not in number:
            number[key] = len(sets)
            sets.add(np.flatnonzero(row).tolist())
        codes.append(number[key])
    return sets, np.array(codes, dtype=np.int32)


def csr(X: Any) -> Csr:
    rows, columns = np.nonzero(X)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    return Csr(starts.astype(np.int64), columns.astype(np.int32), X[rows, columns], X.shape[1])


def learned(X: Any, Y: Any, settings: Any, *, dense: bool, threads: int = 1, parts: int = 1, epochs: int = 2) -> Run:
    sets, codes = sets_of(Y)
    run = Run(settings._replace(multi_label=True), X.shape[1], [1.0] * Y.shape[1], 0, dense=dense)
    run.learner.decide_about(sets)
    for _ in range(epochs):
        run.begin_pass()
        for rows in np.array_split(np.arange(len(X)), parts):
            block = Block(X[rows] if dense else csr(X[rows]), codes[rows])
            run.visit(block, native.rows_of(block.values), None, threads)
        run.end_pass()
    return run


def bits(run: Run) -> list[bytes]:
    weights = run.final_weights
    return [weights.coef.tobytes(), weights.intercept.tobytes()]


@pytest.mark.parametrize("n_labels", N_LABELS)
@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic", "hinge", "pa1"])
def test_each_unit_is_a_binary_learner_of_its_label(n_labels: int, rule: str) -> None:
    X, Y = make(n_labels)
    for dense in (True, False):
        run = learned(X, Y, RULES[rule], dense=dense)
        for k in range(n_labels):
            alone = Run(RULES[rule]._replace(multi_class="ovr"), X.shape[1], [1.0, 1.0], 0, dense=dense)
            for _ in range(2):
                alone.begin_pass()
                block = Block(X if dense else csr(X), Y[:, k].astype(np.int32))
                alone.visit(block, native.rows_of(block.values), None)
                alone.end_pass()
            assert run.final_weights.coef[k].tobytes() == alone.final_weights.coef[0].tobytes()
            assert run.final_weights.intercept[k] == alone.final_weights.intercept[0]
            assert run.learner.counters()["mistakes"][k] == alone.learner.mistakes


@pytest.mark.parametrize("rule", ["perceptron", "logistic"])
def test_the_oracle_learns_the_same(rule: str) -> None:
    X, Y = make(3, n=40)
    settings = RULES[rule]
    run = learned(X, Y, settings, dense=True)
    for k in range(3):
        named = {name: getattr(settings, name) for name in ("loss", "learning_rate", "eta0", "margin", "keep")}
        oracle = Reference(**named).fit(X.tolist(), Y[:, k].tolist(), epochs=2)
        weights = oracle.units[0].w
        if settings.keep == "average":
            weights = [w - late / oracle.t for w, late in zip(weights, oracle.units[0].late, strict=True)]
        assert [*run.final_weights.coef[k], run.final_weights.intercept[k]] == weights


@pytest.mark.parametrize("n_labels", N_LABELS)
@pytest.mark.parametrize("rule", ["perceptron", "arow", "hinge"])
def test_layouts_threads_and_parts_give_the_same_bits(n_labels: int, rule: str) -> None:
    X, Y = make(n_labels, seed=1)
    expected = bits(learned(X, Y, RULES[rule], dense=True))
    for dense in (True, False):
        for threads, parts in ((1, 7), (4, 1), (4, 3)):
            assert bits(learned(X, Y, RULES[rule], dense=dense, threads=threads, parts=parts)) == expected


@pytest.mark.parametrize("n_labels", [1, 3, 8, 11])
@pytest.mark.parametrize("rule", ["last", "hinge", "arow"])
def test_the_progressive_error_is_the_share_of_wrong_labels(n_labels: int, rule: str) -> None:
    X, Y = make(n_labels, seed=2)
    sets, codes = sets_of(Y)
    for dense in (True, False):
        run = Run(RULES[rule]._replace(multi_label=True), X.shape[1], [1.0] * n_labels, 0, dense=dense)
        run.learner.decide_about(sets)
        run.learner.count_errors(True)
        run.begin_pass()
        wrong = 0.0
        for i in range(len(X)):
            row = X[i : i + 1]
            scores = run.final_weights.scores(native.rows_of(row))[0]
            wrong += np.count_nonzero((scores > 0) != Y[i]) / n_labels
            block = Block(row if dense else csr(row), codes[i : i + 1])
            run.visit(block, native.rows_of(block.values), None)
        assert run.learner.wrong == pytest.approx(wrong)
        assert run.learner.weighed == len(X)
        scores, labels, _, _ = run.learner.score_sample()
        assert np.asarray(labels).tolist() == codes.tolist()
        assert np.asarray(scores).shape == (len(X), n_labels)


def test_judging_labels_is_the_mean_over_them() -> None:
    X, Y = make(4, seed=3)
    sets, codes = sets_of(Y)
    scores = X[:, :4] - 0.5
    rows = np.arange(10, 90, dtype=np.uint32)
    wrong, total, loss = native.judge_labels(np.ascontiguousarray(scores[rows]), sets, codes, rows, None)
    assert total == len(rows)
    assert wrong == pytest.approx(np.count_nonzero((scores > 0)[rows] != Y[rows]) / 4)
    signed = np.where(Y[rows], scores[rows], -scores[rows])
    best = min(np.logaddexp(0, -c * signed).sum() / 4 for c in np.geomspace(0.01, 10, 400))
    assert loss == pytest.approx(best, rel=1e-3)


def test_log_odds_are_those_of_each_label() -> None:
    _, Y = make(5, seed=4)
    sets, codes = sets_of(Y)
    odds = np.asarray(native.label_log_odds(sets, codes, None))
    real = Y.sum(axis=0)
    np.testing.assert_allclose(odds, np.log((real + 1) / (len(Y) - real + 1)), atol=1e-3)


def test_a_table_of_sets_counts_and_names_its_labels() -> None:
    sets = native.LabelSets(10)
    sets.add([0, 9])
    sets.add([3])
    assert (len(sets), sets.labels) == (3, 10)
    assert sets.members(0) == []
    assert sets.members(1) == [0, 9]
    assert sets.counts([5, 2, 1]) == [2, 0, 0, 1, 0, 0, 0, 0, 0, 2]
    assert np.asarray(sets.truth(np.array([1, 0, 2], np.int32), 9)).tolist() == [1, 0, 0]
    for wrong in (lambda: sets.add([10]), lambda: sets.members(3), lambda: native.LabelSets(0)):
        with pytest.raises(ValueError, match=r"label|set"):
            wrong()


def test_a_learner_without_sets_learns_nothing() -> None:
    X, _ = make(3)
    run = Run(RULES["perceptron"]._replace(multi_label=True), 13, [1.0] * 3, 0, dense=True)
    with pytest.raises(ValueError, match="needs their sets"):
        run.visit(Block(X, np.zeros(len(X), np.int32)), native.rows_of(X), None)
    with pytest.raises(ValueError, match="not the labels of this learner"):
        run.learner.decide_about(native.LabelSets(4))
