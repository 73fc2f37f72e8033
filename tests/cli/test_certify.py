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


def test_a_number_is_met_exactly_or_proven_not_to_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("line.csv").write_text("a,b,y\n0,0,1.5\n0,1,2\n1,0,3\n1,1,3.5\n")
    Path("bent.csv").write_text("a,b,y\n0,0,1.5\n0,1,2\n1,0,3\n1,1,9\n")
    code, out, _ = run(capsys, "line.csv", "--task", "number", "--save", "line.json")
    assert code == 0
    assert "w = [3/2, 1/2], add up the products, and add b = 3/2" in out
    code, out, _ = run(capsys, "bent.csv", "--task", "number", "--json", "--save", "bent.json")
    record = json.loads(out)
    assert code == 1
    assert (record["kind"], record["rows"], record["mismatch"]) == ("no exact fit", [0, 1, 2, 3], "11/2")
    for name in ("line", "bent"):  # the certificate says what it is about
        code, out, _ = run(capsys, f"{name}.csv", "--check", f"{name}.json")
        assert code == 0
        assert out.startswith("The certificate holds")
    code, out, _ = run(capsys, "line.csv", "--check", "bent.json")
    assert code == 1
    assert "does not hold" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "sentence", "expected"),
    [
        (["three.csv", "--task", "number"], "The target of row 0 is 'r', and must be a finite number", 3),
        (["infinite.csv", "--task", "number"], "The target of row 1 is inf, and must be a finite number", 3),
        (["and.csv", "--task", "number", "--pairs"], "--task number has one answer and no picture", 2),
        (["and.csv", "--task", "numbers"], "task", 2),
    ],
)
def test_a_number_that_cannot_be_certified(
    arguments: list[str], sentence: str, expected: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("infinite.csv").write_text("a,y\n1,2\n2,inf\n3,4\n")
    code, _, err = run(capsys, *arguments)
    assert code == expected
    assert sentence in err


@pytest.mark.usefixtures("folder")
def test_large_and_small_numbers_are_targets(capsys: pytest.CaptureFixture[str]) -> None:
    Path("large.csv").write_text("a,y\n1,2\n2,1e300\n3,36893488147419103233\n")
    code, out, _ = run(capsys, "large.csv", "--task", "number")
    assert code == 1
    assert "row 3 (target 36893488147419103233): 1" in out
