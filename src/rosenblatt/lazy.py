"""numpy, loaded when it is first used: `from rosenblatt.lazy import NDArray, np`.

Loading numpy takes longer than learning 100 MB of svmlight, and a fit from a file may not need it. Where it is only
named in an annotation, `from __future__ import annotations` keeps that from loading it.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class LazyModule(ModuleType):
    """A module that is imported when one of its names is first used.

    >>> LazyModule("math").floor(2.5)
    2
    """

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)  # so that the next access does not come here
        return value


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")
    NDArray = object  # a placeholder: only annotations name it

__all__ = ["LazyModule", "NDArray", "np"]
