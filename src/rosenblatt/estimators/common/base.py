"""What the estimators share: docstrings from the options, predictions, and the attributes that describe a run."""

import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from textwrap import indent
from threading import get_ident
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from rosenblatt import native, options
from rosenblatt.errors import DataError, LearningElsewhereError, ParameterError, option
from rosenblatt.estimators.common import check_input
from rosenblatt.learn.multiclass_schemes import class_scores, predicted_classes
from rosenblatt.records import Floats, MistakeLog

E = TypeVar("E", bound="DescribedEstimator")


class DescribedEstimator(BaseEstimator):
    """An estimator whose docstring gets its parameters from `_options` and its attributes from its properties.

    What begins with a prompt there is its example.
    """

    _options: ClassVar[Mapping[str, options.Option[Any]]]
    _attributes: ClassVar[Mapping[str, str]] = {}  # those that are not properties

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "_options" in vars(cls):
            words, prompt, example = inspect.cleandoc(cls.__doc__ or "").partition(">>>")
            examples = f"\n\nExamples\n--------\n{prompt}{example}" if prompt else ""
            cls.__doc__ = f"{words.rstrip()}\n\n{_docstring_sections(cls)}{examples}\n"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Estimator(ClassifierMixin, DescribedEstimator):
    """A classifier."""

    classes_: NDArray[Any]


def _docstring_sections(cls: type[DescribedEstimator]) -> str:
    signature = inspect.signature(cls.__init__).parameters
    chosen = sorted(cls._options.items(), key=lambda entry: list(signature).index(entry[0]))
    parameters = [options.parameter_entry(name, option, option.default) for name, option in chosen]
    attributes = {"classes_": "The labels, sorted."} if issubclass(cls, ClassifierMixin) else {}
    attributes |= {
        name: inspect.cleandoc(str(value.__doc__))
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, property) and name.endswith("_") and not name.startswith("_")
    }
    attributes |= cls._attributes
    described = [f"{name}\n{indent(text, '    ')}" for name, text in attributes.items()]
    sections = (("Parameters", parameters), ("Attributes", described))
    return "\n\n".join("\n".join([title, "-" * len(title), *lines]) for title, lines in sections)


class FromRun:
    """An estimator whose state is a run, and what that leaves behind."""

    _run: Any

    def _fitted_run(self) -> Any:
        if "_run" not in self.__dict__:
            name = type(self).__name__
            call = "fit or partial_fit" if hasattr(self, "partial_fit") else "fit"
            raise NotFittedError(f"This {name} has not learned anything yet: call {call} first.")
        return self._run

    def _mistake_log(self) -> MistakeLog:
        log: MistakeLog | None = self._fitted_run().summary.mistake_log
        if log is None:
            raise AttributeError("There is no trace_: only a run with record=True keeps its mistake log.")
        return log

    def __sklearn_is_fitted__(self) -> bool:
        return "_run" in self.__dict__

    @property
    def n_iter_(self) -> int:
        """Epochs visited, the clean one included."""
        return len(self._fitted_run().mistakes)


class RunEstimator(FromRun, Estimator):
    """A classifier whose state is a run: of linear units, or of a kernel perceptron."""

    class_weight: Any

    # -- learning ---------------------------------------------------------------------------------------------------

    def _check_streaming_options(self) -> None:
        """Refuse options that need all the examples at once."""
        if isinstance(self.class_weight, str):
            raise ParameterError(
                f"{option('class_weight', 'balanced')} needs all the labels at once, which partial_fit does not have: "
                "pass a dict of weights instead."
            )

    def _check_same_classes(self, classes: Any) -> None:
        """Refuse classes that differ from those of the first call of partial_fit; None is fine."""
        if classes is not None and not np.array_equal(check_input.check_class_list(classes), self.classes_):
            raise DataError(f"classes must be those of the first call, {self.classes_.tolist()}, or be left out.")

    # -- predicting -------------------------------------------------------------------------------------------------

    def _unit_scores(self, X: Any) -> Floats:
        """One score per row and unit."""
        raise NotImplementedError

    @property
    def _scheme(self) -> str:
        """How the units decide between the classes."""
        scheme: str = self._fitted_run().settings.scheme(len(self.classes_))
        return scheme

    def decision_function(self, X: Any) -> Floats:
        """Signed scores: one per row for two classes, one per row and class for more.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            Above 0 the positive class is predicted.
        """
        model = snapshot(self)
        unit_scores = model._unit_scores(X)
        if model._scheme == "binary":
            return unit_scores[:, 0]
        return np.asarray(class_scores(model._scheme, unit_scores, len(model.classes_)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the positive one where the score is above 0, or the one with the highest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
            Labels as they were in y.
        """
        model = snapshot(self)
        unit_scores = model._unit_scores(X)
        labels: NDArray[Any] = model.classes_[predicted_classes(model._scheme, unit_scores, len(model.classes_))]
        return labels

    # -- learned attributes -----------------------------------------------------------------------------------------

    @property
    def mistakes_(self) -> list[int]:
        """Mistakes made in each epoch."""
        return list(self._fitted_run().mistakes)


def changed_option_error(name: str, old: Any, new: Any) -> ParameterError:
    """The error for a run whose options were changed: half of it by one rule and half by another is not repeatable."""
    return ParameterError(
        f"The run began with {name}={old!r} and cannot go on with {new!r}: "
        "set it back, or start again with fit and warm_start=False."
    )


_LEARNING: dict[int, int] = {}  # the thread that learns with an estimator, by the estimator's id
os.register_at_fork(after_in_child=_LEARNING.clear)


@contextmanager
def draft_of(estimator: E) -> Iterator[E]:
    """A copy to learn with, which takes the place of the estimator at the end, all at once.

    So other threads that predict meanwhile see the model of before or the one of after, and the estimator is unchanged
    if anything fails; only a run that a signal interrupted is kept, to be continued. A second thread that learns is
    refused. What Python computes meanwhile does not depend on the host's rounding mode either.
    """
    thread = get_ident()
    if _LEARNING.setdefault(id(estimator), thread) != thread:
        raise LearningElsewhereError
    draft = snapshot(estimator)
    try:
        with native.UsualFloats():
            yield draft
    except BaseException:
        run = vars(draft).get("_run")
        if run is vars(estimator).get("_run") or run is None or run.status != "interrupted":
            raise
        estimator.__dict__ = draft.__dict__
        raise
    else:
        estimator.__dict__ = draft.__dict__
    finally:
        _LEARNING.pop(id(estimator), None)


def snapshot(estimator: E) -> E:
    """The estimator as it is now, whatever another thread learns meanwhile; its arrays and its run are shared."""
    twin = object.__new__(type(estimator))
    twin.__dict__ = vars(estimator).copy()
    return twin
