"""Linear units that learn one example at a time: fit, partial_fit, and the attributes a run leaves behind."""

import warnings
from copy import copy
from typing import Any, ClassVar, Self

from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import native, options
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.common.base import changed_option_error, draft_of
from rosenblatt.estimators.common.early_stopping import hold_out
from rosenblatt.estimators.common.partial_fit_available import only_if_streamable
from rosenblatt.estimators.common.run_attributes import LinearRunEstimator
from rosenblatt.input_checks import thread_count
from rosenblatt.learn.initial_weights import begin_run
from rosenblatt.learn.polynomial import checked_count
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.learn.run import Run, Validation
from rosenblatt.learn.run_state import ADDED_LATER, WRITTEN_WHERE_SET
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.model.model import check_finite
from rosenblatt.records import Block, Csr, Floats, Values

# They may not change during a run; older files end before those that were added later.
_FIRST_OPTIONS = [name for name in Settings._fields if name not in WRITTEN_WHERE_SET]
_RUN_OPTIONS = (*_FIRST_OPTIONS, "class_weight", *ADDED_LATER)


class OnlineEstimator(LinearRunEstimator):
    """A linear unit for each class or pair of classes; subclasses name the loss and the options."""

    _loss: ClassVar[str]

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Visit the examples until an epoch is clean, early stopping fires, or max_iter epochs are spent."""
        with draft_of(self) as draft:
            settings = draft._settings()
            continues = draft.warm_start and "_run" in draft.__dict__
            values = check_input.check_values(draft, X, reset=not continues)
            labels = check_input.check_labels(y, values.shape[0])
            weights = check_input.check_weights(sample_weight, values.shape[0])
            run, block = draft._begin(settings, values, labels, weights)
            held_out = draft._held_out(run, block)
            try:
                run.fit(block, draft.max_iter, validation=held_out, threads=thread_count(draft.n_jobs))
            finally:
                draft._run = run
        if held_out is not None and run.status == "budget":
            warnings.warn(
                f"{type(self).__name__} spent max_iter={self.max_iter} epochs before early stopping was satisfied: "
                "raise max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _begin(
        self, settings: Settings, values: Values, labels: NDArray[Any], weights: Floats | None
    ) -> tuple[Run, Block]:
        """The run to fit, a new one or with warm_start a copy of the last, and its examples."""
        if self.warm_start and "_run" in self.__dict__:
            self._check_options_unchanged()
            return copy(self._run), Block(values, check_input.encode_as(self.classes_, labels), weights)
        self.classes_, index = check_input.encode(labels)
        check_input.check_two_classes(self.classes_)
        block = Block(values, index, weights)
        class_weight = check_input.class_weights(self.class_weight, self.classes_, block.labels)
        return self._new_run(settings, values, class_weight), block

    @only_if_streamable
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit the examples once, in the order given. The first call must name all the classes."""
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

    def _check_options_unchanged(self) -> None:
        started_with, current = self._run.chosen, self._run_options()
        if current == started_with:
            return
        changes = zip(_RUN_OPTIONS, started_with, current, strict=True)
        raise changed_option_error(*next(change for change in changes if change[1] != change[2]))

    def _check_streaming_options(self) -> None:
        if self.early_stopping:
            raise ParameterError("early_stopping needs all the examples at once: use fit, or hold some out yourself.")
        super()._check_streaming_options()

    def _first_run(self, classes: Any, values: Values) -> tuple[Run, NDArray[Any]]:
        known, settings = check_input.check_class_list(classes), self._settings()
        check_input.check_two_classes(known, "classes")
        return self._new_run(settings, values, check_input.class_weights(self.class_weight, known, None)), known

    def _run_options(self) -> list[Any]:
        """The current options of the run; comparing them is cheaper than checking them."""
        attributes = self.__dict__
        return [attributes.get(name) for name in _RUN_OPTIONS]

    def _settings(self) -> Settings:
        name = type(self).__name__
        values = {option: getattr(self, option) for option in self._options}
        options.check(name, values, self._options)
        options.check_together(name, {**values, "loss": self._loss})
        settings = {field: values[field] for field in Settings._fields if field in values}
        return Settings(loss=self._loss, **settings)

    def _new_run(self, settings: Settings, values: Values, class_weight: Floats) -> Run:
        seed, features = check_input.seed_from(self.random_state), checked_count(values.shape[1], self.degree)
        run = begin_run(settings, features, class_weight, seed, init=self.init, dense=not isinstance(values, Csr))
        run.chosen = self._run_options()
        return run

    def _held_out(self, run: Run, block: Block) -> Validation | None:
        if not self.early_stopping:
            return None
        return hold_out(
            run.counted(block), block.labels, run.split_seed, self.validation_fraction, self.n_iter_no_change
        )

    # -- predicting -------------------------------------------------------------------------------------------------

    def _unit_scores(self, X: Any) -> Floats:
        run = self._fitted_run()
        rows = native.rows_of(check_input.check_values(self, X, reset=False), degree=self.degree)
        return check_finite(run.final_weights.scores(rows))

    # -- what a run leaves behind -----------------------------------------------------------------------------------

    @property
    def trace_(self) -> Trace:
        """The run step by step, if record=True: the mistake log, and its replay."""
        log, run = self._mistake_log(), self._fitted_run()
        return Trace(log, run.summary, run.recording, self.classes_)
