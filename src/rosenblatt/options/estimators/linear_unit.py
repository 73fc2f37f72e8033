"""The parameters of LinearUnit, and of every run that predicts a number."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.errors import option as in_sentence
from rosenblatt.options.estimators.learner import (
    LEARNER,
    early_stopping,
    eta0,
    keep,
    learning_rate,
    max_iter,
    n_iter_no_change,
    r,
    refused_with_forget,
    refused_with_penalty,
)
from rosenblatt.options.option import Option, by_name
from rosenblatt.rules import LEARNING_RATES

run_task: Option[str] = Option(
    name="task",
    default="classes",
    choices=("classes", "number"),
    help="What a run predicts: one of several classes, or a number.",
)
number_loss: Option[str] = Option(
    name="loss",
    default="squared",
    choices=("squared", "absolute", "quantile", "huber"),
    help="The loss of an answer: squared is smallest at the mean of the targets, absolute at their median, quantile at "
    "their `quantile`; huber is squared up to the distance `width` from the target, and linear beyond.",
)
quantile: Option[float] = Option(
    name="quantile",
    default=0.5,
    kind="float",
    above=0,
    below=1,
    help="With the quantile loss: the share of the targets that should lie below the answer.",
)
run_quantiles: Option[Sequence[float]] = Option(
    name="quantiles",
    default=(),
    kind="levels",
    help="With the quantile loss: the levels that are learned side by side, a unit for each.",
)
width: Option[float] = Option(
    name="width",
    default=1.0,
    kind="float",
    above=0,
    help="With the huber loss: the distance from the target up to which it is squared; beyond, it is a straight line.",
)
number_learning_rate = learning_rate.but(
    default="invariant",
    choices=tuple(name for name, rate in LEARNING_RATES.items() if rate.learns_numbers),
    help="The size of an update: eta0 (constant), eta0/(1+step) (inverse), eta0/sqrt(1+step) (invsqrt), a rate per "
    "feature (adagrad), a confidence per feature (arow), or eta0 in infinitely many small steps, which never pass the "
    "target however large eta0, an example or its weight is (invariant).",
)
# On standardised columns with noise, the error of the average is then within 1% of RidgeCV's, whatever the unit of the
# target. A smaller rate leaves more of the early weights in the average, a larger one more noise.
number_eta0 = eta0.but(
    default=0.1,
    help="The learning rate, or its initial value when the rate decreases; arow does not use it.",
)
number_r = r.but(help="With arow: the larger r, the smaller each update and the slower the confidence grows.")
number_keep = keep.but(
    choices=("last", "average"),
    help="Which weights to keep: those at the end of the run (last), or their average over all examples visited "
    "(average).",
)
number_max_iter = max_iter.but(default=100)
number_early_stopping = early_stopping.but(
    help="Hold out validation_fraction of the examples and stop when the loss on them no longer falls; the run's "
    "status is then 'validated'."
)
number_n_iter_no_change = n_iter_no_change.but(
    help="With early_stopping, stop after this many epochs in a row without a lower loss on the held-out examples."
)

_CHANGED = by_name(
    [
        number_loss,
        number_learning_rate,
        number_eta0,
        number_r,
        number_keep,
        number_max_iter,
        number_early_stopping,
        number_n_iter_no_change,
    ]
)
_OF_CLASSES = ("multi_class", "class_weight", "margin")
_ONE_UNIT = ("n_jobs", "forget")  # options that a single unit in memory does not have
LINEAR_UNIT: Mapping[str, Option[Any]] = by_name(
    [number_loss, quantile, width]
    + [_CHANGED.get(name, option) for name, option in LEARNER.items() if name not in ("loss", *_OF_CLASSES, *_ONE_UNIT)]
)
# The settings of a run that predicts a number; those about classes keep their defaults.
NUMBER_LEARNER: Mapping[str, Option[Any]] = by_name(
    [*LEARNER.values(), *_CHANGED.values(), run_task, run_quantiles, width]
)


def check_number_together(owner: str, values: Mapping[str, object]) -> None:
    """Refuse combinations that make no sense if a number is predicted; a missing value counts as its default."""
    table = {**LEARNER, **LINEAR_UNIT}
    chosen = {name: values.get(name, option.default) for name, option in table.items()}
    for combination, reason in _refused(chosen):
        raise ParameterError(f"{owner} cannot use {combination}: {reason}.")


def _refused(chosen: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    def value(name: str) -> str:
        return in_sentence(name, chosen[name])

    rate = LEARNING_RATES[chosen["learning_rate"]]
    if rate.one_example_at_a_time and chosen["batch"] != 1:
        yield (
            f"{value('learning_rate')} with {value('batch')}",
            f"it corrects one example at a time; use {in_sentence('batch', 1)}",
        )
    if rate.moves_to_margin and chosen["loss"] != "squared":
        yield (
            f"{value('learning_rate')} with the {chosen['loss']} loss",
            f"its confidence is that of squared errors; use the squared loss, or "
            f"{in_sentence('learning_rate', 'invariant')}",
        )
    yield from refused_with_penalty(chosen, value)
    yield from refused_with_forget(chosen, value)
    if chosen["degree"] > 1 and chosen["record"]:
        yield (
            f"{value('degree')} with {value('record')}",
            f"a trace shows the weights of the features themselves; use {in_sentence('record', False)}, or a Pipeline "
            "that makes products",
        )
