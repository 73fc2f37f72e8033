"""The parameters of certify and MaxMargin."""

from rosenblatt.options.learning import n_jobs
from rosenblatt.options.option import Option, table

time_limit: Option[float | None] = Option(
    name="time_limit",
    default=None,
    kind="float",
    low=0,
    none_allowed=True,
    help="Seconds after which the search gives up and says what it knows; None lets it run to the answer.",
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

CERTIFY = table([time_limit, gap, exact])
CERTIFY_CLASSES = table([scheme, time_limit, gap, exact, n_jobs])
MAX_MARGIN = table([gap, time_limit])
