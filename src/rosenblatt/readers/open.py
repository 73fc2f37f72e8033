"""Open a file or a stream as a source of examples, in whatever format it is."""

import os
from collections.abc import Iterable
from dataclasses import replace

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, ParameterError, option
from rosenblatt.readers.formats.detect import format_of
from rosenblatt.readers.formats.registry import FORMATS, Format, feature_kind, formats_for, formats_with
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace

_EVERY_FORMAT = ("format", "classes", "on_bad_row")  # options that every format understands
_NOT_IN_MODEL = ("label", "labels_from", "header")  # options about a file to predict; the model knows the others


def open_source(path: str | os.PathLike[str], reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """A source of the examples in a file, or in standard input when the path is '-'.

    With the `space` of a model the examples are read into that space: unknown features are left out, and nothing
    grows. The format is found from the name and the content where `reading` does not name it.
    """
    options.format.check(reading.format, "read")
    options.on_bad_row.check(reading.on_bad_row, "read")
    file = InputFile(path)
    format = FORMATS[reading.format or _find_format(file, reading, space)]
    reading = replace(reading, format=format.name)
    if space is None:
        _refuse_unused(file.name, format, reading, vars(reading))
        _refuse_cross(file.name, format, reading)
    else:
        _refuse_other_features(file.name, format, space)
        _refuse_unused(file.name, format, reading, _NOT_IN_MODEL)
        if space.kind == "columns" and "numbers" not in space.settings:  # of an estimator that learned a DataFrame
            columns = {"numbers": list(space.columns), "words": [], "texts": [], "label": ""}
            space = replace(space, settings={**columns, **space.settings})
    return format.open(file, reading, space)


def _find_format(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> str:
    """The format as detected; but a model of texts reads lines with commas or tabs, too, as text."""
    model_of_texts = space is not None and space.settings.get("format") == "text" and b"\x00" not in file.head
    try:
        detected = format_of(file, reading.labels_from)
    except DataError:
        if model_of_texts:
            return "text"
        raise
    return "text" if model_of_texts and detected in ("csv", "tsv") else detected


def _refuse_unused(name: str, format: Format, reading: ReadOptions, names: Iterable[str]) -> None:
    """An option that means nothing for the format is refused, not ignored."""
    understood = {*format.options, *_EVERY_FORMAT, "cross"}
    for unused in names:
        if unused in understood or getattr(reading, unused) == getattr(ReadOptions(), unused):
            continue
        label = format.label_position if unused in ("label", "labels_from") else ""
        spelled = option(unused) if unused != "unit" else option(unused, False)
        raise ParameterError(
            f"{name}: is read as {format.name}, and {spelled} is for {' and '.join(formats_for(unused))}"
            f"{f'; the label is {label}' if label else ''}: "
            f"leave {spelled} out, or name the format of the file with {option('format')}."
        )


def _refuse_cross(name: str, format: Format, reading: ReadOptions) -> None:
    """Without names of columns or namespaces nothing says which features belong together."""
    if reading.cross and format.why_no_cross:
        from rosenblatt.readers.hashing.cross import pairs_of

        pairs_of(reading.cross)
        raise DataError(
            f"{name}: {option('cross')} pairs columns of a table or namespaces of VW text, and {format.why_no_cross}.",
            file=name,
        )


def _refuse_other_features(name: str, format: Format, space: FeatureSpace) -> None:
    """A model reads features of the kind it learned: numbered ones, named columns, texts, or VW names."""
    features = feature_kind(space)
    if format.features != features:
        raise ModelError(
            f"{name}: is read as {format.name}, and this model reads {' or '.join(formats_with(features))}; "
            f"give it examples of the same kind, or name their format with {option('format')}.",
            file=name,
        )
