"""Rosenblatt's perceptron in its dual form: curved boundaries through a kernel."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rosenblatt import native, options
from rosenblatt.errors import DataError, ParameterError, option
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.common.base import RunEstimator, changed_option_error, draft_of
from rosenblatt.estimators.common.partial_fit_available import only_if_streamable
from rosenblatt.learn.kernel.forgetron import Forgetron
from rosenblatt.learn.kernel.kernel_values import Kernel
from rosenblatt.learn.kernel.run import KernelRun, KernelSettings
from rosenblatt.records import Block, Csr, Floats, MistakeLog, Values

# They may not change during a run.
_RUN_OPTIONS = (*KernelSettings.__dataclass_fields__, "kernel", "degree", "gamma", "coef0", "class_weight")


class KernelPerceptron(RunEstimator):
    """The perceptron in its dual form: on a mistake, y s <= margin, the example itself joins the sum that scores.

    A score is sum_i a_i (k(x_i, x) + 1) over the support examples, those that were mistakes; the 1 is the bias, an
    ordinary weight on the constant 1, and is left out without fit_intercept. With the linear kernel the run is that of
    `Perceptron`, mistake by mistake. There is no learning rate: it would only rescale all scores.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # XOR, which no line can do
    >>> unit = KernelPerceptron(kernel="poly", degree=2, gamma=1, keep="last").fit(X, y)
    >>> unit.predict(X).tolist(), unit.status_
    ([0, 1, 1, 0], 'separated')
    """

    _options = options.KERNEL_PERCEPTRON
    _run: KernelRun
    _chosen: dict[str, Any]  # the options that the run began with
    _on_epoch: Callable[[KernelRun], None] | None = None  # called after each epoch; what it raises ends the fit

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
        """Visit the examples until an epoch is clean or max_iter epochs are spent.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The label of each row.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; by default 1.

        Returns
        -------
        self
            This estimator, which has learned.
        """
        self._check_options()
        continues = self.warm_start and "_run" in self.__dict__
        with draft_of(self) as draft:
            values, labels, weights = draft._check_examples(X, y, sample_weight, reset=not continues)
            if continues:
                draft._check_options_unchanged()
                run, index = deepcopy(draft._run), check_input.encode_as(draft.classes_, labels)
            else:
                draft.classes_, index = check_input.encode(labels)
                check_input.check_two_classes(draft.classes_)
                run = draft._new_run(values, check_input.class_weights(draft.class_weight, draft.classes_, index))
            run.fit(Block(values, index, weights), draft.max_iter, draft._on_epoch)
            draft._run = run
        return self

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
        self._check_options()
        self._check_streaming_options()
        with draft_of(self) as draft:
            is_first = "_run" not in draft.__dict__
            values, labels, weights = draft._check_examples(X, y, sample_weight, reset=is_first)
            if is_first:
                draft.classes_ = check_input.check_class_list(classes)
                check_input.check_two_classes(draft.classes_, "classes")
                run = draft._new_run(values, check_input.class_weights(draft.class_weight, draft.classes_, None))
            else:
                draft._check_same_classes(classes)
                draft._check_options_unchanged()
                # A user's kernel function may fail half-way through the rows: the model must not have changed then.
                run = deepcopy(draft._run) if callable(draft.kernel) else draft._run
            run.visit(Block(values, check_input.encode_as(draft.classes_, labels), weights))
            draft._run = run
        return self

    def _check_examples(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Values, NDArray[Any], Floats | None]:
        values = self._check_values(X, reset=reset)
        if self.kernel == "precomputed" and values.shape[0] != values.shape[1]:
            raise DataError(
                f"With {option('kernel', 'precomputed')} X must be square: the kernel values of all rows with all "
                f"rows. Got the shape {values.shape}."
            )
        labels = check_input.check_labels(y, values.shape[0])
        return values, labels, check_input.check_weights(sample_weight, values.shape[0])

    def _check_values(self, X: Any, *, reset: bool) -> Values:
        values = check_input.check_values(self, X, reset=reset)
        native.rows_of(values)  # checks every value
        if isinstance(values, Csr) and self.kernel == "precomputed":
            raise DataError(
                f"With {option('kernel', 'precomputed')} X must be dense, and it is sparse: call X.toarray() first."
            )
        return values

    def _check_options(self) -> None:
        name = type(self).__name__
        options.check(name, self.get_params(deep=False), self._options)
        if self.budget is None:
            return
        budget = option("budget", self.budget)
        if self.keep != "last":
            raise ParameterError(
                f"{name} cannot use {budget} with {option('keep', self.keep)}: what is forgotten can neither be "
                f"averaged nor vote; use {option('keep', 'last')}."
            )
        if self.record:
            raise ParameterError(
                f"{name} cannot use {budget} with {option('record', True)}: use {option('record', False)}."
            )
        if self.multi_class == "joint":
            raise ParameterError(
                f"{name} cannot use {budget} with {option('multi_class', 'joint')}: each unit keeps its own examples; "
                f"use {option('multi_class', 'ovr')} or {option('multi_class', 'ovo')}."
            )

    def _check_streaming_options(self) -> None:
        if self.gamma == "scale":
            raise ParameterError(
                f"{option('gamma', 'scale')} needs all the examples at once: use fit, or set gamma to a number."
            )
        super()._check_streaming_options()

    def _check_options_unchanged(self) -> None:
        for name in _RUN_OPTIONS:
            old, new = self._chosen[name], getattr(self, name)
            if old is not new and old != new:
                raise changed_option_error(name, old, new)

    def _run_options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _RUN_OPTIONS}

    def _new_run(self, values: Values, class_weight: Floats) -> KernelRun:
        settings = KernelSettings(**{name: getattr(self, name) for name in KernelSettings.__dataclass_fields__})
        self._chosen = self._run_options()
        seed = check_input.seed_from(self.random_state)
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

    # -- predicting -------------------------------------------------------------------------------------------------

    def _unit_scores(self, X: Any) -> Floats:
        return self._fitted_run().scores(self._check_values(X, reset=False))

    # -- learned attributes -----------------------------------------------------------------------------------------

    def _fitted_run(self) -> KernelRun:
        run: KernelRun = super()._fitted_run()
        return run

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @property
    def support_(self) -> NDArray[np.int64]:
        """The rows of the support examples, by first mistake; counted over all calls of partial_fit."""
        return self._fitted_run().support.origin

    @property
    def support_vectors_(self) -> Any:
        """The support examples, one row each; empty where the kernel is precomputed."""
        run = self._fitted_run()
        if run.kernel.name == "precomputed" or len(run.support) == 0:
            return np.zeros((0, 0))
        values = run.support.rows.values
        if isinstance(values, Csr):
            return csr_array((values.values, values.indices, values.indptr), shape=values.shape)
        return values

    @property
    def dual_coef_(self) -> Floats:
        """The coefficients, one row per unit, one column per support example; with keep='vote' those at the end."""
        return self._fitted_run().coefficient.T

    @property
    def intercept_(self) -> Floats:
        """The bias of each unit: the sum of its coefficients, or 0 without fit_intercept."""
        sums: Floats = self.dual_coef_.sum(axis=1)
        return sums * float(self.fit_intercept)

    @property
    def t_(self) -> int:
        """Examples visited."""
        return self._fitted_run().t

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made, by all units."""
        return self._fitted_run().n_mistakes

    @property
    def status_(self) -> str:
        """How the run ended: separated, or with its budget of epochs spent; open while it streams."""
        return self._fitted_run().status

    @property
    def trace_(self) -> MistakeLog:
        """The mistake log, if record=True."""
        return self._mistake_log()


def _variance(values: Values) -> float:
    if not isinstance(values, Csr):
        return float(values.var())
    cells = values.shape[0] * values.shape[1]
    mean = float(values.values.sum()) / cells
    return float(np.square(values.values).sum()) / cells - mean * mean
