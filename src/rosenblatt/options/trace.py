"""The parameters of `trace`: which steps are shown, and what is drawn of them."""

from rosenblatt.options.fit_file import passes
from rosenblatt.options.learner import order
from rosenblatt.options.option import Option

# The lectures' tables go through the rows as they are printed.
trace_order = order.but(default="given")
trace_passes = passes.but(default=50)
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
