"""A fitted learner that can be played: at every moment its scores are coefficients times a basis.

    Primal   the weights, times [1, x] or [1, the products of x]
    Dual     the coefficients of the mistakes so far, times k(x_i, x) + 1

So errors, losses and boundaries are computed in the same way for both, from the engine's own numbers.
"""

import marshal
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.learn.polynomial import names
from rosenblatt.learn.replay.trace import Step, Trace
from rosenblatt.learn.schemes import class_pairs, scheme_of, unit_targets
from rosenblatt.records import Floats, RunSummary
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.playback.unit import Unit
from rosenblatt.studio.request import Plane, chosen_of, mapped, plane_of

MOST_MOMENTS = 600  # of a longer log, updates spread evenly are shown
_KEPT = 8  # runs, so that a step is answered without learning again
_SAID = 6  # weights of a unit that are told one by one

Moment = dict[str, Any]


class Played:
    """What the run of every learner can be asked."""

    name: str
    chosen: dict[str, Any]
    plane: Plane
    keep: str
    multi_class: str
    record: RunSummary
    curved: bool
    bias: bool
    times: NDArray[np.int64]  # visits made before each update
    rows: NDArray[np.int64]
    unit: NDArray[np.int64]

    @cached_property
    def scheme(self) -> str:
        return scheme_of(self.multi_class, len(self.plane.present))

    @cached_property
    def units(self) -> list[list[str]]:
        """What the targets -1 and +1 of each unit stand for."""
        classes = [str(self.plane.classes[k]) for k in self.plane.present]
        if self.scheme in ("ovr", "joint"):
            return [["the rest", name] for name in classes]
        return [[classes[i], classes[j]] for i, j in class_pairs(len(classes))]

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """The target of each row for each unit, +1 or -1; 0 where a pair of classes does not concern it."""
        index = np.searchsorted(self.plane.present, self.plane.index)
        targets: NDArray[np.int8] = unit_targets(self.scheme, len(self.plane.present))[index]
        return targets

    def updates_by(self, t: int) -> int:
        """Updates made in the first t visits."""
        return int(np.searchsorted(self.times, t))

    @cached_property
    def moved(self) -> NDArray[np.int64]:
        """The visits that made an update, by their number."""
        return np.unique(self.times)

    def spread(self) -> NDArray[np.int64]:
        """Of many visits that made an update some, the first and the last among them."""
        at = np.linspace(0, len(self.moved) - 1, min(MOST_MOMENTS, len(self.moved))).round().astype(np.intp)
        return self.moved[np.unique(at)]

    def next_updates(self, since: int, count: int) -> list[Moment]:
        """The updates that follow, none left out."""
        first = int(np.searchsorted(self.moved, since))
        return self.updates(self.moved[first : first + count])

    def updates(self, times: NDArray[np.int64]) -> list[Moment]:
        """The moments of these visits, each of which made an update."""
        raise NotImplementedError

    @property
    def model(self) -> Any:
        """The estimator of this run."""
        raise NotImplementedError

    def errors(self) -> int:
        """Of what `keep` made of the run, on the points."""
        raise NotImplementedError

    def basis(self, X: Floats) -> Floats:
        raise NotImplementedError

    def coefficients(self, times: Sequence[int]) -> Floats:
        """After so many visits, in rising order: by moment, unit and line of the basis."""
        raise NotImplementedError

    def scores(self, times: Sequence[int]) -> Iterator[Floats]:
        """Of the points of the plane, one line a unit, after so many visits, in rising order."""
        basis = self.basis(self.plane.X)
        for weights in self.coefficients(times):
            yield weights @ basis

    def moments(self) -> list[Moment]:
        """Where the weights moved."""
        raise NotImplementedError

    def visits(self, since: int, count: int) -> list[Moment]:
        """Some visits one by one, from number `since` on."""
        raise NotImplementedError

    def said(self, weights: Floats) -> list[list[float]] | None:
        """The weights [b, w1, ...] as the page tells them, where they are few enough to be read."""
        return None


