"""The parameters of the learners: Perceptron, LogisticUnit, Adaline and Learner."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.errors import option as in_sentence
from rosenblatt.options.option import Option, by_name
from rosenblatt.rules import LEARNING_RATES, MISTAKE_DRIVEN_LOSSES

loss: Option[str] = Option(
    name="loss",
    default="perceptron",
    choices=("perceptron", "hinge", "logistic", "squared"),
    help="The loss of a score: perceptron and hinge penalise only mistakes, logistic rewards every wider margin, "
    "squared demands scores of exactly +1 and -1.",
)
margin: Option[float] = Option(
    name="margin",
    default=0.0,
    kind="float",
    low=0,
    help="An example is a mistake when y*s <= margin; 0 is Rosenblatt's rule. "
    "pa1, pa2, arow and the hinge loss require y*s >= margin, or 1 if margin is 0.",
)
eta0: Option[float] = Option(
    name="eta0",
    default=1.0,
    kind="float",
    above=0,
    help="The learning rate, or its initial value when the rate decreases. "
    "For pa1 and pa2 it is their aggressiveness C; arow does not use it.",
)
learning_rate: Option[str] = Option(
    name="learning_rate",
    default="constant",
    choices=tuple(name for name, rate in LEARNING_RATES.items() if rate.learns_classes),
    help="The size of an update: eta0 (constant), eta0/(1+step) (inverse), eta0/sqrt(1+step) (invsqrt), a rate per "
    "feature (adagrad), as large as this example's margin requires but at most eta0 (pa1) or softened by it (pa2), "
    "or by a confidence per feature (arow).",
)
r: Option[float] = Option(
    name="r",
    default=1.0,
    kind="float",
    above=0,
    help="The regularisation of arow: the larger r, the smaller each update and the slower the confidence grows.",
)
alpha: Option[float] = Option(
    name="alpha",
    default=0.0,
    kind="float",
    low=0,
    help="Regularisation: alpha/2 times the sum of the squared weights is added to the mean loss, so that weights stay "
    "small; the bias is not part of it.",
)
l1: Option[float] = Option(
    name="l1",
    default=0.0,
    kind="float",
    low=0,
    help="Regularisation: l1 times the sum of the absolute weights is added to the mean loss, so that many weights "
    "become 0; the bias is not part of it.",
)
keep: Option[str] = Option(
    name="keep",
    default="average",
    choices=("last", "average", "vote", "pocket"),
    help="Which weights to keep: those at the end of the run (last), their average over all examples visited "
    "(average), all of them, each voting as often as it survived (vote), or those with the fewest training "
    "errors (pocket).",
)
batch: Option[int | str] = Option(
    name="batch",
    default=1,
    choices=("full",),
    kind="int",
    low=1,
    help="How many examples are scored before their updates are added up and applied: 1 is online learning, "
    "'full' the whole epoch.",
)
order: Option[str] = Option(
    name="order",
    default="shuffle",
    choices=("given", "shuffle", "sample"),
    help="The order of the examples in an epoch: as given (given), a new permutation for each epoch (shuffle), "
    "or drawn uniformly with replacement (sample).",
)
max_iter: Option[int] = Option(
    name="max_iter",
    default=50,
    kind="int",
    low=1,
    help="The maximum number of epochs; a run that uses them all ends with status 'budget'.",
)
fit_intercept: Option[bool] = Option(
    name="fit_intercept",
    default=True,
    kind="bool",
    help="Learn the bias b, an ordinary weight on the constant input 1; without it every boundary passes through the "
    "origin.",
)
degree: Option[int] = Option(
    name="degree",
    default=1,
    kind="int",
    low=1,
    help="Learn on all products of up to this many features, computed row by row and never stored; "
    "1 means the features themselves.",
)
init: Option[Any] = Option(
    name="init",
    default="zeros",
    choices=("zeros", "random"),
    kind="array",
    help="The initial weights: zeros, random (uniform between -0.01 and 0.01), or an array with one row per unit: "
    "its weights, or its bias followed by its weights.",
)
multi_class: Option[str] = Option(
    name="multi_class",
    default="ovr",
    choices=("ovr", "ovo", "joint"),
    help="How units decide between three or more classes: one unit per class against the rest (ovr), one per pair of "
    "classes and a majority vote (ovo), or one per class, corrected together when the highest score is wrong (joint).",
)
class_weight: Option[Mapping[Any, float] | str | None] = Option(
    name="class_weight",
    default=None,
    choices=("balanced",),
    kind="class weights",
    none_allowed=True,
    help="How much the examples of each class count: all the same (None), each class the same in total ('balanced'), "
    "or a weight for each class.",
)
early_stopping: Option[bool] = Option(
    name="early_stopping",
    default=False,
    kind="bool",
    help="Hold out validation_fraction of the examples and stop when the accuracy on them no longer improves; "
    "the run's status is then 'validated'.",
)
validation_fraction: Option[float] = Option(
    name="validation_fraction",
    default=0.1,
    kind="float",
    above=0,
    below=1,
    help="The fraction of the examples held out with early_stopping.",
)
n_iter_no_change: Option[int] = Option(
    name="n_iter_no_change",
    default=5,
    kind="int",
    low=1,
    help="With early_stopping, stop after this many epochs in a row without better validation accuracy.",
)
warm_start: Option[bool] = Option(
    name="warm_start",
    default=False,
    kind="bool",
    help="Continue the run in the next fit where it stopped: 5 epochs and 5 more equal 10, bit for bit.",
)
record: Option[bool] = Option(
    name="record",
    default=False,
    kind="bool",
    help="Keep the mistake log, from which every step of the run can be replayed exactly.",
)
n_jobs: Option[int | None] = Option(
    name="n_jobs",
    default=1,
    kind="int",
    below=1025,
    zero_allowed=False,
    none_allowed=True,
    help="The number of threads: None and -1 mean one per core (None: 1 in a worker of joblib), -2 all cores but one. "
    "The result is the same for any number.",
)
random_state: Option[Any] = Option(
    name="random_state",
    default=0,
    kind="seed",
    none_allowed=True,
    help="The seed for everything random: the same seed gives the same run, None a different run each time.",
)


forget: Option[float] = Option(
    name="forget",
    default=0.0,
    kind="float",
    low=0,
    help="For streams that drift: after this many more examples, what was learned from an example counts half; 0 "
    "forgets nothing. The data are then learned once, in their order.",
)

LEARNER: Mapping[str, Option[Any]] = by_name(
    [
        loss,
        margin,
        eta0,
        learning_rate,
        r,
        alpha,
        l1,
        forget,
        keep,
        batch,
        order,
        max_iter,
        fit_intercept,
        degree,
        init,
        multi_class,
        class_weight,
        early_stopping,
        validation_fraction,
        n_iter_no_change,
        warm_start,
        record,
        n_jobs,
        random_state,
    ]
)


def _options_of(left_out: Sequence[str], changed: Sequence[Option[Any]] = ()) -> Mapping[str, Option[Any]]:
    changes = by_name(changed)
    return by_name(changes.get(name, option) for name, option in LEARNER.items() if name not in left_out)


# pa1, pa2 and arow move an example just to its required margin; the logistic and squared losses have no such margin.
# A constant rate diverges as soon as eta0 |x|^2 > 2; a rate per feature works at any scale of the features. With these
# defaults the loss on standardised columns is that of LogisticRegression and Ridge: 0.98 and 1.00 times it on eight
# tables.
smooth_learning_rate = learning_rate.but(
    default="adagrad",
    choices=tuple(name for name, rate in LEARNING_RATES.items() if rate.learns_classes and not rate.moves_to_margin),
    help="The size of an update: eta0 (constant), eta0/(1+step) (inverse), eta0/sqrt(1+step) (invsqrt), "
    "or a rate per feature (adagrad).",
)
smooth_eta0 = eta0.but(default=0.1, help="The learning rate, or its initial value when the rate decreases.")
# Votes are counted by survival until the next mistake; these losses update on every example.
smooth_keep = keep.but(
    default="last",
    choices=("last", "average", "pocket"),
    help="Which weights to keep: those at the end of the run (last), their average over all examples visited "
    "(average), or those with the fewest training errors (pocket).",
)
smooth_max_iter = max_iter.but(default=100)
_SMOOTH = (smooth_learning_rate, smooth_eta0, smooth_keep, smooth_max_iter)
adaline_multi_class = multi_class.but(
    choices=("ovr", "ovo"),
    help="How units decide between three or more classes: one unit per class against the rest (ovr), "
    "or one per pair of classes and a majority vote (ovo).",
)
logistic_multi_class = multi_class.but(default="joint")

PERCEPTRON = _options_of(["loss", "forget"])
LOGISTIC_UNIT = _options_of(["loss", "forget", "margin", "r"], [*_SMOOTH, logistic_multi_class])
ADALINE = _options_of(["loss", "forget", "margin", "r"], [*_SMOOTH, adaline_multi_class])


def check_together(owner: str, values: Mapping[str, object]) -> None:
    """Refuse combinations of values that make no sense; a missing value counts as its default.

    The default loss is the perceptron's; an estimator with another loss passes it:
    `check_together("Adaline", {**parameters, "loss": "squared"})`.
    """
    chosen = {name: values.get(name, option.default) for name, option in LEARNER.items()}
    for combination, reason in _refused(chosen):
        raise ParameterError(f"{owner} cannot use {combination}: {reason}.")


def _refused(chosen: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each combination of the chosen values that makes no sense, why, and what to use instead."""

    def value(name: str) -> str:
        return in_sentence(name, chosen[name])

    loss = chosen["loss"]
    if LEARNING_RATES[chosen["learning_rate"]].moves_to_margin:
        if chosen["batch"] != 1:
            yield (
                f"{value('learning_rate')} with {value('batch')}",
                f"it corrects one example at a time; use {in_sentence('batch', 1)}",
            )
        if loss not in MISTAKE_DRIVEN_LOSSES:
            yield (
                f"{value('learning_rate')} with the {loss} loss",
                "it moves an example to a required margin; use the perceptron or hinge loss, or another "
                f"{in_sentence('learning_rate')}",
            )
    yield from refused_with_penalty(chosen, value)
    yield from refused_with_forget(chosen, value)
    if chosen["keep"] == "vote":
        if chosen["batch"] != 1:
            yield (
                f"{value('keep')} with {value('batch')}",
                f"weights vote for each example they survive; use {in_sentence('batch', 1)}",
            )
        if loss != "perceptron":
            yield (
                f"{value('keep')} with the {loss} loss",
                f"weights vote until their next mistake; use the perceptron loss, or {in_sentence('keep', 'average')}",
            )
    if chosen["degree"] > 1 and chosen["record"]:
        yield (
            f"{value('degree')} with {value('record')}",
            f"a trace shows the weights of the features themselves; use {in_sentence('record', False)}, or a Pipeline "
            "that makes products",
        )
    if chosen["multi_class"] == "joint" and loss == "squared":
        yield (
            f"{value('multi_class')} with the squared loss",
            "this loss judges each score alone, not which is highest; use 'ovr' or 'ovo'",
        )


