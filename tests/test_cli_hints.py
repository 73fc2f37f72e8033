"""What a person gets wrong at the door is answered in the words of the command line, with what to do instead."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cli import main
from rosenblatt.errors import DataError, ModelError
from rosenblatt.learn import fit_file
from rosenblatt.read import Reading, open_source

SVM = "1 1:1 2:3\n-1 2:1\n1 1:2\n-1 2:2\n"
FILES = {
    "d.svm": SVM,
    "d.vw": "1 |f a b\n-1 |f c\n1 |f a\n",
    "mail.tsv": "spam\tfree money now\nham\thello my friend\n",
    "t.csv": "age,job,y\n1,cook,a\n2,clerk,b\n3,cook,a\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    capsys.readouterr()
    assert main([*arguments]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("d.svm", ["--label", "y"], "--label is for tables and npy and npz; the label stands first on its line"),
        ("d.svm", ["--text", "y"], "--text is for tables"),
        ("d.svm", ["--scale"], "--scale is for tables"),
        ("d.svm", ["--labels-from", "d.vw"], "--labels-from is for text"),
        ("d.svm", ["--bits", "10"], "--bits is for vw"),
        ("d.vw", ["--label", "y"], "--label is for tables"),
        ("d.vw", ["--index-base", "0"], "--index-base is for svmlight"),
        ("mail.tsv", ["--label", "0"], "the label stands before the tab"),
        ("t.csv", ["--labels-from", "d.vw"], "--labels-from is for text"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    name: str, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(capsys, 2, "fit", name, *options)
    assert words in said
    assert f"{name}: is read as" in said
    assert "leave --" in said


def test_options_of_reading_apply_to_what_they_are_meant_for() -> None:
    for name, reading in {
        "d.svm": Reading(index_base=1),
        "d.vw": Reading(bits=10),
        "mail.tsv": Reading(bits=10, ngrams=1, header=False, value="count", unit=False),
        "t.csv": Reading(label="job", words=("age",), scale=True, header=True),
    }.items():
        open_source(name, reading)


def test_patience_and_resume_are_named_as_they_were_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--patience needs rows to judge by: add --holdout 0.1" in told(capsys, 2, "fit", "d.svm", "--patience", "2")
    assert "--resume needs a checkpoint" in told(capsys, 2, "fit", "-", "--resume")
    assert "--keep-cache" in told(capsys, 2, "fit", "-", "--keep-cache")


def test_an_npz_without_labels_is_one_thing_to_fit_and_predict(capsys: pytest.CaptureFixture[str]) -> None:
    matrix = np.random.default_rng(0).integers(0, 2, (20, 4)).astype(float)
    np.savez("x.npz", X=matrix)
    np.savez("new.npz", X=matrix[:, :3])
    assert "count a column of the matrix with --label -1" in told(capsys, 3, "fit", "x.npz")
    assert main(["fit", "x.npz", "--label", "-1", "-q", "-o", "m.model"]) == 0
    found = []
    for name in ("x.npz", "new.npz"):
        capsys.readouterr()
        assert main(["predict", "m.model", name]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]
    assert found[0].count("\n") == 20


def test_a_model_for_other_columns_is_a_matter_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "t.csv", "-q", "-o", "m.model"]) == 0
    Path("other.csv").write_text("age,y\n1,a\n2,b\n")
    assert "learned from a column 'job', which is not here" in told(capsys, 4, "predict", "m.model", "other.csv")
    np.savez("x.npz", X=np.eye(3), y=[0, 1, 0])
    np.savez("wide.npz", X=np.eye(5), y=[0, 1, 0, 1, 0])
    model = fit_file("x.npz").model
    with pytest.raises(ModelError, match="has 5 columns, and the model was learned from 3"):
        open_source("wide.npz", Reading(), model.space)


@pytest.mark.parametrize("whole", [False, True])
def test_a_quantity_is_not_taken_for_classes(whole: bool) -> None:
    """Half stars are classes, and so are many whole numbers; sixty prices are not."""
    rows = "".join(f"{k},{k * k % 7},{k if whole else k * 1.37}\n" for k in range(60))
    Path("r.csv").write_text("a,b,y\n" + rows)
    if whole:
        assert len(fit_file("r.csv").model.classes) == 60
    else:
        with pytest.raises(DataError, match=r"has 60 different numbers as labels, 1\.37 among them; this looks like a"):
            fit_file("r.csv")
    Path("stars.csv").write_text("a,y\n" + "".join(f"{k},{k % 10 / 2}\n" for k in range(60)))
    assert len(fit_file("stars.csv").model.classes) == 10


def test_a_header_alone_is_no_example(capsys: pytest.CaptureFixture[str]) -> None:
    Path("h.csv").write_text("a,b,y\n")
    assert "h.csv: holds no examples, only the names of its columns" in told(capsys, 3, "fit", "h.csv")


def test_a_word_that_touches_the_bar_is_a_tag_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("tags.vw").write_text("1|f a\n-1|f b\n")
    assert "put a space between label and '|'" in told(capsys, 3, "fit", "tags.vw")
    Path("some.vw").write_text("1 |f a\n-1 |f c\n-1|f b\n")
    assert "example 3 has no label (in vw a word that touches the '|' is a tag)" in told(capsys, 3, "fit", "some.vw")


def test_one_class_after_skipping_names_what_was_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.svm").write_text("1 1:1\n1 2:1\n-1 x:1\n")
    said = told(capsys, 3, "fit", "bad.svm", "--on-bad-row", "skip")
    assert (
        "one class only, 1: a separator needs at least two classes; 1 bad row was left out, the first: bad.svm:3:"
        in said
    )


def test_a_long_line_of_text_is_read_in_little_memory() -> None:
    """A line of two million words of which few differ: what is held grows with the distinct ones."""
    Path("long.tsv").write_text("a\t" + "one two three four " * 500_000 + "\nb\tfive six\n")
    source = open_source("long.tsv", Reading(bits=12))
    chunks = list(source.chunks())
    assert sorted(set(source.space.names.values())) == sorted(
        ["one", "two", "three", "four", "five", "six", "one two", "two three", "three four", "four one", "five six"]
    )
    assert [chunk.values.indptr.tolist() for chunk in chunks] == [[0, 8], [0, 3]]  # type: ignore[union-attr]
    assert np.allclose(chunks[0].values.values[:8] ** 2, 1 / 8, atol=1e-6)  # type: ignore[union-attr]
