"""The command line with a number: learn, predict, judge, and a sentence for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.cli.app import main


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    area, age = draw.normal(100, 30, 300).round(1), draw.integers(0, 90, 300)
    price = (50 * area - 20 * age + 300 * draw.normal(size=300)).round(2)
    lines = [f"{a},{b},{c}\n" for a, b, c in zip(area, age, price, strict=True)]
    (tmp_path / "houses.csv").write_text("area,age,price\n" + "".join(lines))
    return tmp_path / "houses.csv"


def run(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    assert main([*map(str, words)]) == code
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


def test_from_a_file_to_predictions_and_a_page(
    houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, page = tmp_path / "m.model", tmp_path / "page.html"
    printed = run(capsys, "fit", houses, "--label", "price", "-o", model, "--report", tmp_path / "fit.html")
    assert "predicts  a number between " in printed
    assert "--task classes if these are" in printed
    assert "by always guessing the mean, " in printed
    assert "raises price area +" in printed
    assert "lowers price age -" in printed
    assert "predicts price" in (tmp_path / "fit.html").read_text()
    lines = run(capsys, "predict", model, houses).splitlines()
    assert len(lines) == 300
    table = run(capsys, "predict", model, houses, "--intervals", "--reasons", 1, "--id", "area").splitlines()
    assert table[0].split("\t") == ["area", "prediction", "low", "high", "reasons"]
    low, high = map(float, table[1].split("\t")[2:4])
    assert low < float(lines[0]) < high
    record = json.loads(run(capsys, "predict", model, houses, "--json", "--intervals").splitlines()[0])
    assert record == {"prediction": float(lines[0]), "low": low, "high": high}
    judged = run(capsys, "evaluate", model, houses, "--report", page)
    for name in ("RMSE", "MAE", "R²", "coverage"):
        assert name in judged
    assert "Residuals" in page.read_text()
    scores = json.loads(run(capsys, "evaluate", model, houses, "--json"))
    truth = [float(line.split(",")[2]) for line in houses.read_text().splitlines()[1:]]
    rmse = np.sqrt(np.mean((np.array(truth) - np.array(list(map(float, lines)))) ** 2))
    assert scores["rmse"] == pytest.approx(rmse, rel=1e-12)


def test_the_result_as_json(houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("fit", houses, "--label", "price", "-o", tmp_path / "m", "--json")
    record = json.loads(run(capsys, *words))
    assert (record["target"], record["measure"], record["classes"]) == ("price", "RMSE", [])
    assert record["error"] < record["baseline_error"]
    assert 0.8 < record["interval"]["coverage"] < 1
    assert record["top"][0]["moves"] == "raises price"
    absolute = json.loads(run(capsys, *words, "--error", "absolute"))
    assert absolute["measure"] == "MAE"
    levels = json.loads(run(capsys, *words, "--quantiles", "0.1,0.9"))
    assert levels["measure"] == "pinball loss"
    printed = run(capsys, "predict", tmp_path / "m", houses, "--output-format", "csv")
    assert printed.splitlines()[0] == "q0.1,q0.9"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--task", "number", "--class-weight", "balanced"], "--class-weight is for classes"),
        (["--threshold", "f1"], "--threshold is for classes"),
        (["--rule", "hinge"], "--rule names a rule that decides between classes"),
        (["--error", "absolute", "--quantiles", "0.5"], "leave --error absolute out"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    words: list[str], sentence: str, houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = run(capsys, "fit", houses, "--label", "price", "-o", tmp_path / "m", *words, code=2)
    assert sentence in error
    assert not (tmp_path / "m").exists()


def test_what_is_for_classes_is_refused_of_a_model_of_numbers(
    houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.model"
    run(capsys, "fit", houses, "--label", "price", "-o", model)
    for words in (["--proba"], ["--scores"], ["--confidence"], ["--top", "3"]):
        error = run(capsys, "predict", model, houses, *words, code=4)
        assert f"predicts a number, and {words[0]} is for classes" in error
    error = run(capsys, "fit", "--from", model, houses, "--new-labels", "-o", tmp_path / "n", code=2)
    assert "predicts a number, which has no classes: leave --new-labels out" in error


def test_a_model_of_numbers_learns_on(houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.model"
    run(capsys, "fit", houses, "--label", "price", "-o", model)
    text = run(capsys, "fit", "--from", model, houses, "-o", model)
    assert "progressive: each new example predicted before it was" in text
    assert "if these are labels" not in text
    record = json.loads(run(capsys, "fit", "--from", model, houses, "-o", model, "--json"))
    assert record["measure"] == "RMSE"
    assert 0 < record["error"] < record["baseline_error"]


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("two", "houses.csv:200: expected a number in column 'price', found 'two'"),
        ("inf", "houses.csv:200: expected a number in column 'price', found 'inf'"),
        ("1e300", "houses.csv:200: expected a number between -1e+100 and 1e+100 in column 'price'"),
    ],
)
def test_a_bad_target_is_one_sentence(
    cell: str, sentence: str, houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = houses.read_text().splitlines()
    lines[199] = f"1,2,{cell}"
    houses.write_text("\n".join(lines) + "\n")
    error = run(capsys, "fit", houses, "--label", "price", "-o", tmp_path / "m", code=3)
    assert sentence in error
    assert error.count("\n") == 1
    run(capsys, "fit", houses, "--label", "price", "-o", tmp_path / "m", "--on-bad-row", "skip")


@pytest.mark.parametrize(
    ("grades", "words", "is_said"),
    [(6, [], True), (6, ["--task", "classes"], False), (6, ["--classes", "0,1,2,3,4,5"], False), (4, [], False)],
)
def test_whole_numbers_that_are_taken_for_classes(
    grades: int, words: list[str], is_said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "reviews.csv", tmp_path / "m"
    path.write_text("length,grade\n" + "".join(f"{k % grades + k % 7 / 10},{k % grades}\n" for k in range(120)))
    text = run(capsys, "fit", path, "--label", "grade", "-o", model, *words)
    hint = f"classes   {grades} whole numbers, 0 to {grades - 1}; --task number if these are amounts"
    assert (hint in text) == is_said
    assert "if these are amounts" not in run(capsys, "fit", "--from", model, path, "-o", model)


def test_classes_if_these_are_labels(houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record: dict[str, Any] = json.loads(
        run(capsys, "fit", houses, "--label", "age", "--task", "classes", "-o", tmp_path / "m", "--json")
    )
    assert len(record["classes"]) > 50
    assert "measure" not in record
