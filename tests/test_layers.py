"""The layers of the package: the contracts in pyproject.toml, and what import-linter cannot check, such as names."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import child

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rosenblatt"
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts of the pyproject.toml in a folder, without a cache."""
    command = [sys.executable, "-c", LINT, "--no-cache", "--config", str(folder / "pyproject.toml")]
    return child.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.fixture
def replica(tmp_path: Path) -> Path:
    """A copy of the package and its contracts under another name, so that the installed package is not used instead."""
    shutil.copytree(PACKAGE, tmp_path / "replica", ignore=shutil.ignore_patterns("__pycache__"))
    for file in [*tmp_path.rglob("*.py"), shutil.copy(ROOT / "pyproject.toml", tmp_path)]:
        path = Path(file)
        path.write_text(path.read_text(encoding="utf-8").replace("rosenblatt", "replica"), encoding="utf-8")
    return tmp_path


def test_the_contracts_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_replica_keeps_the_contracts(replica: Path) -> None:
    result = lint(replica)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        ("utils.py", "", "- replica.utils"),
        ("errors.py", "import replica.options", "replica.errors is not allowed to import replica.options"),
        ("errors.py", "import sklearn", "replica.errors -> sklearn"),
        ("errors.py", "from replica import Perceptron", "replica.errors -> replica "),
    ],
    ids=["a stray room", "an import upward", "scikit-learn outside estimators", "the front door"],
)
def test_a_breach_is_noticed(replica: Path, file: str, line: str, complaint: str) -> None:
    with (replica / "replica" / file).open("a", encoding="utf-8") as out:
        out.write(f"\n{line}\n")
    result = lint(replica)
    assert result.returncode != 0
    assert complaint in result.stdout + result.stderr


def imported_names(path: Path) -> set[str]:
    """Every part of every dotted name that a file imports, including the names after `from ... import`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(word for alias in node.names for word in alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            names.update((node.module or "").split("."), (alias.name for alias in node.names))
    return names


def test_only_the_room_native_names_the_compiled_module() -> None:
    outside = [path for path in PACKAGE.rglob("*.py") if PACKAGE / "native" not in path.parents]
    assert [path.name for path in outside if "_native" in imported_names(path)] == []


def test_no_layer_is_dodged() -> None:
    """import-linter cannot see imports through strings. Only a few files may use one; option.py may check whether numpy
    is loaded."""
    dodges = {
        "import_module(": {"__init__.py", "lazy.py", "compression.py"},
        "__import__(": set(),
        "sys.modules": {"option.py"},
    }
    for call, allowed in dodges.items():
        using = {
            path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if call in path.read_text(encoding="utf-8")
        }
        assert {path.name for path in using} <= allowed, call


def test_only_the_bindings_know_python() -> None:
    knowing = {p for p in (ROOT / "cpp").rglob("*.[ch]pp") if "nanobind" in p.read_text(encoding="utf-8")}
    assert ROOT / "cpp" / "bind" / "arrays.hpp" in knowing
    assert {path.name for path in knowing if ROOT / "cpp" / "bind" not in path.parents} == set()


def test_children_of_tests_have_a_time_limit() -> None:
    """Only tests/child.py starts processes; it limits them and lets Ctrl-C reach them."""
    starting = {"subprocess.run(", "subprocess.Popen(", "subprocess.check_", "os.system("}
    files = [
        path for path in (ROOT / "tests").rglob("*.py") if path not in (ROOT / "tests" / "child.py", Path(__file__))
    ]
    assert [path.name for path in files if any(call in path.read_text(encoding="utf-8") for call in starting)] == []


EMPTY_NAMES = {"asked", "begun", "found", "given", "held", "kept", "made", "said", "those", "told"}


def empty_names(path: Path) -> list[str]:
    """The variables and parameters of a file whose names do not say what they hold, with their lines."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        else:
            continue
        if name.strip("_") in EMPTY_NAMES:
            names.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
    return names


def test_a_variable_says_what_it_holds() -> None:
    files = [path for room in ("src", "tests", "tools", "bench", "fuzz") for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 400
    assert [name for path in files for name in empty_names(path)] == []
