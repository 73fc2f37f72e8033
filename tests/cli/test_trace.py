"""`rosenblatt trace`: the table of the lectures from a file, and its other outputs."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.cli import main
from rosenblatt.errors import DataError
from rosenblatt.learn.replay.trace_from_file import gather
from rosenblatt.records import Csr, SourceBlock
from tests.learn.replay.test_trace import AND, CORNERS
from tests.report.test_trace_table import LAST_EPOCH, TWO_EPOCHS, squeezed


def chunks(values: Any, labels: Any, met: list[Any], size: int = 3) -> list[SourceBlock]:
    """Dense rows in small blocks, as a reader yields them."""
    index = np.array([met.index(label) for label in labels], dtype=np.int32)
    return [SourceBlock(values[i : i + size], index[i : i + size], None, i, 0) for i in range(0, len(values), size)]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of AND: labels -1 and 1, columns a and b."""
    rows = [f"{a:g},{b:g},{label}" for (a, b), label in zip(CORNERS.tolist(), AND.tolist(), strict=True)]
    (tmp_path / "and.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["trace", "and.csv", *arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


@pytest.mark.usefixtures("table")
def test_the_table_of_the_lectures(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    lines = squeezed(out)
    assert code == 0
    assert lines[:9] == squeezed(TWO_EPOCHS)
    assert lines[-4:] == squeezed(LAST_EPOCH)[:-1]
    assert len(lines) == 37
    assert err == "separated: epoch 9 was clean; 18 mistakes in 36 visits\n"


@pytest.mark.usefixtures("table")
def test_some_of_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(squeezed(run(capsys, "--mistakes-only")[1])) == 1 + 18
    assert len(squeezed(run(capsys, "--steps", "5")[1])) == 1 + 5 + 1  # and the dots
    third = squeezed(run(capsys, "--epochs", "3")[1])
    assert [line.split()[0] for line in third[1:]] == ["3"] * 4
    assert len(squeezed(run(capsys, "--epochs", "3-5", "--quiet")[1])) == 1 + 12
    assert run(capsys, "--totals")[1].splitlines()[0].split()[-2:] == ["loss", "errors"]


@pytest.mark.usefixtures("table")
def test_json_is_one_object_with_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--json")
    story = json.loads(out)
    assert code == 0
    assert (story["status"], story["n_mistakes"], story["classes"]) == ("separated", 18, [-1, 1])
    assert len(story["steps"]) == 36
    assert story["steps"][-1]["after"] == [-4, 3, 2]
    assert len(json.loads(run(capsys, "--json", "--steps", "2")[1])["steps"]) == 2


@pytest.mark.usefixtures("table")
def test_rules_are_the_learners(capsys: pytest.CaptureFixture[str]) -> None:
    story = json.loads(run(capsys, "--json", "--learning-rate", "pa1", "--eta0", "0.5", "--passes", "3")[1])
    assert (story["status"], story["n_iter"]) == ("budget", 3)
    assert story["steps"][0]["after"] == [-0.5, 0, 0]
    story = json.loads(run(capsys, "--json", "--no-intercept", "--passes", "1")[1])
    assert [step["after"] for step in story["steps"]] == [[0, 0], [0, -1], [-1, -1], [0, 0]]


@pytest.mark.usefixtures("table")
def test_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = {kind: tmp_path / f"steps.{kind}" for kind in ("csv", "json", "png", "svg", "html")}
    code, out, err = run(capsys, "-o", str(names["csv"]), "--plot", str(names["png"]), "--animate", str(names["html"]))
    assert (code, out) == (0, "")
    assert all(str(names[kind]) in err for kind in ("csv", "png", "html"))
    with names["csv"].open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 36
    assert names["png"].read_bytes()[:4] == b"\x89PNG"
    assert '"axes":["a","b"]' in names["html"].read_text(encoding="utf-8")
    assert run(capsys, "-o", str(names["json"]), "--plot", str(names["svg"]), "--columns", "b,a", "--quiet")[2] == ""
    assert json.loads(names["json"].read_text(encoding="utf-8"))["n_iter"] == 9
    assert names["svg"].exists()


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--epochs", "0"], "--epochs takes one epoch or a range"),
        (["--epochs", "5-3"], "--epochs takes one epoch or a range"),
        (
            ["--columns", "a,z", "--plot", "x.png"],
            "--columns takes two columns, as in 0,1. Got 'a,z'. The columns are a, b.",
        ),
        (["-o", "steps.txt"], "written as .csv or .json"),
        (["--animate", "and.mp4"], "written as .gif or .html"),
        (["--plot", "and.xyz"], "--plot and.xyz:"),
        (["--learning-rate", "pa1", "--batch", "2"], "cannot use --learning-rate pa1 with --batch 2"),
        (["--steps", "0"], "'0' is not"),
    ],
)
def test_impossible_requests_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_and_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "and.svm").write_text("-1\n-1 2:1\n-1 1:1\n1 1:1 2:1\n", encoding="utf-8")
    assert main(["trace", str(tmp_path / "and.svm")]) == 0
    assert squeezed(capsys.readouterr().out)[:9] == squeezed(TWO_EPOCHS)


# -- examples gathered from chunks ------------------------------------------------------------------------------------


def test_labels_are_sorted_numbers_first() -> None:
    values = np.arange(10.0).reshape(5, 2)
    examples = gather(chunks(values, ["b", 3, "a", -1, 3], ["b", 3, "a", -1], size=2), ["b", 3, "a", -1])
    assert examples.classes.tolist() == [-1, 3, "a", "b"]
    assert examples.block.labels.tolist() == [3, 1, 2, 0, 1]
    assert examples.block.values.tolist() == values.tolist()  # type: ignore[union-attr]


def test_sparse_chunks_grow_in_width() -> None:
    first = Csr(np.array([0, 1, 1]), np.array([0]), np.array([5.0]), 1)
    later = Csr(np.array([2, 4]), np.array([9, 9, 0, 2]), np.array([0.0, 0.0, 1.0, 2.0]), 3)  # a slice of a longer one
    parts = [SourceBlock(first, np.array([0, 1], dtype=np.int32), None, 0, 0)]
    parts += [SourceBlock(later, np.array([0], dtype=np.int32), np.array([2.0]), 2, 0)]
    examples = gather(parts, ["no", "yes"])
    assert isinstance(examples.block.values, Csr)
    assert examples.block.values.shape == (3, 3)
    assert examples.block.values.indptr.tolist() == [0, 1, 1, 3]
    assert examples.block.values.indices.tolist() == [0, 0, 2]
    assert examples.block.values.values.tolist() == [5, 1, 2]
    assert examples.block.weights is not None
    assert examples.block.weights.tolist() == [1, 1, 2]


def test_what_cannot_be_gathered() -> None:
    block = SourceBlock(np.ones((2, 1)), np.array([0, -1], dtype=np.int32), None, 0, 0)
    with pytest.raises(DataError, match=r"no example in x\.csv"):
        gather([], [], "x.csv")
    with pytest.raises(DataError, match=r"Row 2 of x\.csv has no label"):
        gather([block], ["a", "b"], "x.csv")
    with pytest.raises(DataError, match="one class only, 'a'"):
        gather([SourceBlock(np.ones((1, 1)), np.zeros(1, dtype=np.int32), None, 0, 0)], ["a"], "x.csv")
