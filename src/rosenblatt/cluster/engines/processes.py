"""Several processes on this machine: the engine that needs no library, and the reference for all others."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import count
from multiprocessing import get_context, parent_process
from threading import Thread
from types import TracebackType
from typing import Any, Self

from rosenblatt.available_cores import core_count
from rosenblatt.cluster.engine import AHEAD, ReadPiece
from rosenblatt.cluster.engines.child_processes import interrupts_deferred, without_main_module
from rosenblatt.cluster.engines.in_flight import in_flight
from rosenblatt.errors import DataError, plural

_MOST_DEATHS = 3  # in a row, without an answer between them: after that, the piece itself is taken for the cause


def _follow_the_learner() -> None:
    """Exit if the learner is killed. Otherwise it stops its workers, after it has written its checkpoint."""
    Thread(target=_end_with, args=[parent_process()], daemon=True).start()


def _end_with(learner: Any) -> None:
    learner.join()
    os._exit(1)


class Processes:
    """A pool of processes. If one dies, the pool is replaced, and the pieces in flight are read again."""

    name = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or core_count()
        self.window = AHEAD * self.workers
        self._pool: ProcessPoolExecutor | None = None
        self._generation = 0  # of the pool: how often it was replaced
        self._deaths = self._deaths_in_a_row = 0

    def in_order(self, read_piece: ReadPiece, pieces: Iterator[bytes]) -> Generator[bytes]:
        tasks: dict[int, tuple[bytes, Future[bytes], int]] = {}  # in flight: piece, future, generation of its pool
        numbers = count()

        def submit(piece: bytes) -> int:
            number = next(numbers)
            tasks[number] = piece, self._submit(read_piece, piece), self._generation
            return number

        def result(number: int) -> bytes:
            while True:
                piece, future, generation = tasks[number]
                try:
                    answer = future.result()
                except BrokenProcessPool:
                    self._replace_pool(generation)
                    tasks[number] = piece, self._submit(read_piece, piece), self._generation
                    continue
                self._deaths_in_a_row = 0
                del tasks[number]
                return answer

        def cancel(numbers: list[int]) -> None:
            for number in numbers:
                tasks[number][1].cancel()

        return in_flight(pieces, self.window, submit, result, cancel)

    def notes(self) -> list[str]:
        if not self._deaths:
            return []
        return [f"{plural(self._deaths, 'worker process')} died: what it was reading was read again, to the same bits."]

    def _submit(self, read_piece: ReadPiece, piece: bytes) -> Future[bytes]:
        with interrupts_deferred(), without_main_module():  # a piece may start a process
            try:
                return self._running().submit(read_piece, piece)
            except BrokenProcessPool:
                self._replace_pool(self._generation)
                return self._running().submit(read_piece, piece)

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _follow_the_learner)
        return self._pool

    def _replace_pool(self, generation: int) -> None:
        """Replace the pool once, although all its pieces fail together: only the first of them has its generation."""
        if generation != self._generation:
            return
        self._generation += 1
        self._deaths += 1
        self._deaths_in_a_row += 1
        self._end()
        if self._deaths_in_a_row >= _MOST_DEATHS:
            raise DataError(
                f"{_MOST_DEATHS} worker processes died one after another: is there enough memory for "
                f"{plural(self.workers, 'worker')}? Use fewer."
            )

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
