"""A run that can stop anywhere and go on to the same bits: the learner, its random state, where in the epoch it is."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt import native
from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.lazy import np
from rosenblatt.learn.schemes import predicted_classes
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Floats, MistakeLog, RunSummary, Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rosenblatt.learn.replay.recording import Recording
    from rosenblatt.learn.votes import Votes

PARTS = ("weights", "drift", "scale", "pending", "pocket")
# What a saved run does not carry: the history refers to examples.
_NOT_STATE = ("learner", "_scorer", "_final_weights", "recording")
_WORD = 2**64
_OTHER = 0xD1B54A32D192ED03


@dataclass(frozen=True)
class FinalWeights:
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


@dataclass(frozen=True)
class Validation:
    """Early stopping: held-out rows, and how many epochs in a row may pass without a better accuracy on them."""

    training: NDArray[np.uint32]
    held_out: NDArray[np.uint32]
    patience: int


class Run:
    """The state of one learner between visits. Everything that decides its next bit is in `state()`."""

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
        self.dense = dense  # what the weights are laid out for; the answer is the same
        self.weight_of_class = array("d", class_weight)
        if not any(self.weight_of_class):
            raise DataError("Class weights must not all be zero: there would be nothing to learn from.")
        self.learner = settings.learner(features, self.weight_of_class, dense=dense, columns=columns)
        self.chosen: list[Any] = []  # the options as its owner spelled them
        self.random = seed % _WORD
        self.split_seed = (seed ^ _OTHER) % _WORD  # for held-out rows; not the stream that shuffles the first epoch
        self.position = 0  # examples of the unfinished epoch that are done
        self.rows_in_epoch = 0
        self.best_accuracy, self.epochs_waited = -1.0, 0  # early stopping: on the held-out rows so far
        self.before_epoch: list[int] = []  # mistakes each unit had made before the unfinished epoch
        self.t_before_epoch = 0
        self.batch_before_epoch = False  # a batch begun by partial_fit was still unfinished
        self.status: Status = "open"
        self.mistakes: list[int] = []
        self.loss: list[float] = []
        self.log: list[tuple[NDArray[Any], ...]] = []
        self.votes: Votes | None = None
        self.recording: Recording | None = None  # what a recorded run was shown, while all of it is at hand
        self._scorer: native.Learner | None = None  # its weights are the answer
        self._final_weights: FinalWeights | None = None
        if settings.keep == "vote":  # else the weights are zeros already; of millions no copy is made
            self._begin_voting()

    def _begin_voting(self) -> None:
        from rosenblatt.learn.votes import Votes

        self.votes = Votes(self.settings, self.class_weight, self._weights())

    @property
    def classes(self) -> int:
        return len(self.weight_of_class)

    @property
    def class_weight(self) -> Floats:
        return np.asarray(self.weight_of_class)

    def _weights(self) -> tuple[Floats, Floats]:
        weights = self.part("weights")
        assert weights is not None
        return weights

    def part(self, name: str) -> tuple[Floats, Floats] | None:
        """Weights or what goes with them, a row and a bias for each unit; None where this run has no such part."""
        found = self.learner.get(name)
        return None if found is None else (np.asarray(found[0]), np.asarray(found[1]))

    # -- where it starts --------------------------------------------------------------------------------------------

    def start_from(self, coef: Floats, intercept: Floats) -> None:
        """Begin from these weights instead of zeros."""
        self.learner.put("weights", np.ascontiguousarray(coef), np.ascontiguousarray(intercept))
        if self.settings.keep == "vote":
            self._begin_voting()

    def start_at_random(self) -> None:
        """Small uniform weights, drawn unit by unit, the bias last."""
        units, columns = self.learner.units, self.learner.features + bool(self.settings.fit_intercept)
        uniform, self.random = native.uniform(self.random, units * columns)
        drawn = ((2 * uniform - 1) * 0.01).reshape(units, columns)
        bias = drawn[:, -1] if self.settings.fit_intercept else np.zeros(units)
        self.start_from(drawn[:, : self.learner.features], bias)

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
        """Visit epochs until one is clean, the held-out rows stop it, or max_iter are spent.

        An exception from a signal leaves a run that can be continued; an overflow must be thrown away.
        """
        rows = native.rows_of(block.values, degree=self.settings.degree)
        if not self.counted(block).any():
            raise DataError("Sample weights must not all be zero: there would be nothing to learn from.")
        if self.status == "validated":
            self.epochs_waited = 0
        self._remember(block, validation.training if validation else None)
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

    def _remember(self, block: Block, training: NDArray[np.uint32] | None) -> None:
        if self.settings.record and self.recording is None and self.learner.t == 0:
            from rosenblatt.learn.replay.recording import Recording

            self.recording = Recording(self.settings, self.class_weight, self._weights(), self.random, self.dense)
        if self.recording is not None:
            self.recording = self.recording.then(self.learner.t, block, training)

    def _epoch(self, block: Block, rows: native.Rows, training: NDArray[np.uint32] | None, threads: int) -> None:
        count = rows.count if training is None else len(training)
        if self.position == 0 or self.rows_in_epoch != count:
            self.position, self.rows_in_epoch = 0, count
            self.before_epoch, self.t_before_epoch = self._unit_mistakes(), self.learner.t
            self.batch_before_epoch = self.learner.counters()["in_batch"] > 0
            self.learner.take_loss()
        order, random = self._order(count, training)
        at, raised = native.learn(
            [self.learner], rows, block.labels, block.weights, order, training, self.position, count, threads
        )
        self._after_pass(block)
        if raised is not None:
            self.position, self.status = at % count, "interrupted"
            if at < count:
                raise raised
        self.position, self.random = 0, random
        self.learner.end_batch()
        mistakes = [now - before for now, before in zip(self._unit_mistakes(), self.before_epoch, strict=True)]
        if self.settings.keep == "pocket":
            native.judge_clean(self.learner, rows, block.labels, block.weights, training, mistakes)
        self.mistakes.append(sum(mistakes))
        self.loss.append(self.learner.take_loss() / max(self.learner.t - self.t_before_epoch, 1))
        if raised is not None:
            raise raised

    # -- a pass over a stream, chunk by chunk: an epoch in the given order ---------------------------------------------

    def begin_pass(self) -> None:
        self.before_epoch, self.t_before_epoch = self._unit_mistakes(), self.learner.t
        self.learner.take_loss()

    def visit(self, block: Block, rows: native.Rows, order: NDArray[np.uint32] | None) -> None:
        """Visit some rows of a chunk in turn; features that are new begin like the others did.

        An exception from a signal waits until the chunk is done.
        """
        self.learner.grow(rows.features)
        at, stop, raised = 0, rows.count if order is None else len(order), None
        while at < stop:
            at, new = native.learn([self.learner], rows, *block.buffers, order, None, at, stop, 1)
            raised = raised or new
        self._after_pass(block)
        if raised is not None:
            raise raised

    def end_pass(self) -> None:
        """The pass is an epoch like any other; without a mistake it ends the run."""
        self.mistakes.append(sum(self._unit_mistakes()) - sum(self.before_epoch))
        self.loss.append(self.learner.take_loss() / max(self.learner.t - self.t_before_epoch, 1))
        self.status = "separated" if self.settings.mistake_driven and not self.mistakes[-1] else "budget"
        self._scorer = self._final_weights = None

    def _unit_mistakes(self) -> list[int]:
        made: list[int] = self.learner.counters()["mistakes"]
        return made

    def _order(self, count: int, training: NDArray[np.uint32] | None) -> tuple[NDArray[np.uint32] | None, int]:
        """The order of this epoch, and the random state after it; an unfinished epoch gets the same order again."""
        if self.settings.order == "given":
            return training, self.random
        order, random = native.order(self.random, count, self.settings.order == "sample")
        return (order if training is None else training[order]), random

    def _is_separated(self, block: Block, rows: native.Rows, validation: Validation | None) -> bool:
        if self.mistakes[-1] or not self.settings.mistake_driven:
            return False
        if self.settings.order != "sample" and not self.batch_before_epoch:
            return True
        # Drawing with replacement leaves rows out, and an older batch may have moved the weights in mid-epoch: only a
        # look at all the rows can tell.
        training = validation.training if validation else None
        return native.mistakes(self.learner, rows, block.labels, block.weights, training) == 0

    def _is_validated(self, block: Block, rows: native.Rows, validation: Validation) -> bool:
        """Has the accuracy on the held-out rows not risen for long enough?"""
        scores = self.final_weights.scores(rows, validation.held_out)
        predicted = predicted_classes(self.final_weights.scheme, scores, self.classes)
        accuracy = float(np.mean(predicted == block.labels[validation.held_out]))
        self.epochs_waited = 0 if accuracy > self.best_accuracy else self.epochs_waited + 1
        self.best_accuracy = max(self.best_accuracy, accuracy)
        return self.epochs_waited >= validation.patience

    def _refuse_overflow(self) -> None:
        if self.learner.overflow_row >= 0:
            raise LearningOverflowError(
                f"The weights overflowed at row {self.learner.overflow_row} of X, in epoch {len(self.mistakes) + 1}: "
                f"lower eta0 (it is {self.settings.eta0:g}) or scale the features."
            )

    def _after_pass(self, block: Block) -> None:
        self._scorer = self._final_weights = None
        self._refuse_overflow()
        if self.settings.record or self.votes is not None:
            log = self.learner.take_log()
            if self.settings.record:
                self.log.append(log)
            if self.votes is not None:
                self.votes.extend(block, log, self.learner.t)

    def counted(self, block: Block) -> NDArray[np.bool_]:
        """Which rows count: a row without weight is as if it were not there."""
        if block.weights is None and self.class_weight.all():
            return np.ones(len(block.labels), dtype=np.bool_)
        weighed: NDArray[np.bool_] = self.class_weight[block.labels] > 0
        return weighed if block.weights is None else weighed & (block.weights > 0)

    # -- what it has learned ----------------------------------------------------------------------------------------

    @property
    def final_weights(self) -> FinalWeights:
        """What the run would answer if it ended here."""
        if self._final_weights is None:
            coef, intercept = (np.asarray(part) for part in self.learner.answer(self.settings.keep == "average"))
            scheme = self.settings.scheme(self.classes)
            coef.setflags(write=False)
            intercept.setflags(write=False)
            self._final_weights = FinalWeights(coef, intercept, scheme, self.votes)
        return self._final_weights

    def unit(self, k: int) -> tuple[memoryview | None, memoryview, float]:
        """One unit of the answer: the columns it has weights for (None: all of them), these, and its bias."""
        return self.scorer().unit(k)

    def scorer(self) -> native.Learner:
        """A learner whose weights are the answer, laid out once to score many blocks of rows; the run's own where it
        keeps its last weights, rows are sparse, and no batch waits to be finished."""
        if self.settings.keep == "last" and not self.dense and not self.learner.counters()["in_batch"]:
            return self.learner
        if self._scorer is None:
            self._scorer = self.learner.answering(self.settings.keep == "average")
        return self._scorer

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

    # -- the whole state --------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that decides the rest of the run, as plain numbers and arrays."""
        return self.counts() | {"parts": {name: self.part(name) for name in PARTS}}

    def counts(self) -> dict[str, Any]:
        """The state but for its weights, which may be gigabytes."""
        own = {name: copy(value) for name, value in vars(self).items() if name not in _NOT_STATE}
        return own | {"features": self.learner.features, "counters": self.learner.counters()}

    def restore(self, state: Mapping[str, Any]) -> None:
        own = dict(state)
        features, parts, counters = own.pop("features"), own.pop("parts"), own.pop("counters")
        vars(self).update(own)
        vars(self).pop("learner", None)  # two at a time may be more than there is memory
        self._scorer = self._final_weights = self.recording = None
        self.learner = self.settings.learner(features, self.weight_of_class, dense=self.dense)
        for name, part in parts.items():
            if part is not None:
                self.learner.put(name, *part)
        self.learner.restore(counters)

    __getstate__ = state
    __setstate__ = restore

    def __copy__(self) -> Run:
        twin = object.__new__(Run)
        twin.restore(self.state())
        twin.recording = self.recording
        return twin


