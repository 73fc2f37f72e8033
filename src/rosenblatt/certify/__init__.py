"""Rows of two classes -> a proof that a hyperplane separates them, or that none can.

The room has the name of its main function, so it can be called like it: `rosenblatt.certify(X, y)` and
`from rosenblatt import certify` work whether the room or the function is found first.
"""

import inspect
import sys
from types import ModuleType
from typing import Any

from rosenblatt.certify.bracket import ErrorBracket, error_bracket
from rosenblatt.certify.certificates import Certificate, Inseparable, Separable, Undecided, Widest
from rosenblatt.certify.classes import ClassAnswer, ClassTable, certify_classes
from rosenblatt.certify.files import load_certificate
from rosenblatt.certify.hulls import Progress
from rosenblatt.certify.search import certify
from rosenblatt.certify.theorem import TheoremRun, theorem_run

__all__ = [
    "Certificate",
    "ClassAnswer",
    "ClassTable",
    "ErrorBracket",
    "Inseparable",
    "Progress",
    "Separable",
    "TheoremRun",
    "Undecided",
    "Widest",
    "certify",
    "certify_classes",
    "error_bracket",
    "load_certificate",
    "theorem_run",
]


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Separable | Inseparable | Undecided:
        return certify(*arguments, **options)


__signature__ = inspect.signature(certify)
sys.modules[__name__].__class__ = _Callable
