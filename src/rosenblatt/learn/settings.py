"""What a learner is asked to do, in one frozen record."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt import native, options
from rosenblatt.learn.multiclass_schemes import n_units, scheme_of
from rosenblatt.records import Floats
from rosenblatt.rules import LEARNING_RATES, MISTAKE_DRIVEN_LOSSES, LearningRate


class Settings(NamedTuple):
    """All options that affect a run; the caller has checked them."""

    loss: str = options.loss.default
    learning_rate: str = options.learning_rate.default
    eta0: float = options.eta0.default
    margin: float = options.margin.default
    r: float = options.r.default
    batch: int | str = options.batch.default
    order: str = options.order.default
    keep: str = options.keep.default
    multi_class: str = options.multi_class.default
    fit_intercept: bool = options.fit_intercept.default
    record: bool = options.record.default
    degree: int = options.degree.default
    alpha: float = options.alpha.default
    l1: float = options.l1.default
    forget: float = options.forget.default
    multi_label: bool = options.multi_label.default  # the classes are labels, of which an example may have several
    task: str = options.run_task.default
    quantiles: Sequence[float] = options.run_quantiles.default  # of a number: a unit for each
    width: float = options.width.default  # of the huber loss

    @property
    def rate(self) -> LearningRate:
        return LEARNING_RATES[self.learning_rate]

    @property
    def length_scaling(self) -> tuple[str, int] | None:
        """The parameter that depends on the length of the examples, and the power by which it does."""
        if self.learning_rate == "constant" and not self.mistake_driven:
            return "eta0", -2  # a gradient is as long as the example, and moves its score by the square of that
        parameter = self.rate.length_parameter
        return None if parameter is None else (parameter, self.rate.length_power)

    @property
    def mistake_driven(self) -> bool:
        """Only mistakes change the weights, so an epoch without one changes nothing: the run is over."""
        return self.loss in MISTAKE_DRIVEN_LOSSES

    @property
    def may_diverge(self) -> bool:
        """Whether steps may overshoot: with a plain rate, the squared error of a number may grow with each step.

        Huber's loss is squared up to its width, which may be large.
        """
        plain = self.learning_rate in ("constant", "inverse", "invsqrt")
        return self.predicts_number and self.loss in ("squared", "huber") and plain

    @property
    def strict(self) -> bool:
        """An example on the required margin is not a mistake: these rules move it exactly there."""
        return self.loss == "hinge" or self.rate.moves_to_margin

    @property
    def required(self) -> float:
        """The margin below which an example is a mistake."""
        if self.strict:
            return float(self.margin) if self.margin > 0 else 1.0
        return float(self.margin) if self.loss == "perceptron" else 0.0

    def scheme(self, n_classes: int) -> str:
        if self.predicts_number:
            return "number"
        return "multi-label" if self.multi_label else scheme_of(self.multi_class, n_classes)

    def n_units(self, n_classes: int) -> int:
        """Where a number is predicted there is one unit, or one for each quantile."""
        if self.predicts_number:
            return max(1, len(self.quantiles))
        return n_units(self.scheme(n_classes), n_classes)

    @property
    def predicts_number(self) -> bool:
        return self.task == "number"

    def learner(
        self,
        features: int,
        class_weight: array[float] | Floats,
        *,
        dense: bool = False,
        columns: native.Columns | None = None,
    ) -> native.Learner:
        """A new native learner, its weights laid out for dense or for sparse rows; it takes both.
        With `columns` it takes sparse rows alone, and has weights only for columns that have occurred."""
        return native.Learner(
            features=features,
            loss=self.loss,
            learning_rate=self.learning_rate,
            scheme=self.scheme(len(class_weight)),
            eta0=float(self.eta0),
            margin=float(self.margin),
            r=float(self.r),
            alpha=float(self.alpha),
            l1=float(self.l1),
            decay=_decay(float(self.forget)),
            batch=0 if isinstance(self.batch, str) else int(self.batch),
            fit_intercept=bool(self.fit_intercept),
            average=self.keep == "average",
            pocket=self.keep == "pocket",
            record=bool(self.record) or self.keep == "vote",
            class_weight=class_weight,
            unit_major=dense,
            columns=columns,
            quantiles=[float(level) for level in self.quantiles],
            width=float(self.width),
        )


def _decay(half_life: float) -> float:
    """How much an example counts after one more: half after the half-life; always 1 if that is 0.

    Computed in decimals, because a power of floats has other bits on other machines.

    >>> _decay(0.0), _decay(1.0), round(_decay(1000.0) ** 1000, 12)
    (1.0, 0.5, 0.5)
    """
    if not half_life:
        return 1.0
    from decimal import Decimal  # rarely needed

    return float(Decimal(2) ** (-1 / Decimal(half_life)))
