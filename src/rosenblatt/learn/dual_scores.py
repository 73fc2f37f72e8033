"""Where the scores of a dual run come from, block by block of rows in the order of the visit.

`Streamed` keeps one score a row and unit and brings it forward by the updates made since: between a row and an update
the kernel is computed once, however many epochs follow, and no kernel value is stored.
`Held` keeps all the kernel values (a table that was given, or one that fits the memory limit) and all scores up to
date, which the pocket needs too.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import LearningOverflowError
from rosenblatt.learn.dual_kernel import Kernel
from rosenblatt.learn.dual_support import Rows, Updates, add_scores, joined
from rosenblatt.learn.votes import take
from rosenblatt.records import Floats, Values

TOGETHER = 512  # rows visited on kernel values made together: enough for a fast matrix product
_CELLS = 8 << 20  # kernel values made together


def rows_together(support: int) -> int:
    return max(16, min(TOGETHER, _CELLS // max(support, 1)))


def refuse_overflow(scores: Floats, rows: NDArray[Any]) -> None:
    finite = np.isfinite(scores).all(axis=0)
    if not finite.all():
        raise LearningOverflowError(
            f"The kernel values of row {int(rows[np.argmin(finite)])} of X overflow: "
            "scale the features, or lower degree, gamma or coef0."
        )


class Source(Protocol):
    """What a pass over the rows asks for the scores."""

    def begin(self, rows: NDArray[np.intp]) -> tuple[Floats, NDArray[Any]]:
        """Scores of some rows, one line a unit, and the kernel values among them."""

    def learned(self, rows: NDArray[np.intp], scores: Floats, updates: Updates, moved: NDArray[np.intp]) -> None:
        """These rows were visited, to these scores; the updates speak of the rows that moved, by their place."""

    def end_epoch(self) -> None:
        """Bring all scores to where the run is now."""

    def everything(self) -> Floats:
        """All scores as they are now."""


class Streamed:
    def __init__(self, kernel: Kernel, values: Values, scores: Floats, intercept: bool, *, once: bool) -> None:
        self.kernel, self.values, self.intercept = kernel, values, intercept
        self.scores = scores
        self.once = once  # each row is visited once an epoch
        self._new_epoch()

    def _new_epoch(self) -> None:
        self.moved = Rows()  # rows of this epoch's updates, in their order
        self.updates: list[Updates] = []
        self.visited: list[tuple[NDArray[np.intp], int]] = []  # rows, and how many updates their scores know of

    def begin(self, rows: NDArray[np.intp]) -> tuple[Floats, NDArray[Any]]:
        values = take(self.values, rows)
        scores = np.ascontiguousarray(self.scores[:, rows])
        self._bring(scores, values, rows, joined(self.updates), 0)
        return scores, self.kernel.between(values, values)

    def _bring(self, scores: Floats, values: Values, rows: NDArray[Any], updates: Updates, first: int) -> None:
        """Add the updates; all of them speak of places from `first` on."""
        if len(updates) == 0:
            return
        support = self.moved.values
        if first:
            support = take(support, np.arange(first, self.moved.count))
            updates = Updates(updates.support - first, updates.unit, updates.coefficient, updates.when)
        add_scores(self.kernel.between(support, values), updates, self.intercept, scores)
        refuse_overflow(scores, rows)

    def learned(self, rows: NDArray[np.intp], scores: Floats, updates: Updates, moved: NDArray[np.intp]) -> None:
        if len(updates):
            own = Updates(updates.support + self.moved.count, updates.unit, updates.coefficient, updates.when)
            self.updates.append(own)
            self.moved.extend(self.kernel.support(self.values, moved))
        if self.once:
            self.scores[:, rows] = scores
            self.visited.append((rows, sum(map(len, self.updates))))

    def end_epoch(self) -> None:
        every = joined(self.updates)
        if len(every):
            parts = self.visited if self.once else _all_rows(self.scores.shape[1], self.moved.count)
            for rows, known in parts:
                missing = every.after(known)
                if len(missing):
                    part = np.ascontiguousarray(self.scores[:, rows])
                    # visited once, rows move in the order of their places
                    first = int(missing.support[0]) if self.once else 0
                    self._bring(part, take(self.values, rows), rows, missing, first)
                    self.scores[:, rows] = part
        self._new_epoch()

    def everything(self) -> Floats:
        return self.scores


def _all_rows(count: int, support: int) -> list[tuple[NDArray[np.intp], int]]:
    every, size = np.arange(count), rows_together(support)
    return [(every[at : at + size], 0) for at in range(0, count, size)]


class Held:
    def __init__(
        self, kernel: Kernel, values: Values, scores: Floats, intercept: bool, table: NDArray[Any] | None
    ) -> None:
        self.kernel, self.values, self.intercept, self.table = kernel, values, intercept, table
        self.scores = scores
        self.waiting: list[tuple[Updates, NDArray[np.intp]]] = []

    def begin(self, rows: NDArray[np.intp]) -> tuple[Floats, NDArray[Any]]:
        self.everything()
        scores = np.ascontiguousarray(self.scores[:, rows])
        if self.table is not None:
            return scores, self.table[np.ix_(rows, rows)]
        values = take(self.values, rows)
        return scores, self.kernel.between(values, values)

    def learned(self, rows: NDArray[np.intp], scores: Floats, updates: Updates, moved: NDArray[np.intp]) -> None:
        if len(updates):
            self.waiting.append((updates, moved))

    def end_epoch(self) -> None:
        self.everything()

    def everything(self) -> Floats:
        for updates, moved in self.waiting:
            if self.table is not None:
                own = Updates(moved[updates.support].astype(np.int64), updates.unit, updates.coefficient, updates.when)
                add_scores(self.table, own, self.intercept, self.scores)
            else:
                self._compute(updates, take(self.values, moved), len(moved))
            refuse_overflow(self.scores, np.arange(self.scores.shape[1]))
        self.waiting.clear()
        return self.scores

    def _compute(self, updates: Updates, support: Values, count: int) -> None:
        step = max(TOGETHER, _CELLS // max(count, 1))
        for at in range(0, self.scores.shape[1], step):
            rows = np.arange(at, min(at + step, self.scores.shape[1]))
            part = np.ascontiguousarray(self.scores[:, rows])
            add_scores(self.kernel.between(support, take(self.values, rows)), updates, self.intercept, part)
            self.scores[:, rows] = part


def table_of(kernel: Kernel, values: Values, limit: int) -> NDArray[Any] | None:
    """All kernel values among the rows where they fit into `limit` bytes; a table that was given is used as it is."""
    count = values.shape[0]
    if kernel.name == "precomputed":
        square: Any = values
        return square if np.array_equal(square, square.T) else np.ascontiguousarray(square.T)
    size = 4 if getattr(values, "dtype", None) == np.float32 else 8
    return kernel.between(values, values) if count * count * size <= limit else None
