"""numpy, loaded when it is first used: `from rosenblatt.later import np`.

Loading it takes longer than learning 100 MB of svmlight, and a fit from a file may not need it. Where it is only named
in an annotation, `from __future__ import annotations` keeps that from loading it.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class Later(ModuleType):
    """A module that is imported when somebody asks for one of its names.

    >>> Later("math").floor(2.5)
    2
    """

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self.__name__), name)
        setattr(self, name, found)  # next time it is found like any name of a module
        return found


if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

__all__ = ["Later", "np"]
