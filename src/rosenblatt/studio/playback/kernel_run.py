"""The kernel perceptron, played back: its moments from the mistake log and the kernel values between the points."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.kernel.replay import KernelReplay
from rosenblatt.records import Floats
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.run import Moment, PlayedRun
from rosenblatt.studio.request import Points


class KernelRun(PlayedRun):
    """KernelPerceptron on the plane."""

    learner = "kernel"
    curved = True

    def __init__(self, points: Points, chosen: dict[str, Any]) -> None:
        from rosenblatt.estimators.kernel_perceptron import KernelPerceptron

        self.points, self.chosen = points, chosen
        self.estimator = KernelPerceptron(**chosen, record=True)
        self.estimator._on_epoch = raise_if_cancelled
        self.estimator.fit(points.X, points.y)
        del self.estimator._on_epoch
        self.keep, self.multi_class = self.estimator.keep, getattr(self.estimator, "multi_class", "ovr")
        raise_if_cancelled()
        run = self.estimator._fitted_run()
        self.replay = KernelReplay(run, int(self.estimator.random_state))
        self.summary, log = run.summary, self.replay.log
        self.update_visits, self.update_rows, self.update_units = (
            column.astype(np.int64) for column in (log.t, log.row, log.unit)
        )
        self.visited_rows = self.replay.visits(len(points.X))
        self.kernel_values = self.replay.table(points.X)

    @property
    def nbytes(self) -> int:
        return super().nbytes + 2 * self.kernel_values.nbytes

    @property
    def model(self) -> Any:
        return self.estimator

    def errors(self) -> int:
        return int(np.sum(self.estimator.predict(self.points.X) != self.points.y))

    def basis(self, X: Floats) -> Floats:
        return self.kernel_values if X is self.points.X else self.replay.table(X)

    def coefficients(self, times: Sequence[int]) -> Floats:
        return self.replay.coefficients([self.n_updates(t) for t in times])

    def scores(self, times: Sequence[int]) -> Iterator[Floats]:
        return self.replay.scores([self.n_updates(t) for t in times], self.kernel_values)

    def moments(self) -> list[Moment]:
        return self.updates(self.sampled_visits())

    def updates(self, visits: NDArray[np.int64]) -> list[Moment]:
        return self._moments(visits.tolist())

    def visits(self, since: int, count: int) -> list[Moment]:
        return self._moments(list(range(since, min(since + count, self.summary.t))))

    def _moments(self, visits: Sequence[int]) -> list[Moment]:
        moments = []
        for t, scores in zip(visits, self.scores(visits), strict=True):
            raise_if_cancelled()
            moments.append(self._moment(t, scores[:, self.visited_rows[t]]))
        return moments

    def _moment(self, t: int, scores: Floats) -> Moment:
        row, updates = int(self.visited_rows[t]), slice(self.n_updates(t), self.n_updates(t + 1))
        units, coefficients = self.update_units[updates].tolist(), self.replay.log.coefficient[updates].tolist()
        added = dict(zip(units, coefficients, strict=True))
        steps = [
            {
                "unit": unit,
                "target": int(target),
                "score": float(scores[unit]),
                "mistake": unit in added,
                "coefficient": added.get(unit, 0.0),
            }
            for unit, target in enumerate(self.targets[row])
            if target
        ]
        epoch = t // len(self.points.X) + 1
        return {"t": t, "epoch": epoch, "row": row, "k": updates.stop, "steps": steps, "before": None, "after": None}