def refused_with_penalty(chosen: Mapping[str, Any], value: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    for name in ("alpha", "l1"):
        if not chosen[name]:
            continue
        if LEARNING_RATES[chosen["learning_rate"]].moves_to_margin:
            yield (
                f"{value(name)} with {value('learning_rate')}",
                f"it regularises itself; use {in_sentence('eta0')} of pa1 and pa2, {in_sentence('r')} of arow",
            )
        if chosen["record"] or chosen["keep"] == "vote":
            other = "record" if chosen["record"] else "keep"
            yield (
                f"{value(name)} with {value(other)}",
                "a replay adds up updates, and regularisation changes weights between them; use "
                + (in_sentence("record", False) if other == "record" else in_sentence("keep", "average")),
            )


def refused_with_forget(chosen: Mapping[str, Any], value: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    if not chosen["forget"]:
        return
    if chosen["forget"] < 1:
        yield value("forget"), "a half-life is at least 1 example"
    rate, keep = chosen["learning_rate"], chosen["keep"]
    if rate in ("inverse", "invsqrt"):
        yield (
            f"{value('forget')} with {value('learning_rate')}",
            "a rate that falls to 0 does not follow a stream that drifts; use constant, adagrad or arow",
        )
    if keep not in ("last", "average") or chosen["record"]:
        other = "record" if chosen["record"] else "keep"
        yield (
            f"{value('forget')} with {value(other)}",
            "weights that are forgotten cannot be kept or replayed; use "
            + (in_sentence("record", False) if other == "record" else in_sentence("keep", "last")),
        )
    if keep == "average" and LEARNING_RATES[rate].per_feature:
        yield (
            f"{value('forget')} with {value('keep')} and {value('learning_rate')}",
            f"its rates follow the stream, and an average would lag behind; use {in_sentence('keep', 'last')}",
        )
    if chosen["batch"] != 1:
        yield (
            f"{value('forget')} with {value('batch')}",
            f"examples are forgotten one by one; use {in_sentence('batch', 1)}",
        )
    for name in ("alpha", "l1"):
        if chosen[name]:
            yield f"{value('forget')} with {value(name)}", "to forget is to regularise; use one of them"
