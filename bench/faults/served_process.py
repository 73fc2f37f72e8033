"""What a process of the service does. It is imported before processes are forked, and imports what they need."""

from __future__ import annotations

import os
import sys
from typing import Any

import pyarrow.compute  # noqa: F401

import rosenblatt.serve.http.routes
import rosenblatt.serve.http.server  # noqa: F401
from rosenblatt.cli.app import load_command


def serve(arguments: list[str], stdout: Any) -> None:
    """`rosenblatt serve`, whose standard output is a duplicated descriptor."""
    os.dup2(stdout.detach(), 1)
    sys.exit(load_command(arguments[0]).main(arguments[1:], prog_name="rosenblatt serve"))
