"""The parameters of LinearPredictor: those of LinearSeparator that are not about classes, and those of a number."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.estimators.learner import forget, random_state
from rosenblatt.options.estimators.linear_separator import SEPARATOR_READING, separator_n_jobs
from rosenblatt.options.fit_file import (
    NUMBER_RULE_NAMES,
    error,
    features,
    fit_file_order,
    holdout,
    passes,
    patience,
    quantiles,
    rule,
)
from rosenblatt.options.option import Option, by_name

predictor_rule = rule.but(
    choices=("auto", *NUMBER_RULE_NAMES),
    help="The learning rule: try several side by side and keep the best (auto), or use one by name: gradient descent "
    "on the error, averaged (number-average), with a learning rate for each weight (number-adagrad), or with steps "
    "that never overshoot (number-invariant).",
)

PREDICTOR_READING: Mapping[str, Option[Any]] = by_name(
    [option for name, option in SEPARATOR_READING.items() if name != "multi_label"]
)
PREDICTOR_LEARNING: Mapping[str, Option[Any]] = by_name(
    [predictor_rule, passes, holdout, patience, fit_file_order, features, error, quantiles, forget]
)
LINEAR_PREDICTOR: Mapping[str, Option[Any]] = by_name(
    [*PREDICTOR_LEARNING.values(), *PREDICTOR_READING.values(), separator_n_jobs, random_state]
)
