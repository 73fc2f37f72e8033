"""Work done by several threads, given back in the order it was asked for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")

_AHEAD = 2  # pieces of work a thread may be ahead of the reader: enough to keep it busy, and memory stays bounded
_PATIENCE = 0.2  # seconds to wait for a thread that reads; one that waits for a silent pipe is left behind


def ordered(tasks: Iterator[Task], work: Callable[[Task], Done], threads: int = 1) -> Iterator[Done]:
    """`map(work, tasks)` with the work shared out over threads; the next task is taken by one thread at a time.

    An exception is raised where its result would have stood, so the earliest one is the one that is seen. The threads
    end when the iterator does, or when it is closed or dropped.

    >>> list(ordered(iter([3, 1, 2]), lambda n: n * n, threads=2))
    [9, 1, 4]
    """
    if threads <= 1:
        yield from map(work, tasks)
        return
    team = _Team(tasks, work, threads)
    try:
        yield from team.results()
    finally:
        team.stop()


class _Slot(Generic[Done]):
    """The place of one result: filled once, with a result or an exception."""

    result: Done
    fault: BaseException | None = None
    filled = False


class _Team(Generic[Task, Done]):
    def __init__(self, tasks: Iterator[Task], work: Callable[[Task], Done], threads: int) -> None:
        self._tasks, self._work = tasks, work
        self._room = threads * (_AHEAD + 1)
        self._slots: deque[_Slot[Done]] = deque()  # taken and not yet given back, in order
        self._ended = self._stopped = False
        self._working = 0  # threads that are at work, and not reading or waiting
        self._taking = threading.Lock()  # who reads the next task; held without `_changed`, for reading may be slow
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._run, daemon=True, name=f"read-{i}") for i in range(threads)]
        for thread in self._threads:
            thread.start()

    def results(self) -> Iterator[Done]:
        while True:
            with self._changed:
                while not (self._slots and self._slots[0].filled) and not (self._ended and not self._slots):
                    self._changed.wait()
                if not self._slots:
                    return
                slot = self._slots.popleft()
                self._changed.notify_all()
            if slot.fault is not None:
                raise slot.fault
            yield slot.result
            del slot  # its memory is free while the next is waited for

    def stop(self) -> None:
        with self._changed:
            self._ended = self._stopped = True
            self._room = 0
            self._slots.clear()
            self._changed.notify_all()
            # Work ends by itself; a thread left in the midst of native code would bring the interpreter's end down.
            while self._working:
                self._changed.wait()
        for thread in self._threads:
            thread.join(_PATIENCE)

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            slot, task = taken
            try:
                slot.result = self._work(task)
            except BaseException as fault:
                slot.fault = fault
            del task
            with self._changed:
                slot.filled = True
                self._working -= 1
                self._ended = self._ended or slot.fault is not None
                self._changed.notify_all()
            del slot, taken

    def _take(self) -> tuple[_Slot[Done], Task] | None:
        """The next task and the place of its result, once there is room; None when there is nothing more to do."""
        with self._taking:
            with self._changed:
                while len(self._slots) >= self._room and not self._ended:
                    self._changed.wait()
                if self._ended:
                    return None
                slot = _Slot[Done]()
                self._slots.append(slot)
            try:
                task = next(self._tasks)
                with self._changed:
                    if self._stopped:
                        return None
                    self._working += 1
                return slot, task
            except BaseException as fault:
                with self._changed:
                    if isinstance(fault, StopIteration):
                        if self._slots and self._slots[-1] is slot:
                            self._slots.pop()
                    else:
                        slot.fault = fault
                        slot.filled = True
                    self._ended = True
                    self._changed.notify_all()
                return None
