"""The voted perceptron (Freund and Schapire 1999): every hyperplane of the run votes, as often as it survived.

Storing the hyperplanes would cost mistakes x features numbers. Only the examples that changed them are kept, and the
run is replayed from its start to score rows: a row that was not a mistake changed nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.settings import Settings
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.records import Block, Floats, Values

_AT_ONCE = 64  # hyperplanes scored in one pass over the rows


def _nothing() -> None:
    """In place of a weak reference to a block."""


@dataclass(frozen=True)
class Store:
    """Examples that moved the run at least once."""

    values: Values
    labels: NDArray[np.int32]
    weights: Floats | None


@dataclass
class Votes:
    """The start of a run, the examples that moved it, and when each did: after t examples, moving these units."""

    settings: Settings
    class_weight: Floats
    start: tuple[Floats, Floats]
    t: int = 0
    stores: list[Store] = field(default_factory=list)
    visits: list[tuple[int, int, int, list[int]]] = field(default_factory=list)  # t, store, place in it, units
    _source: Callable[[], Any] = field(default=_nothing, repr=False)  # a weak reference to the block of _places
    _places: dict[int, tuple[int, int]] = field(default_factory=dict, repr=False)  # row -> store, place in it

    def __copy__(self) -> Votes:
        return replace(self, stores=list(self.stores), visits=list(self.visits), _places=dict(self._places))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_source": _nothing, "_places": {}}

    def extend(self, block: Block, log: tuple[NDArray[Any], ...], t: int) -> None:
        """Keep the examples of the log; t examples have been visited."""
        when, row, unit, _ = log
        if len(when):
            self._keep_updates(block, when, row, unit)
        self.t = t  # last, for threads that score meanwhile

    def _keep_updates(self, block: Block, when: NDArray[Any], row: NDArray[Any], unit: NDArray[Any]) -> None:
        visited, first = np.unique(when, return_index=True)  # one visit may have moved several units
        rows = row[first].tolist()
        self._keep(block, rows)
        units = [moved.tolist() for moved in np.split(unit, first[1:])]
        self.visits += [
            (at, *self._places[i], moved) for at, i, moved in zip(visited.tolist(), rows, units, strict=True)
        ]

    def _keep(self, block: Block, rows: list[int]) -> None:
        """Store the rows that are not stored yet: few, in a later epoch over the same block."""
        if self._source() is not block:
            self._source, self._places = weakref.ref(block), {}
        numbers = sorted(set(rows) - set(self._places))
        if numbers:
            new_rows = np.array(numbers, dtype=np.intp)
            weights = None if block.weights is None else block.weights[new_rows]
            self._places |= {i: (len(self.stores), place) for place, i in enumerate(numbers)}
            self.stores.append(Store(take_rows(block.values, new_rows), block.labels[new_rows], weights))

    def scores(self, rows: native.Rows, order: NDArray[np.uint32] | None = None) -> Floats:
        """Votes for minus votes against by unit, or the share of votes by class where classes decide jointly."""
        t = self.t
        with native.UsualFloats():
            return replace(self, t=t, visits=[visit for visit in self.visits if visit[0] < t])._tally(rows, order)

    def _tally(self, rows: native.Rows, order: NDArray[np.uint32] | None) -> Floats:
        tally = np.zeros((rows.count if order is None else len(order), len(self.start[1])))
        joint = self.settings.scheme(len(self.class_weight)) == "joint"
        for units, weights, bias, survived in self._batches(joint):
            scores = native.scores(rows, order, weights, bias)
            if joint:
                winners = scores.reshape(len(scores), -1, len(units)).argmax(axis=2)
                for winner, votes in zip(winners.T, survived, strict=True):
                    tally[np.arange(len(tally)), winner] += votes
            else:
                tally[:, units[0]] += np.where(scores > 0, 1.0, -1.0) @ survived
        return tally / max(self.t, 1)

    def _batches(self, joint: bool) -> Iterator[tuple[list[int], Floats, Floats, Floats]]:
        """Hyperplanes in the order of the run, by unit (or all units together), each with the visits it survived."""
        every = list(range(len(self.start[1])))
        waiting: dict[int, list[tuple[Floats, Floats, float]]] = {unit: [] for unit in every}
        since = dict.fromkeys(every, 0)
        for t, moved, weights, bias in self._hyperplanes():
            for unit in [0] if joint else moved:
                if t > since[unit]:
                    part = slice(None) if joint else slice(unit, unit + 1)
                    waiting[unit].append((weights[part], bias[part], float(t - since[unit])))
                    since[unit] = t
                if waiting[unit] and (t == self.t or len(waiting[unit]) == _AT_ONCE):
                    yield every if joint else [unit], *_stack(waiting[unit])
                    waiting[unit] = []

    def _hyperplanes(self) -> Iterator[tuple[int, list[int], Floats, Floats]]:
        """Before each update, and at the end: examples visited, units about to move, weights and bias of all units."""
        learner = self.settings.learner(self.start[0].shape[1], self.class_weight)
        learner.put("weights", *self.start)
        rows = [native.rows_of(store.values, degree=self.settings.degree) for store in self.stores]
        for t, which, place, units in self.visits:
            yield t, units, *_weights(learner)
            learner.restore(learner.counters() | {"t": t, "step": t})
            labels, weights = self.stores[which].labels, self.stores[which].weights
            native.learn([learner], rows[which], labels, weights, None, None, place, place + 1, 1)
            learner.take_log()
        yield self.t, list(range(len(self.start[1]))), *_weights(learner)


def _weights(learner: native.Learner) -> tuple[Floats, Floats]:
    weights = learner.get("weights")
    assert weights is not None
    return np.asarray(weights[0]), np.asarray(weights[1])


def _stack(hyperplanes: list[tuple[Floats, Floats, float]]) -> tuple[Floats, Floats, Floats]:
    weights, bias, survived = zip(*hyperplanes, strict=True)
    return np.concatenate(weights), np.concatenate(bias), np.array(survived)
