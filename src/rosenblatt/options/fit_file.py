"""The parameters of learning from a file or a stream."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.errors import ParameterError, option
from rosenblatt.options.estimators.learner import class_weight, forget, keep, order
from rosenblatt.options.option import Option, by_name
from rosenblatt.rules import NUMBER_RULES, RULES

RULE_NAMES = tuple(RULES)
NUMBER_RULE_NAMES = tuple(NUMBER_RULES)

rule: Option[str] = Option(
    name="rule",
    default="auto",
    choices=("auto", *RULE_NAMES, *NUMBER_RULE_NAMES),
    help="The learning rule: try several side by side and keep the best (auto), or use one by name: Rosenblatt's, with "
    "the average of its weights (perceptron) or the last ones (last); arow, which moves a weight less the more "
    "certain it is; gradient descent on the log loss (logistic) or the hinge loss (hinge), with a learning rate for "
    "each weight; logistic-average, with one learning rate and averaged weights; passive-aggressive steps (pa1, "
    "pa2), averaged. arow-bold, logistic-bold and logistic-average-bold take larger steps. For a label that is a "
    "number: gradient descent on the error, averaged (number-average), with a learning rate for each weight "
    "(number-adagrad), or with steps that never overshoot (number-invariant).",
)
from_: Option[str | None] = Option(
    name="from_",
    default=None,
    none_allowed=True,
    kind="path",
    help="Continue learning from this model, with its rule, columns, words and classes; new words, features and "
    "columns are added. It takes only as long as the new data need, and the model file is not changed.",
)
new_labels: Option[bool] = Option(
    name="new_labels",
    default=False,
    kind="bool",
    help="Accept labels that are new to the model, each as a class of its own from its first example on; without this "
    "they are an error. A model of two classes becomes one of several.",
)
passes: Option[int | str] = Option(
    name="passes",
    default="auto",
    choices=("auto",),
    kind="int",
    low=1,
    help="How many passes over the examples: as many as lower the error on held-out examples if there are few, one if "
    "there are many (auto), or at most this many. A rule that makes no mistake in a pass stops earlier.",
)
holdout: Option[float] = Option(
    name="holdout",
    default=0.0,
    kind="float",
    low=0,
    below=1,
    help="The fraction of the rows to hold out for evaluation, chosen at random: 0.1 is one row in ten.",
)
patience: Option[int | None] = Option(
    name="patience",
    default=None,
    kind="int",
    low=1,
    none_allowed=True,
    help="Stop when the error on the held-out rows has not improved for this many passes, and keep the best pass.",
)
threads: Option[int | None] = Option(
    name="threads",
    default=None,
    kind="int",
    low=1,
    below=1025,
    none_allowed=True,
    help="How many threads parse the file, by default one per core. The result is the same for any number.",
)
features: Option[str | None] = Option(
    name="features",
    default=None,
    choices=("poly2", "poly3", "poly4", "poly5", "poly6"),
    none_allowed=True,
    help="Learn on all products of up to this many columns of numbers, computed row by row and never stored.",
)
seed: Option[int] = Option(
    name="seed",
    default=0,
    kind="int",
    help="The seed for everything random; nothing is random when a file is learned in its own order.",
)
checkpoint_every: Option[float | None] = Option(
    name="checkpoint_every",
    default=None,
    kind="float",
    above=0,
    none_allowed=True,
    help="Also write the checkpoint each time this many seconds have passed.",
)

checkpoint: Option[str | None] = Option(
    name="checkpoint",
    default=None,
    none_allowed=True,
    kind="path",
    help="Save the state of the run to this file on Ctrl-C; it is removed when the run is complete. By default the "
    "name of the model with .checkpoint, unless the data come from a pipe.",
)
resume: Option[bool] = Option(
    name="resume",
    default=False,
    kind="bool",
    help="Continue from the checkpoint, with the same result as an uninterrupted run; start afresh if there is none.",
)
cache: Option[str | None] = Option(
    name="cache",
    default=None,
    none_allowed=True,
    kind="path",
    help="The folder for the cache, which later passes read instead of the data; by default the folder of the data. It "
    "is removed at the end unless it is kept.",
)
keep_cache: Option[bool] = Option(
    name="keep_cache",
    default=False,
    kind="bool",
    help="Keep the cache, so that the next fit with this option need not parse the file again; it is rebuilt when the "
    "file or the reading options have changed. The model is the same, bit for bit.",
)
test: Option[str | None] = Option(
    name="test",
    default=None,
    none_allowed=True,
    kind="path",
    help="A file of other examples on which to evaluate the model.",
)
# A stream cannot count errors over all its examples, nor keep those that moved it.
fit_file_keep: Option[Any] = keep.but(
    default=None,
    none_allowed=True,
    choices=("last", "average"),
    help="Which weights to keep: those at the end (last), or their average over all examples visited (average); by "
    "default what suits the rule.",
)
fit_file_order: Option[Any] = order.but(
    default=None,
    none_allowed=True,
    choices=("given", "shuffle"),
    help="The order of the examples: as in the file (given), or a new permutation for each pass, which needs all of "
    "them to be read first (shuffle). By default as in the file, except that rule auto shuffles a file sorted by "
    "label.",
)

fit_file_class_weight: Option[Any] = class_weight.but(
    help="How much the examples of each class count: each class the same in total (balanced: by the examples of each "
    "class so far), or a weight for each class, as in spam=1,ham=5.",
)
threshold: Option[Any] = Option(
    name="threshold",
    default=None,
    none_allowed=True,
    kind="threshold",
    help="When to predict the second of two classes: above this probability, or above the one that gives the highest "
    "F1 (f1), the lowest cost of errors (cost:fp=1,fn=20), or at least this precision or recall ('precision>=0.95', "
    "'recall>=0.9'). It is chosen on examples that were not yet learned, and saved in the model.",
)

error: Option[str] = Option(
    name="error",
    default="squared",
    choices=("squared", "absolute"),
    help="When a number is predicted, the error to minimise: squared, which leads to the mean, or absolute, which "
    "leads to the median and is hardly affected by outliers.",
)
quantiles: Option[Any] = Option(
    name="quantiles",
    default=None,
    none_allowed=True,
    kind="levels",
    help="When a number is predicted, predict these quantiles instead of one number: with 0.1,0.5,0.9 a tenth of the "
    "targets lies below the first, half below the second, a tenth above the last.",
)

SHARE_LEFT_OUT = 0.1  # of the rows, to measure what a small model loses
size: Option[Any] = Option(
    name="size",
    default=None,
    none_allowed=True,
    kind="size",
    help="The largest size of the model file, such as 5MB: weights get two bytes each, and those that matter least are "
    "left out. The accuracy that this costs is measured on the test data; without them fit holds out rows for it, by "
    "default a tenth. A small model predicts, explains and exports like any other, but cannot continue learning.",
)

FIT_FILE: Mapping[str, Option[Any]] = by_name(
    [
        rule,
        from_,
        new_labels,
        passes,
        holdout,
        patience,
        threads,
        features,
        seed,
        checkpoint,
        checkpoint_every,
        resume,
        cache,
        keep_cache,
        test,
        fit_file_keep,
        fit_file_order,
        fit_file_class_weight,
        threshold,
        size,
        forget,
        error,
        quantiles,
    ]
)


def check_fit_file(values: Mapping[str, Any]) -> None:
    """Refuse options that need another one."""
    if values["patience"] is not None and not values["holdout"]:
        raise ParameterError(f"{option('patience')} needs held-out rows to judge by: add {option('holdout', 0.1)}.")
    if values["forget"] and (values["passes"] not in ("auto", 1) or values["order"] == "shuffle" or values["patience"]):
        wrong = next(n for n in ("patience", "passes", "order") if values[n] not in (None, "auto", 1, "given"))
        raise ParameterError(
            f"{option('forget')} learns a stream once, in its order: leave {option(wrong)} out, or do not forget."
        )
    if values["new_labels"] and values["from_"] is None:
        raise ParameterError(f"{option('new_labels')} is for continuing from a model: give it with {option('from_')}.")
    if values["size"] is not None and values["from_"] is not None:
        raise ParameterError(
            f"{option('size')} gives a model that cannot continue learning: continue with {option('from_')} first, and "
            f"make the result small with rosenblatt export {option('size')}."
        )
    if values["quantiles"] is not None and values["error"] != "squared":
        raise ParameterError(
            f"{option('quantiles')} are learned by their own error: leave {option('error', values['error'])} out."
        )
    if values["resume"] and values["checkpoint"] is None:
        raise ParameterError(f"{option('resume')} needs the file of a checkpoint: name it with {option('checkpoint')}.")
