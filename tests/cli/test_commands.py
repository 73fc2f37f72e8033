"""Each command does what it says, on small files of every kind."""

import gzip
import io
import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from rosenblatt import Perceptron, save
from rosenblatt.cli import main
from rosenblatt.cli.app import COMMANDS, program
from rosenblatt.cli.commands.demo import MAIL

RANDOM = np.random.default_rng(7)
WORDS = {"spam": ["free", "money", "click", "win"], "ham": ["hello", "meeting", "thanks", "patch"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Examples in every format, with labels that can be learned."""
    monkeypatch.chdir(tmp_path)
    labels = np.array(["ham", "spam"])[RANDOM.integers(0, 2, 200)]
    lines = [f"{y}\t{' '.join(RANDOM.choice([*WORDS[y], 'the', 'of'], 6))}\n" for y in labels]
    Path("mail.tsv").write_text("".join(lines))
    X = RANDOM.normal(size=(300, 5))
    y = np.where(X[:, 0] - X[:, 1] + RANDOM.normal(0, 0.3, 300) > 0, 1, -1)
    Path("data.svm").write_text(
        "".join(
            f"{t} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(r)) + "\n"
            for t, r in zip(y, X.tolist(), strict=True)
        )
    )
    jobs = RANDOM.choice(["clerk", "it's", "boss"], 300)
    cells = [f"{a:.3f}" if k % 9 else "" for k, a in enumerate(X[:, 0] * 10 + 40)]
    rich = ["hi" if (job == "boss") + x > 0.5 else "lo" for job, x in zip(jobs, X[:, 0], strict=True)]
    table = "".join(f"{a},{job},{r}\n" for a, job, r in zip(cells, jobs, rich, strict=True))
    Path("table.csv").write_text("age,job,income\n" + table)
    three = RANDOM.integers(0, 3, 300)
    Path("three.svm").write_text("".join(f"{k} {k + 1}:1 {4 + (i % 5)}:0.1\n" for i, k in enumerate(three)))
    return tmp_path


def run(*arguments: str) -> None:
    assert main(list(arguments)) == 0, arguments


def printed_by(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    run(*arguments)
    return capsys.readouterr().out


def json_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(printed_by(capsys, *arguments, "--json"))
    return record


def test_every_command_with_an_answer_has_json() -> None:
    for name in set(COMMANDS) - {"completion"}:
        command = program.get_command(click.Context(program), name)
        assert command is not None
        assert any("--json" in parameter.opts for parameter in command.params), name


# -- fit --------------------------------------------------------------------------------------------------------------


def test_fit_tells_what_a_person_wants_to_know(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = " ".join(
        printed_by(capsys, "fit", "mail.tsv", "--test", "mail.tsv", "--bits", "12", "--passes", "2").split()
    )
    for words in (
        *("mail.tsv 200 examples, words hashed into 2^12 weights", "learned", "2 passes", "mistakes", "by pass"),
        *("status", "progressive: each example", "rules tried", "accuracy", "true decided ham spam"),
        *("what speaks for each class", "for spam", "for ham", "saved mail.model", "next rosenblatt"),
    ):
        assert words in printed, words
    assert Path("mail.model").exists()


def test_fit_from_a_file_is_fit_from_memory(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json_of(capsys, "fit", "data.svm", "--rule", "perceptron", "--passes", "3", "--top", "5")
    X, y = load_svmlight_file("data.svm")
    estimator = Perceptron(order="given", keep="average", max_iter=3).fit(X, y)
    assert record["n_mistakes"] == estimator.n_mistakes_
    assert record["mistakes"] == estimator.mistakes_
    named = {entry["feature"]: entry["weight"] for entry in record["top"][0]["weights"]}
    positive = {str(j + 1): w for j, w in enumerate(estimator.coef_[0]) if w > 0}
    assert named == positive


@pytest.mark.parametrize("name", ["data.svm", "table.csv", "mail.tsv", "three.svm"])
def test_the_same_model_for_any_number_of_threads(name: str, folder: Path) -> None:
    label = ["--label", "income"] if name == "table.csv" else []
    for threads in ("1", "3"):
        run("fit", name, *label, "--threads", threads, "-o", f"{threads}.model", "--quiet")
    assert Path("1.model").read_bytes() == Path("3.model").read_bytes()


def test_quiet_says_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "data.svm", "--quiet")
    assert capsys.readouterr() == ("", "")
    assert Path("data.model").exists()


def test_a_stream_is_learned_but_saved_only_where_asked(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(Path("data.svm").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert "saved nowhere: name a file with -o" in " ".join(
        printed_by(capsys, "fit", "-", "--format", "svmlight").split()
    )
    assert list(folder.glob("*.model")) == []


def test_holdout_is_shown_for_every_rule(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json_of(capsys, "fit", "data.svm", "--holdout", "0.2", "--passes", "1")
    assert record["error_of"] == "holdout"
    assert record["rows"] == 240
    assert all(candidate["holdout_error"] is not None for candidate in record["candidates"])


def test_an_evaluation_can_be_reported_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "three.svm", "--quiet", "-o", "m.model")
    assert "out.html" in printed_by(capsys, "evaluate", "m.model", "three.svm", "--report", "out.html")
    page = Path("out.html").read_text()
    assert "rosenblatt evaluate m.model three.svm --report out.html" in page
    assert "How good it is, on three.svm" in page
    assert main(["evaluate", "m.model", "three.svm", "--report", "m.model"]) == 2  # the data file is not overwritten


def test_the_report_holds_the_command_that_made_it(folder: Path) -> None:
    run("fit", "three.svm", "--test", "three.svm", "--report", "out.html", "--quiet", "-o", "a b.model")
    page = Path("out.html").read_text(encoding="utf-8")
    assert "rosenblatt fit three.svm --test three.svm --report out.html --quiet -o &#x27;a b.model&#x27;" in page


# -- predict, evaluate ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["data.svm", "table.csv", "mail.tsv", "three.svm"])
def test_what_is_predicted_is_what_is_evaluated(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    label = ["--label", "income"] if name == "table.csv" else []
    record = json_of(capsys, "fit", name, *label, "--test", name, "-o", "m.model")
    decided = printed_by(capsys, "predict", "m.model", name).splitlines()
    scores = json_of(capsys, "evaluate", "m.model", name)
    assert {key: value for key, value in record["test"].items() if key != "data"} == {
        key: value
        for key, value in scores.items()
        if key not in ("data", "model", "report", "warnings", "drift", "new_words")
    }
    column = np.array([str(label) for label in scores["classes"]])
    assert [decided.count(label) for label in column] == np.sum(scores["confusion"], axis=0).tolist()
    assert scores["accuracy"] > 0.75


def test_scores_and_json_lines_agree_with_the_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "data.svm", "--quiet")
    labels = printed_by(capsys, "predict", "data.model", "data.svm").splitlines()
    columns = [
        line.split("\t") for line in printed_by(capsys, "predict", "data.model", "data.svm", "--scores").splitlines()
    ]
    objects = [
        json.loads(line) for line in printed_by(capsys, "predict", "data.model", "data.svm", "--json").splitlines()
    ]
    assert labels == [label for label, _ in columns] == [str(record["label"]) for record in objects]
    assert [float(score) for _, score in columns] == [record["score"] for record in objects]
    assert all((record["score"] > 0) == (record["label"] == 1) for record in objects)


def test_many_classes_have_many_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "three.svm", "--quiet")
    lines = printed_by(capsys, "predict", "three.model", "three.svm", "--json").splitlines()
    assert len(lines) == len(Path("three.svm").read_text().splitlines()) > 0
    for record in map(json.loads, lines):
        assert max(record["scores"], key=record["scores"].get) == str(record["label"])


def test_predictions_go_to_a_file_whole_or_not_at_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "data.svm", "--quiet")
    assert printed_by(capsys, "predict", "data.model", "data.svm", "-o", "out.txt") == ""
    assert len(Path("out.txt").read_text().splitlines()) == 300
    Path("bad.svm").write_text(Path("data.svm").read_text() + "1 x\n")
    assert main(["predict", "data.model", "bad.svm", "-o", "new.txt"]) == 3
    assert not Path("new.txt").exists()
    assert list(folder.glob("*.part")) == []


def test_new_examples_need_no_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "table.csv", "--label", "income", "-o", "t.model", "--quiet")
    Path("new.csv").write_text("job,age\nboss,60\nclerk,20\nnew,\n")
    assert printed_by(capsys, "predict", "t.model", "new.csv").splitlines()[:2] == ["hi", "lo"]
    run("fit", "mail.tsv", "-o", "m.model", "--quiet", "--bits", "12")
    Path("new.txt").write_text("free money\nthanks for the patch\n")
    assert printed_by(capsys, "predict", "m.model", "new.txt") == "spam\nham\n"


def test_a_model_saved_in_python_predicts_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = load_svmlight_file("data.svm")
    estimator = Perceptron(max_iter=3).fit(X, y.astype(int))
    save(estimator, "python.model")
    assert (
        printed_by(capsys, "predict", "python.model", "data.svm").split() == estimator.predict(X).astype(str).tolist()
    )


# -- explain, export --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "more", "example", "label"),
    [
        ("mail.tsv", [], "free money, click", "spam"),
        ("data.svm", [], "1:3 2:-2", 1),
        ("table.csv", ["--label", "income"], "age=70, job=boss", "hi"),
        ("three.svm", [], "3:1", 2),
    ],
)
def test_one_decision_is_explained(
    name: str, more: list[str], example: str, label: object, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("fit", name, *more, "-o", "m.model", "--quiet")
    record = json_of(capsys, "explain", "m.model", "--example", example)
    assert record["label"] == label
    parts = record["contributions"]
    if name != "three.svm":
        assert sum(part["contribution"] for part in parts) + record["bias"] == pytest.approx(record["score"])
    assert set(parts[0]) == {"feature", "value", "weight", "contribution"}
    printed = printed_by(capsys, "explain", "m.model", "--example", example)
    assert f"decided   {label}, score" in printed


def test_a_model_is_explained_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "mail.tsv", "-o", "m.model", "--quiet", "--bits", "14", "--ngrams", "1")
    record = json_of(capsys, "explain", "m.model", "--top", "3")
    features = {side["class"]: {entry["feature"] for entry in side["weights"]} for side in record["top"]}
    assert features["spam"] < set(WORDS["spam"])
    assert features["ham"] < set(WORDS["ham"])
    assert record["feature_kind"] == "hashed"


def test_a_database_decides_a_table_as_predict_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words, missing numbers and scaling, exported to SQL."""
    run("fit", "table.csv", "--label", "income", "--scale", "-o", "t.model", "--quiet", "--passes", "3")
    decided = printed_by(capsys, "predict", "t.model", "table.csv").split()
    sql = printed_by(capsys, "export", "t.model", "--to", "sql", "--table", "people")
    rows = [line.split(",") for line in Path("table.csv").read_text().splitlines()[1:]]
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE people (age REAL, job TEXT, income TEXT)")
        database.executemany("INSERT INTO people VALUES (?, ?, ?)", [(a or None, job, r) for a, job, r in rows])
        assert [row[-1] for row in database.execute(sql)] == decided
    database.close()


def test_the_format_of_an_export_is_found_from_its_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fit", "data.svm", "--quiet")
    record = json_of(capsys, "export", "data.model", "-o", "m.json")
    assert record == {"model": "data.model", "to": "json", "output": "m.json", "bytes": Path("m.json").stat().st_size}
    assert json.loads(Path("m.json").read_text())["classes"] == [-1, 1]
    assert main(["export", "data.model", "--to", "json", "--json"]) == 2


# -- demo -------------------------------------------------------------------------------------------------------------


def test_the_mail_is_in_the_package() -> None:
    with gzip.open(MAIL / "train.tsv.gz", "rt", encoding="utf-8") as lines:
        assert sum(line.startswith(("ham\t", "spam\t")) for line in lines) == 4381
    assert "PDDL" in (MAIL / "README.md").read_text()


def test_the_demo_learns_tests_explains_and_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    record = json_of(capsys, "demo", "--message", "Win free money now, click here!")
    assert record["test"]["accuracy"] > 0.975
    assert [message["label"] for message in record["messages"]] == ["spam"]
    assert sorted(p.name for p in Path("rosenblatt-demo").iterdir()) == [
        *("mail.model", "report.html", "test.tsv.gz", "train.tsv.gz")
    ]
    assert printed_by(capsys, "demo", "-q", "--message", "Win free money now, click here!") == "spam\n"
    printed = printed_by(capsys, "demo", "-o", "elsewhere")
    for words in ("Is it spam?", "% right", "for spam", "elsewhere/report.html", "rosenblatt fit YOUR-FILE"):
        assert words in printed
    assert printed.count("  is        ") == 2
