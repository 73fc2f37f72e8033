"""Threads that work ahead: started tasks are finished before they are abandoned, and a silent pipe blocks nobody."""

import threading
import time
from collections.abc import Iterator
from itertools import count

from rosenblatt.readers.parallel_map import ordered_map


def test_no_thread_is_left_at_work() -> None:
    """A thread in native code at interpreter exit, for example after Ctrl-C, would crash the process."""
    started, finished = [], []

    def work(task: int) -> int:
        started.append(task)
        time.sleep(0.02 if task == 0 else 0.5)
        finished.append(task)
        return task

    results = ordered_map(count(), work, threads=3)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert len(started) > 1
    assert sorted(started) == sorted(finished)


def test_a_thread_that_waits_for_a_pipe_is_left_behind_and_works_no_more() -> None:
    arrives, worked = threading.Event(), []

    def pipe() -> Iterator[int]:
        yield 0
        arrives.wait(20)
        yield 1

    def work(task: int) -> int:
        worked.append(task)
        return task

    results = ordered_map(pipe(), work, threads=2)
    assert next(results) == 0
    began = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 10
    arrives.set()
    for thread in threading.enumerate():
        if thread.name.startswith("read-"):
            thread.join(5)
    assert worked == [0]
