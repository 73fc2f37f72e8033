"""A trace equals the run: every step against an oracle that records every visit, and the table of the lectures."""

import copy
import csv
import io
import json
import pickle
import tracemalloc
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron, errors, trace
from tests.agree import LEARNERS, bits, real_numbers, rule, whole_numbers
from tests.slow_twins.learn.trace import Telling

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = np.array([-1, -1, -1, 1]), np.array([-1, 1, 1, -1])
# epoch, row (from 1), score, mistake, weights after: by hand, from the lectures' rule
BY_HAND = [
    (1, 1, 0, 1, [-1, 0, 0]), (1, 2, -1, 0, [-1, 0, 0]), (1, 3, -1, 0, [-1, 0, 0]), (1, 4, -1, 1, [0, 1, 1]),
    (2, 1, 0, 1, [-1, 1, 1]), (2, 2, 0, 1, [-2, 1, 0]), (2, 3, -1, 0, [-2, 1, 0]), (2, 4, -1, 1, [-1, 2, 1]),
    (3, 1, -1, 0, [-1, 2, 1]), (3, 2, 0, 1, [-2, 2, 0]), (3, 3, 0, 1, [-3, 1, 0]), (3, 4, -2, 1, [-2, 2, 1]),
]  # fmt: skip
ENDS = [[0, 1, 1], [-1, 2, 1], [-2, 2, 1], [-2, 2, 2], [-2, 3, 2], [-3, 3, 2], [-3, 3, 3], [-4, 3, 2], [-4, 3, 2]]


# --------------------------------------------------------------------------------------------------- the lectures


def test_and_step_by_step() -> None:
    steps = list(trace(CORNERS, AND).steps())
    assert [(s.epoch, s.row + 1, s.score, s.mistake, s.after.tolist()) for s in steps[:12]] == BY_HAND
    assert len(steps) == 36
    assert [s.t for s in steps] == list(range(36))
    assert [s.x.tolist() for s in steps[:4]] == [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    assert [s.target for s in steps[:4]] == [-1, -1, -1, 1]
    for step, following in pairwise(steps):
        assert step.after.tolist() == following.before.tolist()


def test_and_epoch_by_epoch() -> None:
    ends = list(trace(CORNERS, AND).epochs())
    assert [end.weights[0].tolist() for end in ends] == ENDS
    assert [end.t for end in ends] == [4 * k for k in range(1, 10)]
    assert [end.mistakes for end in ends] == [2, 5, 8, 10, 12, 15, 17, 18, 18]


def test_the_total_goes_up_while_its_own_example_gets_better() -> None:
    """B5: the fourth row of AND costs 1, is corrected by |x|² = 3, and all the rows together cost 1 more."""
    before, after = list(islice(trace(CORNERS, AND).steps(totals=True), 2, 4))
    assert (before.total_loss, after.total_loss) == (1, 2)
    assert (before.total_errors, after.total_errors) == (1, 3)
    assert after.after @ after.x - after.before @ after.x == after.x @ after.x == 3


def test_the_dual_form_adds_up() -> None:
    """B8: for AND, each row counted as often as it was a mistake, with its sign."""
    run = trace(CORNERS, AND)
    alpha = run.dual()
    assert alpha.tolist() == [-2, -5, -4, 7]
    assert [alpha.sum(), *(alpha @ CORNERS)] == run.replay().tolist() == [-4, 3, 2]


# ------------------------------------------------------------------------------------------ against the slow twin

KINDS: list[dict[str, Any]] = [
    {"learning_rate": "constant"},
    {"learning_rate": "constant", "order": "shuffle", "random_state": 3},
    {"learning_rate": "inverse", "batch": 3, "order": "sample"},
    {"learning_rate": "invsqrt", "margin": 0.5, "keep": "pocket"},
    {"learning_rate": "pa1", "eta0": 0.4, "keep": "vote"},
    {"learning_rate": "pa2", "eta0": 0.4, "fit_intercept": False},
    {"learning_rate": "adagrad", "order": "shuffle", "keep": "average"},
    {"learning_rate": "adagrad", "batch": "full"},
    {"learning_rate": "arow", "r": 0.7, "keep": "pocket"},
    {"loss": "logistic", "learning_rate": "constant", "eta0": 1.0, "batch": 4, "init": "random"},
    {"loss": "squared", "eta0": 0.05},
]


def twins(kind: dict[str, Any], classes: int, data: Any, scheme: str = "ovr") -> tuple[Any, Telling]:
    X, y = data(11, 5, classes, 4)
    scheme = "ovr" if kind.get("loss") == "squared" and scheme == "joint" else scheme
    options = {"order": "given", "keep": "last", "multi_class": scheme, "eta0": 1.0, "learning_rate": "constant"} | kind
    run = trace(X, y, max_iter=4, **options)
    return run, Telling(**options).fit(X.tolist(), y.tolist(), epochs=4)


def cut(run: Any, weights: Any) -> Any:
    return weights if run.fit_intercept else weights[..., 1:]


@pytest.mark.parametrize(("classes", "scheme"), [(2, "ovr"), (3, "ovr"), (3, "ovo"), (4, "joint")])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())))
@pytest.mark.parametrize("data", [whole_numbers, real_numbers])
def test_every_step_is_the_oracles(kind: dict[str, Any], classes: int, scheme: str, data: Any) -> None:
    run, oracle = twins(kind, classes, data, scheme)
    steps_by_t: dict[int, list[Any]] = {}
    for step in run.steps():
        steps_by_t.setdefault(step.t, []).append(step)
    assert sorted(steps_by_t) == list(range(len(oracle.visits)))
    for visit in oracle.visits:
        before, after = (cut(run, np.array(w)) for w in (visit.before, visit.after))
        for step in steps_by_t[visit.t]:
            assert (step.epoch, step.row) == (visit.epoch, visit.row)
            assert bits(step.score) == bits(visit.scores[step.unit])
            assert step.mistake == visit.mistakes[step.unit]
            assert bits(step.before) == bits(before[step.unit])
            assert bits(step.after) == bits(after[step.unit])


