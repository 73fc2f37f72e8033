"""The parameters of `compare`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.option import Option, table

folds: Option[int] = Option(
    name="folds",
    default=5,
    kind="int",
    low=2,
    help="Into how many parts the rows are split; each is held out once, and all methods get the same.",
)
max_rows: Option[int | None] = Option(
    name="max_rows",
    default=20_000,
    kind="int",
    low=10,
    none_allowed=True,
    help="The most rows to compare on; of more, so many are drawn at random.",
)
questions: Option[bool] = Option(
    name="questions",
    default=True,
    kind="bool",
    help="Answer the six questions about the perceptron and logistic regression by measuring on these rows.",
)

COMPARE: Mapping[str, Option[Any]] = table((folds, max_rows, questions))
