"""Child processes of the tests: each has a time limit, and Ctrl-C reaches it.

A test run started in the background, by nohup or by cron ignores SIGINT, and so would its children: `hear_ctrl_c`,
called once before any test, gives them the default handler again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rosenblatt import native

SECONDS = 300


def hear_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run(command: Sequence[Any], *, timeout: float = SECONDS, **options: Any) -> subprocess.CompletedProcess[Any]:
    return subprocess.run(command, timeout=timeout, **options)


def outputs_by_instruction_set(code: str, *arguments: object) -> set[str]:
    """What a program prints on each instruction set of this machine, after the name of the one that it used."""
    outputs = set()
    for name in native.instruction_sets():
        command = [sys.executable, "-c", code, *map(str, arguments)]
        environment = os.environ | {"ROSENBLATT_ISA": name}
        process = run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert process.returncode == 0, process.stderr
        used, output = process.stdout.split()
        assert used == name
        outputs.add(output)
    return outputs


@contextmanager
def start(command: Sequence[Any], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A child process that is killed when the test ends; pass `communicate` a timeout."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()