@pytest.mark.parametrize(("classes", "scheme"), [(2, "ovr"), (3, "ovo"), (4, "joint")])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())))
def test_replay_is_the_weights_after_so_many_updates(kind: dict[str, Any], classes: int, scheme: str) -> None:
    run, oracle = twins(kind, classes, real_numbers, scheme)
    weights = np.array([visit.after for visit in oracle.visits])
    assert bits(np.atleast_2d(run.replay())) == bits(cut(run, weights[-1]))
    assert bits(np.atleast_2d(run.replay(0))) == bits(cut(run, np.array(oracle.visits[0].before)))
    for k in {1, 2, 3, len(run) // 2, len(run) - 1, len(run)}:
        entry = k - 1
        visit = oracle.visits[int(run.t[entry])]
        first = int(np.searchsorted(run.t, run.t[entry]))
        last = int(np.searchsorted(run.t, run.t[entry], side="right"))
        expected = np.array(visit.before)
        moved = run.unit[first:k] if k < last else np.arange(run.n_units)
        expected[moved] = np.array(visit.after)[moved]
        assert bits(np.atleast_2d(run.replay(k))) == bits(cut(run, expected))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())))
def test_the_end_of_the_trace_is_the_end_of_the_run(kind: dict[str, Any]) -> None:
    X, y = real_numbers(20, 6, 3, 1)
    for rows in (X, sp.csr_array(X), X.astype(np.float32)):
        run = trace(rows, y, max_iter=3, **{"keep": "last"} | kind)
        own = {name: value for name, value in kind.items() if name != "loss"}
        learner = LEARNERS[kind.get("loss", "perceptron")]
        model = learner(max_iter=3, **{"order": "given"} | own | {"keep": "last"}).fit(rows, y)
        ends = list(run.epochs())
        replayed = run.replay()
        assert bits(replayed) == bits(ends[-1].weights)
        assert bits(replayed[:, -6:]) == bits(model.coef_)
        assert ends[-1].mistakes == model.n_mistakes_


def test_iterating_gives_the_log() -> None:
    run = trace(*real_numbers(30, 4, 4, 2), multi_class="joint", max_iter=3)
    steps = list(run)
    assert len(steps) == len(run)
    assert [s.t for s in steps] == run.t.tolist()
    assert [s.row for s in steps] == run.row.tolist()
    assert [s.unit for s in steps] == run.unit.tolist()
    assert [s.coefficient for s in steps] == run.coefficient.tolist()
    for step in steps:
        assert np.array_equal(step.after, step.before + step.coefficient * step.x)


@pytest.mark.parametrize("loss", ["perceptron", "logistic"])
def test_mistakes_only_are_the_mistakes_among_all(loss: str) -> None:
    run = trace(*real_numbers(30, 4, 3, 5), loss=loss, max_iter=3, order="shuffle")
    mistaken = [(s.t, s.unit) for s in run.steps() if s.mistake]
    assert [(s.t, s.unit) for s in run.steps(mistakes_only=True)] == mistaken
    assert 0 < len(mistaken) < sum(1 for _ in run.steps())


