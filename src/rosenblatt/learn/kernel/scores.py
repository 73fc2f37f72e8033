"""Where the scores of a kernel run come from, block by block in the order of the visits.

`StreamedScores` keeps one score per row and unit and adds the updates made since when it is needed: between a row and
an update the kernel is computed once, however many epochs follow, and no kernel value is stored.
`StoredScores` keeps all kernel values (a precomputed kernel, or a table that fits the memory limit) and all scores up
to date, which the pocket needs too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.kernel.kernel_values import Kernel, overflow_error
from rosenblatt.learn.kernel.support import Rows, Updates, add_scores, joined
from rosenblatt.records import Floats, Values

TOGETHER = 256  # rows whose kernel values are computed together: enough for fast products
_CELLS = 8 << 20  # kernel values computed together, at most


def rows_together(support: int) -> int:
    return max(16, min(TOGETHER, _CELLS // max(support, 1)))


def refuse_overflow(scores: Floats, rows: NDArray[Any]) -> None:
    finite = np.isfinite(scores).all(axis=0)
    if not finite.all():
        raise overflow_error(int(rows[np.argmin(finite)]))


class ScoreSource(Protocol):
    """Where a pass over the rows gets the scores."""

    def begin(self, rows: NDArray[np.intp]) -> tuple[Floats, NDArray[Any]]:
        """Scores of some rows, one line a unit, and the kernel values among them."""

    def learned(self, rows: NDArray[np.intp], scores: Floats, updates: Updates, moved: NDArray[np.intp]) -> None:
        """Take the new scores of the visited rows, and the updates, whose rows are positions in `moved`."""

    def end_epoch(self) -> None:
        """Bring all scores up to date."""

    def everything(self) -> Floats:
        """The current scores of all rows."""


class StreamedScores:
    """Scores brought forward when they are needed."""

    def __init__(self, kernel: Kernel, values: Values, scores: Floats, intercept: bool, *, once: bool) -> None:
        self.kernel, self.values, self.intercept = kernel, values, intercept
        self.scores = scores
        self.once = once  # each row is visited once an epoch
        self._new_epoch()

    def _new_epoch(self) -> None:
        self.moved = Rows(self.kernel)  # rows of this epoch's updates, in their order
        self.updates: list[Updates] = []
        self.visited: list[tuple[NDArray[np.intp], int]] = []  # rows, and how many updates their scores include

    def begin(self, rows: NDArray[np.intp]) -> tuple[Floats, NDArray[Any]]:
        values = self.kernel.take(self.values, rows)
        scores = self._brought(rows, values, joined(self.updates))
        return scores, self.kernel.among(values)

    def _brought(self, rows: NDArray[np.intp], values: Values, updates: Updates) -> Floats:
        scores: Floats = np.ascontiguousarray(self.scores[:, rows])
        self.moved.add_scores(values, updates, self.intercept, scores)
        refuse_overflow(scores, rows)
        return scores

    def learned(self, rows: NDArray[np.intp], scores: Floats, updates: Updates, moved: NDArray[np.intp]) -> None:
        if len(updates):
            self.updates.append(updates.shifted(self.moved.count))
            self.moved.extend(self.kernel.support(self.values, moved))
        if self.once:
            self.scores[:, rows] = scores
            self.visited.append((rows, sum(map(len, self.updates))))

    def end_epoch(self) -> None:
        every = joined(self.updates)
        if len(every):
            for rows, known in self.visited if self.once else _all_rows(self.scores.shape[1], self.moved.count):
                values = self.kernel.take(self.values, rows)
                self.scores[:, rows] = self._brought(rows, values, every.after(known))
        self._new_epoch()

    def everything(self) -> Floats:
        return self.scores


def _all_rows(count: int, support: int) -> list[tuple[NDArray[np.intp], int]]:
    every, size = np.arange(count), rows_together(support)
    return [(every[at : at + size], 0) for at in range(0, count, size)]


class StoredScores:
    """All scores, always up to date; the kernel values from a table where there is one."""

    def __init__(
        self, kernel: Kernel, values: Values, scores: Floats, intercept: bool, table: NDArray[Any] | None
    ) -> None:
        self.kernel, self.values, self.intercept, self.table = kernel, values, intercept, table
        self.scores = scores
        self.waiting: list[tuple[Updates, NDArray[np.intp]]] = []

    def begin(self, rows: NDArray[np.intp]) -> tuple[Floats, NDArray[Any]]:
        scores = np.ascontiguousarray(self.everything()[:, rows])
        if self.table is not None:
            return scores, self.table[np.ix_(rows, rows)]
        return scores, self.kernel.among(self.kernel.take(self.values, rows))

    def learned(self, rows: NDArray[np.intp], scores: Floats, updates: Updates, moved: NDArray[np.intp]) -> None:
        if len(updates):
            self.waiting.append((updates, moved))

    def end_epoch(self) -> None:
        self.everything()

    def everything(self) -> Floats:
        for updates, moved in self.waiting:
            if self.table is not None:
                in_table = replace(updates, support=moved[updates.support].astype(np.int64))
                add_scores(self.table, in_table, self.intercept, self.scores)
            else:
                self._compute(updates, moved)
            refuse_overflow(self.scores, np.arange(self.scores.shape[1]))
        self.waiting.clear()
        return self.scores

    def _compute(self, updates: Updates, moved: NDArray[np.intp]) -> None:
        support = Rows(self.kernel)
        support.extend(self.kernel.support(self.values, moved))
        for rows, _ in _all_rows(self.scores.shape[1], 0):
            part = np.ascontiguousarray(self.scores[:, rows])
            support.add_scores(self.kernel.take(self.values, rows), updates, self.intercept, part)
            self.scores[:, rows] = part


def table_of(kernel: Kernel, values: Values, limit: int) -> NDArray[Any] | None:
    """All kernel values among the rows where they fit into `limit` bytes; a precomputed kernel is used directly."""
    count = values.shape[0]
    if kernel.name == "precomputed":
        square: Any = values
        return square if np.array_equal(square, square.T) else np.ascontiguousarray(square.T)
    size = 4 if getattr(values, "dtype", None) == np.float32 else 8
    if count * count * size > limit:
        return None
    return kernel.among(kernel.take(values, np.arange(count)))
