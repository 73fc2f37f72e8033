"""Every error that Rosenblatt raises on purpose, and the built-in exceptions it inherits from.

    RosenblattError                 catch this one to catch them all
    ├── ParameterError              also a ValueError
    ├── DataError                   also a ValueError
    ├── ModelError                  also a ValueError
    ├── ExpressionError             also a ValueError; shows the text with a caret under the character
    ├── LearningOverflowError       also an OverflowError and a ValueError
    ├── LearningElsewhereError      also a RuntimeError
    ├── MissingExtraError           also an ImportError
    └── ServiceError                a service refused a request, or did not answer; it has a `status`

    WorthlessModelWarning           a UserWarning
    DoubtfulDataWarning             a UserWarning
    UnknownValuesWarning            a UserWarning

The errors are also ValueErrors because that is what scikit-learn, and the code written for it, expects of bad input.

A sentence names a parameter with `option("on_bad_row", "skip")`. `str(error)` spells it as in Python,
on_bad_row='skip'; the command line spells it as an option.
"""

import re
from collections.abc import Callable, Sequence

__all__ = [
    "DataError",
    "DoubtfulDataWarning",
    "ExpressionError",
    "LearningElsewhereError",
    "LearningOverflowError",
    "MissingExtraError",
    "ModelError",
    "ParameterError",
    "RosenblattError",
    "ServiceError",
    "UnknownValuesWarning",
    "WorthlessModelWarning",
    "option",
]

# A parameter in a sentence is enclosed by these two characters of the private-use area: \ue000name=value\ue001.
_OPTION = re.compile("\ue000([a-z_0-9]+)(?:=([^\ue001]*))?\ue001")


def option(name: str, value: object = None) -> str:
    """A parameter, and the value that it might be given, for the sentence of an error.

    Parameters
    ----------
    name : str
        The parameter, as Python calls it.
    value : object, optional
        The value.

    Returns
    -------
    str
        Marked, so that each door spells it in its own words.

    Examples
    --------
    >>> str(DataError(f"row 3 has no label: use {option('on_bad_row', 'skip')}"))
    "row 3 has no label: use on_bad_row='skip'"
    """
    return f"\ue000{name}\ue001" if value is None else f"\ue000{name}={value}\ue001"


def listed(names: Sequence[str]) -> str:
    """Names for the sentence of an error, the first twenty of them.

    >>> listed(["age", "city"])
    "'age', 'city'"
    """
    shown = ", ".join(map(repr, names[:20]))
    return shown if len(names) <= 20 else f"{shown}, … ({len(names)} in all)"


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "pass"), plural(2, "pass"), plural(1000, "row")
    ('1 pass', '2 passes', '1,000 rows')
    """
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"


def _in_python(name: str, value: str | None) -> str:
    if value is None:
        return name
    return f"{name}={value}" if value in ("True", "False") or value.lstrip("-").isdecimal() else f"{name}={value!r}"


def spelled(sentence: str, spelling: Callable[[str, str | None], str] = _in_python) -> str:
    """The sentence with each parameter as `spelling(name, value)` gives it, by default as in Python."""
    return _OPTION.sub(lambda match: spelling(match[1], match[2]), sentence)


class RosenblattError(Exception):
    """Something that Rosenblatt refuses to do; the message says what, where, and what to do next.

    `file`, `line` and `column` say where, as far as it is known; `options` are the parameters that the message names.
    """

    def __init__(
        self, message: str = "", *, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.file, self.line, self.column = file, line, column

    def __str__(self) -> str:
        return self.spelled(_in_python)

    def spelled(self, spelling: Callable[[str, str | None], str]) -> str:
        """The message with each parameter as `spelling(name, value)` gives it."""
        return spelled(super().__str__(), spelling)

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(match[1] for match in _OPTION.finditer(super().__str__()))


class ParameterError(RosenblattError, ValueError):
    """A parameter is out of its bounds, or two parameters cannot be used together."""


class DataError(RosenblattError, ValueError):
    """The examples, their labels or their weights cannot be learned from or predicted."""


class ModelError(RosenblattError, ValueError):
    """A model cannot be loaded, saved, or used on these examples."""


class ExpressionError(RosenblattError, ValueError):
    """A Boolean expression cannot be read; `position` is the offending character, counted from 0."""

    def __init__(self, message: str, text: str = "", position: int = 0) -> None:
        self.text, self.position = text, position
        start = max(0, position - 60)  # a long text is shown around the place
        shown = text[start : position + 20].translate({ord(c): " " for c in "\n\r\t"})
        super().__init__(f"{message}\n  {shown}\n  {' ' * (position - start)}^" if text else message)


class LearningOverflowError(RosenblattError, OverflowError, ValueError):
    """The weights grew beyond the largest float while learning; the model is as it was before."""


class LearningElsewhereError(RosenblattError, RuntimeError):
    """Another thread is learning with the same model."""

    def __init__(
        self,
        message: str = "Another thread is learning with this model: let one thread learn and the others predict, or "
        "give each thread a model of its own.",
    ) -> None:
        super().__init__(message)


class MissingExtraError(RosenblattError, ImportError):
    """Packages that a plain install leaves out are not there; the message has the `pip install` that brings them."""


class ServiceError(RosenblattError):
    """A service refused a request, or did not answer (then the status is 0)."""

    def __init__(self, message: str, status: int = 0, field: str | None = None, line: int | None = None) -> None:
        super().__init__(message, line=line)
        self.status, self.field = status, field


class UnknownValuesWarning(UserWarning):
    """Rows to predict hold words that the model never saw, or lack numbers that were never missing before."""


class WorthlessModelWarning(UserWarning):
    """A model is no better than always guessing the commonest class, or decides one class only."""


class DoubtfulDataWarning(UserWarning):
    """A column of the rows to learn gives the label away, or a class has fewer than ten examples."""
