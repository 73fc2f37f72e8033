"""Open a file or a stream as a source of examples, in whatever format it is."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, ParameterError, option
from rosenblatt.readers.formats.detect import find_format, format_of, refuse_other_format
from rosenblatt.readers.formats.registry import FORMATS, Format, feature_kind, formats_for, formats_with
from rosenblatt.readers.inputs.input_file import InputFile, Paths
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace

# Options that every format understands.
_EVERY_FORMAT = ("format", "classes", "task", "multi_label", "decide", "on_bad_row", "count_names", "name_rows", "grow")
# Options about a file to predict; the model knows the others.
_NOT_IN_MODEL = ("label", "labels_from", "header", "with_")


def open_source(inputs: Paths, reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """A source of the examples in a file, in several files one after another, or in standard input when it is '-'.

    From Python also of a table in memory: a DataFrame, whatever has `__arrow_c_stream__`, or an iterator of batches.

    A folder stands for all files in it, at any depth, and a pattern such as 'part-*.csv' for those that match it.

    With the `space` of a model the examples are read into that space: unknown features are left out, and nothing
    grows. The format is found from the name and the content where `reading` does not name it. A pipe is then read
    live: each line is given as soon as it is there.
    """
    if not isinstance(inputs, str | os.PathLike | list | tuple) or _are_records(inputs):
        from rosenblatt.readers.in_memory.arrow_stream import ArrowSource, is_arrow

        if is_arrow(inputs):
            return ArrowSource(inputs, reading, space)
        raise ParameterError(
            "Examples are read from the path of a file, several paths, or a table that supports Arrow. Got "
            f"{type(inputs).__name__} instead."
        )
    if space is not None and space.settings.get("several_labels"):
        reading = reading._replace(multi_label=True, label_separator=space.settings.get("label_separator"))
    options.format.check(reading.format, "read")
    options.on_bad_row.check(reading.on_bad_row, "read")
    live = space is not None and not reading.grow and _tells_all(space, reading)
    return source_of(open_file(inputs, reading, live=live), reading, space)


def source_of(file: InputFile, reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """The same for a file that is open."""
    format = FORMATS[reading.format or find_format(file, reading, space)]
    reading = reading._replace(format=format.name)
    if space is None:
        _refuse_unused(file.name, format, reading, ReadOptions._fields)
        _refuse_cross(file.name, format, reading)
    else:
        _refuse_other_features(file.name, format, space)
        _refuse_unused(file.name, format, reading, _NOT_IN_MODEL)
        if space.kind == "columns" and "numbers" not in space.settings:  # of an estimator that learned a DataFrame
            columns = {"numbers": list(space.columns), "words": [], "texts": [], "label": ""}
            space = replace(space, settings={**columns, **space.settings})
    return format.open(file, reading, space)


def _are_records(inputs: Any) -> bool:
    """Whether a list holds rows, not names of files."""
    return isinstance(inputs, list | tuple) and len(inputs) > 0 and isinstance(inputs[0], Mapping)


def open_file(inputs: Paths, reading: ReadOptions, *, live: bool = False) -> InputFile:
    """One file, or several as one; DataError where they have different formats."""
    if not isinstance(inputs, str | os.PathLike) and len(inputs) == 1:
        inputs = inputs[0]
    if isinstance(inputs, str | os.PathLike):
        path = os.fspath(inputs)
        if not (any(character in path for character in "*?[") or "://" in path or os.path.isdir(path)):
            return InputFile(path, live=live)
    from rosenblatt.readers.inputs.joined_file import open_inputs

    first: list[tuple[str, str]] = []  # the name and the format of the first file

    def check(file: InputFile) -> None:
        if reading.format is None:
            if not first:
                first.append((file.name, format_of(file, reading.labels_from)))
            refuse_other_format(file, *first[0], reading.labels_from)

    return open_inputs(inputs, check)


def _tells_all(space: FeatureSpace, reading: ReadOptions) -> bool:
    """Whether the model says all that would otherwise be found from more than the first line of a pipe."""
    return space.settings.get("index_base") != "any" or reading.index_base is not None


def _refuse_unused(name: str, format: Format, reading: ReadOptions, names: Iterable[str]) -> None:
    """An option that means nothing for the format is refused, not ignored."""
    understood = {*format.options, *_EVERY_FORMAT, "cross"}
    for unused in names:
        if unused in understood or getattr(reading, unused) == ReadOptions._field_defaults[unused]:
            continue
        if unused == "scale" and reading.scale is False:  # no format without columns of numbers is scaled
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
