"""Makes text safe for a terminal: labels, columns and file names may contain escape sequences."""

import re

# Only the styles that `bold`, `dim` and `warn` write: other escape sequences may be harmful.
_STYLES = r"\033\[(?:0|1|2|33)m"
# Control characters except newline and tab, and characters that change the direction of writing.
_CONTROL = rf"({_STYLES})|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]"


def printable(text: str) -> str:
    """The text with control characters escaped as in Python; our own styles stay.

    >>> printable("\\033[1mred\\033[0m \\033[2Jgone")
    '\\x1b[1mred\\x1b[0m \\\\x1b[2Jgone'
    """
    return re.sub(_CONTROL, lambda match: match[1] or repr(match[0])[1:-1], text)


def printable_json(text: str) -> str:
    """The same for JSON, which escapes characters differently."""
    return re.sub(_CONTROL, lambda match: "".join(f"\\u{ord(character):04x}" for character in match[0]), text)
