"""The parameters of ThresholdNetwork."""

from rosenblatt.options.estimators.learner import max_iter, random_state
from rosenblatt.options.option import Option, by_name

max_units: Option[int | None] = Option(
    name="max_units",
    default=None,
    kind="int",
    low=1,
    none_allowed=True,
    help="The maximum number of units, for each class if there are three or more; None means no limit. A network that "
    "uses them all ends with status 'budget'.",
)
network_max_iter = max_iter.but(
    default=100, help="The maximum number of epochs that one unit learns before the network adds another."
)

THRESHOLD_NETWORK = by_name([max_units, network_max_iter, random_state])
