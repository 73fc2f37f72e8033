"""The public names, and what importing them loads."""

import ast
import json
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

import rosenblatt
from tests import child

HEAVY = {"sklearn", "matplotlib", "pyarrow", "pandas", "polars"}


def loaded_after(statement: str) -> set[str]:
    """The top-level modules that a new interpreter has loaded after one statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    run = child.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return set(json.loads(run.stdout))


def test_every_public_name_is_the_one_that_the_type_checker_sees() -> None:
    """The lazy table, `__all__` and the imports for type checkers list the same names, from the same modules."""
    source = ast.parse(Path(rosenblatt.__file__).read_text(encoding="utf-8"))
    (checked,) = [node for node in source.body if isinstance(node, ast.If)]
    homes = {
        name.name: import_module(f"{line.module}.{name.name}" if line.module == "rosenblatt" else str(line.module))
        for line in checked.body
        if isinstance(line, ast.ImportFrom)
        for name in line.names
    }
    assert sorted(homes) == rosenblatt.__all__
    for name, module in homes.items():
        public = getattr(rosenblatt, name)
        assert public is module or public is getattr(module, name), name


@pytest.mark.parametrize("name", [name for name in rosenblatt.__all__ if not name.startswith("_")])
def test_every_public_name_is_documented(name: str) -> None:
    assert getattr(rosenblatt, name).__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Perceptrn"):
        rosenblatt.Perceptrn  # noqa: B018


def test_a_star_import_brings_every_public_name() -> None:
    names: dict[str, object] = {}
    exec("from rosenblatt import *", names)
    assert set(rosenblatt.__all__) <= set(names)


def test_importing_rosenblatt_is_light() -> None:
    assert loaded_after("import rosenblatt") & HEAVY == set()


def test_nothing_below_the_estimators_loads_scikit_learn() -> None:
    above = ("__main__", "cli", "studio", "report", "comparison", "estimators")
    modules = [room.name for room in pkgutil.walk_packages(rosenblatt.__path__, "rosenblatt.")]
    light = [name for name in modules if name.split(".")[1] not in above]
    assert len(light) > 100
    assert "sklearn" not in loaded_after("\n".join(f"import {name}" for name in light))
