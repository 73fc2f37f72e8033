"""Every error that Rosenblatt raises on purpose, and the built-in each one also is.

    RosenblattError                 catch this one to catch them all
    ├── ParameterError              also a ValueError
    ├── DataError                   also a ValueError
    ├── ModelError                  also a ValueError
    └── LearningOverflowError       also an OverflowError and a ValueError

They are also ValueErrors because that is what scikit-learn, and the code written for it, expects of bad input.
"""

__all__ = ["DataError", "LearningOverflowError", "ModelError", "ParameterError", "RosenblattError"]


class RosenblattError(Exception):
    """Something that Rosenblatt refuses to do; the message says what, where, and what to do next."""


class ParameterError(RosenblattError, ValueError):
    """A parameter is out of its bounds, or two parameters cannot be used together."""


class DataError(RosenblattError, ValueError):
    """The examples, their labels or their weights cannot be learned from or predicted."""


class ModelError(RosenblattError, ValueError):
    """A model cannot be loaded, saved, or used on these examples."""


class LearningOverflowError(RosenblattError, OverflowError, ValueError):
    """The weights grew beyond the largest float while learning; the model is as it was before."""