class Primal(Played):
    """Perceptron, Adaline or LogisticUnit, on the coordinates or on their products."""

    bias = True

    def __init__(self, plane: Plane, name: str, chosen: dict[str, Any]) -> None:
        self.plane, self.name, self.chosen = plane, name, chosen
        self.values = mapped(plane.X, name, chosen)
        self.learned = Unit(name, chosen, self.values, plane)
        self.trace: Trace = self.learned.trace
        self.keep, self.multi_class = self.learned.keep, self.learned.multi_class
        self.record = self.trace.run
        self.curved = self.values.shape[1] > 2
        self._last: tuple[tuple[int, ...], Floats] = ((-1,), np.empty(0))
        self.times, self.rows, self.unit = (
            column.astype(np.int64) for column in (self.trace.t, self.trace.row, self.trace.unit)
        )

    @property
    def features(self) -> list[str]:
        """What the weights stand on, the bias first."""
        return ["1", *names(["x1", "x2"], int(self.chosen.get("degree", 1)))]

    def whole(self, rows: Any) -> Floats:
        """One row [b, w1, ...] per unit; the bias is 0 where none was learned."""
        held = np.atleast_2d(np.asarray(rows, dtype=np.float64))
        return held if self.trace.fit_intercept else np.column_stack([np.zeros(len(held)), held])

    def basis(self, X: Floats) -> Floats:
        values = mapped(X, self.name, self.chosen)
        return np.column_stack([np.ones(len(values)), values]).T

    def coefficients(self, times: Sequence[int]) -> Floats:
        wanted, last = tuple(times), self._last
        if wanted != last[0]:  # what was shown is judged next
            found = [self.whole(weights) for weights in self.trace.after(wanted)]
            empty = np.zeros((0, len(self.units), self.values.shape[1] + 1))
            last = self._last = wanted, np.array(found) if found else empty
        return last[1]

    @property
    def kept(self) -> Floats | None:
        """What `keep` made of the run; votes are no one boundary."""
        return None if self.keep == "vote" else self.learned.weights

    def errors(self) -> int:
        return self.learned.errors()

    @cached_property
    def model(self) -> Any:
        """The estimator, as it is taken away: it makes the products itself."""
        from rosenblatt.estimators.adaline import Adaline
        from rosenblatt.estimators.logistic import LogisticUnit
        from rosenblatt.estimators.perceptron import Perceptron

        learner: Any = {"perceptron": Perceptron, "squared": Adaline, "logistic": LogisticUnit}[self.name]
        return learner(**self.chosen).fit(self.plane.X, self.plane.y)

    def said(self, weights: Floats) -> list[list[float]] | None:
        found: list[list[float]] = weights.tolist()
        return found if weights.shape[1] <= _SAID else None

    def moments(self) -> list[Moment]:
        return self.updates(self.spread()) if self.chosen.get("batch", 1) == 1 else list(self._epoch_ends())

    def updates(self, times: NDArray[np.int64]) -> list[Moment]:
        return list(self._updates(times))

    def _updates(self, times: NDArray[np.int64]) -> Iterator[Moment]:
        every = groupby(self.trace.updates(np.flatnonzero(np.isin(self.times, times))), key=lambda step: step.t)
        for (t, steps), after in zip(every, self.coefficients((times + 1).tolist()), strict=True):
            still_there()
            moved, before = list(steps), after.copy()
            for step in moved:
                before[step.unit] = self.whole(step.before)[0]
            yield self._moment(moved, before, after) | {"k": self.updates_by(t + 1)}

    def _epoch_ends(self) -> Iterator[Moment]:
        """A batch moves the weights when it ends, so the run is shown epoch by epoch; `visits` shows each batch."""
        before = self.whole(self.trace.replay(0))
        for end in self.trace.epochs():
            after = self.whole(end.weights)
            yield {
                "t": end.t - 1,
                "epoch": end.epoch,
                "row": None,
                "moved": [],
                "mistakes": end.mistakes,
                "k": self.updates_by(end.t),
                "before": self.said(before),
                "after": self.said(after),
            }
            before = after

    def _moment(self, steps: Sequence[Step], before: Floats, after: Floats) -> Moment:
        first = steps[0]
        moved = [
            {"unit": s.unit, "target": s.target, "score": s.score, "mistake": s.mistake, "coefficient": s.coefficient}
            for s in steps
        ]
        told = {"t": first.t, "epoch": first.epoch, "row": first.row, "moved": moved}
        return told | {"before": self.said(before), "after": self.said(after)}

    def visits(self, since: int, count: int) -> list[Moment]:
        found = []
        weights = self.coefficients([since])[0]
        most = count * self.trace.n_units
        for t, steps in groupby(self.trace.steps(since=since, limit=most), key=lambda step: step.t):
            if t >= since + count:
                break
            listed, before, weights = list(steps), weights, weights.copy()
            for step in listed:
                weights[step.unit] = self.whole(step.after)[0]
            found.append(self._moment(listed, before, weights) | {"k": self.updates_by(t + 1)})
        return found


# -- the runs of the last questions -----------------------------------------------------------------------------------


def _play(request: Mapping[str, Any]) -> Played:
    plane = plane_of(request)
    name, chosen = chosen_of(request, len(plane.X))
    if chosen.get("random_state", options.random_state.default) is None:  # a new one each time, but the same to its end
        chosen["random_state"] = int(np.random.default_rng().integers(2**31))
    if name == "kernel":
        from rosenblatt.studio.playback.kernel_run import Dual

        return Dual(plane, chosen)
    return Primal(plane, name, chosen)


_known: OrderedDict[bytes, Played] = OrderedDict()
_looking = Lock()


def learned(request: Mapping[str, Any]) -> Played:
    """The run of a request; the last few are remembered."""
    chosen = request.get("options", {})
    asked = [request.get(name) for name in ("points", "labels", "classes")]
    asked.append(sorted(chosen.items()) if isinstance(chosen, dict) else chosen)
    try:
        key = marshal.dumps(asked, 2)  # much quicker than a text, and this version of it tells equal requests equally
    except ValueError:  # nested too deep to be a request
        return _play(request)
    with _looking:
        if key in _known:
            _known.move_to_end(key)
            return _known[key]
    found = _play(request)
    with _looking:
        _known[key] = found
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return found
