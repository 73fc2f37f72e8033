"""Mistakes on the command line get an error in its own terms, with what to do instead."""

import shlex
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ModelError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions

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


def error_line(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    capsys.readouterr()
    assert main([*arguments]) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    return output.err


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("d.svm", ["--label", "y"], "--label is for tables and npy and npz; the label is first on its line"),
        ("d.svm", ["--text", "y"], "--text is for tables"),
        ("d.svm", ["--scale"], "--scale is for tables"),
        ("d.svm", ["--labels-from", "d.vw"], "--labels-from is for text"),
        ("d.svm", ["--bits", "10"], "--bits is for tables and fasttext and vw and text"),
        ("d.vw", ["--label", "y"], "--label is for tables"),
        ("d.vw", ["--index-base", "0"], "--index-base is for svmlight"),
        ("mail.tsv", ["--label", "0"], "the label is before the tab"),
        ("t.csv", ["--labels-from", "d.vw"], "--labels-from is for text"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    name: str, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    message = error_line(capsys, 2, "fit", name, *options)
    assert words in message
    assert f"{name}: is read as" in message
    assert "leave --" in message


def test_reading_options_take_effect_where_they_apply() -> None:
    assert rosenblatt.read("d.svm", index_base=0).X.shape == (4, 3)
    assert rosenblatt.read("d.svm", index_base=1).X.shape == (4, 2)
    assert rosenblatt.read("d.vw", bits=10).X.shape == (3, 1024)
    texts = rosenblatt.read("mail.tsv", bits=10, ngrams=1, header=False, value="count", unit=False)
    assert texts.X.shape == (2, 1024)
    assert texts.X.sum(axis=1).tolist() == [3, 3]
    table = rosenblatt.read("t.csv", label="job", words=("age",), header=True)
    assert table.space.columns == ("age=1", "y=a", "age=2", "y=b", "age=3")
    assert table.y.tolist() == ["cook", "clerk", "cook"]
    assert rosenblatt.read("t.csv", scale=True).X.toarray()[:, 0].tolist() == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])


def test_patience_and_resume_are_named_as_they_were_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--patience needs held-out rows to judge by: add --holdout 0.1" in error_line(
        capsys, 2, "fit", "d.svm", "--patience", "2"
    )
    assert "--resume needs the file of a checkpoint: name it" in error_line(capsys, 2, "fit", "-", "--resume")
    assert "--keep-cache" in error_line(capsys, 2, "fit", "-", "--keep-cache")


def test_an_npz_without_labels_is_one_thing_to_fit_and_predict(capsys: pytest.CaptureFixture[str]) -> None:
    matrix = np.random.default_rng(0).integers(0, 2, (20, 4)).astype(float)
    np.savez("x.npz", X=matrix)
    np.savez("new.npz", X=matrix[:, :3])
    assert "position of a column of the matrix, such as --label -1" in error_line(capsys, 3, "fit", "x.npz")
    assert main(["fit", "x.npz", "--label", "-1", "-q", "-o", "m.model"]) == 0
    predictions = []
    for name in ("x.npz", "new.npz"):
        capsys.readouterr()
        assert main(["predict", "m.model", name]) == 0
        predictions.append(capsys.readouterr().out)
    assert predictions[0] == predictions[1]
    assert predictions[0].count("\n") == 20


def test_a_model_for_other_columns_is_a_matter_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "t.csv", "-q", "-o", "m.model"]) == 0
    Path("other.csv").write_text("age,y\n1,a\n2,b\n")
    assert "learned from a column 'job', which is missing here" in error_line(
        capsys, 4, "predict", "m.model", "other.csv"
    )
    np.savez("x.npz", X=np.eye(3), y=[0, 1, 0])
    np.savez("wide.npz", X=np.eye(5), y=[0, 1, 0, 1, 0])
    model = fit_file("x.npz").model
    with pytest.raises(ModelError, match="has 5 columns, and the model was learned from 3"):
        open_source("wide.npz", ReadOptions(), model.space)


