"""Every error that Rosenblatt raises on purpose, and the built-in each one also is.

    RosenblattError                 catch this one to catch them all
    ├── ParameterError              also a ValueError
    ├── DataError                   also a ValueError
    ├── ModelError                  also a ValueError
    ├── ExpressionError             also a ValueError; shows the text with a caret under the character
    └── LearningOverflowError       also an OverflowError and a ValueError

They are also ValueErrors because that is what scikit-learn, and the code written for it, expects of bad input.
"""

__all__ = [
    "DataError",
    "ExpressionError",
    "LearningOverflowError",
    "ModelError",
    "ParameterError",
    "RosenblattError",
]


class RosenblattError(Exception):
    """Something that Rosenblatt refuses to do; the message says what, where, and what to do next."""


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
