"""Replays a recorded run from its start to any example, at the speed it was learned, with the memory of one learner.

Contract, clause 8. The log alone would do for rules that add a multiple of the example; adagrad and arow have a rate
for each weight, and a batch moves no weight until it ends. So the learner itself learns the same examples again, in the
same order from the same start, and its log is compared with the log of the run.
"""

from __future__ import annotations

from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.replay.recording import RecordedFit, Recording
from rosenblatt.learn.run import Run
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.records import Block, Floats, MistakeLog

_FEW = 64  # visits of fewer than one row in this many are a short stretch


class Replay:
    """Where a replay stands: before the visit of example number t, in this epoch (counted from 1)."""

    def __init__(self, recording: Recording, log: MistakeLog) -> None:
        # The choice of final weights does not influence the run, and pockets and averages would cost time.
        settings = recording.settings._replace(keep="last", record=True)
        self.recording, self.log = recording, log
        features = recording.start[0].shape[1]
        self._run = Run(settings, features, recording.class_weight, 0, dense=recording.dense)
        self._run.start_from(*recording.start)
        self._run.random = recording.random
        self.epoch = 1
        self._place = 0  # visits of this epoch that are done
        self._count = 0  # rows an epoch has
        self._logged = 0
        self._visits: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        self._next_random = recording.random
        self._fit: RecordedFit | None = None
        self._ordered = (-1, 0)  # the fit (its t) and epoch that the visits are for

    @property
    def t(self) -> int:
        """Examples visited so far."""
        return self._run.learner.t

    @property
    def updates(self) -> int:
        """Entries of the log that have been replayed."""
        return self._logged

    @property
    def mistakes(self) -> list[int]:
        """Mistakes made so far by each unit; where units decide jointly, by the first for all."""
        mistakes: list[int] = self._run.learner.counters()["mistakes"]
        return mistakes

    @property
    def weights(self) -> tuple[Floats, Floats]:
        """One row of weights and one bias per unit, as the learner holds them now."""
        return self._run.weights()

    @property
    def block(self) -> Block:
        """The examples of the current fit."""
        return self._current_fit().block

    @property
    def rows(self) -> native.Rows:
        self._current_fit()
        return self._rows

    @property
    def counted(self) -> NDArray[np.uint32]:
        """The rows that are learned from: not held out, and with a weight above 0."""
        training = self._current_fit().training
        every = np.arange(len(self.block.labels), dtype=np.uint32) if training is None else training
        return every[self._counts[every]]

    @property
    def row(self) -> int:
        """The row that is visited next."""
        self._current_fit()
        while not len(self._visits):  # an epoch drawn with replacement may have only rows of weight 0
            self._end_epoch()
            self._current_fit()
        return int(self._visits[self._place])

    def scores(self, rows: NDArray[np.uint32]) -> Floats:
        """One score per row and unit, by the weights as they are now."""
        return native.scores(self.rows, rows, *self.weights)

    def go_to(self, t: int) -> None:
        """Visit examples until t are done."""
        while self.t < t:
            self._advance(t)

    def end_epoch(self) -> None:
        """Visit the rest of this epoch."""
        epoch = self.epoch
        while self.epoch == epoch:
            self._current_fit()
            self._advance(self.t + len(self._visits) - self._place)

    def _advance(self, t: int) -> None:
        """Visit examples up to t, to the end of this epoch or to the end of this fit."""
        self._current_fit()
        until = min([t, *(fit.t for fit in self.recording.fits if fit.t > self.t)])
        stop = min(len(self._visits), self._place + until - self.t)
        self._visit(self._visits[self._place : stop])
        self._place = stop
        if stop == len(self._visits):
            self._end_epoch()

    def _visit(self, visits: NDArray[np.uint32]) -> None:
        """Each native call reads all labels, so a few visits are given copies of their own rows."""
        block, rows, order = self._current_fit().block, self._rows, visits
        if _FEW * len(visits) < len(block.labels):
            weights = None if block.weights is None else block.weights[visits]
            targets = None if block.targets is None else block.targets[visits]
            block = Block(
                take_rows(block.values, visits.astype(np.intp)), block.labels[visits], weights, targets=targets
            )
            rows, order = native.rows_of(block.values), np.arange(len(visits), dtype=np.uint32)
        learner = self._run.learner
        _, raised = native.learn(
            [learner], rows, block.labels, block.weights, order, None, 0, len(order), 1, targets=block.targets
        )
        t, row, unit, coefficient = learner.take_log()
        self._compare((t, row if order is visits else visits[row], unit, coefficient))
        if raised is not None:
            raise raised

    def _current_fit(self) -> RecordedFit:
        """The fit of the next example; the order of the current epoch is drawn if it is new."""
        fit = [fit for fit in self.recording.fits if fit.t <= self.t][-1]
        if fit is not self._fit:
            self._fit = fit
            self._rows = native.rows_of(fit.block.values)
            self._counts = self._run.counted(fit.block)
            count = len(fit.block.labels) if fit.training is None else len(fit.training)
            if count != self._count:  # an unfinished epoch continues only over as many rows
                self._count, self._place = count, 0
        if self._place == 0 and self._ordered != (fit.t, self.epoch):
            self._ordered = fit.t, self.epoch
            order, self._next_random = self._run.epoch_order(self._count, fit.training)
            visited = np.arange(self._count, dtype=np.uint32) if order is None else order
            self._visits = visited[self._counts[visited]]
        return fit

    def _end_epoch(self) -> None:
        self._run.learner.end_batch()
        self._run.random = self._next_random
        self.epoch, self._place = self.epoch + 1, 0

    def _compare(self, replayed: tuple[NDArray[Any], ...]) -> None:
        at = slice(self._logged, int(self.log.t.searchsorted(np.uint64(self.t))))
        recorded: tuple[NDArray[Any], ...] = (self.log.t, self.log.row, self.log.unit, self.log.coefficient)
        # Their bytes are compared: one visit has few entries or none, and array_equal takes five times as long.
        if any(
            new.astype(old.dtype, copy=False).tobytes() != old[at].tobytes()
            for new, old in zip(replayed, recorded, strict=True)
        ):
            raise DataError(
                "The examples have changed since the run was recorded, so it cannot be replayed: learn from them again."
            )
        self._logged = at.stop
