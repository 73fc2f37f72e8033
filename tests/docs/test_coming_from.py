"""Every row of docs/coming-from.md: our side works on small files of each format, and a peer's where it is installed.

`make bench` installs Vowpal Wabbit and river; Debian has `fasttext` and `liblinear-tools`.
"""

import importlib.util
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from rosenblatt.cli import main
from tests import child

PAGE = (Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in re.split(r"^## From ", PAGE, flags=re.MULTILINE)[1:]}
TABLE_ROW = re.compile(r"^\| (.+?) \| (.+?) \|$", flags=re.MULTILINE)

# What an option alone is added to, on either side.
BASES = {
    "Vowpal Wabbit": ("vw -d train.vw", "rosenblatt fit train.vw"),
    "fastText": ("fasttext supervised -input train.txt -output m", "rosenblatt fit train.txt"),
}
PREDICTS = {"--proba", "--top K"}  # options of predict


def cells(section: str, column: int) -> list[str]:
    """What stands between backticks in one column of a section's table."""
    rows = TABLE_ROW.findall(SECTIONS[section])[1:]  # without the titles
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row[column])]


def commands(section: str, column: int, programs: tuple[str, ...]) -> list[str]:
    """The commands of one column, options with the command that they are added to."""
    whole = [code for code in cells(section, column) if code.split()[0] in programs and " " in code]
    options = [code for code in cells(section, column) if code.startswith("-") and code not in PREDICTS]
    return [*whole, *(f"{BASES[section][column]} {option}" for option in options)]