@pytest.mark.parametrize("integers", [False, True])
def test_a_quantity_is_not_taken_for_classes(integers: bool) -> None:
    """Half stars are classes; sixty prices are numbers to predict, unless they are said to be classes."""
    rows = "".join(f"{k},{k * k % 7},{k if integers else k * 1.37}\n" for k in range(60))
    Path("r.csv").write_text("a,b,y\n" + rows)
    number = fit_file("r.csv").number
    assert number is not None
    assert number.target == "y"
    if integers:
        assert len(fit_file("r.csv", reading=ReadOptions(task="classes")).model.classes) == 60
    else:
        with pytest.raises(DataError, match=r"has 60 different numbers as labels, 1\.37 among them; this looks like a"):
            fit_file("r.csv", reading=ReadOptions(task="classes"))
    Path("stars.csv").write_text("a,y\n" + "".join(f"{k},{k % 10 / 2}\n" for k in range(60)))
    assert len(fit_file("stars.csv").model.classes) == 10


def test_a_header_alone_is_no_example(capsys: pytest.CaptureFixture[str]) -> None:
    Path("h.csv").write_text("a,b,y\n")
    assert "h.csv: holds no examples, only the names of its columns" in error_line(capsys, 3, "fit", "h.csv")


def test_a_word_that_touches_the_bar_is_a_tag_and_the_error_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    Path("tags.vw").write_text("1|f a\n-1|f b\n")
    assert "put a space between label and '|'" in error_line(capsys, 3, "fit", "tags.vw")
    Path("some.vw").write_text("1 |f a\n-1 |f c\n-1|f b\n")
    assert "example 3 has no label (in vw a word that touches the '|' is a tag)" in error_line(
        capsys, 3, "fit", "some.vw"
    )


def test_one_class_after_skipping_names_what_was_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.svm").write_text("1 1:1\n1 2:1\n-1 x:1\n")
    message = error_line(capsys, 3, "fit", "bad.svm", "--on-bad-row", "skip")
    assert (
        "one class only, 1: a separator needs at least two classes; 1 bad row was left out, the first: bad.svm:3:"
        in message
    )


def test_a_long_line_of_text_is_read_in_little_memory() -> None:
    """A line of two million words, few of them distinct: memory grows with the distinct ones only."""
    Path("long.tsv").write_text("a\t" + "one two three four " * 500_000 + "\nb\tfive six\n")
    source = open_source("long.tsv", ReadOptions(bits=12))
    chunks = list(source.blocks())
    assert sorted(set(source.space.names.values())) == sorted(
        ["one", "two", "three", "four", "five", "six", "one two", "two three", "three four", "four one", "five six"]
    )
    assert [chunk.values.indptr.tolist() for chunk in chunks] == [[0, 8], [0, 3]]  # type: ignore[union-attr]
    assert np.allclose(chunks[0].values.values[:8] ** 2, 1 / 8, atol=1e-6)  # type: ignore[union-attr]


