"""Child processes of the tests: each has a time limit, and Ctrl-C reaches it.

A test run started in the background, by nohup or by cron ignores SIGINT, and so would its children: `hear_ctrl_c`,
called once before any test, gives them the default handler again.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

SECONDS = 300


def hear_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run(command: Sequence[Any], *, timeout: float = SECONDS, **options: Any) -> subprocess.CompletedProcess[Any]:
    return subprocess.run(command, timeout=timeout, **options)


@contextmanager
def start(command: Sequence[Any], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A child process that is killed when the test ends; pass `communicate` a timeout."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()
