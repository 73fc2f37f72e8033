"""What a case is: a name, and a function whose result is hashed."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import rosenblatt


class Parts(dict[str, Any]):
    """The result of a case that gives several hashes: one for each part."""


@dataclass(frozen=True)
class Case:
    """One thing to compute. Its name says what; nothing in it depends on other cases."""

    name: str
    compute: Callable[[], Any]


def refusal(attempt: Callable[[], Any]) -> str:
    """The public class of the error that the attempt ends with; its wording does not matter."""
    try:
        attempt()
    except Exception as error:
        public = {**vars(builtins), **vars(rosenblatt.errors)}
        return "refused: " + next(kind.__name__ for kind in type(error).__mro__ if public.get(kind.__name__) is kind)
    return "accepted"


def named(**options: Any) -> str:
    """The options as a short text, for the name of a case: a word says of itself what it chooses, a number does not."""
    words = (value if isinstance(value, str) else f"{name}={value}" for name, value in options.items())
    return ",".join(words) or "defaults"


def product(**choices: Iterable[Any]) -> list[dict[str, Any]]:
    """Every combination of the choices, each as a dict of options."""
    combinations: list[dict[str, Any]] = [{}]
    for name, values in choices.items():
        entries = list(values)
        combinations = [{**options, name: value} for options in combinations for value in entries]
    return combinations
