"""A dual run again: what it scored after any number of its updates, and which row it visited when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rosenblatt import native
from rosenblatt.errors import ParameterError
from rosenblatt.lazy import np
from rosenblatt.learn.kernel.run import KernelRun
from rosenblatt.records import Floats, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 64  # updates are added line by line of the table, more of them all at once


class KernelReplay:
    """The scores of a recorded run are sums over its mistake log, so any part of the log gives those of that moment.

    f after k updates is the sum of coefficient_i (k(x_i, .) + 1) over the first k entries; the 1 where there is a bias.
    """

    def __init__(self, run: KernelRun, seed: int) -> None:
        log = run.summary.mistake_log
        if log is None:
            raise ParameterError("Only a run with record=True can be replayed.")
        self.run, self.seed, self.log = run, seed, log
        in_turn = np.argsort(run.support.origin, kind="stable")
        found = np.searchsorted(run.support.origin[in_turn], log.row.astype(np.int64))
        self._place = in_turn[found] if len(log) else np.empty(0, dtype=np.intp)

    @property
    def support(self) -> NDArray[np.int64]:
        """The rows that the log speaks of, each once, in the order of their first mistakes."""
        return self.run.support.origin

    def table(self, values: Values) -> Floats:
        """What each support example adds to the score of each row: one line an example, one column a row."""
        if not len(self.support):
            return np.zeros((0, values.shape[0]))
        found = self.run.support.rows.kernel_with(values).astype(np.float64)
        return found + 1.0 if self.run.settings.fit_intercept else found

    def coefficients(self, updates: Sequence[int] | NDArray[np.intp]) -> Floats:
        """The sum of the log's coefficients after so many updates, by unit and support example; counts never fall."""
        found = np.zeros((len(updates), self.run.units, len(self.support)))
        held, done = np.zeros((self.run.units, len(self.support))), 0
        for at, count in enumerate(updates):
            part = slice(done, int(count))
            np.add.at(held, (self.log.unit[part].astype(np.intp), self._place[part]), self.log.coefficient[part])
            found[at], done = held, int(count)
        return found

    def scores(self, updates: Iterable[int], table: Floats) -> Iterator[Floats]:
        """One line of scores a unit after so many updates; each is the one before and what the log added since."""
        held, done = np.zeros((self.run.units, table.shape[1])), 0
        for count in updates:
            unit, place = self.log.unit[done:count], self._place[done:count]
            for one in np.unique(unit).tolist():
                mine = unit == one
                added = self.log.coefficient[done:count][mine]
                if len(added) > _FEW:
                    held[one] += np.bincount(place[mine], added, minlength=len(self.support)) @ table
                else:
                    held[one] += added @ table[place[mine]]
            done = count
            yield held.copy()

    def visits(self, count: int) -> NDArray[np.intp]:
        """The row of every visit, of a table with so many rows."""
        settings, random = self.run.settings, self.seed % 2**64
        orders: list[NDArray[np.intp]] = []
        for _ in self.run.mistakes:
            if settings.order == "given":
                orders.append(np.arange(count))
            else:
                order, random = native.order(random, count, settings.order == "sample")
                orders.append(order.astype(np.intp))
        return np.concatenate(orders) if orders else np.empty(0, dtype=np.intp)
