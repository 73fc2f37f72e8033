"""Docstrings in numpydoc's form: what the options say of a parameter is filled in, so that it stands once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rosenblatt.options.option import Option

F = TypeVar("F", bound=Callable[..., Any])
CO_VARKEYWORDS = 0x08  # as inspect has it, which takes 8 ms to import
_PARAMETERS = re.compile(r"^( *)Parameters\n +-{10}\n(?:.+\n)*", flags=re.MULTILINE)


def parameter_entry(name: str, option: Option[Any], default: object) -> str:
    """What numpydoc shows of a parameter, unindented."""
    return f"{name} : {option.expected}, default={default!r}\n    {option.help}"


def described_by(table: Mapping[str, Option[Any]]) -> Callable[[F], F]:
    """Add the options that a function or class takes to the section Parameters of its docstring, with its defaults.

    >>> from rosenblatt.options import gap
    >>> @described_by({"gap": gap})
    ... def narrow(X, *, gap=0.5):
    ...     '''Narrow it.
    ...
    ...     Parameters
    ...     ----------
    ...     X : array
    ...     '''
    >>> "gap : a float greater than 0 and less than 1, default=0.5" in narrow.__doc__
    True
    """

    def describe(function: F) -> F:
        section = _PARAMETERS.search(function.__doc__ or "")
        if section is None:  # as under `python -OO`
            return function
        called: Any = function.__init__ if isinstance(function, type) else function  # type: ignore[misc]
        defaults, takes_any = called.__kwdefaults__, called.__code__.co_flags & CO_VARKEYWORDS
        entries = [
            parameter_entry(name, option, defaults.get(name, option.default))
            for name, option in table.items()
            if name in defaults or takes_any
        ]
        added = "".join(f"{section[1]}{line}\n" for entry in entries for line in entry.splitlines())
        text = str(function.__doc__)
        function.__doc__ = text[: section.end()] + added + text[section.end() :]
        return function

    return describe
