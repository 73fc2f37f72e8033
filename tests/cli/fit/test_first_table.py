"""A newcomer's first table, with no option: what once went wrong in silence, or ended as a fault of ours."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt.cli import main
from tests.learn.files.rule_choice.nearly_alike import nearly_alike


@pytest.fixture(scope="module")
def comments(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Comments with an id that is large beside the other numbers, a tenth of them rude; and new ones."""
    random = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("comments")
    paths = []
    for name, count in (("train", 900), ("new", 600)):
        rude = random.random(count) < 0.1
        words = [" ".join(random.choice(["you", "are", "so", "the", "this", "page", "edit"], 6)) for _ in range(count)]
        mood = [f"{text} {'stupid idiot' if bad else 'thank you'}" for text, bad in zip(words, rude, strict=True)]
        rows = [
            f"{number},{len(text)},2020-0{1 + number % 9}-1{number % 10},{text},{'rude' if bad else 'fine'}"
            for number, text, bad in zip((random.permutation(count) + 9_000_000).tolist(), mood, rude, strict=True)
        ]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(["id,length,written,comment,label", *rows]) + "\n")
        paths.append(str(path))
    return paths[0], paths[1]


@pytest.fixture(scope="module")
def model(comments: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("model") / "comments.model")
    assert main(["fit", comments[0], "-o", path, "--quiet"]) == 0
    return path


def test_an_id_does_not_make_a_table_of_comments_a_guess(
    comments: tuple[str, str], model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["evaluate", model, comments[1], "--json"]) == 0
    scores: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert scores["error"] < scores["baseline_error"] / 4
    assert scores["recall"] > 0.9
    assert scores["warnings"] == []


def test_evaluate_says_that_a_model_knows_the_examples(
    comments: tuple[str, str], model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first thing to try is the file at hand, and its error is not a promise for another."""
    warning = "which the model learned: expect more errors on others"
    grown = str(tmp_path / "grown.model")
    assert main(["fit", "--from", model, comments[1], "-o", grown, "--quiet"]) == 0
    for path, data, learned in ((model, 0, True), (model, 1, False), (grown, 0, True), (grown, 1, True)):
        capsys.readouterr()
        assert main(["evaluate", path, comments[data]]) == 0
        assert (warning in capsys.readouterr().out.splitlines()[0]) == learned
    other = tmp_path / Path(comments[0]).name  # of the same name, with fewer rows
    other.write_text("".join(Path(comments[0]).read_text().splitlines(keepends=True)[:100]))
    assert main(["evaluate", model, str(other)]) == 0
    assert warning not in capsys.readouterr().out


def test_fit_says_how_a_rule_with_more_errors_may_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = nearly_alike(400)
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,d,e,f,label", *lines]))
    assert main(["fit", str(tmp_path / "t.csv"), "-o", str(tmp_path / "m")]) == 0
    out = capsys.readouterr().out
    assert "learned   logistic-minimum, all examples at once, " in out
    measured = {
        name: float(error.strip("%")) for name, error in re.findall(r"^[ *]+([a-z0-9-]+) +([0-9.]+%)$", out, re.M)
    }
    assert ("differ by chance" in out) == (measured["logistic-minimum"] > min(measured.values()))


def test_a_row_from_a_pipe_without_names_is_predicted(
    comments: tuple[str, str], model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    header, *rows = Path(comments[1]).read_text().splitlines()
    capsys.readouterr()
    answers = []
    for lines, options in (([header, *rows[:40]], []), (rows[:40], ["--no-header"])):
        unlabelled = "".join(f"{line.rpartition(',')[0]}\n" for line in lines)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(unlabelled.encode())))
        assert main(["predict", model, "-", "--format", "csv", *options]) == 0
        answers.append(capsys.readouterr().out.split())
    assert len(answers[0]) == 40
    assert answers[0] == answers[1]


def test_a_model_of_the_command_line_predicts_raw_rows_in_python(comments: tuple[str, str], model: str) -> None:
    import pandas as pd

    loaded = rosenblatt.load(model)
    table = pd.read_csv(comments[1])
    examples = rosenblatt.read(comments[1], like=loaded)
    assert loaded.predict(table).tolist() == loaded.predict(examples.X).tolist()


def test_a_price_in_the_last_column_is_no_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A last column that hardly repeats a value is refused as the label, unless it is named."""
    path = tmp_path / "credit.csv"
    rows = [f"{['good', 'bad'][k % 2]},{k % 7},{100 + 3 * (k % 250)}" for k in range(500)]
    path.write_text("\n".join(["status,years,price", *rows]) + "\n")
    assert main(["fit", str(path), "-o", str(tmp_path / "m"), "--quiet"]) == 3
    sentence = capsys.readouterr().err
    assert "its last column, 'price', was taken for the label" in sentence
    assert "has 250 different values in the first 500 rows" in sentence
    assert "with --label. Those with few values are 'status', 'years'" in sentence
    assert main(["fit", str(path), "-o", str(tmp_path / "m"), "--label", "status", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["fit", str(path), "-o", str(tmp_path / "m"), "--label", "price", "--task", "classes"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n  for ") == 20
    assert "and 230 more classes, which rosenblatt explain shows" in printed
