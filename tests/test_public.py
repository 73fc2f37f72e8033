"""The public names, and what importing them costs."""

import json
import pkgutil
import sys
from types import ModuleType

import pytest

import rosenblatt
from tests import child

HEAVY = {"sklearn", "matplotlib", "pyarrow", "pandas", "polars"}
LIGHT_ROOMS = sorted({room.name for room in pkgutil.iter_modules(rosenblatt.__path__)} - {"__main__", "estimators"})


def loaded_after(statement: str) -> set[str]:
    """The top-level modules a fresh interpreter holds after one statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    run = child.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return set(json.loads(run.stdout))


def test_all_is_what_is_visible() -> None:
    visible = {name for name in dir(rosenblatt) if not name.startswith("_")}
    rooms = {name for name in visible if isinstance(getattr(rosenblatt, name), ModuleType)}
    assert visible - (rooms - set(rosenblatt.__all__)) == {name for name in rosenblatt.__all__ if name[0] != "_"}


def test_all_has_no_duplicates() -> None:
    assert len(set(rosenblatt.__all__)) == len(rosenblatt.__all__)


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


@pytest.mark.parametrize("room", LIGHT_ROOMS)
def test_only_estimators_load_scikit_learn(room: str) -> None:
    assert loaded_after(f"import rosenblatt.{room}") & HEAVY == set()
