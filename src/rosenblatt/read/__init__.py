"""Bytes -> chunks of examples: the readers, one per format, behind one door.

The room is named like the function that most people want of it, so it can be called: `rosenblatt.read(path)` gives
all examples of a file, and what it gives is told apart as `X, y = rosenblatt.read(path)`; see `read.api.read`.
"""

from __future__ import annotations

import sys
from types import ModuleType

from rosenblatt.later import TYPE_CHECKING
from rosenblatt.read.open import open_source
from rosenblatt.read.opened import Opened
from rosenblatt.read.source import BadRow, Reading, Source, StartAgain

if TYPE_CHECKING:
    from typing import Any

__all__ = ["BadRow", "Opened", "Reading", "Source", "StartAgain", "open_source"]


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from rosenblatt.read.api import read

        return read(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