def test_a_precomputed_kernel_is_not_taken_for_features(capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{1 if k % 2 else -1} 0:{k + 1} 1:{k}.5 2:0.5\n" for k in range(9))
    Path("kernel.svm").write_text(rows)
    assert "kernel.svm: looks like a precomputed kernel of LIBSVM" in error_line(capsys, 3, "fit", "kernel.svm")
    assert fit_file("kernel.svm", reading=ReadOptions(index_base=0)).features == 3
    Path("zero.svm").write_text(rows.replace("0:9 ", "0:7 "))
    assert fit_file("zero.svm").features == 3


def test_costs_for_labels_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("costs.vw").write_text("1:0.5 |f a\n2:1 |f b\n")
    message = error_line(capsys, 3, "fit", "costs.vw")
    assert "costs.vw:1:1: the label '1:0.5' holds costs or probabilities, which are not learned" in message


def test_what_can_be_typed_is_listed_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    message = error_line(capsys, 2, "fit", "d.svm", "--order", "sorted")
    assert "'sorted' is not 'given' or 'shuffle'." in message
    assert main(["fit", "--help"]) == 0
    help_text = capsys.readouterr().out
    assert "--cache FOLDER" in help_text
    assert "rosenblatt fit mail.tsv --test new-mail.tsv" in help_text
    assert "\n  DATA\n" not in help_text


@pytest.mark.parametrize("keep_cache", [False, True])
def test_a_feature_zero_that_comes_late_starts_again(keep_cache: bool) -> None:
    """It comes after the part that is examined first, when rows have already been read with indices from 1."""
    rows = [f"{1 if k % 3 else -1} 1:{k % 5}.5 {2 + k % 7}:1\n" for k in range(90_000)]
    Path("late.svm").write_text("".join(rows) + "-1 0:1 3:2\n1 0:2\n")
    fitted = fit_file("late.svm", passes=2, keep_cache=keep_cache)
    expected = fit_file("late.svm", passes=2, reading=ReadOptions(index_base=0))
    assert fitted.model.space.index_base == 0
    assert np.array_equal(fitted.model.run.final_weights.coef, expected.model.run.final_weights.coef)
    assert fitted.cache is None or fitted.cache.state == "made"


def test_with_a_model_too_an_option_that_means_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "d.svm", "-o", "m.model", "--quiet"]) == 0
    assert "--label is for tables" in error_line(capsys, 2, "evaluate", "m.model", "d.svm", "--label", "5")
    assert "--header is for text and tsv and csv" in error_line(capsys, 2, "predict", "m.model", "d.svm", "--header")


def test_an_error_in_an_example_names_its_character(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "d.svm", "-o", "m.model", "--quiet"]) == 0
    message = error_line(capsys, 3, "explain", "m.model", "--example", "1:1 3:x")
    assert "The example cannot be read at character 7: " in message


@pytest.mark.parametrize("command", ["certify", "trace", "compare"])
@pytest.mark.parametrize("columns", ["0,9", "1,1"])
def test_columns_that_do_not_exist_are_named_as_options(
    command: str, columns: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("two.csv").write_text("a,b,label\n1,2,p\n3,1,n\n4,1,n\n0,1,p\n")
    message = error_line(capsys, 2, command, "two.csv", "--plot", "p.png", "--columns", columns)
    assert f"--columns takes two different columns of 0 to 1. Got {columns!r}." in message
    assert not Path("p.png").exists()


@pytest.mark.parametrize("head", ["a;b;label\n", ""])
def test_decimal_commas_are_reported_and_not_taken_for_words(head: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("comma.csv").write_text(head + "1,5;2;p\n-2,5e3;,5;n\n3;5,1;p\n1;7,5;n\n")
    first = "a" if head else "column0"
    message = error_line(capsys, 3, "certify", "comma.csv")
    assert (
        f"comma.csv: column {first!r} holds numbers with a decimal comma, such as '1,5'; write them with a point (1.5)"
        in message
    )
    assert f"--words {first}." in message
    assert main(["fit", "comma.csv"]) == 0
    assert "with decimal commas" in capsys.readouterr().out
    words = "a,b" if head else "column0,column1"
    assert main(["fit", "comma.csv", "--words", words, "--quiet"]) == 0


def test_model_and_data_in_the_wrong_order_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "t.csv", "--quiet", "-o", "t.model"]) == 0
    for command in ("predict", "evaluate"):
        assert "The model comes first, then the data: t.model t.csv." in error_line(
            capsys, 2, command, "t.csv", "t.model"
        )


def test_the_column_taken_for_the_label_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "t.csv"]) == 0
    assert capsys.readouterr().out.startswith("t.csv  3 examples, 2 columns (3 features); the label is y\n")
    Path("none.csv").write_text("a,b\n1,2\n2,2\n")
    assert "the label is column 'b': if that is wrong, name another with --label" in error_line(
        capsys, 3, "fit", "none.csv"
    )


def test_several_classes_are_asked_about_with_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    Path("three.csv").write_text("a,b,label\n1,2,p\n3,1,n\n4,1,z\n0,1,p\n")
    message = error_line(capsys, 3, "certify", "three.csv")
    assert "three.csv: has 3 classes" in message
    assert "--pairs" in message
    assert "certify_classes" not in message


