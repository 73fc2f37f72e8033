"""What the processes that an engine starts must not get: Ctrl-C, and the main module of the program."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

import __main__


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """A terminal sends Ctrl-C to every process, and only the learner's is for it to say.

    What is started meanwhile, threads and processes, never sees one; here it comes when all have started.
    """
    resource_tracker.ensure_running()  # else it starts meanwhile, and then lets interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def without_main_module() -> Iterator[None]:
    """`multiprocessing` has each process import the main module, which would begin the same fit once more.

    Our workers need nothing of it, so a script needs no `if __name__ == "__main__"`.
    """
    names: dict[str, Any] = vars(__main__)
    origin: dict[str, Any] = {name: names[name] for name in ("__spec__", "__file__") if name in names}
    names.update(dict.fromkeys(origin))
    try:
        yield
    finally:
        names.update(origin)
