"""The parameters of `serve`."""

from rosenblatt.options.option import Option
from rosenblatt.options.studio import port

DURABILITIES = ("commit", "second")

data_directory: Option[str] = Option(
    name="data",
    default="rosenblatt-data",
    kind="path",
    help="The directory with the models, their logs and snapshots; it is created if it does not exist.",
)
serve_port: Option[int] = port.but(default=8321)
tokens: Option[str | None] = Option(
    name="tokens",
    default=None,
    none_allowed=True,
    kind="path",
    help="A file with a line `TOKEN SCOPES [MODELS]` for each token; scopes are predict, learn and admin, separated by "
    "commas. Without it everyone on this machine may do everything; to listen on another address it is required.",
)
certificate: Option[str | None] = Option(
    name="certificate",
    default=None,
    none_allowed=True,
    kind="path",
    help="The TLS certificate, a PEM file; the service then uses https.",
)
key: Option[str | None] = Option(
    name="key", default=None, none_allowed=True, kind="path", help="The private key of the certificate, a PEM file."
)
durability: Option[str] = Option(
    name="durability",
    default="commit",
    choices=DURABILITIES,
    help="When an example is acknowledged: when it is on the disk (commit), or up to a second earlier (second), so "
    "that a power cut may lose it.",
)
keep_log: Option[str] = Option(
    name="keep",
    default="30d",
    kind="duration",
    help="How long the log is kept, such as 12h or 30d: for so long the service can answer as it was at an earlier "
    "time, and knows the ids of the examples it has learned.",
)
snapshot_every: Option[str] = Option(
    name="snapshot_every",
    default="10m",
    kind="duration",
    help="How often to take a snapshot of a model that has learned; after a million examples one is always taken.",
)
verify: Option[bool] = Option(
    name="verify",
    default=False,
    kind="bool",
    help="Replay the logs of the directory, say whether the result has the same bits as every snapshot, and exit.",
)
