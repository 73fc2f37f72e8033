"""Linear units that decide between classes, one example at a time: fit, partial_fit."""

from copy import copy
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.common.base import draft_of
from rosenblatt.estimators.common.early_stopping import hold_out
from rosenblatt.estimators.common.online_learner import OnlineLearner
from rosenblatt.estimators.common.partial_fit_available import only_if_streamable
from rosenblatt.estimators.common.run_attributes import LinearRunEstimator
from rosenblatt.input_checks import thread_count
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.learn.run import Run, Validation
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.learn.state.run_state import ADDED_LATER, WRITTEN_WHERE_SET
from rosenblatt.records import Block, Floats, Values

# Older files end before those that were added later.
_FIRST_OPTIONS = [name for name in Settings._fields if name not in WRITTEN_WHERE_SET]


class OnlineEstimator(OnlineLearner, LinearRunEstimator):
    """A linear unit for each class or pair of classes; subclasses name the loss and the options."""

    _loss: ClassVar[str]
    _run_option_names = (*_FIRST_OPTIONS, "class_weight", *ADDED_LATER)

    # -- learning ---------------------------------------------------------------------------------------------------

    def _check_y(self, y: Any, n_rows: int) -> NDArray[Any]:
        return check_input.check_labels(y, n_rows)

    def _begin(self, settings: Settings, values: Values, y: NDArray[Any], weights: Floats | None) -> tuple[Run, Block]:
        if self.warm_start and "_run" in self.__dict__:
            self._check_options_unchanged()
            return copy(self._run), Block(values, check_input.encode_as(self.classes_, y), weights)
        self.classes_, index = check_input.encode(y)
        check_input.check_two_classes(self.classes_)
        block = Block(values, index, weights)
        class_weight = check_input.class_weights(self.class_weight, self.classes_, block.labels)
        return self._new_run(settings, values, class_weight), block

    @only_if_streamable
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit the examples once, in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The label of each row.
        classes : array-like, optional
            All the labels there will be; the first call must name them.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        self
            This estimator, which has learned.
        """
        self._check_streaming_options()
        if "_run" in self.__dict__:
            self._visit(X, y, classes, sample_weight)
            return self
        with draft_of(self) as draft:
            values = check_input.check_values(draft, X, reset=True)
            draft._run, draft.classes_ = draft._first_run(classes, values)
            draft._visit(X, y, None, sample_weight)
        return self

    def _visit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        self._check_same_classes(classes)
        values = check_input.check_values(self, X, reset=False)
        labels = check_input.check_labels(y, values.shape[0])
        weights = check_input.check_weights(sample_weight, values.shape[0])
        self._check_options_unchanged()
        block = Block(values, check_input.encode_as(self.classes_, labels), weights)
        share_pass([self._run], block, thread_count(self.n_jobs))

    def _check_streaming_options(self) -> None:
        OnlineLearner._check_streaming_options(self)
        LinearRunEstimator._check_streaming_options(self)

    def _first_run(self, classes: Any, values: Values) -> tuple[Run, NDArray[Any]]:
        known, settings = check_input.check_class_list(classes), self._settings()
        check_input.check_two_classes(known, "classes")
        return self._new_run(settings, values, check_input.class_weights(self.class_weight, known, None)), known

    def _settings(self) -> Settings:
        name = type(self).__name__
        values = {option: getattr(self, option) for option in self._options}
        options.check(name, values, self._options)
        options.check_together(name, {**values, "loss": self._loss})
        settings = {field: values[field] for field in Settings._fields if field in values}
        return Settings(loss=self._loss, **settings)

    def _held_out(self, run: Run, block: Block) -> Validation | None:
        if not self.early_stopping:
            return None
        return hold_out(
            run.counted(block), block.labels, run.split_seed, self.validation_fraction, self.n_iter_no_change
        )

    # -- learned attributes -----------------------------------------------------------------------------------------

    @property
    def trace_(self) -> Trace:
        """The run step by step, if record=True: the mistake log, and its replay."""
        log, run = self._mistake_log(), self._fitted_run()
        return Trace(log, run.summary, run.recording, self.classes_)
