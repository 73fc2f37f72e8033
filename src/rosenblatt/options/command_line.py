"""The parameters of the command line alone: what is shown, exported and written, and where; how any is typed there."""

from rosenblatt.options.option import Option

# Parameters whose option has another name than in Python.
_FLAGS = {"fit_intercept": "intercept", "max_iter": "passes", "n_jobs": "jobs", "random_state": "seed"}
OUTPUT_FORMATS = ("tsv", "csv", "jsonl")
EXPORT_FORMATS = ("onnx", "json", "sql", "python")

output: Option[str | None] = Option(
    name="output", default=None, none_allowed=True, kind="path", help="Where to write the result."
)
report: Option[str | None] = Option(
    name="report",
    default=None,
    none_allowed=True,
    kind="path",
    help="Write a self-contained HTML page with figures, scores and the command that repeats the run.",
)
top: Option[int] = Option(name="top", default=10, kind="int", low=0, help="How many features to show for each class.")
output_format: Option[str] = Option(
    name="output_format",
    default="tsv",
    choices=OUTPUT_FORMATS,
    help="How to write the predictions: cells separated by tabs (tsv) or by commas, with quotes (csv), or one JSON "
    "object per line (jsonl).",
)
id_column: Option[str | None] = Option(
    name="id_",
    default=None,
    none_allowed=True,
    kind="str",
    help="A column of DATA, a table, to write before each prediction.",
)
with_columns: Option[tuple[str, ...]] = Option(
    name="with_",
    default=(),
    kind="strs",
    help="Columns of DATA, a table, to write before each prediction as they are. For several, use commas or repeat the "
    "option.",
)
top_classes: Option[int] = Option(
    name="top",
    default=0,
    kind="int",
    low=0,
    help="After each label the N best classes, each with its probability, or its score if the model gives no "
    "probabilities.",
)
reasons: Option[int] = Option(
    name="reasons",
    default=0,
    kind="int",
    low=0,
    help="After each label the N features that add most to its score, and what each adds.",
)
confidence: Option[bool] = Option(
    name="confidence",
    default=False,
    kind="bool",
    help="After each label how certain the model is of it: how far its score is from that of the next class, in "
    "standard deviations; for models of the rule arow.",
)
intervals: Option[bool] = Option(
    name="intervals",
    default=False,
    kind="bool",
    help="After each predicted number the low and the high bound between which nine of ten targets lie, measured by "
    "the errors on examples that had not been learned.",
)
example: Option[str | None] = Option(
    name="example",
    default=None,
    none_allowed=True,
    kind="str",
    help="Explain the prediction for one example: a text, a line of svmlight or VW features, or for a table "
    "'column=value, column=value', a JSON object, or a row.",
)
row: Option[int | None] = Option(
    name="row",
    default=None,
    none_allowed=True,
    kind="int",
    low=1,
    help="Explain the prediction for this row of DATA, counted from 1 without the names of the columns.",
)
show_size: Option[bool] = Option(
    name="size",
    default=False,
    kind="bool",
    help="Show what takes up the space in the file of MODEL, and how small it could be.",
)
to: Option[str | None] = Option(
    name="to",
    default=None,
    choices=EXPORT_FORMATS,
    none_allowed=True,
    help="The format to export to: a graph for any ONNX runtime (onnx), every weight by name (json), "
    "one SELECT that predicts in a database (sql), or one Python file that predicts without any package (python). By "
    "default it follows from the name of the output.",
)
on: Option[str | None] = Option(
    name="on",
    default=None,
    none_allowed=True,
    kind="str",
    help="Let the workers of an engine read DATA, which must have the same path on each of them: processes (on this "
    "machine), dask, ray or spark started here, or one that is already running, such as dask://host:8786. The result "
    "is bit for bit that of one machine, for any number of workers.",
)
shards: Option[int | None] = Option(
    name="shards",
    default=None,
    none_allowed=True,
    kind="int",
    low=1,
    help="If one learner is too slow: divide the examples into this many shards, which the workers of the engine learn "
    "separately, and mix their weights after each pass; logistic regression is then polished over all shards. The "
    "result depends on the number of shards, but not on that of the workers.",
)
table_name: Option[str] = Option(
    name="table", default="data", kind="str", help="The table that the SQL statement reads."
)
message: Option[str | None] = Option(
    name="message", default=None, none_allowed=True, kind="str", help="A message of your own to classify."
)


def as_flag(name: str, value: object = None) -> str:
    """A parameter, and its value if there is one, as typed on the command line.

    >>> as_flag("on_bad_row", "skip"), as_flag("scale", True), as_flag("unit", False), as_flag("n_jobs")
    ('--on-bad-row skip', '--scale', '--no-unit', '--jobs')
    """
    flag = _FLAGS.get(name, name).rstrip("_").replace("_", "-")
    if str(value) == "False":
        return f"--no-{flag}"
    if value is None or str(value) == "True":
        return f"--{flag}"
    import shlex

    return f"--{flag} {shlex.quote(str(value))}"
