"""The documentation is correct: every doctest, and every block of Python and of commands on every page, is run."""

import doctest
import importlib
import importlib.util
import os
import pkgutil
import re
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.cli import main
from tests import child

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rosenblatt.__path__, "rosenblatt.")
    if not module.name.endswith(("__main__", "_native"))
)
ROOT = Path(__file__).parents[2]
PAGES = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs").glob("*/*.md"))]
}


def source_of(module: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    return Path(str(spec.origin)).read_text(encoding="utf-8")


FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*(?:\n>.*)*)\n?((?:(?!\$ ).*\n?)*)", flags=re.MULTILINE)
NOT_RUN = {"", "json", "sql", "text"}  # what is shown but cannot be run


def blocks(language: str) -> dict[str, list[str]]:
    """The blocks of a language on each page that has some."""
    blocks_by_page = {
        name: [code for kind, code in FENCE.findall(text) if kind == language] for name, text in PAGES.items()
    }
    return {name: codes for name, codes in blocks_by_page.items() if codes}


@pytest.mark.parametrize("name", [name for name in MODULES if ">>> " in source_of(name)])
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize(
    "name", ["learn.online", *(f"estimators.{name}" for name in ("adaline", "logistic_unit", "perceptron"))]
)
def test_what_most_people_use_has_an_example(name: str) -> None:
    assert ">>> " in source_of(f"rosenblatt.{name}")


def test_the_readme_shows_python_and_the_command_line() -> None:
    assert "README.md" in blocks("python")
    assert "README.md" in blocks("console")


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_of_a_kind_that_is_run(name: str) -> None:
    assert {kind for kind, _ in FENCE.findall(PAGES[name])} <= {"python", "console", *NOT_RUN}


@pytest.mark.parametrize("name", blocks("python"))
def test_python_on_the_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page are one program, in a folder that holds the packaged mail."""
    lay_out_mail(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks("python")[name]:
        if block.startswith(">>>"):
            session(block, name, names)
        else:
            exec(compile(block, name, "exec"), names)


def session(block: str, name: str, names: dict[str, object]) -> None:
    """A block with `>>>` prompts: each statement prints what is shown."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(block, {}, name, name, 0)
    test.globs = names
    assert doctest.DocTestRunner(optionflags=flags).run(test, clear_globs=False).failed == 0


@pytest.mark.parametrize("name", blocks("console"))
def test_commands_on_the_page_print_what_it_shows(name: str, tmp_path: Path) -> None:
    """Each `$ command` succeeds and prints what is shown below it; `...` matches anything, and seconds match any."""
    lay_out_mail(tmp_path)
    try:
        run_commands(name, tmp_path)
    finally:
        with suppress(OSError, ValueError):  # a service that was started, and not stopped because something failed
            os.kill(int((tmp_path / "rosenblatt-data" / "lock").read_text()), signal.SIGTERM)


def run_commands(name: str, tmp_path: Path) -> None:
    for block in blocks("console")[name]:
        for command, output in commands(block):
            run = child.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=with_rosenblatt_on_the_path(tmp_path),
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert run.returncode == 0, f"$ {command}\n{run.stdout}{run.stderr}"
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            printed, expected = run.stdout + run.stderr, re.sub(r"\b\d+\.\d+ s\b", "... s", output)
            assert not output or doctest.OutputChecker().check_output(expected, printed, flags), (
                f"$ {command}\n{printed}"
            )


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with its output; a backslash, or lines that begin with `>`, continue it."""
    parts = COMMAND.findall(block.replace("\\\n", " "))
    return [(re.sub(r"\n> ?", "\n", command), output) for command, output in parts]


def lay_out_mail(folder: Path) -> None:
    """Prepare the folder that the pages are run in: the mail, a model of it, and a folder for pictures."""
    (folder / "pictures").mkdir()
    (folder / "mail").mkdir()
    for path in (Path(rosenblatt.__file__).parent / "data" / "mail").glob("*.gz"):
        shutil.copy(path, folder / "mail")
    (folder / "mail.model").write_bytes(mail_model())


@cache
def mail_model() -> bytes:
    """The model that `rosenblatt fit mail/train.tsv.gz -o mail.model` saves."""
    mail = Path(rosenblatt.__file__).parent / "data" / "mail" / "train.tsv.gz"
    with tempfile.TemporaryDirectory() as folder:
        assert main(["fit", str(mail), "-o", f"{folder}/mail.model", "--quiet"]) == 0
        return Path(folder, "mail.model").read_bytes()


def with_rosenblatt_on_the_path(folder: Path) -> dict[str, str]:
    """An environment with the command `rosenblatt`, whether it is installed or not."""
    home = folder / ".bin"
    if not home.exists():
        home.mkdir()
        for name, options in (("rosenblatt", "-m rosenblatt"), ("python", "")):
            (home / name).write_text(f'#!/bin/sh\nexec {sys.executable} {options} "$@"\n', encoding="utf-8")
            (home / name).chmod(0o755)
    return {**os.environ, "PATH": f"{home}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
