"""The parameters of `trace`: the run, as in lectures, which steps to show, and what to draw."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.estimators.learner import (
    ADALINE,
    LOGISTIC_UNIT,
    PERCEPTRON,
    eta0,
    keep,
    learning_rate,
    max_iter,
    order,
)
from rosenblatt.options.fit_file import passes
from rosenblatt.options.option import Option, by_name

# Tables in lectures take the rows in the order of the data.
trace_order = order.but(default="given")


def _with_defaults(table: Mapping[str, Option[Any]], *others: Option[Any]) -> Mapping[str, Option[Any]]:
    defaults = {other.name: other.default for other in others}
    return by_name(option.but(default=defaults.get(name, option.default)) for name, option in table.items())


# The learner of each loss that can be traced, with the plain defaults that lectures use.
TRACED: Mapping[str, Mapping[str, Option[Any]]] = {
    "perceptron": PERCEPTRON,
    "squared": _with_defaults(ADALINE, max_iter),
    "logistic": _with_defaults(LOGISTIC_UNIT, learning_rate, eta0, keep, max_iter),
}
trace_passes = passes.but(
    default=50,
    choices=(),
    help="Learn the examples at most this many times; a rule that makes no mistake in a pass stops earlier.",
)
steps: Option[int | None] = Option(
    name="steps",
    default=None,
    none_allowed=True,
    kind="int",
    low=1,
    help="How many steps to show; by default 1000 in a table and all of them in a file.",
)
epochs: Option[str | None] = Option(
    name="epochs",
    default=None,
    none_allowed=True,
    kind="str",
    help="Which epochs to show, counted from 1: one (3) or several (3-5).",
)
mistakes_only: Option[bool] = Option(
    name="mistakes_only", default=False, kind="bool", help="Show only the steps that were mistakes."
)
totals: Option[bool] = Option(
    name="totals",
    default=False,
    kind="bool",
    help="Also show, after each step, the loss over all examples and how many of them are then mistakes.",
)
plot: Option[str | None] = Option(
    name="plot", default=None, none_allowed=True, kind="path", help="Draw the result to this file: .png, .svg or .pdf."
)
animate: Option[str | None] = Option(
    name="animate",
    default=None,
    none_allowed=True,
    kind="path",
    help="Animate the run update by update in this file: .gif, or .html for a page to step through.",
)
columns: Option[str | None] = Option(
    name="columns",
    default=None,
    none_allowed=True,
    kind="str",
    help="The two columns to draw, by name or by position from 0, with a comma between them.",
)
theme: Option[str | None] = Option(
    name="theme",
    default=None,
    none_allowed=True,
    choices=("light", "dark"),
    help="The background of figures: light by default, while a page follows the reader's system.",
)
