"""fit, predict, evaluate and explain with several labels, as a person uses them."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from rosenblatt.cli import main
from tests.learn.files.labels.test_several_labels import examples, write


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def rosenblatt(*arguments: str, cwd: Path) -> Done:
    """A command whose files are in this folder."""
    words = [str(cwd / word) if word.endswith((".txt", ".model", ".html")) else word for word in arguments]
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    assert isinstance(out.buffer, io.BytesIO)
    return Done(code, out.buffer.getvalue().decode(), err.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file, one of other examples, and a model."""
    folder = tmp_path_factory.mktemp("labels")
    write(folder / "train.txt", examples(), "fasttext")
    write(folder / "test.txt", examples(60, seed=1), "fasttext")
    fitted = rosenblatt("fit", "train.txt", "--multi-label", "-o", "m.model", cwd=folder)
    assert fitted.returncode == 0
    assert "4 labels," in fitted.stdout
    assert "by always guessing for every label whichever is commoner" in " ".join(fitted.stdout.split())
    return folder


def test_predictions_are_lists_with_the_separator_of_the_data(folder: Path) -> None:
    lines = rosenblatt("predict", "m.model", "test.txt", cwd=folder).stdout.splitlines()
    records = [
        json.loads(line)
        for line in rosenblatt(
            *("predict", "m.model", "test.txt", "--json", "--proba", "--top", "2", "--reasons", "2"), cwd=folder
        ).stdout.splitlines()
    ]
    assert lines == [" ".join(record["labels"]) for record in records]
    marked = [line.split("__label__")[1:] for line in (folder / "test.txt").read_text().splitlines()]
    truth = [sorted(part.split()[0] for part in parts) for parts in marked]
    assert sum(record["labels"] == labels for record, labels in zip(records, truth, strict=True)) > 50
    for record in records:
        chances = record["probabilities"]
        assert [one["label"] for one in record["top"]] == sorted(chances, key=lambda label: -chances[label])[:2]
        assert set(record["reasons"]) == set(record["labels"])
    table = rosenblatt("predict", "m.model", "test.txt", "--output-format", "csv", "--proba", cwd=folder).stdout
    assert table.splitlines()[0] == "labels,food,music,sport,travel"


def test_evaluate_says_micro_and_macro(folder: Path) -> None:
    text = rosenblatt("evaluate", "m.model", "test.txt", "--report", "page.html", cwd=folder).stdout
    for name in ("exact match", "macro F1", "baseline", "precision", "sport"):
        assert name in text
    assert "Label by label" in (folder / "page.html").read_text()
    record = json.loads(rosenblatt("evaluate", "m.model", "test.txt", "--json", cwd=folder).stdout)
    assert record["exact_match"] > record["baseline_exact_match"]
    assert record["hamming_loss"] < record["baseline_error"]
    assert record["intervals"]["micro_f1"][0] <= record["micro_f1"] <= record["intervals"]["micro_f1"][1]
    assert [row["label"] for row in record["per_class"]] == ["food", "music", "sport", "travel"]


def test_explain_shows_each_label_that_applies(folder: Path) -> None:
    text = rosenblatt("explain", "m.model", "--example", "the ball and the song", cwd=folder).stdout
    assert "music, sport" in text
    assert text.count("bias") == 2
    none = json.loads(rosenblatt("explain", "m.model", "--example", "of and the", "--json", cwd=folder).stdout)
    assert none["labels"] == []
    assert not none["explained"][0]["applies"]
    assert "for sport" in rosenblatt("explain", "m.model", cwd=folder).stdout


def test_sentences_for_what_cannot_be_done(folder: Path) -> None:
    (folder / "other.txt").write_text("of the\n__label__sport goal\n__label__sport __label__chess ball goal\n")
    (folder / "one.txt").write_text("__label__a __label__b one line of text\n")
    for arguments, sentence in (
        (("fit", "train.txt"), "--multi-label"),
        (("fit", "train.txt", "--multi-label", "--class-weight", "balanced"), "--threshold f1"),
        (("fit", "train.txt", "--multi-label", "--label-separator", "|"), "--label-separator is for"),
        (("fit", "--from", "m.model", "train.txt", "--class-weight", "food=2"), "keeps its weights of labels"),
        (("fit", "--from", "m.model", "other.txt"), "example 3 has the label 'chess', which is not among the classes"),
        (("export", "m.model", "--to", "sql"), "hashes words into weights"),
        (("predict", "m.model", "test.txt", "--confidence"), "several labels, each by itself"),
        (("fit", "one.txt", "--multi-label"), "has one example"),
    ):
        done = rosenblatt(*arguments, cwd=folder)
        assert done.returncode in (2, 3, 4)
        assert sentence in " ".join(done.stderr.split())
        assert done.stderr.count("\n") == 1


def test_unknown_labels_are_said(folder: Path) -> None:
    (folder / "other.txt").write_text("__label__sport __label__chess ball goal\nball goal team\n" * 20)
    done = rosenblatt("evaluate", "m.model", "other.txt", cwd=folder)
    assert "20 of 40 examples have a label that the model never saw ('chess')" in " ".join(done.stderr.split())
