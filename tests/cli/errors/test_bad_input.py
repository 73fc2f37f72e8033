"""On any bad input the command line prints one line, exits with the right code, and writes no model."""

import gzip
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from rosenblatt.cli import main
from tests import child

ROSENBLATT = [sys.executable, "-m", "rosenblatt"]
MAIL = "".join(
    f"{'spam' if k % 3 == 0 else 'ham'}\t{'free money' if k % 3 == 0 else 'hello'} word{k}\n" for k in range(60)
)
SVM = "".join(f"{1 if k % 2 else -1} 1:{k % 7}.5 3:{(k % 2) * 2 - 1}\n" for k in range(60))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.svm").write_text(SVM)
    Path("mail.tsv").write_text(MAIL)
    Path("table.csv").write_text(
        "age,job,income\n"
        + "".join(f"{k},{'clerk' if k % 3 else 'smith'},{'hi' if k % 2 else 'lo'}\n" for k in range(40))
    )
    return tmp_path


def make_truncated() -> None:
    packed = gzip.compress(SVM.encode() * 50)
    Path("cut.svm.gz").write_bytes(packed[: len(packed) // 2])


def make(name: str, content: bytes) -> None:
    Path(name).write_bytes(content)


def make_directory() -> None:
    Path("place").mkdir()


BAD = {
    "empty": (lambda: make("empty.svm", b""), ["empty.svm"], "empty.svm"),
    "one class": (lambda: make("one.svm", b"1 1:2\n1 1:3\n"), ["one.svm"], "class"),
    "a directory": (make_directory, ["place"], "directory"),
    "a binary": (lambda: make("prog", b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 40), ["prog"], "prog"),
    "not there": (lambda: None, ["nowhere.svm"], "nowhere.svm"),
    "truncated gz": (make_truncated, ["cut.svm.gz"], "cut.svm.gz"),
    "label column not there": (lambda: None, ["table.csv", "--label", "wage"], "income"),
    "index 0 in a 1-based file": (
        lambda: make("zero.svm", b"1 0:1\n-1 1:1\n"),
        ["zero.svm", "--index-base", "1"],
        "zero.svm:1:",
    ),
    "index beyond 2^31": (lambda: make("far.svm", b"1 1:1\n-1 2147483649:1\n"), ["far.svm"], "far.svm:2:"),
    "number out of range": (lambda: make("huge.svm", b"1 1:1\n-1 1:1e999\n"), ["huge.svm"], "huge.svm:2:"),
    "not a number": (lambda: make("word.svm", b"1 1:1\n-1 1:x\n"), ["word.svm"], "word.svm:2:"),
    "no colon": (lambda: make("colon.svm", b"1 1:1\n-1 7\n"), ["colon.svm", "--format", "svmlight"], "colon.svm:2:"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_data_is_one_line_and_3(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prepare, arguments, words = BAD[case]
    prepare()
    assert main(["fit", *arguments, "-o", "m.model"]) == 3
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1, output.err
    assert words in output.err
    assert not Path("m.model").exists()
    assert list(folder.glob(".*.part")) == []


def test_an_unreadable_file_is_one_line_and_3(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read everything, so the permission error is simulated."""
    really_open = os.open

    def refusing(path: object, *arguments: object, **named: object) -> int:
        if path == "good.svm":
            raise PermissionError(13, "Permission denied", path)
        return really_open(path, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refusing)
    assert main(["fit", "good.svm"]) == 3
    error_line = capsys.readouterr().err
    assert error_line.count("\n") == 1
    assert "good.svm" in error_line


def test_bad_rows_can_be_skipped_and_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make("some.svm", SVM.encode() + b"1 7\n" + SVM.encode())
    assert main(["fit", "some.svm", "--on-bad-row", "skip", "-o", "m.model"]) == 0
    assert "1 bad row, first: some.svm:61:" in " ".join(capsys.readouterr().out.split())


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs the device /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "good.svm", "-o", "/dev/full"],
        ["fit", "good.svm", "--report", "/dev/full"],
        ["predict", "m.model", "good.svm", "-o", "/dev/full"],
        ["export", "m.model", "--to", "json", "-o", "/dev/full"],
    ],
    ids=["model", "report", "predictions", "export"],
)
def test_a_full_disk_is_one_line(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "good.svm", "-o", "m.model", "--quiet"]) == 0
    assert main(arguments) == 3
    output = capsys.readouterr()
    assert "no space left on device" in output.err.lower()
    assert output.err.count("\n") == 1


def test_a_model_in_a_folder_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "good.svm", "-o", "no/such/m.model"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def bad_models() -> dict[str, bytes]:
    good = Path("m.model").read_bytes()
    middle = len(good) // 2
    flipped = good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :]
    return {
        "empty": b"",
        "truncated": good[:middle],
        "one bit": flipped,
        "text": b"hello\n" * 50,
        "pickle": b"\x80\x05N.",
    }


@pytest.mark.parametrize("case", ["empty", "truncated", "one bit", "text", "pickle", "not there", "a directory"])
@pytest.mark.parametrize("command", [["predict", "good.svm"], ["evaluate", "good.svm"], ["explain"], ["export"]])
def test_a_bad_model_is_one_line_and_4(
    case: str, command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "good.svm", "-o", "m.model", "--quiet"]) == 0
    if case == "a directory":
        Path("bad.model").mkdir()
    elif case != "not there":
        Path("bad.model").write_bytes(bad_models()[case])
    name, *data = command
    more = ["--to", "json"] if name == "export" else []
    assert main([name, "bad.model", *data, *more]) == 4
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("rosenblatt: ")
    assert "bad.model" in output.err
    assert output.err.count("\n") == 1


def test_a_model_for_other_features_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "table.csv", "--label", "income", "-o", "table.model", "--quiet"]) == 0
    assert main(["fit", "good.svm", "-o", "good.model", "--quiet"]) == 0
    assert main(["fit", "mail.tsv", "-o", "mail.model", "--quiet", "--bits", "12"]) == 0
    for model, data in [("table", "good.svm"), ("mail", "good.svm"), ("good", "table.csv"), ("good", "mail.tsv")]:
        assert main(["predict", f"{model}.model", data]) == 4, (model, data)
        output = capsys.readouterr()
        assert (output.out, output.err.count("\n")) == ("", 1)
        assert "this model reads" in output.err


def test_a_table_without_a_column_of_the_model_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "table.csv", "--label", "income", "-o", "table.model", "--quiet"]) == 0
    make("other.csv", b"age,wage\n1,2\n")
    assert main(["predict", "table.model", "other.csv"]) == 4
    assert "'job'" in capsys.readouterr().err


def test_labels_the_model_does_not_know_are_errors_and_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "good.svm", "-o", "m.model", "--quiet"]) == 0
    make("other.svm", b"7 1:1\n-1 3:1\n")
    assert main(["evaluate", "m.model", "other.svm"]) == 0
    assert "1 of 2 examples have a label that the model never saw (7)" in capsys.readouterr().err


def test_ctrl_c_is_one_line_and_130_and_the_run_can_go_on(folder: Path) -> None:
    noisy = SVM + "1 1:1\n-1 1:1\n"  # not separable, so all passes are run
    Path("long.svm").write_text(noisy * 2000)
    command = [*ROSENBLATT, "fit", "long.svm", "--passes", "1000000", "-o", "m.model", "--rule", "perceptron"]
    with child.start(command, stdout=-1, stderr=-1, text=True) as run:
        time.sleep(1.5)
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
    assert (run.returncode, out) == (130, ""), err
    assert err.count("\n") == 1
    assert "--resume continues from m.model.checkpoint" in err
    assert not Path("m.model").exists()
    assert Path("m.model.checkpoint").exists()


def test_interrupted_while_it_is_loaded_it_is_as_quiet() -> None:
    code = (
        "import sys\nclass Struck:\n def find_spec(name, *_):\n  if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Struck)\nfrom rosenblatt.__main__ import main\nsys.exit(main())"
    )
    process = child.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "rosenblatt: interrupted.\n")


def test_an_unknown_instruction_set_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:1\n")
    command = [sys.executable, "-m", "rosenblatt", "fit", "d.svm"]
    process = child.run(
        command, cwd=tmp_path, env={**os.environ, "ROSENBLATT_ISA": "foo"}, capture_output=True, text=True
    )
    assert process.returncode == 2
    assert process.stderr.startswith("rosenblatt: ROSENBLATT_ISA=foo is not among the instruction sets")
