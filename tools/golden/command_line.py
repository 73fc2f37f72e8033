"""The command line, run as `python -m rosenblatt` is, many times from one process.

Each command runs in a copy of this process made by fork, in which numpy and the package are loaded already: that is
twenty times quicker than a new interpreter. The process that is copied computes nothing itself and has no threads.
"""

from __future__ import annotations

import importlib
import os
import runpy
import signal
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import rosenblatt

LONGEST = 120  # seconds after which a command that hangs is ended


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, and what it wrote to standard output."""

    code: int
    output: bytes


@cache
def _load_once() -> None:
    for name in rosenblatt.__all__:
        getattr(rosenblatt, name)
    for library in ("click", "onnx", "pyarrow.csv", "pyarrow.parquet"):
        importlib.import_module(library)


def command(*words: str, standard_input: bytes = b"") -> Ended:
    """Run one command line with these bytes as standard input."""
    _load_once()
    inward, outward, errors = Path("stdin.bytes"), Path("stdout.bytes"), Path("stderr.bytes")
    inward.write_bytes(standard_input)
    child = os.fork()
    if child == 0:
        _become(words, inward, outward, errors)
    _, status = os.waitpid(child, 0)
    return Ended(os.waitstatus_to_exitcode(status), outward.read_bytes())


def _become(words: tuple[str, ...], inward: Path, outward: Path, errors: Path) -> None:
    """What the copy does; it never comes back."""
    code = 99
    signal.alarm(LONGEST)
    try:
        os.dup2(os.open(inward, os.O_RDONLY), 0)
        for number, path in ((1, outward), (2, errors)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        sys.argv = ["rosenblatt", *words]
        runpy.run_module("rosenblatt", run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 98
    finally:
        sys.stdout.flush()
        os._exit(code)
