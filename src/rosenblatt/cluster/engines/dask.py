"""Dask: each piece is a task; the scheduler gives the tasks of a worker that dies to another one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Any, Self

from rosenblatt.cluster.engine import AHEAD, ReadPiece
from rosenblatt.cluster.engines.child_processes import interrupts_deferred
from rosenblatt.cluster.engines.in_flight import in_flight
from rosenblatt.cluster.engines.reachable import is_reachable
from rosenblatt.cluster.engines.start import connect_dask, start_dask
from rosenblatt.errors import DataError, plural
from rosenblatt.extras import require


class Dask:
    """The workers of a scheduler at an address, of the caller's client, or of a cluster started on this machine."""

    name = "dask"

    def __init__(self, address: str | None = None, client: Any = None) -> None:
        require("dask")
        self._address, self._client = address, client
        self._is_ours = client is None
        self._cluster: Any = None  # where it is ours
        self._seen: set[str] = set()  # every worker so far
        self._directly = False

    @property
    def window(self) -> int:
        return AHEAD * max(sum(map(int, self._client.nthreads().values())), 1)

    def in_order(self, read_piece: ReadPiece, pieces: Iterator[bytes]) -> Generator[bytes]:
        self._see_workers()

        def submit(piece: bytes) -> Any:
            return self._client.submit(read_piece, piece, pure=False)

        return in_flight(pieces, self.window, submit, self._result, self._client.cancel)

    def partitions(self, frame: Any, pack: Callable[[Any], bytes]) -> Generator[bytes]:
        """The packed partitions of a DataFrame or a bag, in order."""
        from dask.delayed import delayed

        self._see_workers()
        packed = delayed(pack, pure=True)

        def submit(partition: Any) -> Any:
            return self._client.compute(packed(partition))

        return in_flight(iter(frame.to_delayed()), self.window, submit, self._result, self._client.cancel)

    def _see_workers(self) -> None:
        """Answers come from the workers themselves where they can be reached; else the scheduler passes each on."""
        workers = list(self._client.nthreads())
        self._seen |= set(workers)
        self._directly = bool(workers) and is_reachable(workers[0])

    def _result(self, future: Any) -> bytes:
        from distributed import KilledWorker

        try:
            answer: bytes = self._client.gather(future, direct=self._directly)
        except KilledWorker as error:
            raise DataError(f"Dask gave up a piece: {error}. Do the workers have enough memory?") from None
        return answer

    def notes(self) -> list[str]:
        lost = self._seen - set(self._client.nthreads()) if self._client is not None else set()
        if not lost:
            return []
        return [f"{plural(len(lost), 'worker')} of Dask left: what it was reading was read again, to the same bits."]

    def __enter__(self) -> Self:
        if self._is_ours:
            try:
                with interrupts_deferred():
                    self._cluster = start_dask() if self._address is None else None
                    self._client = connect_dask(self._cluster, self._address)
            except BaseException:
                self._end()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_ours:
            self._end()

    def _end(self) -> None:
        for started in filter(None, (self._client, self._cluster)):
            started.close()
