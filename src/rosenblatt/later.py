"""What a command need not load to begin: `from rosenblatt.later import TYPE_CHECKING, np`.

`np` is numpy, loaded when it is first used: loading it takes longer than learning 100 MB of svmlight, and a fit from a
file may not need it. Where it is only named in an annotation, `from __future__ import annotations` keeps that from
loading it.

`TYPE_CHECKING`, `Generic` and `Protocol` stand for those of `typing`, which takes as long to load as 5 MB to learn
and is for annotations and checkers, who know the first by its name. A module that `fit` or `predict` loads takes them
from here, and what else it needs of `typing` only `if TYPE_CHECKING`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from typing import Generic as Generic
    from typing import Protocol as Protocol
else:

    class Generic:
        """As much of that of `typing` as matters when nobody checks types."""

        def __class_getitem__(cls, of: object) -> type:
            return cls

    Protocol = object


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

__all__ = ["TYPE_CHECKING", "Generic", "Later", "Protocol", "np"]
