"""The parameters of certify and MaxMargin."""

from rosenblatt.options.learner import n_jobs
from rosenblatt.options.option import Option, table

time_limit: Option[float | None] = Option(
    name="time_limit",
    default=None,
    kind="float",
    low=0,
    none_allowed=True,
    help="Seconds after which the search gives up and says what it knows; it runs to the answer when not given.",
)
gap: Option[float] = Option(
    name="gap",
    default=1e-6,
    kind="float",
    above=0,
    below=1,
    help="How far the margin may be from the widest there is, relative to the widest.",
)
exact: Option[bool] = Option(
    name="exact",
    default=True,
    kind="bool",
    help="Whether a proof that no separator exists must hold without rounding; if not, it may be 'numerical'.",
)
scheme: Option[str] = Option(
    name="scheme",
    default="ovo",
    choices=("ovo", "ovr"),
    help="Which questions are asked of more than two classes: every pair (ovo), or each class against the rest (ovr).",
)

# The fewest errors are NP-hard to find: without a limit the search could go on for ever.
bracket_time_limit = time_limit.but(
    default=30.0, help="Seconds after which the bracket is given as it stands; None lets it close as far as it can."
)

pairs: Option[bool] = Option(
    name="pairs", default=False, kind="bool", help="Ask for every pair of classes, where there are more than two."
)
one_vs_rest: Option[bool] = Option(
    name="one_vs_rest", default=False, kind="bool", help="Ask for each class against all the others together."
)
save_proof: Option[str | None] = Option(
    name="save",
    default=None,
    none_allowed=True,
    kind="path",
    help="Keep the certificate in this file, as JSON; of several pairs of classes, one file each in this folder.",
)
check_proof: Option[str | None] = Option(
    name="check",
    default=None,
    none_allowed=True,
    kind="path",
    help="Check this certificate on the data instead of making one; exit code 0 if it holds.",
)
certify_jobs = n_jobs.but(
    name="jobs",
    default=-1,
    help="How many questions to work on at once, with the same answers for any number; -1 as many as there are cores.",
)

CERTIFY = table([time_limit, gap, exact])
CERTIFY_CLASSES = table([scheme, time_limit, gap, exact, n_jobs])
ERROR_BRACKET = table([bracket_time_limit])
MAX_MARGIN = table([gap, time_limit])
