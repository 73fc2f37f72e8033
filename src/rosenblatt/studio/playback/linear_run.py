"""Perceptron, Adaline or LogisticUnit, played back: its moments from the mistake log and the weights."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native, options
from rosenblatt.errors import DataError
from rosenblatt.learn.multiclass_schemes import predicted_classes
from rosenblatt.learn.polynomial import names
from rosenblatt.learn.replay.trace import Step, Trace
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.state.initial_weights import begin_run
from rosenblatt.records import Block, Floats
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.run import Moment, PlayedRun
from rosenblatt.studio.request import LEARNER_OPTIONS, Points, features_of

_MAX_SHOWN_WEIGHTS = 6  # of a unit


class LinearRun(PlayedRun):
    """A linear unit for each class or pair of classes, on the coordinates or on their products.

    The run is bit for bit that of the estimator, but begun without it: importing scikit-learn would delay the first
    picture by a second.
    """

    def __init__(self, points: Points, learner: str, chosen: dict[str, Any]) -> None:
        self.points, self.learner, self.chosen = points, learner, chosen
        self.features = np.ascontiguousarray(features_of(points.X, learner, chosen))
        self.curved = self.features.shape[1] > 2
        # The products of a `degree` are in the features already.
        defaults = {name: option.default for name, option in LEARNER_OPTIONS[learner].items()}
        parameters = defaults | chosen | {"degree": 1}
        options.check_together("The studio", {**parameters, "loss": learner})
        self.keep, self.multi_class = parameters["keep"], parameters["multi_class"]
        self.run = self._learn(parameters)
        self.summary = self.run.summary
        log = self.summary.mistake_log
        assert log is not None
        self.trace = Trace(log, self.summary, self.run.recording, np.array(points.classes)[points.present])
        self.update_visits, self.update_rows, self.update_units = (
            column.astype(np.int64) for column in (log.t, log.row, log.unit)
        )
        self._latest: tuple[tuple[int, ...], Floats] = ((-1,), np.empty(0))

    def _learn(self, parameters: dict[str, Any]) -> Run:
        used = {name: value for name, value in parameters.items() if name in Settings._fields}
        settings = Settings(**used | {"loss": self.learner, "record": True})
        run = begin_run(
            settings,
            self.features.shape[1],
            np.ones(len(self.points.present)),
            int(parameters["random_state"]),
            init=parameters["init"],
            dense=True,
        )
        block = Block(self.features, self.labels.astype(np.int32), None)
        run.fit(block, parameters["max_iter"], on_epoch=raise_if_cancelled)
        return run

    @property
    def feature_names(self) -> list[str]:
        """What each weight belongs to, the bias first."""
        return ["1", *names(["x1", "x2"], int(self.chosen.get("degree", 1)))]

    def basis(self, X: Floats) -> Floats:
        values = features_of(X, self.learner, self.chosen)
        return np.column_stack([np.ones(len(values)), values]).T

    def coefficients(self, times: Sequence[int]) -> Floats:
        key, latest = tuple(times), self._latest
        if key != latest[0]:  # the same times are often asked for twice in a row: weights, then scores
            weights = [self._with_bias(rows) for rows in self.trace.after(key)]
            empty = np.zeros((0, len(self.unit_names), self.features.shape[1] + 1))
            latest = self._latest = key, np.array(weights) if weights else empty
        return latest[1]

    def _with_bias(self, weights: Any) -> Floats:
        """One row [b, w1, ...] per unit; the bias is 0 where none is learned."""
        rows = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        return rows if self.trace.fit_intercept else np.column_stack([np.zeros(len(rows)), rows])

    @property
    def kept_weights(self) -> Floats | None:
        """The weights [b, w1, ...] per unit that `keep` chose; None for votes, which are not one boundary."""
        final = self.run.final_weights
        return None if self.keep == "vote" else np.column_stack([final.intercept, final.coef])

    def errors(self) -> int:
        final = self.run.final_weights
        unit_scores = final.scores(native.rows_of(self.features))
        if not np.isfinite(unit_scores).all():
            raise DataError("The score of a point overflows: bring the points nearer to 0.")
        return int(np.sum(predicted_classes(final.scheme, unit_scores, len(self.points.present)) != self.labels))

    @cached_property
    def model(self) -> Any:
        from rosenblatt.estimators.adaline import Adaline
        from rosenblatt.estimators.logistic_unit import LogisticUnit
        from rosenblatt.estimators.perceptron import Perceptron

        estimator: Any = {"perceptron": Perceptron, "squared": Adaline, "logistic": LogisticUnit}[self.learner]
        defaults = {name: option.default for name, option in LEARNER_OPTIONS[self.learner].items()}
        return estimator(**defaults | self.chosen).fit(self.points.X, self.points.y)

    # -- moments ------------------------------------------------------------------------------------------------------

    def weights_for_page(self, weights: Floats) -> list[list[float]] | None:
        rows: list[list[float]] = weights.tolist()
        return rows if weights.shape[1] <= _MAX_SHOWN_WEIGHTS else None

    def moments(self) -> list[Moment]:
        return self.updates(self.sampled_visits()) if self.chosen.get("batch", 1) == 1 else list(self._epoch_ends())

    def updates(self, visits: NDArray[np.int64]) -> list[Moment]:
        return list(self._updates(visits))

    def _updates(self, visits: NDArray[np.int64]) -> Iterator[Moment]:
        steps_by_visit = groupby(
            self.trace.updates(np.flatnonzero(np.isin(self.update_visits, visits))), key=lambda step: step.t
        )
        for (_, steps), after in zip(steps_by_visit, self.coefficients((visits + 1).tolist()), strict=True):
            raise_if_cancelled()
            listed, before = list(steps), after.copy()
            for step in listed:
                before[step.unit] = self._with_bias(step.before)[0]
            yield self._moment(listed, before, after)

    def _epoch_ends(self) -> Iterator[Moment]:
        """A batch moves the weights when it ends, so its run is shown epoch by epoch; `visits` shows each batch."""
        before = self._with_bias(self.trace.replay(0))
        for end in self.trace.epochs():
            after = self._with_bias(end.weights)
            yield {
                "t": end.t - 1,
                "epoch": end.epoch,
                "row": None,
                "steps": [],
                "mistakes": end.mistakes,
                "k": self.n_updates(end.t),
                "before": self.weights_for_page(before),
                "after": self.weights_for_page(after),
            }
            before = after

    def _moment(self, steps: Sequence[Step], before: Floats, after: Floats) -> Moment:
        first = steps[0]
        return {
            "t": first.t,
            "epoch": first.epoch,
            "row": first.row,
            "k": self.n_updates(first.t + 1),
            "steps": [
                {
                    "unit": step.unit,
                    "target": step.target,
                    "score": step.score,
                    "mistake": step.mistake,
                    "coefficient": step.coefficient,
                }
                for step in steps
            ],
            "before": self.weights_for_page(before),
            "after": self.weights_for_page(after),
        }

    def visits(self, since: int, count: int) -> list[Moment]:
        moments = []
        after = self.coefficients([since])[0]
        limit = count * self.trace.n_units
        for t, steps in groupby(self.trace.steps(since=since, limit=limit), key=lambda step: step.t):
            if t >= since + count:
                break
            listed, before, after = list(steps), after, after.copy()
            for step in listed:
                after[step.unit] = self._with_bias(step.after)[0]
            moments.append(self._moment(listed, before, after))
        return moments
