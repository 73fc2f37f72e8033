"""Rosenblatt's perceptron in its dual form: curved boundaries through a kernel."""

import inspect
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from rosenblatt import native, options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import validation
from rosenblatt.estimators.available_methods import streamed
from rosenblatt.learn.kernel.forgetron import Forgetron
from rosenblatt.learn.kernel.kernel_values import Kernel
from rosenblatt.learn.kernel.run import KernelRun, KernelSettings
from rosenblatt.learn.schemes import class_scores, predicted_classes
from rosenblatt.records import Block, Csr, Floats, MistakeLog, Values

_KEPT = (*KernelSettings.__dataclass_fields__, "kernel", "degree", "gamma", "coef0", "class_weight")


class KernelPerceptron(ClassifierMixin, BaseEstimator):
    """The perceptron in its dual form: on a mistake, y s <= margin, the example itself joins the sum that scores.

    A score is sum_i a_i (k(x_i, x) + 1) over the support examples, those that were mistakes; the 1 is the bias, an
    ordinary weight on the constant 1, and is left out without fit_intercept. With the linear kernel the run is that of
    `Perceptron`, mistake by mistake. There is no learning rate: it would only rescale all scores.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # XOR, which no line can do
    >>> unit = KernelPerceptron(kernel="poly", degree=2, gamma=1, keep="last").fit(X, y)
    >>> unit.predict(X).tolist(), unit.status_
    ([0, 1, 1, 0], 'separated')
    """

    classes_: NDArray[Any]
    _run: KernelRun
    _chosen: dict[str, Any]

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = options.kernel.default,
        degree: int = options.kernel_degree.default,
        gamma: float | str | None = options.gamma.default,
        coef0: float = options.coef0.default,
        budget: int | None = options.budget.default,
        margin: float = options.margin.default,
        keep: str = options.keep.default,
        order: str = options.order.default,
        max_iter: int = options.max_iter.default,
        fit_intercept: bool = options.fit_intercept.default,
        multi_class: str = options.multi_class.default,
        class_weight: Any = options.class_weight.default,
        warm_start: bool = options.warm_start.default,
        record: bool = options.record.default,
        cache_mb: float = options.cache_mb.default,
        random_state: Any = options.random_state.default,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.budget = budget
        self.margin = margin
        self.keep = keep
        self.order = order
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.record = record
        self.cache_mb = cache_mb
        self.random_state = random_state

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Visit the examples until an epoch is clean or max_iter epochs are spent."""
        self._check_options()
        goes_on = self.warm_start and "_run" in self.__dict__
        before = dict(vars(self))
        try:
            values, labels, weights = self._examples(X, y, sample_weight, reset=not goes_on)
            if goes_on:
                self._refuse_changes()
                run, index = deepcopy(self._run), validation.encode(self.classes_, labels)
            else:
                self.classes_, index = validation.coded(labels)
                validation.check_classes(self.classes_)
                run = self._new_run(values, validation.class_weights(self.class_weight, self.classes_, index))
            run.fit(Block(values, index, weights), self.max_iter)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        self._run = run
        return self

    @streamed
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit the examples once, in the order given. The first call must name all the classes."""
        self._check_options()
        self._refuse_streaming()
        before = dict(vars(self))
        try:
            first = "_run" not in self.__dict__
            values, labels, weights = self._examples(X, y, sample_weight, reset=first)
            if first:
                self.classes_ = validation.given_classes(classes)
                validation.check_classes(self.classes_, "classes")
                run = self._new_run(values, validation.class_weights(self.class_weight, self.classes_, None))
            else:
                if classes is not None and not np.array_equal(validation.given_classes(classes), self.classes_):
                    raise DataError(f"classes are not those of the first call, {self.classes_.tolist()}.")
                self._refuse_changes()
                # a function may fail half-way through the rows; what it leaves behind must not be the model
                run = deepcopy(self._run) if callable(self.kernel) else self._run
            run.visit(Block(values, validation.encode(self.classes_, labels), weights))
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        self._run = run
        return self

    def _examples(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Values, NDArray[Any], Floats | None]:
        values = self._values(X, reset=reset)
        if self.kernel == "precomputed" and values.shape[0] != values.shape[1]:
            raise DataError(
                f"With kernel='precomputed' X must be square, the kernel values of all rows with all rows. "
                f"Got the shape {values.shape}."
            )
        labels = validation.check_labels(y, values.shape[0])
        return values, labels, validation.check_weights(sample_weight, values.shape[0])

    def _values(self, X: Any, *, reset: bool) -> Values:
        values = validation.check_values(self, X, reset=reset)
        native.rows_of(values)  # refuses what cannot be learned from
        if isinstance(values, Csr) and self.kernel == "precomputed":
            raise DataError("With kernel='precomputed' X must be dense, and it is sparse: call X.toarray() first.")
        return values

    def _check_options(self) -> None:
        owner, chosen = type(self).__name__, self.get_params(deep=False)
        options.check(owner, chosen, options.KERNEL_PERCEPTRON)
        if self.budget is not None and self.keep != "last":
            raise ParameterError(
                f"{owner} cannot use budget={self.budget} with keep={self.keep!r}: what is forgotten can neither be "
                "averaged nor vote; use keep='last'."
            )
        if self.budget is not None and self.record:
            raise ParameterError(f"{owner} cannot use budget={self.budget} with record=True: use record=False.")
        if self.budget is not None and self.multi_class == "joint":
            raise ParameterError(
                f"{owner} cannot use budget={self.budget} with multi_class='joint': each unit keeps its own examples; "
                "use 'ovr' or 'ovo'."
            )

    def _refuse_streaming(self) -> None:
        """Some options need all the examples at once."""
        if self.gamma == "scale":
            raise ParameterError("gamma='scale' needs all the examples at once: use fit, or give gamma as a number.")
        if isinstance(self.class_weight, str):
            raise ParameterError(
                "class_weight='balanced' needs all the labels at once, which partial_fit does not have: "
                "pass a dict of weights instead."
            )

    def _refuse_changes(self) -> None:
        """A run keeps its options: half of it by one rule and half by another could not be repeated."""
        for name in _KEPT:
            old, new = self._chosen[name], getattr(self, name)
            if old is not new and old != new:
                raise ParameterError(
                    f"The run began with {name}={old!r} and cannot go on with {new!r}: "
                    "set it back, or start anew with fit and warm_start=False."
                )

    def _kept(self) -> dict[str, Any]:
        """The options that a run keeps, as they are set."""
        return {name: getattr(self, name) for name in _KEPT}

    def _new_run(self, values: Values, class_weight: Floats) -> KernelRun:
        settings = KernelSettings(**{name: getattr(self, name) for name in KernelSettings.__dataclass_fields__})
        self._chosen = self._kept()
        seed = validation.seed_of(self.random_state)
        if self.budget is not None:
            return Forgetron(settings, self._kernel(values), class_weight, seed)
        return KernelRun(settings, self._kernel(values).suited_to(values), class_weight, seed)

    def _kernel(self, values: Values) -> Kernel:
        if callable(self.kernel):
            return Kernel("function", function=self.kernel)
        gamma = 1.0 / values.shape[1] if self.gamma is None else self.gamma
        if gamma == "scale":
            variance = _variance(values)
            gamma = 1.0 / (values.shape[1] * variance) if variance > 0 else 1.0
        return Kernel(self.kernel, int(self.degree), float(gamma), float(self.coef0))

    # -- deciding ---------------------------------------------------------------------------------------------------

    def _scores(self, X: Any) -> Floats:
        return self._running().scores(self._values(X, reset=False))

    def decision_function(self, X: Any) -> Floats:
        """Signed scores: one per row for two classes, one per row and class for more."""
        run = self._running()
        unit_scores = self._scores(X)
        if run.scheme == "binary":
            return unit_scores[:, 0]
        return np.asarray(class_scores(run.scheme, unit_scores, len(self.classes_)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the positive one where the score is above 0, or the one with the highest score."""
        run = self._running()
        found: NDArray[Any] = self.classes_[predicted_classes(run.scheme, self._scores(X), len(self.classes_))]
        return found

    # -- what a run leaves behind -----------------------------------------------------------------------------------

    def _running(self) -> KernelRun:
        if "_run" not in self.__dict__:
            raise NotFittedError("This KernelPerceptron has not learned anything yet: call fit or partial_fit first.")
        return self._run

    def __sklearn_is_fitted__(self) -> bool:
        return "_run" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @property
    def support_(self) -> NDArray[np.int64]:
        """The rows that are support examples, in the order of their first mistakes; when streaming, counted on."""
        return self._running().support.origin

    @property
    def support_vectors_(self) -> Any:
        """The support examples, one row each; empty where the kernel is precomputed."""
        run = self._running()
        if run.kernel.name == "precomputed" or len(run.support) == 0:
            return np.zeros((0, 0))
        values = run.support.rows.values
        if isinstance(values, Csr):
            return csr_array((values.values, values.indices, values.indptr), shape=values.shape)
        return values

    @property
    def dual_coef_(self) -> Floats:
        """The coefficients, one row per unit, one column per support example; with keep='vote' those at the end."""
        return self._running().coefficient.T

    @property
    def intercept_(self) -> Floats:
        """The bias of each unit: the sum of its coefficients, or 0 without fit_intercept."""
        sums: Floats = self.dual_coef_.sum(axis=1)
        return sums * float(self.fit_intercept)

    @property
    def n_iter_(self) -> int:
        """Epochs visited, the clean one included."""
        return len(self._running().mistakes)

    @property
    def t_(self) -> int:
        """Examples visited."""
        return self._running().t

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made, by all units."""
        return self._running().n_mistakes

    @property
    def mistakes_(self) -> list[int]:
        """Mistakes made in each epoch."""
        return list(self._running().mistakes)

    @property
    def status_(self) -> str:
        """How the run ended: separated, or with its budget of epochs spent; open while it streams."""
        return self._running().status

    @property
    def trace_(self) -> MistakeLog:
        """The mistake log, where record=True asked for it."""
        trace = self._running().summary.mistake_log
        if trace is None:
            raise AttributeError("There is no trace_: only a run with record=True keeps its mistake log.")
        return trace


def _variance(values: Values) -> float:
    if not isinstance(values, Csr):
        return float(values.var())
    cells = values.shape[0] * values.shape[1]
    mean = float(values.values.sum()) / cells
    return float(np.square(values.values).sum()) / cells - mean * mean


def _sections() -> str:
    parameters = [
        f"{name} : {option.expected}, default={option.default!r}\n    {option.help}"
        for name, option in options.KERNEL_PERCEPTRON.items()
    ]
    found = [
        f"{name}\n    {value.__doc__}" for name, value in vars(KernelPerceptron).items() if isinstance(value, property)
    ]
    parts = (("Parameters", parameters), ("Attributes", ["classes_\n    The labels, sorted.", *found]))
    return "\n\n".join("\n".join([title, "-" * len(title), *lines]) for title, lines in parts)


KernelPerceptron.__doc__ = f"{inspect.cleandoc(KernelPerceptron.__doc__ or '')}\n\n{_sections()}"
