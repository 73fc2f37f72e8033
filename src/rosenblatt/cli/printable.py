"""Text for a terminal: labels, columns and file names may hold escape sequences, which must not reach it."""

import re

# What `bold`, `dim` and `warn` write, and nothing else: not every sequence of a terminal is harmless.
_STYLES = r"\033\[(?:0|1|2|33)m"
# Control characters but for newline and tab, and those that turn the direction of writing.
_CONTROL = rf"({_STYLES})|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]"


def printable(text: str) -> str:
    """The text with control characters written as Python does; our own styles stay.

    >>> printable("\\033[1mred\\033[0m \\033[2Jgone")
    '\\x1b[1mred\\x1b[0m \\\\x1b[2Jgone'
    """
    return re.sub(_CONTROL, lambda match: match[1] or repr(match[0])[1:-1], text)


def printable_json(text: str) -> str:
    """The same for JSON, which has its own way of writing a character by its number."""
    return re.sub(_CONTROL, lambda match: "".join(f"\\u{ord(character):04x}" for character in match[0]), text)
