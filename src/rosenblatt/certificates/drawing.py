"""Who draws a certificate. Figures are a higher room: the package itself, `rosenblatt/__init__.py`, sets this."""

from collections.abc import Callable
from typing import Any

figures: Callable[[], Any]  # gives the module rosenblatt.report.figures
