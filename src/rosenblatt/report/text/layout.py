"""Text layout for a terminal: names on the left, wrapped lines, bold and dim."""

import os
import sys
import textwrap
from collections.abc import Iterable, Iterator

NAME_WIDTH = 10  # of the names on the left
NO_BREAK = "\u00a0"  # a space at which lines are not wrapped; printed as a plain space


def bold(text: str) -> str:
    return f"\033[1m{text}\033[0m"


def dim(text: str) -> str:
    return f"\033[2m{text}\033[0m"


def terminal_width() -> int:
    """The columns of the terminal, from 40 to 110; found as in shutil, whose import would load archive formats."""
    columns = os.environ.get("COLUMNS", "")
    try:
        width = int(columns) if columns.isdecimal() else 0
        width = width or os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        width = 80
    return min(max(width or 80, 40), 110)


def named_line(name: str, text: str, name_width: int = NAME_WIDTH) -> str:
    """A name on the left and a text beside it, wrapped under itself."""
    room = max(terminal_width() - name_width - 2, 24)
    parts = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
    parts = [part.replace(NO_BREAK, " ") for part in parts]
    rest = [f"  {'':{name_width}}{part}" for part in parts[1:]]
    return "\n".join([f"  {bold(f'{name:{name_width}}')}{parts[0]}", *rest])


def command_lines(name: str, commands: Iterable[str]) -> Iterator[str]:
    """Commands to copy, each on one line, never wrapped."""
    for number, command in enumerate(commands):
        yield f"  {bold(f'{name if number == 0 else str():{NAME_WIDTH}}')}{command}"


def clip(text: str, most: int = 28) -> str:
    """At most this many characters, control characters replaced."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= most else text[: most - 1] + "…"
