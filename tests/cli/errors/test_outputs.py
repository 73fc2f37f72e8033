"""Outputs that cannot be written: refused before the work, and where they fail after it, nothing is lost."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.cli import main
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_model

SVM = "".join(f"{k % 2} 1:{k % 7} 5:{k % 3}\n" for k in range(60))
ROWS = "a,b,label\n0,0,n\n0,1,n\n1,0,n\n1,1,y\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.svm").write_text(SVM)
    Path("and.csv").write_text(ROWS)
    Path("dir").mkdir()
    assert main(["fit", "d.svm", "-o", "d.model", "-q", "--rule", "perceptron", "--passes", "1"]) == 0
    return tmp_path


def refuse_work(*_: Any, **__: Any) -> Any:
    raise AssertionError("the work has begun")


@pytest.mark.parametrize("output", ["dir", "x" * 300, "none/out", "/proc/out", "d.svm/out"])
@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("fit d.svm -o", "rosenblatt.model.fit_file.fit_file"),
        ("fit d.svm --report", "rosenblatt.model.fit_file.fit_file"),
        ("fit d.svm --checkpoint", "rosenblatt.model.fit_file.fit_file"),
        ("predict d.model d.svm -o", "rosenblatt.model.predict.predict_source"),
        ("evaluate d.model d.svm --report", "rosenblatt.report.summary.evaluate_on"),
        ("export d.model --to json -o", "rosenblatt.model.export.export.export_model"),
        ("certify and.csv --save", "rosenblatt.certificates.certify.certify"),
        ("certify and.csv --plot", "rosenblatt.certificates.certify.certify"),
        ("compare and.csv --plot", "rosenblatt.comparison.compare.compare"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    command: str, work: str, output: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, refuse_work)
    assert main([*command.split(), output]) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"rosenblatt: {output}: ")
    assert error.count("\n") == 1
    assert ".part" not in error


def test_what_is_tried_beforehand_leaves_no_trace(folder: Path) -> None:
    Path("out.model").write_text("old")
    before = sorted(os.listdir())
    assert main(["fit", "none.svm", "-o", "out.model"]) == 3
    assert sorted(os.listdir()) == before
    assert Path("out.model").read_text() == "old"


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs the device /dev/full")
def test_a_model_that_cannot_be_written_after_all_is_saved_elsewhere(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(folder / "dir"))
    assert main(["fit", "d.svm", "-o", "/dev/full", "-q"]) == 3
    (saved,) = (folder / "dir").iterdir()
    assert capsys.readouterr().err == (
        f"rosenblatt: /dev/full: cannot be written: No space left on device; the model is saved as {saved} instead.\n"
    )
    assert load_model(saved).classes == (0, 1)


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    plain = fit_file("d.svm", rule="perceptron", passes=3)
    monkeypatch.setattr("rosenblatt.learn.files.checkpoint.write_container", full)
    fitted = fit_file("d.svm", rule="perceptron", passes=3, checkpoint="c", checkpoint_every=1e-9)
    assert fitted.model.coef.tobytes() == plain.model.coef.tobytes()
    assert "The checkpoint c could not be written: No space left on device; the fit went on without it." in [
        str(caution) for caution in fitted.warnings
    ]


def test_an_interrupt_whose_checkpoint_cannot_be_written_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rosenblatt.learn.files.passes.Fitting._end_pass", interrupt)
    assert main(["fit", "d.svm", "-o", "e.model", "--checkpoint", "/dev/full", "-q"]) == 130
    error = capsys.readouterr().err
    assert error == (
        "rosenblatt: interrupted; the checkpoint /dev/full could not be written: No space left on device.\n"
    )


@pytest.mark.parametrize("threads", ["40000", "0", "-1"])
def test_an_odd_number_of_threads_is_a_usage_error(threads: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "d.svm", "--threads", threads]) == 2
    assert "of at least 1 and less than 1025" in capsys.readouterr().err
