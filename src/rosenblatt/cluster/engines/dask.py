"""Dask: each piece is a task; the scheduler gives the tasks of a worker that dies to another one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Any, Self

from rosenblatt.available_cores import core_count
from rosenblatt.cluster.engine import AHEAD, ReadPiece
from rosenblatt.cluster.engines.in_flight import in_flight
from rosenblatt.errors import DataError, plural
from rosenblatt.extras import require

_PATIENCE = 10  # seconds that a scheduler may take to answer


class Dask:
    """The workers of a scheduler at an address, of a client the caller has, or of a cluster on this machine."""

    name = "dask"

    def __init__(self, address: str | None = None, client: Any = None) -> None:
        require("dask")
        self._address, self._client = address, client
        self._is_ours = client is None
        self._seen: set[str] = set()  # every worker so far

    @property
    def window(self) -> int:
        return AHEAD * max(sum(map(int, self._client.nthreads().values())), 1)

    def in_order(self, read_piece: ReadPiece, pieces: Iterator[bytes]) -> Generator[bytes]:
        self._seen |= set(self._client.nthreads())

        def submit(piece: bytes) -> Any:
            return self._client.submit(read_piece, piece, pure=False)

        return in_flight(pieces, self.window, submit, self._result, self._client.cancel)

    def partitions(self, frame: Any, pack: Callable[[Any], bytes]) -> Generator[bytes]:
        """Of a DataFrame or a bag."""
        from dask.delayed import delayed

        self._seen |= set(self._client.nthreads())
        packed = delayed(pack, pure=True)

        def submit(partition: Any) -> Any:
            return self._client.compute(packed(partition))

        return in_flight(iter(frame.to_delayed()), self.window, submit, self._result, self._client.cancel)

    def _result(self, future: Any) -> bytes:
        from distributed import KilledWorker

        try:
            answer: bytes = future.result()
        except KilledWorker as error:
            raise DataError(f"Dask: a piece was given up: {error}. Is there enough memory on the workers?") from None
        return answer

    def notes(self) -> list[str]:
        lost = self._seen - set(self._client.nthreads()) if self._client is not None else set()
        if not lost:
            return []
        return [f"{plural(len(lost), 'worker')} of Dask left: what it was reading was read again, to the same bits."]

    def __enter__(self) -> Self:
        if self._is_ours:
            import distributed

            if self._address is None:
                self._cluster = distributed.LocalCluster(
                    n_workers=core_count(), threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None
                )
                self._client = self._connected(self._cluster)
            else:
                self._client = self._connected(f"tcp://{self._address}")
        return self

    def _connected(self, where: Any) -> Any:
        from distributed import Client

        try:
            return Client(where, timeout=_PATIENCE)
        except OSError as error:
            raise DataError(f"dask://{self._address}: no scheduler answers there: {error}.") from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_ours:
            self._client.close()
            if self._address is None:
                self._cluster.close()
