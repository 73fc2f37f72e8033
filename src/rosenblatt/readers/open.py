"""Open a file or a stream as a source of examples, in whatever format it is."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, ParameterError, option
from rosenblatt.options import FORMATS as FORMAT_NAMES
from rosenblatt.readers.compression import SUFFIXES
from rosenblatt.readers.formats.detect import looks_like_json, sample_lines
from rosenblatt.readers.formats.registry import FORMATS, Format, feature_kind, formats_for, formats_with
from rosenblatt.readers.input_file import InputFile, Paths
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace

_FOREIGN = {
    b"\x00\x00\x08\x01": "an IDX file",
    b"\x00\x00\x08\x03": "an IDX file",
    b"MATLAB 5.0": "a MATLAB file",
    b"\x89HDF": "an HDF5 file",
    b"\x80\x02": "a pickle",
    b"\x80\x03": "a pickle",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
    b"PK\x03\x04": "a zip archive",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
# Options that every format understands.
_EVERY_FORMAT = ("format", "classes", "decide", "on_bad_row", "count_names", "name_rows", "grow")
_NOT_IN_MODEL = (
    "label",
    "labels_from",
    "header",
    "with_",
)  # options about a file to predict; the model knows the others


def open_source(inputs: Paths, reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """A source of the examples in a file, in several files one after another, or in standard input when it is '-'.

    From Python also of a table in memory: a DataFrame, whatever has `__arrow_c_stream__`, or an iterator of batches.

    A folder stands for all files in it, at any depth, and a pattern such as 'part-*.csv' for those that match it.

    With the `space` of a model the examples are read into that space: unknown features are left out, and nothing
    grows. The format is found from the name and the content where `reading` does not name it. A pipe is then read
    live: each line is given as soon as it is there.
    """
    if not isinstance(inputs, str | os.PathLike | list | tuple) or _are_records(inputs):
        from rosenblatt.readers.memory.arrow_stream import ArrowSource, is_arrow

        if is_arrow(inputs):
            return ArrowSource(inputs, reading, space)
        raise ParameterError(
            "Examples are read from the path of a file, several paths, or a table that speaks Arrow. Got "
            f"{type(inputs).__name__} instead."
        )
    options.format.check(reading.format, "read")
    options.on_bad_row.check(reading.on_bad_row, "read")
    live = space is not None and not reading.grow and _tells_all(space, reading)
    return source_of(open_file(inputs, reading, live=live), reading, space)


def source_of(file: InputFile, reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """The same for a file that is open."""
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
    from rosenblatt.readers.joined_file import open_inputs

    first: list[tuple[str, str]] = []  # the name and the format of the first file

    def check(file: InputFile) -> None:
        if reading.format is None:
            if not first:
                first.append((file.name, format_of(file, reading.labels_from)))
            _refuse_other_format(file, *first[0], reading.labels_from)

    return open_inputs(inputs, check)


def _refuse_other_format(file: InputFile, first: str, format: str, labels_from: str | None) -> None:
    """A short part may look like more formats than one: it is refused where it does not look like the first file."""
    looks_like = FORMATS[format].looks_like
    if looks_like is not None and b"\x00" not in file.head and looks_like(sample_lines(file.head)):
        return
    try:
        detected = format_of(file, labels_from)
    except DataError:
        if looks_like is not None and b"\x00" not in file.head:
            return
        raise
    if detected != format:
        raise DataError(
            f"{file.name}: is {detected}, and {first} is {format}; give files of one format, or convert them.",
            file=file.name,
        )


def _tells_all(space: FeatureSpace, reading: ReadOptions) -> bool:
    """Whether the model says all that would otherwise be found from more than the first line of a pipe."""
    return space.settings.get("index_base") != "any" or reading.index_base is not None


def _format_of_line(file: InputFile, space: FeatureSpace) -> str:
    """The format of a pipe of which only the first line is there: the model's own, or another of the same features."""
    usual = space.settings.get("format")
    # An object on a line is never a row of CSV, whatever its commas look like.
    names = sorted(formats_with(feature_kind(space)), key=lambda name: (name != "jsonl", name != usual))
    written = [name for name in names if FORMATS[name].signature is None]
    lines = sample_lines(file.head)
    like = (name for name in written if (looks_like := FORMATS[name].looks_like) is not None and looks_like(lines))
    return next(like, usual if usual in written else written[-1])


def _find_format(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> str:
    """The format as detected; but a model of texts reads lines with commas or tabs, too, as text."""
    if space is not None and file.live and signed_format(file) is None and b"\x00" not in file.head:
        return _format_of_line(file, space)
    model_of_texts = space is not None and space.settings.get("format") == "text" and b"\x00" not in file.head
    try:
        detected = format_of(file.first, reading.labels_from)
    except DataError:
        if model_of_texts:
            return "text"
        raise
    return "text" if model_of_texts and detected in ("csv", "tsv") else detected


def signed_format(file: InputFile) -> str | None:
    """The format that the first bytes name, of those that begin with a signature."""
    return next((f.name for f in FORMATS.values() if f.signature is not None and f.signature(file.head)), None)


def format_of(file: InputFile, labels_from: str | None = None) -> str:
    """The name of the format of a file; DataError where its name and content do not tell."""
    signed = signed_format(file)
    if signed is not None:
        return signed
    _refuse_binary(file)
    base_name = file.name.lower().partition("?")[0] if "://" in file.name else file.name.lower()
    for suffix in SUFFIXES:
        base_name = base_name.removesuffix(suffix)
    named = next((f for f in FORMATS.values() if f.suffixes and base_name.endswith(f.suffixes)), None)
    if named is not None and named.signature is not None:
        raise DataError(
            f"{file.name}: is named like a {named.name} file and does not begin like one; "
            f"if its name is misleading, use {option('format')}.",
            file=file.name,
        )
    if named is not None and not (named.features == "table" and looks_like_json(sample_lines(file.head))):
        return named.name
    return "text" if labels_from is not None else _format_of_lines(file)


def _format_of_lines(file: InputFile) -> str:
    lines = sample_lines(file.head)
    for format in FORMATS.values():
        if format.looks_like is not None and format.looks_like(lines):
            return format.name
    start = repr(lines[0][:40] if lines else "")
    raise DataError(
        f"{file.name}: cannot tell its format from its name or from its first lines ({start}); "
        f"name it with {option('format')}: {', '.join(FORMAT_NAMES)}.",
        file=file.name,
    )


def _refuse_binary(file: InputFile) -> None:
    foreign = next((name for signature, name in _FOREIGN.items() if file.head.startswith(signature)), None)
    if foreign is None and b"\x00" in file.head:
        foreign = "a binary file"
    if foreign is not None:
        raise DataError(
            f"{file.name}: is {foreign}, a format that cannot be read; convert it to one of {', '.join(FORMAT_NAMES)}.",
            file=file.name,
        )


def _refuse_unused(name: str, format: Format, reading: ReadOptions, names: Iterable[str]) -> None:
    """An option that means nothing for the format is refused, not ignored."""
    understood = {*format.options, *_EVERY_FORMAT, "cross"}
    for unused in names:
        if unused in understood or getattr(reading, unused) == getattr(ReadOptions(), unused):
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
