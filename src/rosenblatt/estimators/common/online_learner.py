"""What Perceptron and its relatives share with LinearUnit: a run that is fitted, goes on, and is asked for scores."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import native
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.common.base import DescribedEstimator, changed_option_error, draft_of
from rosenblatt.estimators.common.run_attributes import FromLinearRun
from rosenblatt.input_checks import thread_count
from rosenblatt.learn.polynomial import checked_count
from rosenblatt.learn.run import Run, Validation
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.state.initial_weights import begin_run
from rosenblatt.model.model import check_finite
from rosenblatt.records import Block, Csr, Floats, Values


class OnlineLearner(FromLinearRun, DescribedEstimator):
    """Subclasses say what y is, and which of the options make the settings of the run."""

    _run_option_names: ClassVar[Sequence[str]]  # they may not change during a run
    n_jobs: int | None = 1

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Visit the examples until an epoch is clean, early stopping fires, or max_iter epochs are spent.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The label of each row; for `LinearUnit` the number.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        self
            This estimator, which has learned.
        """
        with draft_of(self) as draft:
            settings = draft._settings()
            continues = draft.warm_start and "_run" in draft.__dict__
            values = check_input.check_values(draft, X, reset=not continues)
            checked_y = draft._check_y(y, values.shape[0])
            weights = check_input.check_weights(sample_weight, values.shape[0])
            run, block = draft._begin(settings, values, checked_y, weights)
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

    def _settings(self) -> Settings:
        raise NotImplementedError

    def _check_y(self, y: Any, n_rows: int) -> NDArray[Any]:
        """The labels or targets in y, one for each row."""
        raise NotImplementedError

    def _begin(self, settings: Settings, values: Values, y: NDArray[Any], weights: Floats | None) -> tuple[Run, Block]:
        """The run to fit, a new one or with warm_start a copy of the last, and its examples."""
        raise NotImplementedError

    def _held_out(self, run: Run, block: Block) -> Validation | None:
        raise NotImplementedError

    def _check_options_unchanged(self) -> None:
        started_with, current = self._run.chosen, self._run_options()
        if current == started_with:
            return
        changes = zip(self._run_option_names, started_with, current, strict=True)
        raise changed_option_error(*next(change for change in changes if change[1] != change[2]))

    def _check_streaming_options(self) -> None:
        if self.early_stopping:
            raise ParameterError("early_stopping needs all the examples at once: use fit, or hold some out yourself.")

    def _run_options(self) -> list[Any]:
        """The current options of the run; comparing them is cheaper than checking them."""
        attributes = self.__dict__
        return [attributes.get(name) for name in self._run_option_names]

    def _new_run(self, settings: Settings, values: Values, class_weight: Floats) -> Run:
        seed, features = check_input.seed_from(self.random_state), checked_count(values.shape[1], self.degree)
        run = begin_run(settings, features, class_weight, seed, init=self.init, dense=not isinstance(values, Csr))
        run.chosen = self._run_options()
        return run

    # -- predicting -------------------------------------------------------------------------------------------------

    def _unit_scores(self, X: Any) -> Floats:
        run = self._fitted_run()
        rows = native.rows_of(check_input.check_values(self, X, reset=False), degree=self.degree)
        return check_finite(run.final_weights.scores(rows))
