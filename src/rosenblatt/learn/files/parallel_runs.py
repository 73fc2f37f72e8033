"""Several runs learn the same chunks: each in its turn, as many at once as there are threads."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError
from rosenblatt.lazy import np
from rosenblatt.learn.run import Run
from rosenblatt.records import Block, Csr

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from numpy.typing import NDArray


class ParallelRuns:
    """Chunks that are gathered, then learned. A run takes them all in one turn, so its weights stay in the cache.

    Runs share at most the places of their columns, which decide nothing, so the answer is the same for any number of
    threads.
    """

    def __init__(self, threads: int, degree: int = 1) -> None:
        self._threads, self._degree = threads, degree
        self._pool: ThreadPoolExecutor | None = None
        self._gathered: list[tuple[Block, native.Rows, NDArray[np.uint32] | None, int]] = []
        self.upto = self.entries = 0  # the row after the last one gathered; how much work they are

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def add(self, block: Block, order: NDArray[np.uint32] | None, first: int) -> None:
        """Gather a chunk whose first row is `first` in the pass; an order names the rows of it to learn."""
        self.upto = first + block.rows
        if order is None or len(order):
            checked = native.rows_of(block.values, degree=self._degree)
            self._gathered.append((block, checked, order, first))
            self.entries += block.values.entries if isinstance(block.values, Csr) else block.values.size

    def take(self, runs: Mapping[str, Run]) -> list[tuple[str, int]]:
        """Let the runs learn; those that overflowed are returned, with the example where they did."""
        if self._threads > 1 and len(runs) > 1:
            examples = list(self._workers().map(self._turn, runs.values()))
        else:
            examples = [self._turn(run) for run in runs.values()]
        return [(name, example) for name, example in zip(runs, examples, strict=True) if example is not None]

    def clear(self) -> None:
        self._gathered.clear()
        self.entries = 0

    def _workers(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # loads logging: only a portfolio needs it

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads)
        return self._pool

    def _turn(self, run: Run) -> int | None:
        for block, rows, order, first in self._gathered:
            try:
                run.visit(block, rows, order)
            except LearningOverflowError:
                return first + run.learner.overflow_row
        return None
