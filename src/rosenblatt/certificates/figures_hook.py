"""The hook through which certificates reach the figures that draw them.

Figures belong to a higher layer, so certificates may not import them: `rosenblatt/__init__.py` sets the hook.
"""

from collections.abc import Callable
from typing import Any

load_figures: Callable[[], Any]  # returns the module rosenblatt.report.figures