def test_the_weights_of_a_small_certificate_are_there_to_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    Path("line.csv").write_text("a,label\n1,p\n3,n\n")
    assert main(["certify", "line.csv"]) == 0
    assert "by its weight in w = [-1], add up the products, and add b = 2. The result" in capsys.readouterr().out


def test_words_that_the_model_has_not_met_are_counted_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "mail.tsv", "--quiet", "-o", "mail.model"]) == 0
    capsys.readouterr()
    assert main(["explain", "mail.model", "--example", "free unheard words"]) == 0
    printed = capsys.readouterr().out
    assert "4 features of this example have no weight" in printed
    assert "#" not in printed


def test_what_to_try_next_fits_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    Path("xor.csv").write_text("0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    assert main(["fit", "xor.csv", "--scale", "--passes", "20"]) == 0
    printed = capsys.readouterr().out
    assert "rosenblatt certify xor.csv --scale\n" in printed
    assert "--holdout" not in printed  # of four rows


def test_the_options_that_were_given_are_there_in_what_to_try_next(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{k % 7},{'yes' if k % 2 else 'no'},{k % 5},{k}\n" for k in range(60)]
    Path("given.csv").write_text("a,the label,b,c\n" + "".join(rows))
    reading = ["--label", "the label", "--drop=b", "--drop", "c"]
    assert main(["fit", "given.csv", *reading, "--rule", "perceptron", "--passes", "3", "-o", "given.model"]) == 0
    words = "--label 'the label' --drop=b --drop c"
    printed = capsys.readouterr().out
    again = f"rosenblatt fit given.csv {words} --rule perceptron --passes 3 -o given.model --holdout 0.1\n"
    assert again in printed
    assert f"rosenblatt certify given.csv {words}\n" in printed
    commands = [line.strip().removeprefix("next").strip() for line in printed.splitlines() if "rosenblatt " in line]
    for command in commands:
        if "NEW-DATA" not in command:
            assert main(shlex.split(command)[1:]) in (0, 1), command  # certify answers no with 1
    Path("three.csv").write_text("a,y\n" + "".join(f"{k % 7},{'pqr'[k % 3]}\n" for k in range(60)))
    capsys.readouterr()
    assert main(["fit", "three.csv", "--passes", "3"]) == 0
    assert "certify" not in capsys.readouterr().out  # it is about two classes


def test_an_index_that_pandas_wrote_is_no_silent_feature(capsys: pytest.CaptureFixture[str]) -> None:
    for name, warned in [("", True), ("weight", False)]:
        Path("indexed.csv").write_text(f"{name},a,label\n0,1,p\n1,3,n\n2,4,n\n")
        assert main(["fit", "indexed.csv"]) == 0
        assert ("learned as column0" in " ".join(capsys.readouterr().out.split())) is warned


def test_a_table_of_texts_alone_has_words(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"free money for you {k},spam\nsee you soon friend {k},ham\n" for k in range(3)]
    Path("texts.csv").write_text("text,label\n" + "".join(rows))
    assert main(["fit", "texts.csv"]) == 0
    assert "6 examples, words hashed into 2^22 weights; the label is label" in capsys.readouterr().out


def test_a_model_that_goes_on_is_not_told_to_learn_the_same_again(capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f"{k % 7},{k % 3},{'pq'[k % 2]}\n" for k in range(60))
    Path("day.csv").write_text(f"a,b,y\n{lines}")
    assert main(["fit", "day.csv", "--rule", "arow", "--passes", "1", "--no-scale"]) == 0
    assert "rosenblatt fit day.csv" in capsys.readouterr().out
    assert main(["fit", "day.csv", "--from", "day.model", "-o", "week.model"]) == 0
    hints = capsys.readouterr().out.partition("  next ")[2]
    assert "rosenblatt fit NEW-DATA --from week.model -o week.model\n" in hints
    assert "day.csv" not in hints
