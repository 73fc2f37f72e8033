"""Runs that predict numbers: several quantiles side by side, the progressive error, and what a pass is given."""

import copy
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.records import Block, Csr, Values
from tests.slow_twins.learn.numbers import NumberReference

LEVELS = [(0.5,), (0.1, 0.5, 0.9), (0.2, 0.3, 0.4, 0.8, 0.99), tuple((np.arange(19) / 20 + 0.05).tolist())]
RATES = ("constant", "invsqrt", "adagrad", "invariant")


def numbers(n: int, d: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.5, rng.normal(size=(n, d)), 0.0)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) - 1


def csr(X: NDArray[Any]) -> Csr:
    matrix = sp.csr_array(X)
    return Csr(matrix.indptr, matrix.indices, matrix.data, X.shape[1])


def block(values: Values, y: NDArray[Any], weights: Any = None) -> Block:
    return Block(values, np.zeros(len(y), dtype=np.int32), weights, targets=y)


def quantiles(levels: tuple[float, ...], features: int, *, dense: bool, **options: Any) -> Run:
    settings = Settings(task="number", loss="quantile", quantiles=levels, order="given", **options)
    run = Run(settings, features, [1.0], 0, dense=dense)
    run.learner.count_errors(True)
    return run


def weights_of(run: Run) -> list[list[float]]:
    final = run.final_weights
    return np.column_stack([final.coef, final.intercept]).tolist()


@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("levels", LEVELS, ids=len)
def test_quantiles_side_by_side(levels: tuple[float, ...], rate: str, dense: bool, keep: str) -> None:
    X, y = numbers(70, 11, len(levels))
    weights = np.random.default_rng(1).choice([0.0, 0.5, 2.0], 70)
    options: dict[str, Any] = {"learning_rate": rate, "eta0": 0.05, "keep": keep}
    run = quantiles(levels, 11, dense=dense, **options)
    values = X if dense else csr(X)
    for threads, part in enumerate((slice(0, 31), slice(31, 70))):
        rows = native.rows_of(values)
        order = np.arange(part.start, part.stop, dtype=np.uint32)
        run.visit(block(values, y, weights), rows, order, 3 * threads)
    twin = NumberReference(loss="quantile", levels=levels, **options)
    twin.partial_fit(X.tolist(), y.tolist(), [], weights.tolist())
    assert weights_of(run) == twin.answer()
    learner = run.learner
    errors = (learner.squared_error, learner.absolute_error, learner.pinball_error, learner.weighed)
    assert errors == (twin.squared_error, twin.absolute_error, twin.pinball_error, twin.weighed)


@pytest.mark.parametrize("dense", [True, False])
def test_more_threads_than_shares_of_a_learner_that_measures_its_error(dense: bool) -> None:
    """Of classes, too: all its units belong to one thread, and the others have nothing to do."""
    X, y = numbers(200, 11, 0)
    settings = Settings(order="given")
    runs = [Run(settings, 11, [1.0] * 12, 0, dense=dense) for _ in range(2)]
    labels = Block(X if dense else csr(X), (np.abs(y) * 5).astype(np.int32) % 12)
    for run, threads in zip(runs, (1, 8), strict=True):
        run.learner.count_errors(True)
        run.visit(labels, native.rows_of(labels.values), None, threads)
    assert weights_of(runs[0]) == weights_of(runs[1])
    assert runs[0].learner.wrong == runs[1].learner.wrong > 0


def test_forgetting_follows_a_target_that_drifts() -> None:
    X, _ = numbers(120, 4, 3)
    drift = np.linspace(-3, 3, 120)
    y = X @ np.ones(4) * drift
    options: dict[str, Any] = {"learning_rate": "invariant", "eta0": 0.3, "forget": 10.0}
    for keep in ("last", "average"):
        run = Run(Settings(task="number", order="given", loss="squared", keep=keep, **options), 4, [1.0], 0, dense=True)
        run.visit(block(X, y), native.rows_of(X), None)
        twin = NumberReference(keep=keep, **options).partial_fit(X.tolist(), y.tolist(), [])
        assert np.array(weights_of(run)) == pytest.approx(np.array(twin.answer()), rel=1e-12)


