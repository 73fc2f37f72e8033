"""Ray: each piece is a task, which is submitted again if its worker or its node dies."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Any, Self

from rosenblatt.cluster.engine import AHEAD, ReadPiece
from rosenblatt.cluster.engines.child_processes import interrupts_deferred
from rosenblatt.cluster.engines.in_flight import in_flight
from rosenblatt.cluster.engines.start import start_ray
from rosenblatt.errors import DataError, plural
from rosenblatt.extras import require

_RETRIES = 3  # of a piece whose worker dies


def _call(read_piece: ReadPiece, piece: bytes) -> bytes:
    """Ray accepts only functions as tasks, not other callables."""
    return read_piece(piece)


class Ray:
    """The Ray that this process is connected to, the one at an address, or one started on this machine."""

    name = "ray"

    def __init__(self, address: str | None = None) -> None:
        require("ray")
        self._address = address
        self._is_ours = False
        self._deaths = 0

    @property
    def window(self) -> int:
        import ray

        resources: dict[str, float] = ray.cluster_resources()
        return AHEAD * max(int(resources.get("CPU", 1)), 1)

    def in_order(self, read_piece: ReadPiece, pieces: Iterator[bytes]) -> Generator[bytes]:
        import ray
        from ray.exceptions import RayError, RayTaskError

        task = ray.remote(_call).options(max_retries=0, num_cpus=1)  # `result` retries, to count the deaths

        def submit(piece: bytes) -> tuple[bytes, Any]:
            return piece, task.remote(read_piece, piece)

        def result(submitted: tuple[bytes, Any]) -> bytes:
            piece, reference = submitted
            for retries in range(_RETRIES + 1):
                try:
                    answer: bytes = ray.get(reference)
                    return answer
                except RayTaskError as error:
                    raise DataError(f"Ray: a worker cannot run its task: {error.cause}") from None
                except RayError as error:
                    reason = str(error).strip().splitlines()[0]
                    if retries < _RETRIES:
                        self._deaths += 1
                        reference = task.remote(read_piece, piece)
            raise DataError(f"Ray gave up a piece after {plural(_RETRIES, 'retry')}: {reason}")

        def cancel(submitted: list[tuple[bytes, Any]]) -> None:
            for _, reference in submitted if ray.is_initialized() else []:  # else it would start once more
                ray.cancel(reference)

        return in_flight(pieces, self.window, submit, result, cancel)

    def partitions(self, frame: Any, pack: Callable[[Any], bytes]) -> Generator[bytes]:
        """The packed blocks of a Dataset, in order."""
        options = frame.context.execution_options
        before, options.preserve_order = options.preserve_order, True
        try:
            for table in frame.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=AHEAD):
                yield pack(table)
        finally:
            options.preserve_order = before

    def notes(self) -> list[str]:
        if not self._deaths:
            return []
        return [f"{plural(self._deaths, 'piece')} of Ray lost the worker, and went to another one, to the same bits."]

    def __enter__(self) -> Self:
        import ray

        if not ray.is_initialized():
            self._is_ours = True
            try:
                with interrupts_deferred():
                    start_ray(self._address)
            except BaseException:
                ray.shutdown()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import ray

        if self._is_ours:
            ray.shutdown()
