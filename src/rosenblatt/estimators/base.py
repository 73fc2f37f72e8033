"""What the estimators share: fit, partial_fit, scores, predictions, and the attributes a run leaves behind."""

import inspect
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from rosenblatt import native, options
from rosenblatt.checks import thread_count
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import validation
from rosenblatt.estimators.available_methods import streamed
from rosenblatt.learn.initial_weights import begin_run
from rosenblatt.learn.polynomial import checked_count
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.learn.run import Run, Validation, share_pass
from rosenblatt.learn.schemes import class_scores, predicted_classes
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Csr, Floats, Values

_KEPT = (*Settings.__dataclass_fields__, "class_weight")  # what a run keeps to its end


class Unit(ClassifierMixin, BaseEstimator):
    """A linear unit for each class or pair of classes; subclasses say which loss it lowers, with which options."""

    _loss: ClassVar[str]
    _options: ClassVar[Mapping[str, options.Option[Any]]]
    classes_: NDArray[Any]

    def __init_subclass__(cls, **arguments: Any) -> None:
        """The docstring gains its parameters and attributes from where they are written, once."""
        super().__init_subclass__(**arguments)
        cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\n{_sections(cls)}"

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Visit the examples until an epoch is clean, early stopping fires, or max_iter epochs are spent."""
        with _unchanged_by_failure(self):
            settings = self._settings()
            goes_on = self.warm_start and "_run" in self.__dict__
            values = validation.check_values(self, X, reset=not goes_on)
            labels = validation.check_labels(y, values.shape[0])
            weights = validation.check_weights(sample_weight, values.shape[0])
            run, block = self._begin(settings, values, labels, weights)
            held_out = self._held_out(run, block)
            try:
                run.fit(block, self.max_iter, validation=held_out, threads=thread_count(self.n_jobs))
            finally:
                self._run = run
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
        """A new run, or with warm_start a copy of the last one, to go on with."""
        if self.warm_start and "_run" in self.__dict__:
            self._refuse_changes()
            return copy(self._run), Block(values, validation.encode(self.classes_, labels), weights)
        self.classes_, index = validation.coded(labels)
        validation.check_classes(self.classes_)
        block = Block(values, index, weights)
        class_weight = validation.class_weights(self.class_weight, self.classes_, block.labels)
        return self._new_run(settings, values, class_weight), block

    @streamed
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit the examples once, in the order given. The first call must name all the classes."""
        self._refuse_streaming()
        if "_run" in self.__dict__:
            self._visit(X, y, classes, sample_weight)
            return self
        with _unchanged_by_failure(self):
            values = validation.check_values(self, X, reset=True)
            self._run, self.classes_ = self._first_run(classes, values)
            self._visit(X, y, None, sample_weight)
        return self

    def _visit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        if classes is not None and not np.array_equal(validation.given_classes(classes), self.classes_):
            raise DataError(f"classes are not those of the first call, {self.classes_.tolist()}.")
        values = validation.check_values(self, X, reset=False)
        labels = validation.check_labels(y, values.shape[0])
        weights = validation.check_weights(sample_weight, values.shape[0])
        self._refuse_changes()
        block = Block(values, validation.encode(self.classes_, labels), weights)
        share_pass([self._run], block, thread_count(self.n_jobs))

    def _refuse_changes(self) -> None:
        """A run keeps its options: half of it by one rule and half by another could not be repeated."""
        begun, now = self._run.chosen, self._options_now()
        if now == begun:
            return
        name, old, new = next(change for change in zip(_KEPT, begun, now, strict=True) if change[1] != change[2])
        raise ParameterError(
            f"The run began with {name}={old!r} and cannot go on with {new!r}: "
            "set it back, or start anew with fit and warm_start=False."
        )

    def _refuse_streaming(self) -> None:
        """Some options need all the examples at once."""
        if self.early_stopping:
            raise ParameterError("early_stopping needs all the examples at once: use fit, or hold some out yourself.")
        if isinstance(self.class_weight, str):
            raise ParameterError(
                "class_weight='balanced' needs all the labels at once, which partial_fit does not have: "
                "pass a dict of weights instead."
            )

    def _first_run(self, classes: Any, values: Values) -> tuple[Run, NDArray[Any]]:
        known, settings = validation.given_classes(classes), self._settings()
        validation.check_classes(known, "classes")
        return self._new_run(settings, values, validation.class_weights(self.class_weight, known, None)), known

    def _options_now(self) -> list[Any]:
        """The options that a run keeps, as they are set; comparing them is cheaper than checking them."""
        own = self.__dict__
        return [own.get(name) for name in _KEPT]

    def _settings(self) -> Settings:
        owner = type(self).__name__
        chosen = {name: getattr(self, name) for name in self._options}
        options.check(owner, chosen, self._options)
        options.check_together(owner, {**chosen, "loss": self._loss})
        used = {name: chosen[name] for name in Settings.__dataclass_fields__ if name in chosen}
        return Settings(loss=self._loss, **used)

    def _new_run(self, settings: Settings, values: Values, class_weight: Floats) -> Run:
        seed, features = validation.seed_of(self.random_state), checked_count(values.shape[1], self.degree)
        run = begin_run(settings, features, class_weight, seed, init=self.init, dense=not isinstance(values, Csr))
        run.chosen = self._options_now()
        return run

    def _held_out(self, run: Run, block: Block) -> Validation | None:
        if not self.early_stopping:
            return None
        return validation.split(
            run.counted(block), block.labels, run.split_seed, self.validation_fraction, self.n_iter_no_change
        )

    # -- deciding ---------------------------------------------------------------------------------------------------

    def _scores(self, X: Any) -> Floats:
        run = self._running()
        rows = native.rows_of(validation.check_values(self, X, reset=False), degree=self.degree)
        found = run.final_weights.scores(rows)
        finite = np.isfinite(found).all(axis=1)
        if not finite.all():
            raise DataError(f"The score of row {int(np.argmin(finite))} of X overflows: scale its values down.")
        return found

    def decision_function(self, X: Any) -> Floats:
        """Signed scores: one per row for two classes, one per row and class for more."""
        unit_scores = self._scores(X)
        scheme = self._run.final_weights.scheme
        if scheme == "binary":
            return unit_scores[:, 0]
        return np.asarray(class_scores(scheme, unit_scores, len(self.classes_)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the positive one where the score is above 0, or the one with the highest score."""
        unit_scores = self._scores(X)
        predicted = predicted_classes(self._run.final_weights.scheme, unit_scores, len(self.classes_))
        labels: NDArray[Any] = self.classes_[predicted]
        return labels

    # -- what a run leaves behind -----------------------------------------------------------------------------------

    def _running(self) -> Run:
        if "_run" not in self.__dict__:
            name = type(self).__name__
            raise NotFittedError(f"This {name} has not learned anything yet: call fit or partial_fit first.")
        run: Run = self._run
        return run

    def __sklearn_is_fitted__(self) -> bool:
        return "_run" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def coef_(self) -> Floats:
        """The weights, one row per unit; with keep='vote' those at the end of the run."""
        return self._running().final_weights.coef

    @property
    def intercept_(self) -> Floats:
        """The bias of each unit."""
        return self._running().final_weights.intercept

    @property
    def n_iter_(self) -> int:
        """Epochs visited, the clean one included."""
        return len(self._running().mistakes)

    @property
    def t_(self) -> int:
        """Examples visited."""
        return self._running().learner.t

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made, by all units."""
        return self._running().learner.mistakes

    @property
    def mistakes_(self) -> list[int]:
        """Mistakes made in each epoch."""
        return list(self._running().mistakes)

    @property
    def loss_(self) -> list[float]:
        """Mean loss of each epoch, every example at the weights it met."""
        return list(self._running().loss)

    @property
    def status_(self) -> str:
        """How the run ended: separated, validated or budget; interrupted by a signal, or open while it streams.

        It speaks of the weights the run ended with; what keep='average' or 'vote' answers may still err.
        """
        return self._running().status

    @property
    def trace_(self) -> Trace:
        """The run step by step, where record=True asked for it: the mistake log, and a replay of it."""
        run = self._running()
        if not run.settings.record:
            raise AttributeError("There is no trace_: only a run with record=True keeps its mistake log.")
        record = run.summary
        assert record.mistake_log is not None
        return Trace(record.mistake_log, record, run.recording, self.classes_)


def _sections(cls: type[Unit]) -> str:
    parameters = [
        f"{name} : {option.expected}, default={option.default!r}\n    {option.help}"
        for name, option in cls._options.items()
    ]
    attributes = [f"{name}\n    {value.__doc__}" for name, value in vars(Unit).items() if isinstance(value, property)]
    parts = (("Parameters", parameters), ("Attributes", ["classes_\n    The labels, sorted.", *attributes]))
    return "\n\n".join("\n".join([title, "-" * len(title), *lines]) for title, lines in parts)


@contextmanager
def _unchanged_by_failure(estimator: Unit) -> Iterator[None]:
    """Whatever is refused leaves the estimator as it was; only a run stopped by a signal stays, to be continued."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        run = vars(estimator).get("_run")
        if run is before.get("_run") or run is None or run.status != "interrupted":
            estimator.__dict__.clear()
            estimator.__dict__.update(before)
        raise
