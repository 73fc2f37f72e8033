"""Every step of a run: the mistake log, and what the weights were before and after each visit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from rosenblatt import records
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.multiclass_schemes import class_pairs, unit_targets
from rosenblatt.learn.replay import trace_file as trace_files
from rosenblatt.learn.replay.recording import Recording
from rosenblatt.learn.replay.replay import Replay
from rosenblatt.learn.replay.total_loss import total_of_numbers, totals_of
from rosenblatt.records import Csr, Floats


@dataclass(frozen=True)
class Step:
    """One example meets one unit. x and the weights are in the lectures' order: x0 = 1 and the bias come first.

    Without a bias they have no such entry. `coefficient` is what the log holds: the update added coefficient * x to
    the weights (adagrad and arow scaled it by feature; the examples of a batch move the weights when it ends). The
    totals, if computed, are over all rows of the run at the weights after the step. Where a number is predicted nothing
    is a mistake.
    """

    epoch: int
    t: int
    row: int
    unit: int
    target: float  # +1 or -1; or the number that is predicted
    x: Floats
    score: float
    mistake: bool
    coefficient: float
    before: Floats
    after: Floats
    total_loss: float | None = None
    total_errors: int | None = None


class EpochEnd(NamedTuple):
    """The end of an epoch: examples visited and mistakes made by then, and one row of weights per unit."""

    epoch: int
    t: int
    mistakes: int
    weights: Floats


@dataclass(frozen=True, repr=False)
class Trace:
    """The run, step by step. Nothing but the mistake log is stored; each step is computed when it is asked for.

    Iterating gives the updates, one for each entry of the log; `steps()` every visit. `t`, `row`, `unit` and
    `coefficient` are the log itself, as arrays.
    """

    log: records.MistakeLog
    run: records.RunSummary
    recording: Recording | None
    classes: NDArray[Any]

    @property
    def t(self) -> NDArray[np.uint64]:
        """Examples visited before each update."""
        return self.log.t

    @property
    def row(self) -> NDArray[np.uint64]:
        """The row of X that made each update, counted from 0."""
        return self.log.row

    @property
    def unit(self) -> NDArray[np.uint32]:
        """The unit that each update moved."""
        return self.log.unit

    @property
    def coefficient(self) -> Floats:
        """What each update multiplied its example by."""
        return self.log.coefficient

    @property
    def fit_intercept(self) -> bool:
        return self._recorded.settings.fit_intercept

    @property
    def n_units(self) -> int:
        return len(self._recorded.start[1])

    @property
    def n_features(self) -> int:
        return int(self._recorded.start[0].shape[1])

    def __len__(self) -> int:
        return len(self.log)

    def __repr__(self) -> str:
        run = self.run
        return f"Trace({len(self)} updates, {run.t} examples visited, {run.n_iter} epochs, {run.status})"

    @property
    def _recorded(self) -> Recording:
        if self.recording is None:
            raise DataError(
                "This trace holds the mistake log alone, because the model was streamed or loaded and its examples are "
                "not in memory: learn with fit in this session, or call trace(X, y)."
            )
        return self.recording

    # -- replay ------------------------------------------------------------------------------------------------------

    def replay(self, updates: int | None = None) -> Floats:
        """The weights after this many updates (by default all of them), bit for bit.

        The bias comes first; more than one unit gives one row per unit. A batch moves the weights when it ends.
        """
        k = len(self) if updates is None else updates
        if not 0 <= k <= len(self):
            raise ParameterError(f"The run made {len(self)} updates, so there is no replay of {k}.")
        replay = Replay(self._recorded, self.log)
        if updates is None:
            replay.go_to(self.run.t)
            return self._shape(self._weights(replay))
        if k == 0:
            return self._shape(self._weights(replay))
        last = int(self.t[k - 1])
        replay.go_to(last)
        weights, n_before = self._weights(replay), replay.updates
        replay.go_to(last + 1)
        if replay.updates == k:
            return self._shape(self._weights(replay))
        moved = self.unit[n_before:k]  # one example may move several units, and only some of them count here
        weights[moved] = self._weights(replay)[moved]
        return self._shape(weights)

    def after(self, times: Iterable[int]) -> Iterator[Floats]:
        """The weights after each of these numbers of visits, in ascending order: one row per unit.

        What a batch adds is added when it ends.
        """
        replay = Replay(self._recorded, self.log)
        for t in times:
            if not replay.t <= t <= self.run.t:
                raise ParameterError(
                    f"The run made {self.run.t} visits; the times must ascend from 0 to that. Got {t}."
                )
            replay.go_to(t)
            yield self._weights(replay)

    def epochs(self) -> Iterator[EpochEnd]:
        """The end of each finished epoch, with the weights it left."""
        replay = Replay(self._recorded, self.log)
        total = 0
        for mistakes in self.run.mistakes:
            epoch = replay.epoch
            replay.end_epoch()
            total += mistakes
            yield EpochEnd(epoch, replay.t, total, self._weights(replay))

    def dual(self, unit: int = 0) -> Floats:
        """alpha, one number per row, with w = start + the sum of alpha_i x_i: the dual form of this unit's weights."""
        recorded = self._recorded
        if recorded.settings.rate.per_feature:
            raise ParameterError(
                f"learning_rate={recorded.settings.learning_rate!r} has a rate for each feature, so its weights are "
                "not a sum of examples: use another rate."
            )
        if len(recorded.fits) > 1:
            raise DataError(
                "The run learned from several tables, so a row number means several examples: learn from one table."
            )
        of_unit = self.unit == unit
        rows = len(recorded.fits[0].block.labels)
        alpha: Floats = np.bincount(
            self.row[of_unit].astype(np.intp), self.coefficient[of_unit], minlength=rows
        ).astype(float)
        return alpha

    def examples(self, unit: int = 0) -> tuple[records.Values, NDArray[np.int8]]:
        """The values of the rows that the run went through last, and the target of each for this unit: +1, -1 or 0."""
        self._refuse_numbers()
        block = self._recorded.fits[-1].block
        return block.values, self._signs[block.labels, unit]

    def names(self, unit: int = 0) -> tuple[str, str]:
        """What the targets -1 and +1 of this unit stand for."""
        self._refuse_numbers()
        classes = [str(label) for label in self.classes]
        if self._scheme in ("ovr", "joint"):
            return "the rest", classes[unit]
        i, j = class_pairs(len(classes))[unit]
        return classes[i], classes[j]

    @property
    def predicts_number(self) -> bool:
        return self._recorded.settings.predicts_number

    def _refuse_numbers(self) -> None:
        if self.predicts_number:
            raise ParameterError(
                "This run predicts a number, so its examples are on no two sides: figures.plot_line draws the line, "
                "figures.plot_residuals by how much it misses."
            )

    # -- steps -------------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Step]:
        return self.updates(np.arange(len(self)))

    def updates(self, which: Sequence[int] | NDArray[np.intp]) -> Iterator[Step]:
        """The steps of these entries of the log, in order; visits between them are replayed at full speed."""
        chosen = np.unique(np.asarray(which, dtype=np.intp))
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < len(self):
            raise ParameterError(f"The run made {len(self)} updates, counted from 0. Got {chosen[[0, -1]].tolist()}.")
        replay = Replay(self._recorded, self.log)
        for t in np.unique(self.t[chosen]).tolist():
            replay.go_to(t)
            first = replay.updates
            visit = {step.unit: step for step in self._visit(replay, totals=False)}
            updates = chosen[np.searchsorted(chosen, first) : np.searchsorted(chosen, replay.updates)]
            yield from (visit[unit] for unit in self.unit[updates].tolist())

    def steps(
        self,
        *,
        mistakes_only: bool = False,
        totals: bool = False,
        epochs: tuple[int, int] | None = None,
        since: int = 0,
        limit: int | None = None,
    ) -> Iterator[Step]:
        """Every visit of an example by a unit, in order; `epochs=(first, last)`, counted from 1, chooses some of them.

        Visits before number `since` are replayed at full speed; at most `limit` steps are returned, if it is set. With
        `totals` each step also has the loss over all rows after it, for which every row is scored.
        """
        return islice(self._steps(mistakes_only, totals, epochs, since), limit)

    def _steps(self, mistakes_only: bool, totals: bool, epochs: tuple[int, int] | None, since: int) -> Iterator[Step]:
        replay = Replay(self._recorded, self.log)
        replay.go_to(min(since, self.run.t))
        first, last = (1, self.run.n_iter + 1) if epochs is None else epochs
        while replay.epoch < first and replay.t < self.run.t:
            replay.end_epoch()
        logged_only = self._recorded.settings.mistake_driven and mistakes_only  # only visits in the log can be mistakes
        for t in self._times(replay.t, logged_only):
            replay.go_to(t)
            _ = replay.row  # skips an epoch without any row
            if replay.epoch > last:
                return
            yield from (step for step in self._visit(replay, totals) if step.mistake or not mistakes_only)

    def _times(self, start: int, logged: bool) -> Iterator[int]:
        if not logged:
            return iter(range(start, self.run.t))
        times: list[int] = np.unique(self.t[self.t >= start]).tolist()
        return iter(times)

    def _visit(self, replay: Replay, totals: bool) -> Iterator[Step]:
        row, epoch, t, n_updates = replay.row, replay.epoch, replay.t, replay.updates
        targets, x = self._targets(replay, row), self._example(replay, row)
        score, before, mistakes = (
            replay.scores(np.array([row], dtype=np.uint32))[0],
            self._weights(replay),
            replay.mistakes,
        )
        replay.go_to(t + 1)
        after = self._weights(replay)
        is_mistake = [after > before for after, before in zip(replay.mistakes, mistakes, strict=True)]
        added = dict(
            zip(
                self.unit[n_updates : replay.updates].tolist(),
                self.coefficient[n_updates : replay.updates],
                strict=True,
            )
        )
        for unit, target in targets.items():
            yield Step(
                epoch,
                t,
                row,
                unit,
                target,
                x,
                float(score[unit]),
                is_mistake[0 if self._scheme == "joint" else unit],
                float(added.get(unit, 0.0)),
                before[unit],
                after[unit],
                *(self._totals(replay, unit) if totals else ()),
            )

    def _targets(self, replay: Replay, row: int) -> dict[int, float]:
        """The target of each unit that the example concerns."""
        block = replay.block
        if block.targets is not None:
            return dict.fromkeys(range(self.n_units), float(block.targets[row]))
        signs = self._signs[block.labels[row]]
        return {unit: int(signs[unit]) for unit in np.flatnonzero(signs).tolist()}

    def _totals(self, replay: Replay, unit: int) -> tuple[float, int | None]:
        if replay.block.targets is not None:
            return total_of_numbers(replay, unit), None
        return totals_of(replay, self._scheme, self._sides(replay, unit), unit)

    # -- files -------------------------------------------------------------------------------------------------------

    def rows(self, *, weights: bool | None = None, **which: Any) -> Iterator[dict[str, Any]]:
        """The steps as flat dicts, one value a column; takes what `steps` takes.

        Examples and weights are in columns x1, x2, ..., before_w0, ..., after_w0, ...; without `weights` they are
        left out, and so they are by default where there are more than 50 features.
        """
        return trace_files.flat(self, weights, self.steps(**which))

    def to_frame(self, *, weights: bool | None = None, **which: Any) -> Any:
        """The rows as a pandas DataFrame."""
        return trace_files.to_frame(self.rows(weights=weights, **which))

    def to_csv(self, path: Any, *, weights: bool | None = None, **which: Any) -> None:
        """Write the rows as CSV to a path or an open text file."""
        trace_files.to_csv(self, path, weights, self.steps(**which))

    def to_json(self, path: Any, *, weights: bool | None = None, **which: Any) -> None:
        """Write the run and its steps as JSON to a path or an open text file."""
        trace_files.to_json(self, path, weights, self.steps(**which))

    # -- layout ------------------------------------------------------------------------------------------------------

    @property
    def _scheme(self) -> str:
        return self._recorded.settings.scheme(len(self._recorded.class_weight))

    @property
    def _signs(self) -> NDArray[np.int8]:
        """The target of each class for each unit, +1 or -1; 0 for a pair without the class."""
        return unit_targets(self._scheme, len(self._recorded.class_weight))

    def _sides(self, replay: Replay, unit: int) -> NDArray[np.int8]:
        sides: NDArray[np.int8] = self._signs[replay.block.labels[replay.counted], unit]
        return sides

    def _weights(self, replay: Replay) -> Floats:
        coef, intercept = replay.weights
        return np.column_stack([intercept, coef]) if self.fit_intercept else coef

    def _example(self, replay: Replay, row: int) -> Floats:
        values = replay.block.values
        if isinstance(values, Csr):
            entries = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
            x = np.zeros(values.features)
            np.add.at(x, values.indices[entries], values.values[entries])
        else:
            x = values[row].astype(np.float64)
        return np.concatenate([[1.0], x]) if self.fit_intercept else x

    def _shape(self, weights: Floats) -> Floats:
        return weights[0] if self.n_units == 1 else weights
