"""The parameters of reading: how bytes become examples."""

from __future__ import annotations

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

label: Option[str | int | None] = Option(
    name="label",
    default=None,
    none_allowed=True,
    kind="str",
    help="The column of a table that holds the label: its name, or its position from 0 (-1 is the last).",
)
text: Option[tuple[str, ...]] = Option(
    name="text",
    default=(),
    kind="strs",
    help="A column of a table that holds running text, to be split into words. More than one: commas, or repeat it.",
)
cross: Option[tuple[str, ...]] = Option(
    name="cross",
    default=(),
    kind="strs",
    help="Two columns of a table, or two namespaces of VW text, as a:b: what they say together is learned too, each "
    "feature of the one times each of the other. More than one pair: commas, or repeat it.",
)
labels_from: Option[str | None] = Option(
    name="labels_from",
    default=None,
    none_allowed=True,
    kind="path",
    help="A second file with one label a line, for raw text without labels.",
)
header: Option[bool | None] = Option(
    name="header",
    default=None,
    none_allowed=True,
    kind="bool",
    help="Whether a table begins with the names of its columns; found from its content when not given.",
)
index_base: Option[int | None] = Option(
    name="index_base",
    default=None,
    none_allowed=True,
    kind="int",
    low=0,
    below=2,
    help="Where svmlight feature numbers begin, 0 or 1. When not given: 1, unless the file has a feature 0.",
)
TEXT_BITS, TEXT_NGRAMS = 22, 2  # measured: one pass over mail, newsgroups and short texts, see docs/formats.md
VW_BITS = 20  # vw itself takes 18; 50,000 names then share a weight with another one time in six, here one in twenty
bits: Option[int | None] = Option(
    name="bits",
    default=None,
    none_allowed=True,
    kind="int",
    low=1,
    below=29,
    help=f"Words and names are hashed into 2**bits weights, when not given 2**{TEXT_BITS} for text and "
    f"2**{VW_BITS} for vw (with --cross 2**{TEXT_BITS}), fewer where there are more than two classes. More bits: "
    "fewer words that share a weight, and a larger model.",
)
ngrams: Option[int | None] = Option(
    name="ngrams",
    default=None,
    none_allowed=True,
    kind="int",
    low=1,
    below=9,
    help=f"Runs of up to this many words in a row are features too; {TEXT_NGRAMS} for text when not given.",
)
words: Option[tuple[str, ...]] = Option(
    name="words",
    default=(),
    kind="strs",
    help="A column of numbers in a table that is to be read as words. More than one: commas, or repeat it.",
)
value: Option[str] = Option(
    name="value",
    default="sqrt",
    choices=("count", "binary", "sqrt"),
    help="What the value of a word in a text is: how often it occurs (count), 1 (binary), or the square root of how "
    "often it occurs (sqrt).",
)
unit: Option[bool] = Option(
    name="unit",
    default=True,
    kind="bool",
    help="Scale the values of each text to length 1, so that long texts do not outweigh short ones.",
)
scale: Option[bool] = Option(
    name="scale",
    default=False,
    kind="bool",
    help="Bring every column of numbers to mean 0 and deviation 1; the data are read once more for that.",
)
classes: Option[tuple[str, ...]] = Option(
    name="classes",
    default=(),
    kind="strs",
    help="All the labels there can be, for a stream that cannot be read twice: commas, or repeat it.",
)

READ: Mapping[str, Option[Any]] = table(
    [
        format,
        label,
        text,
        words,
        cross,
        labels_from,
        header,
        index_base,
        bits,
        ngrams,
        value,
        unit,
        scale,
        classes,
        on_bad_row,
    ]
)
