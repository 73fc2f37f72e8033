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
    assert takes_any or set(described) == taken
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


@pytest.mark.parametrize("name", [*CALLABLE, "logic", "errors", "losses"])
def test_there_is_an_example(name: str) -> None:
    assert ">>> " in inspect.getsource(getattr(rosenblatt, name)), name


@pytest.mark.parametrize("name", MODULES)
def test_a_module_says_what_it_holds(name: str) -> None:
    assert len(str(getattr(rosenblatt, name).__doc__)) > 100
