"""The parameters of certify and MaxMargin."""

from typing import Any

from rosenblatt.options.estimators.learner import n_jobs
from rosenblatt.options.option import Option, by_name
from rosenblatt.options.reading import task

time_limit: Option[float | None] = Option(
    name="time_limit",
    default=None,
    kind="float",
    low=0,
    none_allowed=True,
    help="Stop the search after this many seconds and report what is known; by default it runs to the answer.",
)
gap: Option[float] = Option(
    name="gap",
    default=1e-6,
    kind="float",
    above=0,
    below=1,
    help="When to stop looking for a wider margin: the margin of the answer may be smaller than the widest by this "
    "fraction of it. Whether the classes are separable does not depend on it.",
)
exact: Option[bool] = Option(
    name="exact",
    default=True,
    kind="bool",
    help="Require a proof without rounding where no separator exists; otherwise it may be 'numerical'.",
)
scheme: Option[str] = Option(
    name="scheme",
    default="ovo",
    choices=("ovo", "ovr"),
    help="What to certify with more than two classes: every pair of them (ovo), or each class against the rest (ovr).",
)

# The fewest errors are NP-hard to find: without a limit the search could go on forever.
bracket_time_limit = time_limit.but(
    default=30.0, help="Report the bracket found after this many seconds; None narrows it as far as possible."
)

pairs: Option[bool] = Option(
    name="pairs", default=False, kind="bool", help="Certify every pair of classes, where there are more than two."
)
one_vs_rest: Option[bool] = Option(
    name="one_vs_rest", default=False, kind="bool", help="Certify each class against all the others together."
)
certify_task: Option[Any] = task.but(default="classes", none_allowed=False)
save_proof: Option[str | None] = Option(
    name="save",
    default=None,
    none_allowed=True,
    kind="path",
    help="Save the certificate to this file, as JSON; with several pairs of classes, one file for each in this folder.",
)
check_proof: Option[str | None] = Option(
    name="check",
    default=None,
    none_allowed=True,
    kind="path",
    help="Check this certificate against the data instead of making one; exit code 0 if it holds.",
)
certify_jobs = n_jobs.but(
    name="jobs",
    default=-1,
    help="How many pairs of classes to certify at once; -1 means one per core. The answers are always the same.",
)

CERTIFY = by_name([time_limit, gap, exact])
CERTIFY_CLASSES = by_name([scheme, time_limit, gap, exact, n_jobs])
ERROR_BRACKET = by_name([bracket_time_limit])
MAX_MARGIN = by_name([gap, time_limit])
