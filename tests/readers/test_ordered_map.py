"""Threads that work ahead: what is begun is ended before they are left, and a silent pipe holds nobody up."""

import threading
import time
from collections.abc import Iterator
from itertools import count

from rosenblatt.readers.ordered_map import ordered_map


def test_no_thread_is_left_at_work() -> None:
    """One in native code when the interpreter ends would take the process down with it, after Ctrl-C for example."""
    begun, ended = [], []

    def work(task: int) -> int:
        begun.append(task)
        time.sleep(0.02 if task == 0 else 0.5)
        ended.append(task)
        return task

    results = ordered_map(count(), work, threads=3)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert len(begun) > 1
    assert sorted(begun) == sorted(ended)


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
