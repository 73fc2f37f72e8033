"""Commands as they are declared: a function, and what it takes from the command line.

click makes of it the command that prints help, completes words and says what is wrong with them (clicked.py). Loading
click takes longer than learning 20 MB, so a plain line, in which nothing is wrong and nothing is asked but the command
itself, is read here; to whatever else click is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from rosenblatt.cli.invocation import running
from rosenblatt.options import Option

if TYPE_CHECKING:
    F = TypeVar("F", bound=Callable[..., Any])

WIDEST = 32  # what an option takes is shown beside its name up to this width, and in its help beyond


@dataclass(frozen=True)
class Parameter:
    """What a command takes. `flags` are those of click, `--on/--off` among them; without any its place says what it is.

    A `switch` is on or off; behind other flags stands a word, and `of` says which are accepted.
    """

    name: str
    flags: tuple[str, ...] = ()
    default: Any = None
    of: Option[Any] | None = None
    switch: bool = False
    several: bool = False
    required: bool = False
    told: Mapping[str, Any] = field(default_factory=dict)  # what else click is told: help, metavar


@dataclass(frozen=True)
class Command:
    """A command: its name, what it takes, and the function that does it."""

    name: str
    function: Callable[..., Any]
    takes: tuple[Parameter, ...]
    examples: tuple[str, ...]

    def read(self, words: Sequence[str]) -> dict[str, Any] | None:
        """What the function is to be called with, or nothing if the line is not a plain one."""
        flags = {
            flag: (one, side == 0)
            for one in self.takes
            for given in one.flags
            for side, flag in enumerate(given.split("/"))
        }
        asked: dict[str, Any] = {one.name: () if one.several else one.default for one in self.takes}
        places = [one for one in self.takes if not one.flags]
        left = list(reversed(words))
        while left:
            word = left.pop()
            if _is_value(word) and places:
                asked[places.pop(0).name] = word
                continue
            if word not in flags or (not flags[word][0].switch and not (left and _is_value(left[-1]))):
                return None
            one, value = flags[word]
            try:
                said = value if one.switch else _meant(one, left.pop())
            except ValueError:
                return None
            asked[one.name] = (*asked[one.name], said) if one.several else said
        return None if any(one.required for one in places) else asked

    def run(self, asked: dict[str, Any]) -> Any:
        """Do it; whether it may speak is not for the function alone."""
        running.quiet = asked.pop("quiet", False)
        return self.function(**asked)


def _is_value(word: str) -> bool:
    return word == "-" or not word.startswith("-")


def _meant(one: Parameter, word: str) -> Any:
    return word if one.several or one.of is None else accepted(one.of, word)


def accepted(option: Option[Any], word: str) -> Any:
    """What an option of the room `options` reads in a word; ValueError says what it would accept."""
    if word in option.choices:
        return word
    for read in (int, float, str):
        try:
            found = read(word)
        except ValueError:
            continue
        if option.accepts(found):
            return found
    typed = option.but(none_allowed=False)  # what is not given is None; nobody can type it
    raise ValueError(f"{word!r} is not {typed.expected}.")


def takes(*parameters: Parameter) -> Callable[[F], F]:
    """The function takes these, in this order, before those that it is said to take already."""

    def declare(function: F) -> F:
        vars(function).setdefault("takes", [])[:0] = parameters
        return function

    return declare


def command(name: str, *examples: str) -> Callable[[Callable[..., Any]], Command]:
    """What makes a function a command of this name; its help ends with the examples."""

    def declare(function: Callable[..., Any]) -> Command:
        return Command(name, function, tuple(vars(function)["takes"]), examples)

    return declare


def parameter(of: Option[Any], *more: str, **changes: Any) -> Parameter:
    """An option of the room `options`: its name, default and help are found there."""
    flag = "--" + of.name.replace("_", "-")
    said = of.help
    unsaid = [choice for choice in of.choices if choice not in said]
    if unsaid and len("|".join(of.choices)) > WIDEST:
        said += f" One of {', '.join(of.choices)}."
    if of.kind == "bool" and of.default is not False:
        flag += "/--no-" + of.name.replace("_", "-")
    default = changes.pop("default", of.default)
    return Parameter(
        of.name,
        (flag, *more),
        default,
        of,
        switch=of.kind == "bool",
        several=of.kind == "strs",
        told={"help": said, "show_default": default is not None and of.kind not in ("bool", "strs")} | changes,
    )


def option(of: Option[Any], *more: str, **changes: Any) -> Callable[[F], F]:
    return takes(parameter(of, *more, **changes))


def switch(name: str, *flags: str, help: str, default: bool = False) -> Parameter:
    """An option of the command line alone: it is given, or it is not."""
    return Parameter(name, flags, default, switch=True, told={"help": help})


def argument(name: str, *, required: bool = True, dash: bool = True) -> Parameter:
    """A file, told by its place; with `dash` it may be standard input."""
    shown = name.upper() if required else f"[{name.upper()}]"
    return Parameter(name, required=required, told={"metavar": shown, "dash": dash})
