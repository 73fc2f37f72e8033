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
    """Block Ctrl-C here until the block ends, and for good in the threads and processes that are started in it.

    A terminal sends Ctrl-C to every process, and only the learner is to answer it.
    """
    resource_tracker.ensure_running()  # if it started inside the block, it would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def without_main_module() -> Iterator[None]:
    """Keep workers from importing the main module, as `multiprocessing` makes them: it would start the fit again.

    They need nothing from it, so a script works without `if __name__ == "__main__"`.
    """
    names: dict[str, Any] = vars(__main__)
    origin: dict[str, Any] = {name: names[name] for name in ("__spec__", "__file__") if name in names}
    names.update(dict.fromkeys(origin))
    try:
        yield
    finally:
        names.update(origin)
