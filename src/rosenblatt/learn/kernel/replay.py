"""Replays a kernel run: its scores after any number of updates, and the row of every visit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rosenblatt import native
from rosenblatt.errors import ParameterError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.kernel.run import KernelRun
from rosenblatt.records import Floats, Values

_FEW = 64  # this many updates are added one by one, more of them by a matrix product


class KernelReplay:
    """The scores of a recorded run are sums over its mistake log, so its first entries give the scores at that moment.

    f after k updates is the sum of coefficient_i (k(x_i, .) + 1) over the first k entries; the 1 is for the bias.
    """

    def __init__(self, run: KernelRun, seed: int) -> None:
        log = run.summary.mistake_log
        if log is None:
            raise ParameterError("Only a run with record=True can be replayed.")
        self.run, self.seed, self.log = run, seed, log
        by_origin = np.argsort(run.support.origin, kind="stable")
        order_position = np.searchsorted(run.support.origin[by_origin], log.row.astype(np.int64))
        self._place = by_origin[order_position] if len(log) else np.empty(0, dtype=np.intp)

    @property
    def support(self) -> NDArray[np.int64]:
        """The rows of the log, each once, in the order of their first mistakes."""
        return self.run.support.origin

    def table(self, values: Values) -> Floats:
        """What each support example adds to the score of each row: one line an example, one column a row."""
        if not len(self.support):
            return np.zeros((0, values.shape[0]))
        values_of_kernel = self.run.support.rows.kernel_with(values).astype(np.float64)
        return values_of_kernel + 1.0 if self.run.settings.fit_intercept else values_of_kernel

    def coefficients(self, updates: Sequence[int] | NDArray[np.intp]) -> Floats:
        """Summed coefficients after each of these numbers of updates, in ascending order; by unit and support row."""
        result = np.zeros((len(updates), self.run.units, len(self.support)))
        current, done = np.zeros((self.run.units, len(self.support))), 0
        for at, count in enumerate(updates):
            part = slice(done, int(count))
            np.add.at(current, (self.log.unit[part].astype(np.intp), self._place[part]), self.log.coefficient[part])
            result[at], done = current, int(count)
        return result

    def scores(self, updates: Iterable[int], table: Floats) -> Iterator[Floats]:
        """One row of scores per unit after each of these numbers of updates, in ascending order."""
        current, done = np.zeros((self.run.units, table.shape[1])), 0
        for count in updates:
            unit, place = self.log.unit[done:count], self._place[done:count]
            for moved in np.unique(unit).tolist():
                of_unit = unit == moved
                added = self.log.coefficient[done:count][of_unit]
                if len(added) > _FEW:
                    current[moved] += np.bincount(place[of_unit], added, minlength=len(self.support)) @ table
                else:
                    current[moved] += added @ table[place[of_unit]]
            done = count
            yield current.copy()

    def visits(self, count: int) -> NDArray[np.intp]:
        """The row of every visit of a table with `count` rows."""
        settings, random = self.run.settings, self.seed % 2**64
        orders: list[NDArray[np.intp]] = []
        for _ in self.run.mistakes:
            if settings.order == "given":
                orders.append(np.arange(count))
            else:
                order, random = native.random_order(random, count, settings.order == "sample")
                orders.append(order.astype(np.intp))
        return np.concatenate(orders) if orders else np.empty(0, dtype=np.intp)
