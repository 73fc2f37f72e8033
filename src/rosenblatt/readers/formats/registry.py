"""The registry of formats: how each is recognised, which options it understands, and what opens it.

A new format is a module with a source, an entry in FORMATS below, and its name in `options.FORMATS`. The module is
imported when a file of the format is opened: most need pyarrow, and svmlight must not wait for it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from rosenblatt.errors import option
from rosenblatt.readers.formats import first_lines
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace

Open: TypeAlias = Callable[[InputFile, ReadOptions, FeatureSpace | None], Source]
# A model reads every format of the kind that it was learned from.
FeatureKind: TypeAlias = Literal["numbered features", "table", "vw", "text"]


class Format(NamedTuple):
    """One format of files. A file is recognised by a signature, else by its name, else by its first lines."""

    name: str
    features: FeatureKind
    open: Open
    options: tuple[str, ...]  # the options of reading that it understands
    suffixes: tuple[str, ...] = ()
    signature: Callable[[bytes], bool] | None = None  # whether the first bytes are those of the format
    looks_like: Callable[[Sequence[str]], bool] | None = None  # whether the first lines are
    label_position: str = ""  # where each line has its label, if it always has it there
    why_no_cross: str = ""  # why the format has no use for `cross`, if it has none


def _open_svmlight(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    from rosenblatt.readers.formats.svmlight.svmlight import SvmlightSource, is_in_unlike_units

    source = SvmlightSource(file, reading, space)
    is_scaled = space.scale is not None if space is not None else reading.decide and reading.scale is not False
    if not is_scaled or (space is None and not is_in_unlike_units(*source.first_rows())):
        return source
    from rosenblatt.readers.formats.svmlight.scaled_svmlight import ScaledSvmlight

    return ScaledSvmlight(source)


def _open_vw(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    from rosenblatt.readers.formats.vw import VwSource

    return VwSource(file, reading, space)


def _open_text(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    from rosenblatt.readers.formats.text import TextSource

    return TextSource(file, reading, space)


def _open_fasttext(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    from rosenblatt.readers.formats.fasttext import FastTextSource

    return FastTextSource(file, reading, space)


def _open_arrays(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    from rosenblatt.readers.formats.arrays.npy import ArraySource

    return ArraySource(file, reading, space)


def _open_table(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> Source:
    from rosenblatt.readers.table.table_source import TableSource

    return TableSource(file, reading, space)


_HASHING = ("bits", "ngrams", "chars", "value", "unit")
_TABLE = ("label", "label_separator", "text", "words", "cross", *_HASHING, "drop", "keep", "as_", "scale", "with_")
_ARRAYS = ("label", "labels_from", "scale")
_NO_NAMES = (
    "features of {} have numbers only; write them as VW text, with a namespace for each group, or as a table with "
    "named columns"
)
_PRODUCTS = f", or learn all products with {option('features', 'poly2')}"

# In the order in which their first lines are tried.
FORMATS: Mapping[str, Format] = {
    format.name: format
    for format in (
        Format(
            "jsonl",
            "table",
            _open_table,
            _TABLE,
            suffixes=(".jsonl", ".ndjson", ".json"),
            looks_like=first_lines.looks_like_json,
        ),
        Format(
            "fasttext",
            "text",
            _open_fasttext,
            _HASHING,
            looks_like=first_lines.looks_like_fasttext,
            label_position="the word that begins with __label__",
            why_no_cross=f"a text has neither; {option('ngrams', 2)} learns words that stand together",
        ),
        Format(
            "svmlight",
            "numbered features",
            _open_svmlight,
            ("index_base",),
            suffixes=(".svm", ".svmlight", ".libsvm"),
            looks_like=first_lines.looks_like_svmlight,
            label_position="first on its line",
            why_no_cross=_NO_NAMES.format("svmlight"),
        ),
        Format(
            "vw",
            "vw",
            _open_vw,
            ("bits", "cross"),
            suffixes=(".vw",),
            looks_like=first_lines.looks_like_vw,
            label_position="first on its line",
        ),
        Format(
            "text",
            "text",
            _open_text,
            ("label_separator", "labels_from", "header", *_HASHING),
            looks_like=first_lines.looks_like_text,
            label_position="before the tab",
            why_no_cross=f"a text has neither; {option('ngrams', 2)} learns words that stand together",
        ),
        Format("tsv", "table", _open_table, (*_TABLE, "header"), looks_like=first_lines.looks_like_tsv),
        Format(
            "csv",
            "table",
            _open_table,
            (*_TABLE, "header"),
            suffixes=(".csv",),
            looks_like=first_lines.looks_like_csv,
        ),
        Format(
            "parquet",
            "table",
            _open_table,
            _TABLE,
            suffixes=(".parquet", ".pq"),
            signature=lambda head: head.startswith(b"PAR1"),
        ),
        Format(
            "arrow",
            "table",
            _open_table,
            _TABLE,
            suffixes=(".arrow", ".feather", ".ipc"),
            signature=lambda head: head.startswith((b"ARROW1", b"\xff\xff\xff\xff")),
        ),
        Format(
            "npy",
            "numbered features",
            _open_arrays,
            _ARRAYS,
            suffixes=(".npy",),
            signature=lambda head: head.startswith(b"\x93NUMPY"),
            why_no_cross=_NO_NAMES.format("npy") + _PRODUCTS,
        ),
        Format(
            "npz",
            "numbered features",
            _open_arrays,
            _ARRAYS,
            suffixes=(".npz",),
            signature=lambda head: head.startswith(b"PK\x03\x04") and b".npy" in head[:512],
            why_no_cross=_NO_NAMES.format("npz") + _PRODUCTS,
        ),
    )
}


def feature_kind(space: FeatureSpace) -> FeatureKind:
    """What kind of features a model with this space reads."""
    if space.kind == "index":
        return "numbered features"
    if space.kind == "columns":
        return "table"
    return "vw" if space.settings.get("names") == "vw" else "text"


def formats_with(features: FeatureKind) -> list[str]:
    return [format.name for format in FORMATS.values() if format.features == features]


def formats_for(read_option: str) -> list[str]:
    """The formats that understand an option of reading, for a sentence: all tables as one.

    >>> formats_for("scale"), formats_for("header")
    (['tables', 'npy', 'npz'], ['text', 'tsv', 'csv'])
    """
    names = [format.name for format in FORMATS.values() if read_option in format.options]
    tables = formats_with("table")
    if not set(tables) <= set(names):
        return names
    return list(dict.fromkeys("tables" if name in tables else name for name in names))
