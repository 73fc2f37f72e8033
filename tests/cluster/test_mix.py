"""Learning in shards: the same bits for any number of workers, close to one learner, separated where it can be."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.cluster import fit
from rosenblatt.cluster.engines.processes import Processes
from rosenblatt.cluster.messages import pack, unpack
from rosenblatt.cluster.mix.lbfgs import minimise
from rosenblatt.cluster.mix.mixing import State, Sums, mixed, tree_sum
from rosenblatt.cluster.mix.pieces import logistic, shard_piece, sums_of
from rosenblatt.cluster.mix.rounds import branches_of
from rosenblatt.cluster.mix.shards import ShardWriter
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Block
from rosenblatt.version import __version__
from tests.cluster.examples import CASES, model_bytes
from tests.cluster.harm import Harmed, kill_once_before
from tests.cluster.tables import TABLES
from tests.cluster.test_same_bits import Here

SHARDS = 6


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    with Processes(2) as engine:
        yield engine


@pytest.mark.parametrize("case", ["svmlight", "text", "vw", "csv", "csv, a number", "csv with text, quoted lines"])
def test_any_number_of_workers_gives_the_same_bits(case: str, two: Processes, tmp_path: Path) -> None:
    write, reading, _ = CASES.get(case) or TABLES[case]
    data, options = write(tmp_path), ReadOptions(**reading)
    together = fit(data, Harmed(two), shards=SHARDS, reading=options)
    one = fit(data, Here(), shards=SHARDS, reading=options)
    assert model_bytes(together.model, tmp_path) == model_bytes(one.model, tmp_path)
    assert together.holdout_error == one.holdout_error
    other = fit(data, Here(), shards=SHARDS + 1, reading=options)
    assert model_bytes(other.model, tmp_path) != model_bytes(one.model, tmp_path)


def _kill_once(marker: str, after: int, piece: bytes) -> bytes:
    kill_once_before(marker, after)
    return shard_piece(piece)


class HarmedOnShards(Harmed):
    """Whose workers read unharmed, and of which one is killed while it learns."""

    def in_order(self, read: Any, pieces: Iterator[bytes]) -> Iterator[bytes]:
        self._harm = partial(_kill_once, str(self.marker), 4) if read is shard_piece else read
        return super().in_order(read, pieces)

    marker: Path


def test_a_killed_worker_changes_no_bit(tmp_path: Path) -> None:
    data = CASES["text"][0](tmp_path)
    with Processes(2) as engine:
        harmed = HarmedOnShards(engine)
        harmed.marker = tmp_path / "killed"
        together = fit(data, harmed, shards=SHARDS)
        assert harmed.marker.exists()
        (note,) = engine.notes()
    assert "to the same bits" in note
    assert model_bytes(together.model, tmp_path) == model_bytes(fit(data, Here(), shards=SHARDS).model, tmp_path)


@pytest.mark.parametrize("rule", ["perceptron", "logistic"])
def test_separable_data_end_separated(rule: str, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    weights, lines = random.normal(size=20), []
    while len(lines) < 1500:
        x = random.normal(size=20).round(3)
        if abs(x @ weights) > 0.6:
            lines.append(f"{int(x @ weights > 0)} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(x)))
    path = tmp_path / "separable.svm"
    path.write_text("\n".join(lines) + "\n")
    fitted = fit(path, Here(), shards=SHARDS, rule=rule)
    assert fitted.status == "separated"
    blocks = [*predict_file(fitted.model, path)]
    wrong = sum(int((block.decided != block.truth).sum()) for block in blocks)
    assert wrong <= fitted.holdout_error * fitted.holdout_rows + 1e-9  # all that were learned are right


def test_polished_it_is_as_good_as_one_learner(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    weights = random.normal(size=(40, 3))
    for name, n in (("train", 9000), ("test", 6000)):
        x = (random.random((n, 40)) < 0.25).astype(int)
        labels = (x @ weights + random.gumbel(size=(n, 3))).argmax(axis=1)
        rows = (" ".join(f"{j + 1}:1" for j in np.flatnonzero(row).tolist()) for row in x)
        (tmp_path / name).write_text("".join(f"{label} {row}\n" for label, row in zip(labels, rows, strict=True)))
    train, test = str(tmp_path / "train"), str(tmp_path / "test")
    reading = ReadOptions(format="svmlight")
    alone = fit_file(train, test=test, reading=reading)
    together = fit(train, Here(), shards=32, test=test, reading=reading)
    assert alone.test_error is not None
    assert together.test_error == pytest.approx(alone.test_error, abs=0.006)


def test_the_threshold_is_left_to_the_data_as_with_one_learner(tmp_path: Path) -> None:
    """A step, which no logistic curve follows: probabilities decide better than the sign of the score."""
    random = np.random.default_rng(4)
    x = random.normal(size=15_000)
    positive = random.random(15_000) < np.where(x < -1.3, 0.9, 0.05)
    lines = [f"{int(label)} 1:{value:.4f}\n" for value, label in zip(x.tolist(), positive.tolist(), strict=True)]
    train, test = tmp_path / "train.svm", tmp_path / "test.svm"
    train.write_text("".join(lines[:12_000]))
    test.write_text("".join(lines[12_000:]))
    alone = fit_file(train, rule="logistic", test=test)
    together = fit(train, Here(), shards=SHARDS, test=test)
    by_score = fit(train, Here(), shards=SHARDS, passes=4, test=test)
    errors = [fitted.test_error or 1.0 for fitted in (alone, together, by_score)]
    assert together.model.threshold is not None
    assert errors[1] < errors[0] + 0.002
    assert by_score.model.threshold is None
    assert errors[2] > errors[1] + 0.02


def test_what_one_learner_alone_can_do_is_refused(tmp_path: Path) -> None:
    data = CASES["svmlight"][0](tmp_path)
    for learning in ({"resume": True, "checkpoint": "c"}, {"features": "poly2"}, {"size": "1MB"}, {"shards": 0}):
        with pytest.raises(ParameterError):
            fit(data, Here(), **{"shards": SHARDS, **learning})


def test_a_folder_that_workers_do_not_see_is_said() -> None:
    task = {"version": __version__, "do": "learn", "file": "/nowhere/shards", "settings": Settings()._asdict()}
    answer = shard_piece(pack({"task": json.dumps(task | {"shards": [[0, [[0, 8]]]]})}))
    assert unpack(answer)[0]["error"] == "DataError"
    with pytest.raises(DataError, match="cannot be found by every worker: give a folder as cache that all can read"):
        sums_of(answer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_full_disk_is_said() -> None:
    writer = ShardWriter("/dev/full", 2)
    writer.add(Block(np.eye(3), np.zeros(3, np.int32)), None)
    with pytest.raises(DataError, match=r"shards cannot be written there: No space left on device. Name another"):
        writer.flush()


# -- slow twins ------------------------------------------------------------------------------------------------------


def test_branches_do_not_change_the_tree() -> None:
    def plus(left: str, right: str) -> str:
        return f"({left}{right})"

    for n in range(1, 40):
        letters = [chr(65 + k) for k in range(n)]
        whole = tree_sum(letters, plus)
        for n_pieces in (1, 2, 3, 7):
            branches = branches_of(letters, n_pieces)
            assert tree_sum([tree_sum((x for _, x in branch), plus) for branch in branches], plus) == whole


def test_columns_are_weighted_by_what_each_shard_has_seen() -> None:
    state = State(np.arange(3), np.array([[1.0, 2.0, 3.0]]), np.array([0.5]))
    shards = [({0: (4, 3.0), 1: (1, 5.0)}, 10, 0.7), ({1: (3, 1.0)}, 30, 0.1)]  # column: (seen, weight); rows; bias
    sums = []
    for columns, rows, bias in shards:
        at = np.array(list(columns))
        seen = np.array([float(n) for n, _ in columns.values()])
        moved = np.array([[w for _, w in columns.values()]]) - state.weights[:, at]
        sums.append(Sums(at, seen, (moved * seen,), np.array([(bias - 0.5) * rows, rows])))
    after = mixed(state, tree_sum(sums, Sums.plus), 2)
    assert after.weights[0].tolist() == pytest.approx([3.0, (5.0 * 1 + 1.0 * 3) / 4, 3.0])
    assert after.bias[0] == pytest.approx((0.7 * 10 + 0.1 * 30) / 40)


@pytest.mark.parametrize("units", [1, 4])
def test_the_logistic_loss_and_its_derivative(units: int) -> None:
    random = np.random.default_rng(1)
    scores, labels = random.normal(size=(30, units)) * 3, random.integers(0, max(units, 2), 30).astype(np.int32)

    def plain(row: list[float], label: int) -> float:
        if units == 1:
            return math.log1p(math.exp(-row[0] if label else row[0]))
        return math.log(sum(map(math.exp, row))) - row[label]

    loss, pull, wrong = logistic(scores, labels)
    assert loss.tolist() == pytest.approx([plain(r, y) for r, y in zip(scores.tolist(), labels.tolist(), strict=True)])
    for unit in range(units):
        step = np.zeros(units)
        step[unit] = 1e-6
        difference = (logistic(scores + step, labels)[0] - logistic(scores - step, labels)[0]) / 2e-6
        assert pull[:, unit] == pytest.approx(difference, abs=1e-6)
    decided = (scores[:, 0] > 0).astype(int) if units == 1 else scores.argmax(axis=1)
    assert wrong.tolist() == (decided != labels).tolist()


def test_lbfgs_finds_the_minimum_of_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")

    def rosenbrock(x: Any) -> tuple[float, Any]:
        return float(optimize.rosen(x)), optimize.rosen_der(x)

    *_, last = minimise(rosenbrock, np.array([-1.2, 1.0]), 200)
    assert last == pytest.approx(np.ones(2), abs=1e-4)