def test_the_sample_of_progressive_scores_has_their_targets() -> None:
    X, y = numbers(3000, 3, 5)
    run = quantiles((0.2, 0.7), 3, dense=True, learning_rate="invariant", eta0=0.05, keep="average")
    run.visit(block(X, y), native.rows_of(X), None)
    scores, _, t, stride = run.learner.score_sample()
    targets = np.asarray(run.learner.sample_targets())
    assert targets.tolist() == y[np.asarray(t).astype(int)].tolist()
    other = quantiles((0.2, 0.7), 3, dense=True)
    other.learner.restore_sample(scores, np.zeros(len(targets), np.int32), t, stride, targets)
    assert np.asarray(other.learner.sample_targets()).tolist() == targets.tolist()
    with pytest.raises(ValueError, match="a sample of numbers has a target"):
        other.learner.restore_sample(scores, np.zeros(len(targets), np.int32), t, stride)


def test_the_sample_is_halved_with_its_targets() -> None:
    X, y = numbers(40_000, 1, 5)
    run = Run(Settings(task="number", loss="squared", order="given"), 1, [1.0], 0, dense=True)
    run.learner.count_errors(True)
    run.visit(block(X, y), native.rows_of(X), None)
    _, _, t, stride = run.learner.score_sample()
    assert stride > 1
    assert np.asarray(run.learner.sample_targets()).tolist() == y[np.asarray(t).astype(int)].tolist()


@pytest.mark.parametrize("keep", ["last", "average"])
def test_the_progressive_error_of_many_examples(keep: str) -> None:
    """Where the average answers, only some of the examples are scored by it, each for as many as it stands for."""
    X, y = numbers(60_000, 2, 7)
    settings = Settings(task="number", loss="squared", order="given", learning_rate="invariant", eta0=0.05, keep=keep)
    run = Run(settings, 2, [1.0], 0, dense=True)
    run.learner.count_errors(True)
    run.visit(block(X, y), native.rows_of(X), None)
    learner = run.learner
    assert learner.weighed == pytest.approx(60_000, rel=1e-3)
    noise = 1.0 if keep == "average" else 1.05  # the last weights jump about
    assert learner.squared_error / learner.weighed == pytest.approx(noise, abs=0.03)
    assert learner.absolute_error / learner.weighed == pytest.approx(np.sqrt(2 / np.pi) * noise**0.5, abs=0.03)


def test_a_run_of_numbers_goes_on_from_its_state() -> None:
    X, y = numbers(80, 5, 2)
    whole = quantiles((0.1, 0.6), 5, dense=False, learning_rate="adagrad", eta0=0.1)
    part = copy.copy(whole)
    part.learner.count_errors(True)
    rows = csr(X)
    whole.visit(block(rows, y), native.rows_of(rows), None)
    part.visit(block(rows, y), native.rows_of(rows), np.arange(33, dtype=np.uint32))
    again = copy.deepcopy(part)
    again.learner.count_errors(True)
    again.visit(block(rows, y), native.rows_of(rows), np.arange(33, 80, dtype=np.uint32))
    assert weights_of(again) == weights_of(whole)
    assert again.learner.counters() == whole.learner.counters()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1e300])
def test_native_code_refuses_a_target_that_it_cannot_learn(wrong: float) -> None:
    X, y = numbers(10, 3, 0)
    y[7] = wrong
    run = quantiles((0.5,), 3, dense=True)
    with pytest.raises(ValueError, match="the target of row 7 is not a number between -1e100 and 1e100"):
        run.visit(block(X, y), native.rows_of(X), None)
    with pytest.raises(ValueError, match="one target for each of 10 rows"):
        run.visit(Block(X, np.zeros(10, np.int32), targets=y[:9]), native.rows_of(X), None)


def test_targets_are_for_runs_that_predict_numbers() -> None:
    X, y = numbers(10, 3, 0)
    labels = Block(X, np.zeros(10, np.int32))
    with pytest.raises(ValueError, match="needs targets, and no other takes them"):
        share_pass([quantiles((0.5,), 3, dense=True)], labels)
    with pytest.raises(ValueError, match="needs targets, and no other takes them"):
        share_pass([Run(Settings(), 3, [1.0, 1.0], 0, dense=True)], block(X, y))