def test_epochs_can_be_chosen() -> None:
    run = trace(*real_numbers(15, 3, 2, 5), max_iter=9, order="sample")
    every = list(run.steps())
    for first, last in [(1, 1), (3, 5), (9, 9), (10, 12)]:
        chosen = list(run.steps(epochs=(first, last)))
        expected = [s for s in every if first <= s.epoch <= last]
        assert [(s.t, s.row, bits(s.after)) for s in chosen] == [(s.t, s.row, bits(s.after)) for s in expected]


# ----------------------------------------------------------------------------------------------------- totals


@pytest.mark.parametrize("learning_rate", ["constant", "pa1"])
def test_totals_recounted(learning_rate: str) -> None:
    X, y = whole_numbers(12, 3, 2, 7)
    weights = np.array([1, 2, 0, 1] * 3, dtype=float)
    sign, rows, c = np.where(y, 1, -1), np.hstack([np.ones((12, 1)), X]), weights * np.where(y, 3, 1)
    required = 1 if learning_rate == "pa1" else 0
    run = trace(X, y, sample_weight=weights, class_weight={0: 1.0, 1: 3.0}, learning_rate=learning_rate, max_iter=3)
    steps = list(run.steps(totals=True))
    assert len(steps) > 9
    for step in steps:
        assert weights[step.row] > 0
        margins = sign * (rows @ step.after)
        assert step.total_loss == pytest.approx((c * np.maximum(0, required - margins)).sum())
        if required == 0:  # whole numbers, so that a margin of 0 is 0
            assert step.total_errors == ((margins <= 0) & (c > 0)).sum()
        else:
            assert ((margins < 1 - 1e-9) & (c > 0)).sum() <= step.total_errors <= ((margins < 1 + 1e-9) & (c > 0)).sum()


def test_totals_of_a_joint_decision() -> None:
    X, y = real_numbers(12, 3, 3, 7)
    run = trace(X, y, multi_class="joint", loss="logistic", max_iter=2)
    by_time: dict[int, dict[int, Any]] = {}
    for step in run.steps(totals=True):
        by_time.setdefault(step.t, {})[step.unit] = step
    rows = np.hstack([np.ones((12, 1)), X])
    assert len(by_time) == 24
    for units in by_time.values():
        scores = rows @ np.array([units[k].after for k in range(3)]).T
        softmax = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        assert units[0].total_loss == pytest.approx(-np.log(softmax[np.arange(12), y]).sum())
        assert units[2].total_errors == (scores.argmax(axis=1) != y).sum()


# ------------------------------------------------------------------------------------------ runs that are not simple


def test_a_warm_start_goes_on_with_the_story() -> None:
    X, y = real_numbers(20, 4, 2, 3)
    unbroken = trace(X, y, max_iter=6, order="shuffle")
    model = Perceptron(max_iter=2, order="shuffle", warm_start=True, record=True)
    for _ in range(3):
        model.fit(X, y)
    parts = model.trace_
    assert len(parts.recording.fits) == 1
    assert [bits(s.after) for s in parts.steps()] == [bits(s.after) for s in unbroken.steps()]
    model.fit(X[:7], y[:7])
    ends = list(model.trace_.epochs())
    assert [end.t for end in ends][5:7] == [120, 127]
    assert bits(model.trace_.replay()) == bits(ends[-1].weights[0])
    assert bits(ends[5].weights[0]) == bits(unbroken.replay())


def test_early_stopping_and_rows_of_no_weight_are_replayed() -> None:
    X, y = real_numbers(40, 3, 2, 6)
    weights = np.array([1.0, 0.0, 2.0, 1.0] * 10)
    options: dict[str, Any] = {"early_stopping": True, "order": "shuffle", "max_iter": 7, "keep": "last"}
    model = Perceptron(record=True, **options).fit(X, y, weights)
    visited = [s.row for s in model.trace_.steps()]
    assert len(visited) == model.t_
    assert all(weights[row] for row in visited)
    assert bits(model.trace_.replay()[1:]) == bits(model.coef_[0])


def test_the_examples_are_not_saved_with_the_model() -> None:
    model = rule(record=True).fit(CORNERS, AND)
    assert copy.copy(model).trace_.replay().tolist() == model.trace_.replay().tolist()
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.trace_.row.tolist() == model.trace_.row.tolist()
    with pytest.raises(errors.DataError, match="mistake log alone"):
        loaded.trace_.replay()
    with pytest.raises(errors.DataError, match="mistake log alone"):
        next(rule(record=True).fit(CORNERS, AND).partial_fit(CORNERS, AND).trace_.steps())