def share_pass(runs: Sequence[Run], block: Block, threads: int = 1) -> None:
    """Each run visits the rows once, in the given order; all of them share one pass over the memory.

    Nothing is changed in any run if the weights of one overflow.
    """
    rows = native.rows_of(block.values, degree=max(run.settings.degree for run in runs))
    heaviest = 1.0 if block.weights is None else float(block.weights.max(initial=0.0))
    learners = [run.learner for run in runs]
    at_risk = any(
        run.learner.may_overflow(rows.count, rows.largest, heaviest * float(run.class_weight.max())) for run in runs
    )
    backups = [learner.copy() for learner in learners] if at_risk else learners
    raised: BaseException | None = None
    try:
        _, raised = native.learn(learners, rows, block.labels, block.weights, None, None, 0, rows.count, threads)
    finally:  # also when a signal strikes just after the pass
        _account_for(runs, backups, block)
    if raised is not None:
        raise raised


def _account_for(runs: Sequence[Run], backups: Sequence[native.Learner], block: Block) -> None:
    try:
        for run in runs:
            if run.settings.batch == "full":
                run.learner.end_batch()
            run._refuse_overflow()
    except LearningOverflowError:
        for run, backup in zip(runs, backups, strict=True):
            run.learner = backup
        raise
    for run in runs:
        run.recording = None  # a stream may never end: its examples are not kept
        run._after_pass(block)
