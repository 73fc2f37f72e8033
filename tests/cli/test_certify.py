"""`rosenblatt certify`: the answer in words, as JSON, as a file that can be checked again, and as an exit code."""

import json
from pathlib import Path

import pytest

from rosenblatt.cli import main

AND = "a,b,y\n0,0,0\n0,1,0\n1,0,0\n1,1,1\n"
XOR = "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"
THREE = "a,b,y\n0,0,r\n0,1,r\n5,0,g\n5,1,g\n10,0,b\n10,1,b\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("and.csv", AND), ("xor.csv", XOR), ("three.csv", THREE)):
        Path(name).write_text(text)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["certify", *arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


@pytest.mark.usefixtures("folder")
def test_yes_is_0_and_no_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "and.csv")
    assert code == 0
    assert out.startswith("Yes: a straight line tells 0 and 1 apart")
    code, out, _ = run(capsys, "xor.csv")
    assert code == 1
    assert out.startswith("No: a straight line")
    assert "row 4 (0): 1/2" in out


@pytest.mark.usefixtures("folder")
def test_json_has_the_names_of_the_attributes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "xor.csv", "--json")
    record = json.loads(out)
    assert code == 1
    assert (record["kind"], record["verified"], record["rows"]) == ("inseparable", "exact", [0, 1, 2, 3])
    assert record["weights"] == ["1/2"] * 4
    record = json.loads(run(capsys, "and.csv", "--json")[1])
    assert record["margin"] == pytest.approx(2**0.5 / 4)


@pytest.mark.usefixtures("folder")
def test_a_saved_certificate_is_checked_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "xor.csv", "--save", "proof.json")[0] == 1
    assert run(capsys, "xor.csv", "--check", "proof.json")[:2][0] == 0
    code, out, _ = run(capsys, "and.csv", "--check", "proof.json")
    assert code == 1
    assert "made for other data" in out
    record = json.loads(run(capsys, "and.csv", "--check", "proof.json", "--json")[1])
    assert record["holds"] is False
    assert run(capsys, "xor.csv", "--check", "none.json")[0] == 3
    assert run(capsys, "xor.csv", "--check", "proof.json", "--pairs")[0] == 2


def test_many_classes_as_a_table_and_a_map(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "three.csv", "--pairs", "--one-vs-rest", "--save", "proofs", "--plot", "map.png")
    assert code == 1  # green lies between the others
    assert "separable" in out
    assert (folder / "map.png").stat().st_size > 1000
    assert len(list((folder / "proofs").glob("*.json"))) == 6
    record = json.loads(run(capsys, "three.csv", "--pairs", "--json")[1])
    assert [row["answer"] for row in record["answers"]] == ["separable"] * 3
    assert run(capsys, "three.csv")[0] == 3
    assert run(capsys, "three.csv", "--one-vs-rest", "--plot", "map.png")[0] == 2


def test_a_figure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("and", "xor"):
        run(capsys, f"{name}.csv", "--plot", f"{name}.png")
        assert (folder / f"{name}.png").stat().st_size > 1000
    assert run(capsys, "and.csv", "--plot", "and.doc")[0] == 2


@pytest.mark.usefixtures("folder")
def test_of_many_columns_two_are_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wide.csv").write_text("a,b,third column,y\n0,0,1,0\n0,1,2,0\n1,0,3,0\n1,1,4,1\n")
    code, out, err = run(capsys, "wide.csv", "--plot", "wide.png")
    assert (code, out) == (2, "")
    assert "--columns I,J" in err
    assert run(capsys, "wide.csv", "--plot", "wide.png", "--columns", "0,2", "--theme", "dark")[0] == 0
    assert Path("wide.png").stat().st_size > 1000
    assert run(capsys, "wide.csv", "--plot", "wide.svg", "--columns", "a,third column")[0] == 0
    assert "<!-- third column -->" in Path("wide.svg").read_text()  # the name of the axis, above its outlines
    code, out, err = run(capsys, "wide.csv", "--plot", "wide.png", "--columns", "a,d")
    assert (code, out) == (2, "")
    assert "The columns are a, b, third column." in err
    assert run(capsys, "wide.csv", "--plot", "wide.png", "--columns", "0,7")[0] == 2


@pytest.mark.usefixtures("folder")
def test_more_than_two_classes_need_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "three.csv")
    assert code == 3
    assert "--pairs" in err