def test_examples_that_changed_are_noticed() -> None:
    X = CORNERS.copy()
    run = trace(X, AND)
    X[3] = [-1, -1]
    with pytest.raises(errors.DataError, match="have changed since"):
        run.replay()


def test_a_long_run_is_walked_not_stored() -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(20_000, 20))
    run = trace(X, X[:, 0] > 0.1, order="shuffle", max_iter=5)
    tracemalloc.start()
    walked = [step.t for step in run.steps(mistakes_only=True)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert walked == run.t.tolist()
    assert len(walked) > 300
    assert peak < 0.5 * X.nbytes


# --------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("k", [-1, 19])
def test_no_replay_beyond_the_run(k: int) -> None:
    with pytest.raises(errors.ParameterError, match="made 18 updates"):
        trace(CORNERS, AND).replay(k)


def test_options_that_are_none() -> None:
    with pytest.raises(errors.ParameterError, match="no parameter 'colour'"):
        trace(CORNERS, AND, colour="red")
    with pytest.raises(errors.ParameterError, match="must be one of perceptron"):
        trace(CORNERS, AND, loss="hunch")
    with pytest.raises(errors.ParameterError, match="not a sum of examples"):
        trace(CORNERS, AND, learning_rate="arow").dual()


# ------------------------------------------------------------------------------------------------------- the files


def test_rows_frame_csv_and_json_agree(tmp_path: Path) -> None:
    run = trace(CORNERS, AND)
    frame = run.to_frame(totals=True)
    assert frame.columns.tolist() == [
        "epoch", "t", "row", "target", "score", "mistake", "coefficient", "total_loss", "total_errors",
        "x1", "x2", "before_w0", "before_w1", "before_w2", "after_w0", "after_w1", "after_w2",
    ]  # fmt: skip
    assert frame[["after_w0", "after_w1", "after_w2"]].iloc[-1].tolist() == [-4, 3, 2]
    run.to_csv(tmp_path / "and.csv", totals=True)
    table = list(csv.DictReader((tmp_path / "and.csv").read_text(encoding="utf-8").splitlines()))
    assert [{k: float(v) for k, v in row.items()} for row in table] == [
        {k: float(v) for k, v in row.items()} for row in run.rows(totals=True)
    ]
    out = io.StringIO()
    run.to_json(out, mistakes_only=True)
    story = json.loads(out.getvalue())
    assert (story["status"], story["n_iter"], story["n_mistakes"]) == ("separated", 9, 18)
    assert story["classes"] == [-1, 1]
    assert [s["after"] for s in story["steps"]] == [s.after.tolist() for s in run]


def test_numbers_survive_the_files(tmp_path: Path) -> None:
    run = trace(*real_numbers(9, 3, 3, 8), max_iter=2, fit_intercept=False)
    run.to_csv(tmp_path / "steps.csv")
    rows = list(csv.DictReader((tmp_path / "steps.csv").read_text(encoding="utf-8").splitlines()))
    assert "before_w0" not in rows[0]
    for row, step in zip(rows, run.steps(), strict=True):
        assert int(row["unit"]) == step.unit
        assert bits([float(row[f"after_w{j}"]) for j in (1, 2, 3)]) == bits(step.after)


def test_wide_examples_leave_the_weights_out_unless_asked() -> None:
    run = trace(*real_numbers(6, 51, 2, 8), max_iter=1)
    assert "after_w1" not in next(run.rows())
    assert "after_w51" in next(run.rows(weights=True))


@pytest.mark.parametrize("learning_rate", ["constant", "arow"])
def test_short_stretches_of_a_long_table_are_the_same_run(learning_rate: str) -> None:
    """A few visits of many rows are made on copies of those rows: the same bits, in every layout."""
    X, y = real_numbers(200, 6, 3, 4)
    weights = np.arange(200) % 3 + 0.5
    for rows in (X, sp.csr_array(X), np.asfortranarray(X, dtype=np.float32)):
        run = trace(rows, y, sample_weight=weights, learning_rate=learning_rate, order="shuffle", max_iter=2)
        ends = [end.weights for end in run.epochs()]  # whole epochs, in place
        last = {(step.epoch, step.unit): step.after for step in run.steps()}  # one visit at a time
        assert [bits(last[epoch, unit]) for epoch in (1, 2) for unit in range(3)] == [
            bits(end[unit]) for end in ends for unit in range(3)
        ]
