"""The kernel perceptron, played: its moments from the mistake log and the kernel values among the points."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.kernel.replay import KernelReplay
from rosenblatt.records import Floats
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.playback.run import Moment, Played
from rosenblatt.studio.request import Plane


class Dual(Played):
    """KernelPerceptron on the plane."""

    curved = True

    def __init__(self, plane: Plane, chosen: dict[str, Any]) -> None:
        from rosenblatt.estimators.kernel_perceptron import KernelPerceptron

        self.plane, self.name, self.chosen = plane, "kernel", chosen
        self.fitted = KernelPerceptron(**chosen, record=True).fit(plane.X, plane.y)
        self.keep, self.multi_class = self.fitted.keep, getattr(self.fitted, "multi_class", "ovr")
        run = self.fitted._running()
        still_there()
        self.replay = KernelReplay(run, int(self.fitted.random_state))
        self.record, log = run.summary, self.replay.log
        self.times, self.rows, self.unit = (column.astype(np.int64) for column in (log.t, log.row, log.unit))
        self.bias = bool(self.fitted.fit_intercept)
        self.order = self.replay.visits(len(plane.X))
        self.table = self.replay.table(plane.X)

    @property
    def model(self) -> Any:
        return self.fitted

    def errors(self) -> int:
        return int(np.sum(self.fitted.predict(self.plane.X) != self.plane.y))

    def basis(self, X: Floats) -> Floats:
        return self.table if X is self.plane.X else self.replay.table(X)

    def coefficients(self, times: Sequence[int]) -> Floats:
        return self.replay.coefficients([self.updates_by(t) for t in times])

    def scores(self, times: Sequence[int]) -> Iterator[Floats]:
        return self.replay.scores([self.updates_by(t) for t in times], self.table)

    def moments(self) -> list[Moment]:
        return self.updates(self.spread())

    def updates(self, times: NDArray[np.int64]) -> list[Moment]:
        return self._told(times.tolist())

    def visits(self, since: int, count: int) -> list[Moment]:
        return self._told(list(range(since, min(since + count, self.record.t))))

    def _told(self, times: Sequence[int]) -> list[Moment]:
        found = []
        for t, scores in zip(times, self.scores(times), strict=True):
            still_there()
            found.append(self._moment(t, scores[:, self.order[t]]))
        return found

    def _moment(self, t: int, scores: Floats) -> Moment:
        first, last, row = self.updates_by(t), self.updates_by(t + 1), int(self.order[t])
        added = dict(zip(self.unit[first:last].tolist(), self.replay.log.coefficient[first:last].tolist(), strict=True))
        targets = self.signs[row]
        moved = [
            {
                "unit": unit,
                "target": int(target),
                "score": float(scores[unit]),
                "mistake": unit in added,
                "coefficient": added.get(unit, 0.0),
            }
            for unit, target in enumerate(targets)
            if target
        ]
        told = {"t": t, "epoch": t // len(self.plane.X) + 1, "row": row, "k": last, "moved": moved}
        return told | {"before": None, "after": None}
