"""A map over several threads whose results come in the order of the tasks."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD = 2  # tasks that each thread may be ahead of the consumer: keeps it busy, and bounds the memory
_JOIN_TIMEOUT = 0.2  # seconds; a thread that is blocked in reading a silent pipe is left behind


def ordered_map(tasks: Iterator[Task], work: Callable[[Task], Result], threads: int = 1) -> Iterator[Result]:
    """`map(work, tasks)` with the work divided over threads; only one thread at a time takes the next task.

    An exception is raised in place of its result, so the earliest one is raised first. The threads end when the
    iterator does, or when it is closed or dropped.

    >>> list(ordered_map(iter([3, 1, 2]), lambda n: n * n, threads=2))
    [9, 1, 4]
    """
    if threads <= 1:
        yield from map(work, tasks)
        return
    pool = _Pool(tasks, work, threads)
    try:
        yield from pool.results()
    finally:
        pool.stop()


class _Slot(Generic[Result]):
    """The place of one result: filled once, with a result or an error."""

    result: Result
    error: BaseException | None = None
    filled = False


class _Pool(Generic[Task, Result]):
    def __init__(self, tasks: Iterator[Task], work: Callable[[Task], Result], threads: int) -> None:
        self._tasks, self._work = tasks, work
        self._max_slots = threads * (_AHEAD + 1)
        self._slots: deque[_Slot[Result]] = deque()  # in the order of the tasks
        self._ended = self._stopped = False
        self._working = 0  # threads inside `work`, not reading or waiting
        self._taking = threading.Lock()  # held while the next task is read, without `_changed`: reading may be slow
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._run, daemon=True, name=f"read-{i}") for i in range(threads)]
        for thread in self._threads:
            thread.start()

    def results(self) -> Iterator[Result]:
        while True:
            with self._changed:
                while not (self._slots and self._slots[0].filled) and not (self._ended and not self._slots):
                    self._changed.wait()
                if not self._slots:
                    return
                slot = self._slots.popleft()
                self._changed.notify_all()
            if slot.error is not None:
                raise slot.error
            yield slot.result
            del slot  # its memory is free while the next is awaited

    def stop(self) -> None:
        with self._changed:
            self._ended = self._stopped = True
            self._max_slots = 0
            self._slots.clear()
            self._changed.notify_all()
            # Wait for the work to end: a thread inside native code would crash the interpreter at its exit.
            while self._working:
                self._changed.wait()
        for thread in self._threads:
            thread.join(_JOIN_TIMEOUT)

    def _run(self) -> None:
        while (entry := self._take()) is not None:
            slot, task = entry
            try:
                slot.result = self._work(task)
            except BaseException as error:
                slot.error = error
            del task
            with self._changed:
                slot.filled = True
                self._working -= 1
                self._ended = self._ended or slot.error is not None
                self._changed.notify_all()
            del slot, entry

    def _take(self) -> tuple[_Slot[Result], Task] | None:
        """The next task and the slot of its result, as soon as a slot is free; None when there are no more tasks."""
        with self._taking:
            with self._changed:
                while len(self._slots) >= self._max_slots and not self._ended:
                    self._changed.wait()
                if self._ended:
                    return None
                slot = _Slot[Result]()
                self._slots.append(slot)
            try:
                task = next(self._tasks)
                with self._changed:
                    if self._stopped:
                        return None
                    self._working += 1
                return slot, task
            except BaseException as error:
                with self._changed:
                    if isinstance(error, StopIteration):
                        if self._slots and self._slots[-1] is slot:
                            self._slots.pop()
                    else:
                        slot.error = error
                        slot.filled = True
                    self._ended = True
                    self._changed.notify_all()
                return None
