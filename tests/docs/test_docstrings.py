"""Every public name says what it takes and gives, in numpydoc's form, with an example, which test_examples runs."""

import inspect
import warnings
from typing import Any

import pytest
from numpydoc.docscrape import get_doc_object

import rosenblatt

CALLABLE = [name for name in rosenblatt.__all__ if callable(getattr(rosenblatt, name))]
MODULES = [name for name in rosenblatt.__all__ if name not in CALLABLE]


def parsed(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a section twice, or an unknown one
        return get_doc_object(getattr(rosenblatt, name))


@pytest.mark.parametrize("name", CALLABLE)
def test_every_parameter_is_described(name: str) -> None:
    parameters = inspect.signature(getattr(rosenblatt, name)).parameters.values()
    taken = {p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD}
    described = {entry.name: entry.desc for entry in parsed(name)["Parameters"]}
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    assert taken <= set(described)
    assert takes_any or [*described] == list(inspect.signature(getattr(rosenblatt, name)).parameters)
    assert all("".join(text).strip() for text in described.values())


@pytest.mark.parametrize("name", CALLABLE)
def test_it_is_summed_up_in_a_line(name: str) -> None:
    summary = parsed(name)["Summary"]
    assert summary
    assert len(" ".join(summary)) < 130


@pytest.mark.parametrize("name", [name for name in CALLABLE if name != "save" and name[0].islower()])
def test_a_function_says_what_it_returns(name: str) -> None:
    document = parsed(name)
    assert document["Returns"] or document["Yields"]


def methods() -> dict[str, Any]:
    """Every method of a public class, and every function of a public module, that is ours."""
    owners = {name: getattr(rosenblatt, name) for name in rosenblatt.__all__}
    members = {
        f"{owner}.{name}": inspect.unwrap(member)
        for owner, value in owners.items()
        if isinstance(value, type) or inspect.ismodule(value)
        for name, member in inspect.getmembers(value, inspect.isroutine)
        if name in getattr(value, "__all__", [name]) and not name.startswith("_")
    }
    return {name: member for name, member in members.items() if str(member.__module__).startswith("rosenblatt")}


METHODS = methods()


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_takes_and_returns(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        document = get_doc_object(METHODS[name])
    taken = [p.lstrip("*") for p in inspect.signature(METHODS[name]).parameters if p != "self"]
    described = [part.strip().lstrip("*") for entry in document["Parameters"] for part in entry.name.split(",")]
    assert document["Summary"]
    assert described == taken
    returns = inspect.signature(METHODS[name]).return_annotation
    assert document["Returns"] or returns in (None, "None")


def test_there_are_methods() -> None:
    assert len(METHODS) > 80


@pytest.mark.parametrize("name", [name for name in CALLABLE if isinstance(getattr(rosenblatt, name), type)])
def test_a_class_shows_its_example_after_its_parameters(name: str) -> None:
    assert parsed(name)["Examples"]


@pytest.mark.parametrize("name", [*CALLABLE, "logic", "errors", "losses"])
def test_there_is_an_example(name: str) -> None:
    assert ">>> " in inspect.getsource(getattr(rosenblatt, name)), name


MEMBERS = {
    f"{room}.{name}": value
    for room in ("figures", "logic", "losses")
    for name, value in vars(getattr(rosenblatt, room)).items()
    if not name.startswith("_") and (inspect.isfunction(value) or inspect.isclass(value))
    if str(value.__module__).startswith("rosenblatt") and value.__module__ != "rosenblatt.errors"
}


@pytest.mark.parametrize("name", MEMBERS)
def test_there_is_an_example_of_each_picture_and_of_what_the_rooms_hold(name: str) -> None:
    assert len(MEMBERS) > 35
    assert ">>> " in str(MEMBERS[name].__doc__)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_says_what_it_holds(name: str) -> None:
    assert len(str(getattr(rosenblatt, name).__doc__)) > 100


def test_parameters_do_not_say_how_they_are_typed_on_the_command_line() -> None:
    for name in CALLABLE:
        assert "repeat the option" not in str(getattr(rosenblatt, name).__doc__), name
