"""One learner's way through examples. It can stop anywhere and continue to the same bits."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError, option
from rosenblatt.input_checks import all_weights_zero
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.multiclass_schemes import predicted_classes
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Floats, MistakeLog, RunSummary, Status

if TYPE_CHECKING:
    from rosenblatt.learn.replay.recording import Recording
    from rosenblatt.learn.votes import Votes

PARTS = ("weights", "drift", "scale", "pending", "pocket")
# Not part of the state: the recording refers to examples in memory, and the others are computed again.
_NOT_STATE = ("learner", "_scorer", "_final_weights", "_version", "turn", "recording")
_SEEDS = 2**64
_SPLIT = 0xD1B54A32D192ED03


class FinalWeights(NamedTuple):
    """The answer of a run: one hyperplane per unit; with keep='vote' all the hyperplanes of the run vote."""

    coef: Floats
    intercept: Floats
    scheme: str
    votes: Votes | None = None

    def scores(self, rows: native.Rows, order: NDArray[np.uint32] | None = None) -> Floats:
        """One score per row and unit; with votes, the votes for minus those against, between -1 and 1."""
        if self.votes is not None:
            return self.votes.scores(rows, order)
        return native.scores(rows, order, self.coef, self.intercept)


class Validation(NamedTuple):
    """Early stopping: held-out rows, and how many epochs in a row may pass without a better accuracy on them."""

    training: NDArray[np.uint32]
    held_out: NDArray[np.uint32]
    patience: int


class Run:
    """A learner, its random state, and its position in the epoch. All that affects the rest is in `state()`."""

    def __init__(
        self,
        settings: Settings,
        features: int,
        class_weight: Sequence[float] | Floats,
        seed: int,
        *,
        dense: bool = False,
        columns: native.Columns | None = None,
    ) -> None:
        self.settings = settings
        self.dense = dense  # the layout of the weights; the answer is the same
        self.weight_of_class = array("d", class_weight)
        if not any(self.weight_of_class):
            raise all_weights_zero("Class")
        self.learner = settings.learner(features, self.weight_of_class, dense=dense, columns=columns)
        self.chosen: list[Any] = []  # the options as the estimator got them
        self.random = seed % _SEEDS
        self.split_seed = (seed ^ _SPLIT) % _SEEDS  # for held-out rows: independent of the shuffling
        self.position = 0  # examples of the unfinished epoch that were visited
        self.rows_in_epoch = 0
        self.best_accuracy, self.epochs_waited = -1.0, 0  # early stopping: on the held-out rows
        self.before_epoch: list[int] = []  # mistakes each unit had made before the unfinished epoch
        self.t_before_epoch = 0
        self.batch_before_epoch = False  # partial_fit had left a batch unfinished
        self.status: Status = "open"
        self.mistakes: list[int] = []
        self.loss: list[float] = []
        self.log: list[tuple[NDArray[Any], ...]] = []
        self.votes: Votes | None = None
        self.recording: Recording | None = None  # the examples of a recorded run, while all are in memory
        self.turn = Lock()  # held by the thread that learns
        self._version = 0  # of the answers below: another thread may be computing them while the weights change
        self._scorer: tuple[int, native.Learner] | None = None  # a learner with the final weights
        self._final_weights: tuple[int, FinalWeights] | None = None
        if settings.keep == "vote":  # other runs need no copy of their zeros
            self._begin_voting()

    def _begin_voting(self) -> None:
        from rosenblatt.learn.votes import Votes

        self.votes = Votes(self.settings, self.class_weight, self.weights())

    @property
    def classes(self) -> int:
        return len(self.weight_of_class)

    @property
    def class_weight(self) -> Floats:
        return np.asarray(self.weight_of_class)

    def weights(self) -> tuple[Floats, Floats]:
        weights = self.part("weights")
        assert weights is not None
        return weights

    def part(self, name: str) -> tuple[Floats, Floats] | None:
        """One of PARTS: a row and a bias for each unit; None where this run has no such part."""
        part = self.learner.get(name)
        return None if part is None else (np.asarray(part[0]), np.asarray(part[1]))

    # -- initial weights --------------------------------------------------------------------------------------------

    def start_from(self, coef: Floats, intercept: Floats) -> None:
        """Begin from these weights instead of zeros."""
        self.learner.put("weights", np.ascontiguousarray(coef), np.ascontiguousarray(intercept))
        if self.settings.keep == "vote":
            self._begin_voting()

    def start_at_random(self) -> None:
        """Small uniform weights, drawn unit by unit, the bias last."""
        units, columns = self.learner.units, self.learner.features + bool(self.settings.fit_intercept)
        uniform, self.random = native.random_uniform(self.random, units * columns)
        weights = ((2 * uniform - 1) * 0.01).reshape(units, columns)
        bias = weights[:, -1] if self.settings.fit_intercept else np.zeros(units)
        self.start_from(weights[:, : self.learner.features], bias)

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        block: Block,
        max_iter: int,
        *,
        validation: Validation | None = None,
        threads: int = 1,
        on_epoch: Callable[[Run], None] | None = None,
    ) -> None:
        """Visit epochs until one has no mistake, the held-out rows stop the run, or max_iter are spent.

        An exception from a signal leaves a run that can be continued; after an overflow it cannot be used.
        """
        rows = native.rows_of(block.values, degree=self.settings.degree)
        if not self.counted(block).any():
            raise all_weights_zero("Sample")
        if self.status == "validated":
            self.epochs_waited = 0
        self._record_examples(block, validation.training if validation else None)
        self.status = "budget"
        for _ in range(max_iter):
            self._epoch(block, rows, validation.training if validation else None, threads)
            if on_epoch is not None:
                on_epoch(self)
            if self._is_separated(block, rows, validation):
                self.status = "separated"
                return
            if validation is not None and self._is_validated(block, rows, validation):
                self.status = "validated"
                return

    def _record_examples(self, block: Block, training: NDArray[np.uint32] | None) -> None:
        if self.settings.record and self.recording is None and self.learner.t == 0:
            from rosenblatt.learn.replay.recording import Recording

            self.recording = Recording(self.settings, self.class_weight, self.weights(), self.random, self.dense)
        if self.recording is not None:
            self.recording = self.recording.with_fit(self.learner.t, block, training)

    def _epoch(self, block: Block, rows: native.Rows, training: NDArray[np.uint32] | None, threads: int) -> None:
        count = rows.count if training is None else len(training)
        if self.position == 0 or self.rows_in_epoch != count:
            self.position, self.rows_in_epoch = 0, count
            self.before_epoch, self.t_before_epoch = self._unit_mistakes(), self.learner.t
            self.batch_before_epoch = self.learner.counters()["in_batch"] > 0
            self.learner.take_loss()
        order, random = self.epoch_order(count, training)
        at, raised = native.learn(
            [self.learner],
            rows,
            block.labels,
            block.weights,
            order,
            training,
            self.position,
            count,
            threads,
            targets=block.targets,
        )
        self.after_visits(block)
        if raised is not None:
            self.position, self.status = at % count, "interrupted"
            if at < count:
                raise raised
        self.position, self.random = 0, random
        self.learner.end_batch()
        mistakes = [after - before for after, before in zip(self._unit_mistakes(), self.before_epoch, strict=True)]
        if self.settings.keep == "pocket":
            native.pocket_clean(self.learner, rows, block.labels, block.weights, training, mistakes)
        self.mistakes.append(sum(mistakes))
        self.loss.append(self.learner.take_loss() / max(self.learner.t - self.t_before_epoch, 1))
        if raised is not None:
            raise raised

    # -- a pass over a file, block by block: an epoch in the given order ---------------------------------------------

    def begin_pass(self) -> None:
        self.before_epoch, self.t_before_epoch = self._unit_mistakes(), self.learner.t
        self.learner.take_loss()

    def visit(self, block: Block, rows: native.Rows, order: NDArray[np.uint32] | None, threads: int = 1) -> None:
        """Visit some rows of a block in order; new features begin as the others did.

        An exception from a signal is raised after the block.
        """
        self.learner.grow(rows.features)
        at, stop, raised = 0, rows.count if order is None else len(order), None
        while at < stop:
            at, new = native.learn(
                [self.learner], rows, *block.buffers, order, None, at, stop, threads, targets=block.target_buffer
            )
            raised = raised or new
        self.after_visits(block)
        if raised is not None:
            raise raised

    def end_pass(self) -> None:
        """End the epoch; one without a mistake ends the run."""
        self.mistakes.append(sum(self._unit_mistakes()) - sum(self.before_epoch))
        self.loss.append(self.learner.take_loss() / max(self.learner.t - self.t_before_epoch, 1))
        self.status = "separated" if self.settings.mistake_driven and not self.mistakes[-1] else "budget"
        self._forget_answers()

    def _forget_answers(self) -> None:
        self._version += 1
        self._scorer = self._final_weights = None

    def _unit_mistakes(self) -> list[int]:
        mistakes: list[int] = self.learner.counters()["mistakes"]
        return mistakes

    def epoch_order(self, count: int, training: NDArray[np.uint32] | None) -> tuple[NDArray[np.uint32] | None, int]:
        """The order of this epoch, and the random state after it; an unfinished epoch gets the same order again."""
        if self.settings.order == "given":
            return training, self.random
        order, random = native.random_order(self.random, count, self.settings.order == "sample")
        return (order if training is None else training[order]), random

    def _is_separated(self, block: Block, rows: native.Rows, validation: Validation | None) -> bool:
        if self.mistakes[-1] or not self.settings.mistake_driven:
            return False
        if self.settings.order != "sample" and not self.batch_before_epoch:
            return True
        # Drawing with replacement leaves rows out, and an older batch may have moved the weights in mid-epoch, so all
        # rows are scored again.
        training = validation.training if validation else None
        return native.mistakes(self.learner, rows, block.labels, block.weights, training) == 0

    def _is_validated(self, block: Block, rows: native.Rows, validation: Validation) -> bool:
        """Has the accuracy on the held-out rows not risen for `patience` epochs?"""
        accuracy = self._held_out_accuracy(
            block, self.final_weights.scores(rows, validation.held_out), validation.held_out
        )
        self.epochs_waited = 0 if accuracy > self.best_accuracy else self.epochs_waited + 1
        self.best_accuracy = max(self.best_accuracy, accuracy)
        return self.epochs_waited >= validation.patience

    def _held_out_accuracy(self, block: Block, scores: Floats, held_out: NDArray[np.uint32]) -> float:
        """The share of correct predictions. For numbers, which are never exactly right: near 1 where the loss is far
        below that of always predicting 0."""
        if block.targets is None:
            predicted = predicted_classes(self.final_weights.scheme, scores, self.classes)
            return float(np.mean(predicted == block.labels[held_out]))
        from rosenblatt.learn.number_losses import mean_loss

        targets, weights = block.targets[held_out], None if block.weights is None else block.weights[held_out]
        loss = mean_loss(self.settings, scores, targets, weights)
        base = mean_loss(self.settings, np.zeros_like(scores), targets, weights)
        return 1.0 if loss == 0 else base / (loss + base)

    def refuse_overflow(self) -> None:
        row = self.learner.overflow_row
        if row < 0:
            return
        where = f"at row {row} of X, in epoch {len(self.mistakes) + 1}"
        if self.settings.may_diverge:
            raise LearningOverflowError(
                f"The scores grew without bound, {where}: eta0={self.settings.eta0:g} overshoots on rows as long as "
                f"these. Lower eta0, scale the features, or use {option('learning_rate', 'invariant')}, which never "
                "overshoots."
            )
        raise LearningOverflowError(
            f"The weights overflowed {where}: lower eta0 (it is {self.settings.eta0:g}) or scale the features."
        )

    def after_visits(self, block: Block) -> None:
        """Keep the log of the updates, and forget cached answers, which are out of date."""
        self._forget_answers()
        self.refuse_overflow()
        if self.settings.record or self.votes is not None:
            log = self.learner.take_log()
            if self.settings.record:
                self.log.append(log)
            if self.votes is not None:
                self.votes.extend(block, log, self.learner.t)

    def counted(self, block: Block) -> NDArray[np.bool_]:
        """Which rows have a weight above 0; the others are not visited."""
        if block.weights is None and self.class_weight.all():
            return np.ones(len(block.labels), dtype=np.bool_)
        counted: NDArray[np.bool_] = self.class_weight[block.labels] > 0
        return counted if block.weights is None else counted & (block.weights > 0)

    # -- the answer -------------------------------------------------------------------------------------------------

    @property
    def final_weights(self) -> FinalWeights:
        """The answer of the run if it ended here."""
        version, cached = self._version, self._final_weights
        if cached is None or cached[0] != version:
            coef, intercept = (np.asarray(part) for part in self.learner.final_weights(self.settings.keep == "average"))
            scheme = self.settings.scheme(self.classes)
            coef.setflags(write=False)
            intercept.setflags(write=False)
            self._final_weights = cached = version, FinalWeights(coef, intercept, scheme, self.votes)
        return cached[1]

    def unit(self, k: int) -> tuple[memoryview | None, memoryview, float]:
        """One unit of the answer: the columns that have weights (None: all of them), the weights, and the bias."""
        return self.scorer().unit(k)

    def largest_of_unit(self, k: int, *, below: bool, most: int) -> list[tuple[int, float]]:
        """The columns of the unit's largest weights, or with `below` of its most negative ones, and their sizes."""
        return self.scorer().largest_of_unit(k, below, most)

    def scorer(self) -> native.Learner:
        """A learner with the final weights, laid out once to score many blocks.

        It is the run's own learner if that keeps its last weights, rows are sparse, and no batch is unfinished.
        """
        plain = self.settings.keep == "last" and not self.dense and not self.settings.forget
        if plain and not self.learner.counters()["in_batch"]:
            return self.learner
        version, cached = self._version, self._scorer
        if cached is None or cached[0] != version:
            self._scorer = cached = version, self.learner.scoring_copy(self.settings.keep == "average")
        return cached[1]

    @property
    def summary(self) -> RunSummary:
        trace = None
        if self.settings.record:
            columns = zip(*self.log, strict=True) if self.log else ([a] for a in self.learner.take_log())
            trace = MistakeLog(*(np.concatenate(list(column)) for column in columns))
        return RunSummary(
            self.status,
            len(self.mistakes),
            self.learner.mistakes,
            self.learner.t,
            tuple(self.mistakes),
            tuple(self.loss),
            trace,
        )

    # -- state ------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that decides the rest of the run, as numbers and arrays."""
        return self.counts() | {"parts": {name: self.part(name) for name in PARTS}}

    def counts(self) -> dict[str, Any]:
        """The state without its weights, which may be gigabytes."""
        values = {name: copy(value) for name, value in vars(self).items() if name not in _NOT_STATE}
        return values | {"features": self.learner.features, "counters": self.learner.counters()}

    def restore(self, state: Mapping[str, Any], columns: native.Columns | None = None) -> None:
        """With `columns`, the parts are the entries of learners that have weights for these columns alone."""
        values = dict(state)
        features, parts, counters = values.pop("features"), values.pop("parts"), values.pop("counters")
        vars(self).update(values)
        vars(self).pop("learner", None)  # there may not be memory for two
        self.turn, self._version = Lock(), 0
        self._scorer = self._final_weights = self.recording = None
        self.learner = self.settings.learner(features, self.weight_of_class, dense=self.dense, columns=columns)
        for name, part in parts.items():
            if part is not None and columns is None:
                self.learner.put(name, *part)
            elif part is not None and not self.learner.put_entries(name, *part):
                raise ValueError(f"the indices of {name} do not ascend, or lie outside it")
        self.learner.restore(counters)

    __getstate__ = state
    __setstate__ = restore

    def __copy__(self) -> Run:
        twin = object.__new__(Run)
        twin.restore(self.state())
        twin.recording = self.recording
        return twin
