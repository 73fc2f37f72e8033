"""Adds the help of options to docstrings in numpydoc's form, so that it is written only once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rosenblatt.options.option import Option

F = TypeVar("F", bound=Callable[..., Any])
CO_VARKEYWORDS = 0x08  # that of inspect, which takes 8 ms to import
_PARAMETERS = re.compile(r"^( *)Parameters\n +-{10}\n(?:.+\n)*", flags=re.MULTILINE)
_TYPED_LISTS = re.compile(r"(?:\. For several(?: pairs)?,|;) use commas or repeat the option(?=\.)")


def parameter_entry(name: str, option: Option[Any], default: object) -> str:
    """The entry of a parameter in numpydoc's form, unindented."""
    return f"{name} : {option.expected}, default={default!r}\n    {_TYPED_LISTS.sub('', option.help)}"


def described_by(table: Mapping[str, Option[Any]]) -> Callable[[F], F]:
    """Add the options that a function or class takes to the section Parameters of its docstring, with its defaults.

    Together with those that the docstring describes itself, they are in the order of the signature.

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
        code, defaults = called.__code__, called.__kwdefaults__
        entries = _entries(section[0], section[1])
        for name, option in table.items():
            if name in defaults or code.co_flags & CO_VARKEYWORDS:
                lines = parameter_entry(name, option, defaults.get(name, option.default)).splitlines()
                entries[name] = "".join(f"{section[1]}{line}\n" for line in lines)
        signature = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        ordered = [name for name in signature if name in entries]
        ordered += [name for name in entries if name not in ordered]
        title = "".join(section[0].splitlines(keepends=True)[:2])
        text = str(function.__doc__)
        function.__doc__ = (
            text[: section.start()] + title + "".join(entries[name] for name in ordered) + text[section.end() :]
        )
        return function

    return describe


def _entries(section: str, indent: str) -> dict[str, str]:
    """The lines of a section about each of its parameters, by name."""
    entries, name = dict[str, str](), ""
    for line in section.splitlines(keepends=True)[2:]:
        if line[len(indent)] != " ":
            name = line.partition(":")[0].strip()
        entries[name] = entries.get(name, "") + line
    return entries
