"""Every decision of `fit` can be overruled, and the option changes what it says it changes, in what is said, saved and
predicted: each of these tests fails if its option does nothing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.cli import main
from rosenblatt.model.model_file import load_model

ROWS = 600


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A code of a few values, an id, numbers in unlike units, one with heavy tails, and a rare class."""
    random = np.random.default_rng(0)
    x = random.normal(size=ROWS)
    wage, code = np.exp(random.normal(7, 2, ROWS)).round(2), random.integers(1, 4, ROWS)
    score = 1.2 * x + (code == 2) + 0.3 * np.log(wage) - 5 + random.logistic(0, 0.7, ROWS)
    rows = [
        f"c{100_000 + i},{int(50_000 * x[i])},{wage[i]},{code[i]},{'yes' if score[i] > 0 else 'no'}"
        for i in random.permutation(ROWS)
    ]
    path = tmp_path_factory.mktemp("overruled") / "t.csv"
    path.write_text("\n".join(["customer,distance,wage,code,label", *rows]) + "\n")
    return str(path)


class Fit:
    """What a fit says of itself, the model that it saves, and what that predicts for the rows it was learned from."""

    def __init__(self, table: str, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> None:
        model = str(folder / f"{'_'.join(options).replace('/', '')}.model")
        capsys.readouterr()
        assert main(["fit", table, "-o", model, "--json", *options]) == 0
        self.record: dict[str, Any] = json.loads(capsys.readouterr().out)
        self.model = load_model(model)
        assert main(["predict", model, table, "--json"]) == 0
        answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        self.labels = [answer["label"] for answer in answers]
        self.scores = [answer["score"] for answer in answers]


@pytest.fixture
def fit(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    return lambda *options: Fit(table, tmp_path, capsys, *options)


def test_drop_leaves_a_column_out(fit: Any) -> None:
    usual, dropped = fit(), fit("--drop", "wage")
    assert "wage" in usual.model.space.columns
    assert "wage" not in dropped.model.space.columns
    assert (usual.record["columns"]["dropped"], dropped.record["columns"]["dropped"]) == ([], ["wage"])
    assert usual.scores != dropped.scores


def test_keep_learns_from_a_column_that_looks_like_an_id(fit: Any) -> None:
    usual, with_customer = fit(), fit("--keep", "customer")
    assert usual.record["columns"]["left_out"] == {"customer": "differs in every row"}
    assert with_customer.record["columns"]["left_out"] == {}
    assert "customer" in with_customer.record["columns"]["words"]
    assert with_customer.record["features"] == usual.record["features"] + ROWS
    assert usual.scores != with_customer.scores


def test_as_reads_a_column_as_another_kind(fit: Any) -> None:
    usual, words, plain = fit(), fit("--as", "word:code"), fit("--as", "number:wage")
    assert "code" in usual.model.space.columns
    assert {"code=1", "code=2", "code=3"} <= set(words.model.space.columns)
    assert "code" not in words.model.space.columns
    assert "wage" in usual.record["columns"]["logs"]
    assert "wage" not in plain.record["columns"]["logs"]
    assert usual.scores != words.scores != plain.scores != usual.scores


def test_scale_and_no_scale(fit: Any) -> None:
    usual, scaled, unscaled = fit(), fit("--scale"), fit("--no-scale")
    assert usual.scores == scaled.scores
    assert usual.model.space.scale is not None
    assert unscaled.model.space.scale is None
    assert (usual.record["columns"]["scaled"], unscaled.record["columns"]["scaled"]) == (True, False)
    assert usual.scores != unscaled.scores


def test_passes_is_how_often_the_file_is_learned(fit: Any) -> None:
    usual, once, thrice = fit(), fit("--passes", "1"), fit("--passes", "3")
    assert usual.record["chosen_by"] == "5 folds"
    assert [run.record["chosen_by"] for run in (once, thrice)] == [None, None]
    assert [len(run.record["mistakes"]) for run in (once, thrice)] == [1, 3]
    assert [run.model.summary.t for run in (once, thrice)] == [ROWS, 3 * ROWS]
    assert once.scores != thrice.scores


def test_class_weights_find_more_of_a_rare_class(fit: Any) -> None:
    usual, balanced, named = fit(), fit("--class-weight", "balanced"), fit("--class-weight", "yes=1,no=9")
    assert balanced.record["class_weight"] == "balanced"
    assert balanced.labels.count("yes") > 1.2 * usual.labels.count("yes")
    assert named.labels.count("yes") < 0.8 * usual.labels.count("yes")
    assert len({tuple(run.scores) for run in (usual, balanced, named)}) == 3


def test_a_threshold_moves_the_decision_and_nothing_else(fit: Any) -> None:
    usual, low, high = fit(), fit("--threshold", "0.1"), fit("--threshold", "0.9")
    assert usual.scores == low.scores == high.scores
    assert high.labels.count("yes") < usual.labels.count("yes") < low.labels.count("yes")
    for run in (low, high):
        assert run.labels == ["yes" if score > run.model.decides_above else "no" for score in run.scores]
    assert [run.record["threshold"]["criterion"] for run in (low, high)] == ["0.1", "0.9"]
