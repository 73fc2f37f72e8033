"""What the documentation shows is what happens: every doctest of the package, every Python block of the README."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import rosenblatt

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rosenblatt.__path__, "rosenblatt.")
    if not module.name.endswith(("__main__", "_native"))
)
README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0


def test_there_are_examples_in_docstrings() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = {name: finder.find(importlib.import_module(name)) for name in MODULES}
    shown = {name for name, tests in examples.items() if any(test.examples for test in tests)}
    assert {f"rosenblatt.estimators.{unit}" for unit in ("adaline", "logistic", "perceptron")} <= shown
    assert "rosenblatt.learn.online" in shown


def test_the_readme_shows_python() -> None:
    assert BLOCKS


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0])
def test_code_in_the_readme_runs(block: str) -> None:
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