OURS = [(section, command) for section in SECTIONS for command in commands(section, 1, ("rosenblatt",))]
VW = commands("Vowpal Wabbit", 0, ("vw",))
FASTTEXT = commands("fastText", 0, ("fasttext",))
LIBLINEAR = commands("LIBLINEAR", 0, ("train", "predict"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are run: the same examples in each format."""
    rows = [(i % 7, i * 5 % 11, i % 7 > 3) for i in range(120)]
    svmlight = "".join(f"{2 * yes - 1} 1:{a} 2:{b}\n" for a, b, yes in rows)
    vw = "".join(f"{2 * yes - 1} |day a:{a} |shop b:{b}\n" for a, b, yes in rows)
    prices = "".join(f"{2.5 * a + b} |house a:{a} b:{b}\n" for a, b, _ in rows)
    fasttext = "".join(f"__label__{'spam' if yes else 'ham'} {'buy' if yes else 'see'} {a} {b}\n" for a, b, yes in rows)
    table = "a,b,income\n" + "".join(f"{a},{b},{'high' if yes else 'low'}\n" for a, b, yes in rows)
    files = {"data": svmlight, "test": svmlight, "data.svm": svmlight, "heart_scale": svmlight}
    files |= {"train.vw": vw, "test.vw": vw, "prices.vw": prices, "train.txt": fasttext, "test.txt": fasttext}
    files |= {"table.csv": table, "test.csv": table, "mail.tsv": fasttext.replace("__label__", "").replace("m ", "m\t")}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_commands() -> None:
    assert len(OURS) >= 22
    assert [len(VW), len(FASTTEXT), len(LIBLINEAR)] == [13, 7, 6]


@pytest.mark.parametrize(("section", "command"), OURS, ids=lambda value: value)
def test_our_command_works(section: str, command: str, folder: Path) -> None:
    words = command.split()[1:]
    if "m.model" in words and words[0] != "fit":
        data = next(word for word in [*words, "test.csv"] if word.startswith("test"))
        assert main(["fit", data, "-o", "m.model", "--quiet"]) == 0
    assert main([*words, "--quiet"]) == 0
    if "-o" in words:
        assert (folder / words[words.index("-o") + 1]).stat().st_size > 100


@pytest.mark.parametrize("option", ["--proba", "--top 2"])
def test_options_of_predict_work(option: str, folder: Path) -> None:
    assert option.replace("2", "K") in PREDICTS
    assert main(["fit", "train.txt", "-o", "m.model", "--quiet"]) == 0
    assert main(["predict", "m.model", "test.txt", *option.split()]) == 0


def works(words: list[str], folder: Path) -> None:
    result = child.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, f"{shlex.join(words)}: {result.stdout}{result.stderr}"


@pytest.mark.skipif(importlib.util.find_spec("vowpalwabbit") is None, reason="Vowpal Wabbit is not installed")
@pytest.mark.parametrize("command", VW)
def test_a_command_of_vowpal_wabbit_works(command: str, folder: Path) -> None:
    run = [sys.executable, "-m", "vowpalwabbit"]
    if "-i m.model" in command:
        works([*run, *["-d", "train.vw", "-f", "m.model", "--quiet"]], folder)
    works([*run, *command.split()[1:]], folder)


@pytest.mark.skipif(shutil.which("fasttext") is None, reason="fastText's command is not installed")
@pytest.mark.parametrize("command", FASTTEXT)
def test_a_command_of_fasttext_works(command: str, folder: Path) -> None:
    if "m.bin" in command:
        works(shlex.split(f"{BASES['fastText'][0]} -thread 1 -bucket 1000"), folder)
    quick = shlex.split("-autotune-duration 1 -bucket 1000 -epoch 1 -dim 2" if "autotune" in command else "")
    works([*command.split(), *quick], folder)


@pytest.mark.skipif(shutil.which("liblinear-train") is None, reason="LIBLINEAR's commands are not installed")
@pytest.mark.parametrize("command", LIBLINEAR)
def test_a_command_of_liblinear_works(command: str, folder: Path) -> None:
    if command.startswith("predict"):
        works(["liblinear-train", "-q", "-s", "0", "data", "m.model"], folder)
    works(f"liblinear-{command}".split(), folder)


# -- Python: what stands in a row, as a program of both sides ---------------------------------------------------------

FROM_SCIKIT_LEARN = {
    "load_svmlight_file": """
        X, y = load_svmlight_file("data.svm"); Perceptron().fit(X.toarray(), y)""",
    "ColumnTransformer": """
        frame, y = table.drop(columns="income"), table["income"]
        columns = ColumnTransformer([("numbers", StandardScaler(), ["a", "b"])])
        make_pipeline(columns, LogisticRegression()).fit(frame, y)
        rosenblatt.LinearSeparator().fit(frame, y)
        make_pipeline(columns, RidgeCV()).fit(frame, frame["a"] * 2.5 + frame["b"])
        rosenblatt.LinearPredictor().fit(frame, frame["a"] * 2.5 + frame["b"])""",
    "SGDRegressor()": """
        X, y = load_svmlight_file("data.svm")
        SGDRegressor().fit(X.toarray(), y)
        rosenblatt.LinearUnit().fit(X, y)""",
    "HashingVectorizer": """
        SGDClassifier().partial_fit(HashingVectorizer().transform(["see you", "buy now"]), [0, 1], classes=[0, 1])""",
    "pd.read_csv": """
        OneHotEncoder().fit(pd.read_csv("table.csv"))
        StandardScaler().fit(pd.read_csv("table.csv")[["a", "b"]])""",
    "classification_report": """
        classification_report(table["income"], table["income"])""",
    "joblib.dump": """
        separator = rosenblatt.LinearSeparator().fit(table, "income")
        joblib.dump(separator, "m.joblib"); rosenblatt.save(separator, "m.model"); rosenblatt.load("m.model")""",
}
IMPORTS = """
import joblib, pandas as pd, rosenblatt
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeCV, SGDClassifier, SGDRegressor
from sklearn.metrics import classification_report
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
table = pd.read_csv("table.csv")
"""


def test_every_row_about_scikit_learn_is_run() -> None:
    rows = [re.findall(r"`([^`]+)`", row[0])[0] for row in TABLE_ROW.findall(SECTIONS["scikit-learn"])[1:]]
    assert {row for row in rows if row != "---"} == set(FROM_SCIKIT_LEARN)


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.DoubtfulDataWarning")  # one column gives the label away
@pytest.mark.parametrize("row", FROM_SCIKIT_LEARN)
def test_a_row_about_scikit_learn_works(row: str, folder: Path) -> None:
    program = "\n".join(line.strip() for line in FROM_SCIKIT_LEARN[row].splitlines())
    names: dict[str, object] = {}
    exec(IMPORTS + program, names)


def test_our_side_of_the_rows_about_river_works() -> None:
    from rosenblatt import Learner

    names: dict[str, object] = {"Learner": Learner, "x": [1.0, 2.0], "y": 1}
    ours = [code for code in cells("river", 1) if code.startswith(("Learner", "learner"))]
    assert len(ours) == 5
    for code in ours:
        names["learner"] = eval(code, names) if code.startswith("Learner") else names["learner"]
        assert eval(code, names) is not None


@pytest.mark.skipif(importlib.util.find_spec("river") is None, reason="river is not installed")
def test_rivers_side_of_its_rows_works() -> None:
    names: dict[str, object] = {"x": {"a": 1.0}, "y": True, "data": [({"a": 1.0}, True), ({"a": -1.0}, False)]}
    exec("from river import evaluate, linear_model, metrics; metric = metrics.Accuracy()", names)
    first, *rest = cells("river", 0)
    names["model"] = eval(first, names)
    for code in rest:
        eval(code, names)
    assert len(rest) == 3
