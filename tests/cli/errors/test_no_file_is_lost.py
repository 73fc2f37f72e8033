"""No command loses data: a file that is read is never overwritten, and a command that must fail fails at the start."""

from pathlib import Path

import pytest

from rosenblatt.cli import main

SVM = "".join(f"{1 if k % 2 else -1} 1:{k % 7}.5 3:{(k % 2) * 2 - 1}\n" for k in range(60))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.svm").write_text(SVM)
    Path("b.svm").write_text(SVM)
    Path("t.csv").write_text("a,b,label\n1,2,p\n3,1,n\n")
    Path("link.svm").symlink_to("a.svm")
    assert main(["fit", "a.svm", "-o", "m.model", "--json"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "a.svm", "-o", "a.svm"],
        ["fit", "a.svm", "-o", "./link.svm"],
        ["fit", "a.svm", "--test", "b.svm", "-o", "b.svm"],
        ["fit", "a.svm", "-o", "new.model", "--report", "a.svm"],
        ["fit", "a.svm", "-o", "new.model", "--report", "./new.model"],
        ["fit", "a.svm", "-o", "new.model", "--checkpoint", "a.svm"],
        ["fit", "m.model"],  # the default model name is that of the data file
        ["predict", "m.model", "a.svm", "-o", "a.svm"],
        ["predict", "m.model", "a.svm", "-o", "m.model"],
        ["export", "m.model", "--to", "json", "-o", "m.model"],
        ["trace", "t.csv", "-o", "t.csv"],
    ],
    ids=" ".join,
)
def test_a_file_that_is_read_is_never_written_over(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    capsys.readouterr()
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert "would overwrite another file" in output.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["fit", "a.svm", "-o", "new.model", "--test", "nowhere.svm"], 3),
        (["fit", "a.svm", "-o", "new.model", "--report", "no/such/page.html"], 3),
        (["predict", "m.model", "a.svm", "-o", "no/such/file"], 3),
    ],
    ids=["test", "report", "predictions"],
)
def test_a_command_that_must_fail_fails_at_the_start(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(arguments) == code
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert arguments[-1] in output.err
    assert ".part" not in output.err
    assert not Path("new.model").exists()


def test_a_label_of_a_megabyte_is_cut_in_the_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    Path("long.svm").write_text("x" * (1 << 20) + " 1:1\n")
    capsys.readouterr()
    assert main(["fit", "long.svm"]) == 3
    assert len(capsys.readouterr().err) < 200


def test_values_beyond_a_float_are_shuffled_without_a_warning() -> None:
    Path("wide.svm").write_text("1 1:1e200\n-1 1:-1e200\n" * 30)
    assert main(["fit", "wide.svm", "--order", "shuffle", "--passes", "2", "-o", "wide.model", "--rule", "pa1"]) == 0


def test_weights_beyond_the_memory_are_refused_before_they_are_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rosenblatt.available_memory.memory_size", lambda: 1 << 30)
    Path("far.svm").write_text("1 2147483647:1\n-1 1:1\n")
    Path("late.svm").write_text(SVM * 20_000 + "1 2147483647:1\n")
    for name in ("far.svm", "late.svm"):
        capsys.readouterr()
        assert main(["fit", name, "-o", "far.model"]) == 3
        error_line = capsys.readouterr().err
        assert error_line.count("\n") == 1
        assert error_line.startswith(f"rosenblatt: {name}: has 2,147,483,647 features")
    assert not Path("far.model").exists()


def test_for_a_table_of_unscaled_numbers_scaling_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    for more, advised in [(["--no-scale"], True), ([], False)]:
        capsys.readouterr()
        assert main(["fit", "t.csv", "-o", "t.model", *more]) == 0
        assert ("fit t.csv -o t.model --scale" in capsys.readouterr().out) is advised


def test_feature_numbers_may_be_large_where_no_products_are_made(capsys: pytest.CaptureFixture[str]) -> None:
    Path("far.svm").write_text("1 70000000:1\n-1 1:1\n")
    assert main(["fit", "far.svm", "-o", "far.model", "--rule", "last", "--quiet", "--top", "0"]) == 0
