"""The Forgetron: a dual perceptron that keeps a bounded number of examples.

Dekel, Shalev-Shwartz and Singer, The Forgetron: a kernel-based perceptron on a budget, SIAM J. Comput. 37 (2008), the
self-tuned form. When a mistake gives a unit more than `budget` examples, all its coefficients shrink by phi and the
oldest example is forgotten. phi is the largest number up to 1 for which the damage done so far stays within 15/32 of
the mistakes made so far; forgetting an example r with coefficient s y_r does the damage

    psi = (s phi)^2 + 2 s phi - 2 (s phi) (phi mu),        mu = y_r f(x_r).

The paper takes k(x, x) <= 1; here mu is divided by the largest k(x, x) met, which is the same algorithm rescaled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.kernel.kernel_values import Kernel
from rosenblatt.learn.kernel.pocket import Targets
from rosenblatt.learn.kernel.run import KernelRun, KernelSettings
from rosenblatt.learn.kernel.scores import refuse_overflow
from rosenblatt.learn.kernel.support import Rows, Support
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.records import Block, Csr, Floats, Values

_ROWS_AT_ONCE = 64
_TOLERATED = 15 / 32


def shrinking(sigma: float, mu: float, damage: float, mistakes: int) -> tuple[float, float]:
    """The largest phi in (0, 1] that keeps the damage within 15/32 of the mistakes, and the damage then.

    >>> shrinking(1.0, 0.5, 0.0, 100)
    (1.0, 2.0)
    """
    a, b, c = sigma * (sigma - 2 * mu), 2 * sigma, damage - _TOLERATED * mistakes
    # c < 0 < b: one root of a phi^2 + b phi + c lies between 0 and 1 where the value at 1 is above 0
    phi = 1.0 if a + b + c <= 0 else -2 * c / (b + math.sqrt(b * b - 4 * a * c))
    return phi, damage + phi * (a * phi + b)


class Forgetron(KernelRun):
    """A kernel run whose units forget their oldest examples."""

    def __init__(self, settings: KernelSettings, kernel: Kernel, class_weight: Floats, seed: int) -> None:
        super().__init__(settings, kernel, class_weight, seed)
        assert settings.budget is not None
        self.budget = settings.budget
        self.resting: list[list[int]] = [[] for _ in range(self.units)]  # places of the support, oldest first
        self.damage = np.zeros(self.units)
        self.unit_mistakes = np.zeros(self.units, dtype=np.int64)
        self.largest = 0.0  # the largest k(x, x) met

    def fit(self, block: Block, max_iter: int, on_epoch: Callable[[KernelRun], None] | None = None) -> None:
        """Visit epochs until one is clean or max_iter are spent; after each, on_epoch is called."""
        count = block.values.shape[0]
        self.status = "budget"
        for _ in range(max_iter):
            mistakes = self._forgetful_pass(block, self._order(count), 0)
            self.mistakes.append(mistakes)
            if on_epoch is not None:
                on_epoch(self)
            if mistakes == 0 and self._is_separated(self._targets(block), self._last_scores(block.values)):
                self.status = "separated"
                return

    def _visit_once(self, block: Block) -> None:
        count = block.values.shape[0]
        self._forgetful_pass(block, np.arange(count), self.rows_streamed)
        self.rows_streamed += count

    def _forgetful_pass(self, block: Block, order: NDArray[np.intp], first: int) -> int:
        targets, before = self._targets(block), self.n_mistakes
        self.kernel.refuse_large(block.values)
        for at in range(0, len(order), _ROWS_AT_ONCE):
            rows = order[at : at + _ROWS_AT_ONCE]
            pool = _Pool(self, block.values, rows, first)
            for i, row in enumerate(rows.tolist()):
                self._visit_row(pool, i, row, targets)
            self._keep(pool)
        return self.n_mistakes - before

    def _visit_row(self, pool: _Pool, i: int, row: int, targets: Targets) -> None:
        weight = 1.0 if targets.weights is None else float(targets.weights[row])
        if weight == 0:
            return
        # Not a matrix product: a numerical library adds in an order of its own on each machine.
        scores = (pool.kernel[:, i, None] * pool.coefficient).sum(axis=0)
        refuse_overflow(scores[:, None], np.array([row]))
        y = self.signs[targets.labels[row]]
        for unit in np.flatnonzero((y != 0) & ~(y * scores > self.settings.margin)).tolist():
            self.largest = max(self.largest, float(pool.kernel[pool.known + i, i]))
            self.n_mistakes += 1
            self.unit_mistakes[unit] += 1
            pool.coefficient[pool.known + i, unit] = y[unit] * weight
            self.resting[unit].append(pool.known + i)
            if len(self.resting[unit]) > self.budget:
                self._forget(pool, unit)
        self.t += 1

    def _forget(self, pool: _Pool, unit: int) -> None:
        """Shrink the coefficients of a unit and forget its oldest example."""
        resting = self.resting[unit]
        oldest, coefficient = resting[0], pool.coefficient[resting, unit]
        mu = math.copysign(1.0, coefficient[0]) * float((coefficient * pool.kernel_of(resting, oldest)).sum())
        sigma, mistakes = abs(float(coefficient[0])), int(self.unit_mistakes[unit])
        phi, self.damage[unit] = shrinking(sigma, mu / self.largest, float(self.damage[unit]), mistakes)
        pool.coefficient[resting, unit] *= phi
        pool.coefficient[oldest, unit] = 0.0
        del resting[0]

    def _keep(self, pool: _Pool) -> None:
        """Keep only the examples that some unit uses."""
        used = sorted({place for resting in self.resting for place in resting})
        place = {old: new for new, old in enumerate(used)}
        self.resting = [[place[old] for old in resting] for resting in self.resting]
        support = Support(self.units, self.kernel)
        if used:
            support.extend(pool.take(used), pool.origin[used])
        support.coefficient = pool.coefficient[used]
        self.support = support


class _Pool:
    """The support and a block of rows that may join it, with their kernel values, which include the bias's 1."""

    def __init__(self, run: Forgetron, values: Values, rows: NDArray[np.intp], first: int) -> None:
        self.kernel_values = run.kernel
        self.constant = float(run.settings.fit_intercept)
        self.known = len(run.support)
        rows_of_pool = Rows(run.kernel)
        if self.known:
            rows_of_pool.extend(run.support.rows.values)
        rows_of_pool.extend(run.kernel.support(values, rows))
        self.values = rows_of_pool.values
        self.table = values if run.kernel.name == "precomputed" else None
        block: Values = run.kernel.take(values, rows)
        self.kernel: NDArray[Any] = run.kernel.between(self.values, block) + self.constant
        self.origin = np.concatenate([run.support.origin, rows + first])
        self.coefficient = np.concatenate([run.support.coefficient, np.zeros((len(rows), run.units))])

    def take(self, places: list[int]) -> Values:
        return take_rows(self.values, np.array(places, dtype=np.intp))

    def kernel_of(self, places: list[int], place: int) -> Floats:
        """Kernel values of some examples with one of them."""
        if self.table is not None:
            assert not isinstance(self.values, Csr)
            table_row = np.asarray(self.table)[self.values[[place]]]
            return self.kernel_values.between(self.take(places), table_row)[:, 0] + self.constant
        return self.kernel_values.between(self.take(places), self.take([place]))[:, 0] + self.constant
