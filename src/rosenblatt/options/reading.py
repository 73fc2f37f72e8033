"""The parameters of reading: how bytes become examples."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.option import Option, by_name

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz", "text", "fasttext")

format: Option[str | None] = Option(
    name="format",
    default=None,
    choices=FORMATS,
    none_allowed=True,
    help="The format of the data; by default it is found from its name and content.",
)
on_bad_row: Option[str] = Option(
    name="on_bad_row",
    default="fail",
    choices=("fail", "skip"),
    help="What to do with a row that cannot be read: stop and say where it is (fail), or skip it, count it and show "
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
    help="A column of a table that holds running text, to be split into words. For several, use commas or repeat the "
    "option.",
)
cross: Option[tuple[str, ...]] = Option(
    name="cross",
    default=(),
    kind="strs",
    help="Two columns of a table, or two namespaces of VW text, as a:b: the product of each feature of the one and "
    "each of the other is a feature too. For several pairs, use commas or repeat the option.",
)
labels_from: Option[str | None] = Option(
    name="labels_from",
    default=None,
    none_allowed=True,
    kind="path",
    help="A second file with one label per line, for text or arrays without labels.",
)
header: Option[bool | None] = Option(
    name="header",
    default=None,
    none_allowed=True,
    kind="bool",
    help="Whether a table begins with the names of its columns; by default it is found from its content.",
)
index_base: Option[int | None] = Option(
    name="index_base",
    default=None,
    none_allowed=True,
    kind="int",
    low=0,
    below=2,
    help="The first feature number of svmlight, 0 or 1; by default 1, unless the file has a feature 0.",
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
    help=f"Words and names are hashed into 2**bits weights, by default 2**{TEXT_BITS} for text and 2**{VW_BITS} for vw "
    f"(2**{TEXT_BITS} when crossed), fewer where there are more than two classes. More bits: fewer words share a "
    "weight, and the model is larger.",
)
ngrams: Option[int | None] = Option(
    name="ngrams",
    default=None,
    none_allowed=True,
    kind="int",
    low=1,
    below=9,
    help=f"Phrases of up to this many words are features too; by default {TEXT_NGRAMS} for text, and 1 where few texts "
    "are learned better so.",
)
chars: Option[Any] = Option(
    name="chars",
    default=None,
    none_allowed=True,
    kind="range",
    help="Parts of words are features too: all substrings of this many characters, such as 3-5, with the beginning and "
    "the end of the word marked. For misspelt, compound and inflected words; by default none.",
)
words: Option[tuple[str, ...]] = Option(
    name="words",
    default=(),
    kind="strs",
    help="A column of numbers in a table to read as words. For several, use commas or repeat the option.",
)
value: Option[str] = Option(
    name="value",
    default="sqrt",
    choices=("count", "binary", "sqrt"),
    help="The value of a word in a text: how often it occurs (count), 1 (binary), or the root of the count (sqrt).",
)
unit: Option[bool] = Option(
    name="unit",
    default=True,
    kind="bool",
    help="Scale the values of each text to length 1, so that long texts do not outweigh short ones.",
)
scale: Option[bool | None] = Option(
    name="scale",
    default=None,
    none_allowed=True,
    kind="bool",
    help="Scale every column of numbers to mean 0 and standard deviation 1, by the first 16 MB of the data; fit does "
    "so by default.",
)
drop: Option[tuple[str, ...]] = Option(
    name="drop",
    default=(),
    kind="strs",
    help="A column of a table to leave out. For several, use commas or repeat the option.",
)
keep_columns: Option[tuple[str, ...]] = Option(
    name="keep",
    default=(),
    kind="strs",
    help="A column of a table to learn from although it looks like an id, is constant or repeats another; * keeps all. "
    "For several, use commas or repeat the option. With fit also the weights to keep: those at the end of the run "
    "(last), or their average over all examples visited (average); by default what suits the rule.",
)
as_: Option[tuple[str, ...]] = Option(
    name="as_",
    default=(),
    kind="strs",
    help="How to read a column of a table, whatever it seems to hold: number:COLUMN, word:COLUMN, text:COLUMN or "
    "date:COLUMN. For several, use commas or repeat the option.",
)
classes: Option[tuple[str, ...]] = Option(
    name="classes",
    default=(),
    kind="strs",
    help="All possible labels of a stream, which cannot be read twice; use commas or repeat the option.",
)

multi_label: Option[bool] = Option(
    name="multi_label",
    default=False,
    kind="bool",
    help="An example may have several labels, or none, and each label is decided by itself. They are several __label__ "
    "words in a line of fastText, 1,5,7 as the label in svmlight and VW, cells such as a|b or lists in the label "
    "column of a table, or several columns of 0 and 1 whose names are given as the label, with commas between them.",
)
label_separator: Option[str | None] = Option(
    name="label_separator",
    default=None,
    none_allowed=True,
    kind="str",
    help="The separator between the labels of an example, in a table or before the tab of a text; by default the first "
    "of | and ; and , that occurs there.",
)
task: Option[str | None] = Option(
    name="task",
    default=None,
    choices=("classes", "number"),
    none_allowed=True,
    help="What the label is: one of several classes, or a number. By default fit decides by the values: numbers that "
    "rarely repeat, or many of which have fractions, are numbers to predict. For certify a label is a class unless "
    "this says number.",
)
LABEL_SETS: Mapping[str, Option[Any]] = by_name([multi_label, label_separator])

READ: Mapping[str, Option[Any]] = by_name(
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
        chars,
        value,
        unit,
        drop,
        keep_columns,
        as_,
        scale,
        classes,
        on_bad_row,
    ]
)
