"""The panel of accuracies runs: on two small generated sets, with the peers and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")

from bench.panel import panel, peers, tuning
from bench.panel.data import split_files
from bench.panel.data.data_sets import DATA_SETS, chosen
from bench.panel.data.generate import churn, generated, wide
from bench.panel.data.raw import DataSet
from bench.panel.measures import area, log_loss, measures

TINY = (
    DataSet("tiny-churn", "tune", generated(churn, 0, n=300, share=0.4), n_splits=1),
    DataSet("tiny-sparse", "confirm", generated(wide, 0, n=200, n_features=300, per_row=10), n_splits=2),
)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(panel, "chosen", lambda names: list(TINY))
    monkeypatch.setattr(split_files, "FOLDER", tmp_path / "files")
    monkeypatch.setattr(peers, "start_seconds", lambda: 0.0)  # else another process, a second or more
    return tmp_path / "panel.json"


def run(path: Path, *words: str) -> dict[str, Any]:
    panel.main(["--results", str(path), "--jobs", "1", "--save", *words])
    return dict(json.loads(path.read_text())["sets"])


def test_ours_alone_needs_no_peer(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = run(tiny, "--ours")
    assert [len(sets[data.name]["ours"]) for data in TINY] == [1, 2]
    assert all(not entry["peers"] for entry in sets.values())
    assert all(0.5 < part["accuracy"] <= 1 for entry in sets.values() for part in entry["ours"])
    assert "tiny-sparse" in capsys.readouterr().out


def test_the_peers_are_measured_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(tiny)
    for entry in first.values():
        assert set(entry["peers"]) == set(entry["files"])
        for sides in entry["peers"].values():
            assert {"LogisticRegression", "LinearSVC"} <= set(sides)
            assert all(side["log_loss"] < 0.75 and side["seconds"] >= side["fit_seconds"] for side in sides.values())
    monkeypatch.setattr(tuning, "tune", None)  # a second measurement would fail
    assert {name: entry["peers"] for name, entry in run(tiny).items()} == {
        name: entry["peers"] for name, entry in first.items()
    }
    assert tiny.with_suffix(".png").exists()


def test_each_kind_of_set_is_in_both_halves() -> None:
    assert len({data.name for data in DATA_SETS}) == len(DATA_SETS) >= 24
    marks = [data.mark for data in DATA_SETS]
    assert set(marks) == {"tune", "confirm"}
    assert abs(marks.count("tune") - marks.count("confirm")) <= 4
    assert {data.mark for data in chosen(["confirm"])} == {"confirm"}
    with pytest.raises(SystemExit, match="no set is called 'nowhere'"):
        chosen(["nowhere"])


def test_measures_by_hand() -> None:
    y, scores = np.array([0, 0, 1, 1]), np.array([-2.0, 1.0, 0.5, 3.0])
    assert area(y == 1, scores)[0] == 0.75  # three of four pairs are in order
    proba = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.1, 0.9]])
    assert log_loss(y, proba) == pytest.approx(-np.log([0.9, 0.5, 0.8, 0.9]).mean())
    assert measures(y, (scores > 0).astype(int), scores, None)["accuracy"] == 0.75


def test_calibrated_scores_are_probabilities() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(3000, 3)) * 5
    y = (scores / 5 + random.gumbel(size=(3000, 3))).argmax(axis=1)
    proba = tuning.platt(scores[:2000], y[:2000], scores[2000:])
    assert proba.sum(axis=1) == pytest.approx(1.0)
    shares = np.bincount(y[2000:], minlength=3) / 1000
    assert log_loss(y[2000:], proba) < -np.sum(shares * np.log(shares))
