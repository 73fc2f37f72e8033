"""Spark: pieces in waves, each a job with a task for every few pieces; Spark runs a task again if its executor dies."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any, Self, TypeVar

from rosenblatt.cluster.engine import AHEAD, ReadPiece
from rosenblatt.cluster.engines.child_processes import interrupts_deferred
from rosenblatt.cluster.engines.in_flight import in_flight
from rosenblatt.cluster.engines.start import start_spark
from rosenblatt.cluster.frames import pack_arrow_batches
from rosenblatt.errors import DataError, ParameterError, plural
from rosenblatt.extras import require

Piece = TypeVar("Piece")
_TAG = "rosenblatt"
_WAVES = 2  # in flight at once, so that no executor waits for the last task of a wave
_PIECES_OF_A_TASK = 4  # a task costs Spark tens of milliseconds, and reading a piece takes as long


def _only_column(rows: Iterator[Any]) -> list[bytes]:
    return [bytes(row[0]) for row in rows]


def _counted(read: Callable[[Iterator[Any]], Any], retried: Any, rows: Iterator[Any]) -> Any:
    """Run `read` on the rows of a task, and count tasks that are run again."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is not None and context.attemptNumber() > 0:
        retried.add(1)
    return read(rows)


class Spark:
    """The session of this process, or one that is started for an address or on this machine."""

    name = "spark"

    def __init__(self, address: str | None = None, session: Any = None) -> None:
        require("spark")
        self._address, self._session = address, session
        self._is_ours = False
        self._retried: Any = None  # a counter that tasks add to

    @property
    def window(self) -> int:
        return AHEAD * int(self._session.sparkContext.defaultParallelism) * _PIECES_OF_A_TASK

    def in_order(self, read_piece: ReadPiece, pieces: Iterator[bytes]) -> Generator[bytes]:
        return self._waves(pieces, max(self.window // _WAVES, 1), lambda wave: self._read(read_piece, wave))

    def partitions(self, frame: Any, pack: Callable[[Any], bytes]) -> Generator[bytes]:
        """The packed batches of the partitions of a DataFrame, in order."""
        packed = frame.mapInArrow(pack_arrow_batches, "part binary").rdd
        context = self._session.sparkContext

        def run(numbers: list[int]) -> list[bytes]:
            return self._job(lambda: context.runJob(packed, self._counting(_only_column), numbers))

        return self._waves(iter(range(packed.getNumPartitions())), max(self.window // AHEAD, 1), run)

    def _waves(
        self, pieces: Iterator[Piece], wave_size: int, run: Callable[[list[Piece]], list[bytes]]
    ) -> Generator[bytes]:
        def cancel(waves: list[Future[list[bytes]]]) -> None:
            if waves:
                with suppress(ConnectionError):  # then there is nothing to cancel
                    self._session.sparkContext.cancelJobsWithTag(_TAG)

        waves = iter(lambda: list(islice(pieces, wave_size)), [])
        with (
            ThreadPoolExecutor(_WAVES) as threads,
            closing(in_flight(waves, _WAVES, lambda wave: threads.submit(run, wave), Future.result, cancel)) as answers,
        ):
            for wave_answers in answers:
                yield from wave_answers

    def _read(self, read_piece: ReadPiece, wave: list[bytes]) -> list[bytes]:
        context, n_tasks = self._session.sparkContext, -(-len(wave) // _PIECES_OF_A_TASK)
        read = self._counting(partial(map, read_piece))
        return self._job(lambda: context.parallelize(wave, n_tasks).mapPartitions(read).collect())

    def _counting(self, read: Callable[[Iterator[Any]], Any]) -> Callable[[Iterator[Any]], Any]:
        self._retried = self._retried or self._session.sparkContext.accumulator(0)
        return partial(_counted, read, self._retried)

    def _job(self, job: Callable[[], list[bytes]]) -> list[bytes]:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            self._session.sparkContext.addJobTag(_TAG)
            answers: list[bytes] = job()
        except ConnectionError as error:
            raise DataError(f"Spark: its Java process has ended: {error}.") from None
        except (Py4JError, PySparkException) as error:
            lines = [line.strip() for line in str(error).splitlines()]
            reason = next((line for line in lines if "Job aborted" in line), lines[0])
            raise DataError(f"Spark: {reason}") from error
        return answers

    def notes(self) -> list[str]:
        if self._retried is None or not self._retried.value:
            return []
        return [f"{plural(self._retried.value, 'task')} of Spark lost the worker, and ran again, to the same bits."]

    def __enter__(self) -> Self:
        from pyspark.sql import SparkSession

        if self._session is None:
            self._is_ours = SparkSession.getActiveSession() is None
            try:
                with interrupts_deferred():
                    self._session = start_spark(self._address)
            except KeyboardInterrupt:
                self._end()
                raise
        if not hasattr(self._session, "sparkContext"):
            raise ParameterError("A session of Spark Connect cannot run tasks of Python in order: give a classic one.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        if self._is_ours:
            with suppress(ConnectionError):
                self._session.stop()
