"""Files written by an earlier version load in this one, predict the same and continue learning to the same bits.

The files in `old_models` were written once, by `python -m tools.golden.old_models`, and are never regenerated. When a
kind of file is added, `python -m tests.model.test_old_models` adds the results expected of it.
"""

import hashlib
import itertools
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt.learn.state.run_state import ADDED_LATER
from tests import child
from tests.model.test_model_file import resign

FOLDER = Path(__file__).with_name("old_models")
STORED = FOLDER / "expected.json"
EXPECTED: dict[str, str] = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}

# models that were learned from a file, and that file
OF_FILES = {
    "svmlight-auto": "rows.svm",
    "svmlight-arow": "rows.svm",
    "svmlight-many": "many.svm",
    "svmlight-logistic-many": "many.svm",
    "vw": "words.vw",
    "vw-crossed": "words.vw",
    "text": "mail.txt",
    "csv-scaled-crossed": "people.csv",
    "csv-notes": "notes.csv",
    "csv-products": "three.csv",
}
LINEAR = [
    *("perceptron-last", "perceptron-average", "perceptron-vote", "perceptron-pocket", "perceptron-recorded"),
    *("perceptron-products", "perceptron-ovr", "perceptron-ovo", "perceptron-joint", "adaline", "logistic"),
]
KERNELS = ["kernel-linear", "kernel-poly-vote", "kernel-rbf", "kernel-budget"]
NETWORKS = ["network-learned", "network-expression"]
PROOFS = {"proof-separable": "proof-separable", "proof-inseparable": "proof-inseparable"}
PROOFS |= {"proof-undecided": "proof-separable"}
POINTS = np.array(list(itertools.product([-1.25, 0.0, 2.5], [0.5, -3.0], [1.0, 0.0], [-0.75, 4.0])))
CORNERS = np.array(list(itertools.product([0.0, 1.0], repeat=4)))


def short_hash(value: Any) -> str:
    """Hash the value as JSON, floats in nine digits: a kernel's exponential differs a little between libraries."""
    return hashlib.sha256(json.dumps(_plain(value)).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return f"{value + 0.0:.8e}" if isinstance(value, float) else value


def command(*words: str | Path) -> str:
    """The output of a command that must succeed."""
    line = [sys.executable, "-m", "rosenblatt", *map(str, words)]
    return child.run(line, capture_output=True, check=True, timeout=120).stdout.decode()


def decisions_of_file(name: str) -> str:
    """A hash of labels and scores from the command line, to the last digit."""
    lines = command("predict", FOLDER / f"{name}.model", FOLDER / OF_FILES[name], "--scores").splitlines()
    return short_hash(lines)


def decisions(name: str) -> str:
    """A hash of labels and scores in Python, and of how the run had ended."""
    unit = rosenblatt.load(FOLDER / f"{name}.model")
    rows = CORNERS if name in NETWORKS else POINTS
    ending = [type(unit).__name__, unit.status_, unit.n_iter_]
    return short_hash([ending, unit.classes_, unit.predict(rows), unit.decision_function(rows)])


def learned_on(name: str) -> str:
    """A hash of the weights after some more examples, bit for bit."""
    unit = rosenblatt.load(FOLDER / f"{name}.model")
    labels = np.resize(unit.classes_, len(POINTS))
    if name == "perceptron-pocket":  # it needs all the examples at once
        unit.set_params(warm_start=True).fit(POINTS, labels)
    else:
        unit.partial_fit(POINTS, labels)
    weights = [value.hex() for value in (*unit.coef_.ravel().tolist(), *unit.intercept_.tolist())]
    return short_hash([weights, unit.t_, unit.n_mistakes_])


def points_of(proof: str) -> tuple[Any, Any]:
    """The points that a proof is about, and their labels."""
    table = np.loadtxt(FOLDER / f"{PROOFS[proof]}.csv", delimiter=",")
    return table[:, :-1], table[:, -1].astype(int)


def resumed(folder: Path) -> str:
    """A hash of an interrupted fit, resumed in this folder, which must be the current one."""
    for file in ("rows.svm", "interrupted.checkpoint"):
        shutil.copyfile(FOLDER / file, folder / file)
    fitted = rosenblatt.fit_file("rows.svm", rule="arow", passes=4, checkpoint="interrupted.checkpoint", resume=True)
    rosenblatt.save(fitted, "resumed.model")
    unit = rosenblatt.load("resumed.model")
    weights = [value.hex() for value in (*unit.coef_.ravel().tolist(), *unit.intercept_.tolist())]
    return short_hash([fitted.resumed, fitted.status, fitted.passes, list(fitted.mistakes), weights])


@pytest.mark.parametrize("name", OF_FILES)
def test_a_model_of_a_file_decides_as_before(name: str) -> None:
    assert decisions_of_file(name) == EXPECTED[name]


@pytest.mark.parametrize("name", [*LINEAR, *KERNELS, *NETWORKS])
def test_an_estimator_decides_as_before(name: str) -> None:
    assert decisions(name) == EXPECTED[name]


@pytest.mark.parametrize("name", LINEAR)
def test_an_estimator_learns_on_to_the_same_bits(name: str) -> None:
    assert learned_on(name) == EXPECTED[f"{name}, learned on"]


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof_holds_as_before(name: str) -> None:
    proof, points = rosenblatt.load_certificate(FOLDER / f"{name}.json"), points_of(name)
    assert proof.kind == name.removeprefix("proof-")
    assert proof.verify(*points)
    assert not proof.verify(points[0] + 1, points[1])
    stored = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    assert proof.to_dict() == stored


def test_a_proof_is_checked_by_the_command_line() -> None:
    points, proof = FOLDER / "proof-inseparable.csv", FOLDER / "proof-inseparable.json"
    assert json.loads(command("certify", points, "--no-header", "--check", proof, "--json"))["holds"]


def test_an_interrupted_fit_goes_on_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resumed(tmp_path) == EXPECTED["interrupted"]


@pytest.mark.parametrize("n_absent", range(1, len(ADDED_LATER) + 1))
def test_an_estimator_saved_before_a_setting_was_added_opens(n_absent: int, tmp_path: Path) -> None:
    """Versions between had some of the settings that were added later."""
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1]
    path = tmp_path / "unit.model"
    unit = rosenblatt.Perceptron().fit(X, y)
    rosenblatt.save(unit, path)
    resign(path, lambda header, _: header["estimator"].update(chosen=header["estimator"]["chosen"][:-n_absent]))
    assert rosenblatt.load(path).decision_function(X).tolist() == unit.decision_function(X).tolist()


def test_every_file_is_tried() -> None:
    tested = {f"{name}.model" for name in (*OF_FILES, *LINEAR, *KERNELS, *NETWORKS)} | {
        f"{name}.json" for name in PROOFS
    }
    stored = {path.name for path in FOLDER.iterdir() if path.suffix in (".model", ".json")} - {STORED.name}
    assert tested == stored


def write_expected() -> None:
    """Add the expected results of new files; results that are stored already stay."""
    import os
    import tempfile

    results = {name: decisions_of_file(name) for name in OF_FILES}
    results |= {name: decisions(name) for name in (*LINEAR, *KERNELS, *NETWORKS)}
    results |= {f"{name}, learned on": learned_on(name) for name in LINEAR}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        results["interrupted"] = resumed(Path(folder))
    STORED.write_text(json.dumps({**results, **EXPECTED}, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    write_expected()
