"""The parameters of reading: how bytes become examples."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.option import Option, table

FORMATS = ("svmlight", "vw", "csv", "tsv", "parquet", "arrow", "npy", "npz", "text")

format: Option[str | None] = Option(
    name="format",
    default=None,
    choices=FORMATS,
    none_allowed=True,
    help="The format of the data; found from its name and content when not given.",
)
on_bad_row: Option[str] = Option(
    name="on_bad_row",
    default="fail",
    choices=("fail", "skip"),
    help="What to do with a row that cannot be read: stop and say where (fail), or leave it out, count it and show "
    "the first few (skip).",
)

READING: Mapping[str, Option[Any]] = table([format, on_bad_row])
