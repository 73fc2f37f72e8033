"""The parameters of `compare`."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.option import Option, by_name

folds: Option[int] = Option(
    name="folds",
    default=5,
    kind="int",
    low=2,
    help="The number of folds for cross-validation; all methods get the same folds.",
)
max_rows: Option[int | None] = Option(
    name="max_rows",
    default=20_000,
    kind="int",
    low=10,
    none_allowed=True,
    help="Compare on at most this many rows; a larger table is sampled at random.",
)
questions: Option[bool] = Option(
    name="questions",
    default=True,
    kind="bool",
    help="Answer six questions about the perceptron and logistic regression by measurement on these rows.",
)

COMPARE: Mapping[str, Option[Any]] = by_name((folds, max_rows, questions))
