"""The commands in the tables of docs/coming-from.md work, on small files of each format; vw's where it is installed."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from rosenblatt.cli import main
from tests import child

PAGE = (Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in re.split(r"^## From ", PAGE, flags=re.MULTILINE)[1:]}
TABLE_ROW = re.compile(r"^\| (.+?) \| (.+?) \|$", flags=re.MULTILINE)


def commands(column: int, program: str) -> list[tuple[str, str]]:
    """The commands of a program in one column of each section's tables, with their section."""
    return [
        (section, command)
        for section, text in SECTIONS.items()
        for row in TABLE_ROW.findall(text)
        for command in re.findall(rf"`({program} [^`]+)`", row[column])
    ]


OURS, VW = commands(1, "rosenblatt"), [command for _, command in commands(0, "vw")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are run: the same examples in each format."""
    rows = [(i % 7, i * 5 % 11, i % 7 > 3) for i in range(120)]
    svmlight = "".join(f"{2 * yes - 1} 1:{a} 2:{b}\n" for a, b, yes in rows)
    vw = "".join(f"{2 * yes - 1} | a:{a} b:{b}\n" for a, b, yes in rows)
    fasttext = "".join(f"__label__{'spam' if yes else 'ham'} {'buy' if yes else 'see'} {a} {b}\n" for a, b, yes in rows)
    table = "a,b,income\n" + "".join(f"{a},{b},{'high' if yes else 'low'}\n" for a, b, yes in rows)
    files = {"data": svmlight, "test": svmlight, "data.svm": svmlight, "heart_scale": svmlight}
    files |= {"train.vw": vw, "test.vw": vw, "train.txt": fasttext, "test.txt": fasttext}
    files |= {"table.csv": table, "test.csv": table, "mail.tsv": fasttext.replace("__label__", "").replace("m ", "m\t")}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_commands() -> None:
    assert len(OURS) >= 18
    assert len(VW) >= 4


@pytest.mark.parametrize(("section", "command"), OURS, ids=lambda value: value)
def test_our_command_works(section: str, command: str, folder: Path) -> None:
    words = command.split()[1:]
    if "m.model" in words and words[0] != "fit":
        data = next(word for word in [*words, "test.csv"] if word.startswith("test"))
        assert main(["fit", data, "-o", "m.model", "--quiet"]) == 0
    assert main([*words, "--quiet"]) == 0
    if "-o" in words:
        assert (folder / words[words.index("-o") + 1]).stat().st_size > 100


@pytest.mark.skipif(importlib.util.find_spec("vowpalwabbit") is None, reason="Vowpal Wabbit is not installed")
def test_the_commands_of_vowpal_wabbit_work(folder: Path) -> None:
    for command in VW:
        words = [sys.executable, "-m", "vowpalwabbit", *command.split()[1:], "--quiet"]
        result = child.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, f"{command}: {result.stderr}"
