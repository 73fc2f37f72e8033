"""Ctrl-C while processes start: a terminal sends it to all of them, and only the learner's is for it to say."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """What is started meanwhile, threads and processes, never sees a Ctrl-C; here it comes when all have started."""
    resource_tracker.ensure_running()  # else it starts meanwhile, and then lets interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
