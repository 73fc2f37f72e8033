"""The door of the readers: a path and how to read it -> a source of examples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.readers.formats.detect import format_of
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace

_NUMBERED = ("svmlight", "npy", "npz")
_TABLES = ("csv", "tsv", "parquet", "arrow")


def open_source(path: str | os.PathLike[str], reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """A source of the examples in a file, or in standard input when the path is '-'.

    With the `space` of a model the examples are read into that space: what it does not know is left out, and nothing
    grows. The format is found from the name and the content where `reading` does not say it. The module of a format
    is given ReadOptions that names it.
    """
    options.format.check(reading.format, "read")
    options.on_bad_row.check(reading.on_bad_row, "read")
    opened = InputFile(path)
    kind = reading.format or _format(opened, reading, space)
    reading = reading.with_format(kind)
    if space is None:
        _refuse_unused(opened.name, reading)
        if reading.cross:
            from rosenblatt.readers.hashing.cross import refuse_crossing

            refuse_crossing(opened.name, reading)
    else:
        _refuse_other(opened.name, kind, space)
        _refuse_unused(opened.name, reading, _OF_A_FILE)
        if space.kind == "columns" and "numbers" not in space.settings:  # of an estimator that learned a DataFrame
            columns = {"numbers": list(space.columns), "words": [], "texts": [], "label": ""}
            space = replace(space, settings={**columns, **space.settings})
    return _reader(kind)(opened, reading, space)


def _reader(format: str) -> Callable[[InputFile, ReadOptions, FeatureSpace | None], Source]:
    """Loaded when a file of the format is opened: most need pyarrow, and reading svmlight must not wait for it."""
    if format == "svmlight":
        from rosenblatt.readers.formats import svmlight

        return svmlight.open
    if format == "vw":
        from rosenblatt.readers.formats import vw

        return vw.open
    if format == "text":
        from rosenblatt.readers.formats import text

        return text.open
    if format in ("npy", "npz"):
        from rosenblatt.readers.formats import npy

        return npy.open
    from rosenblatt.readers.table import source

    return source.open


# The formats that an option of reading means something for; where it means nothing it is refused, not ignored.
_MEANT_FOR = {
    "label": (*_TABLES, "npy", "npz"),
    "text": _TABLES,
    "words": _TABLES,
    "labels_from": ("text", "npy", "npz"),
    "header": ("csv", "tsv", "text"),
    "index_base": ("svmlight",),
    "bits": ("vw", "text", *_TABLES),
    "ngrams": ("text", *_TABLES),
    "value": ("text", *_TABLES),
    "unit": ("text", *_TABLES),
    "scale": (*_TABLES, "npy", "npz"),
}
_OF_A_FILE = ("label", "labels_from", "header")  # what a model does not say
_FIRST_WORD = {"svmlight": "first on its line", "vw": "first on its line", "text": "before the tab"}


def _refuse_unused(name: str, reading: ReadOptions, asked: Iterable[str] = tuple(_MEANT_FOR)) -> None:
    for option in asked:
        formats = _MEANT_FOR[option]
        if getattr(reading, option) != getattr(ReadOptions(), option) and reading.format not in formats:
            flag = "--" + option.replace("_", "-") if option != "unit" else "--no-unit"
            where = _FIRST_WORD.get(str(reading.format))
            why = f"; the label stands {where}" if where and option in ("label", "labels_from") else ""
            raise ParameterError(
                f"{name}: is read as {reading.format}, and {flag} is for {' and '.join(_grouped(formats))}{why}: "
                f"leave {flag} out, or say how the file is written with --format."
            )


def _grouped(formats: Sequence[str]) -> list[str]:
    """The formats in a sentence: tables as one.

    >>> _grouped(("csv", "tsv", "parquet", "arrow", "npy")), _grouped(("csv", "tsv", "text"))
    (['tables', 'npy'], ['csv', 'tsv', 'text'])
    """
    if not set(_TABLES) <= set(formats):
        return list(formats)
    others = [form for form in formats if form not in _TABLES]
    return ["tables", *others] if formats[0] in _TABLES else [*others, "tables"]


def _format(opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> str:
    """As found; but a model of texts reads as text all lines that are not features already, tabs and commas or none."""
    of_texts = space is not None and space.settings.get("format") == "text" and b"\x00" not in opened.head
    try:
        found = format_of(opened, reading.labels_from)
    except DataError:
        if of_texts:
            return "text"
        raise
    return "text" if of_texts and found in ("csv", "tsv") else found


def _refuse_other(name: str, format: str, space: FeatureSpace) -> None:
    """A model reads features of the kind it learned: numbered ones, named columns, texts, or VW names."""
    hashed = "vw" if space.settings.get("names") == "vw" else "text"
    reads = {"index": _NUMBERED, "columns": _TABLES, "hashed": (hashed,)}[space.kind]
    if format not in reads:
        raise ModelError(
            f"{name}: is read as {format}, and this model reads {' or '.join(reads)}; "
            "give it examples of its own kind, or say how they are written with --format."
        )
