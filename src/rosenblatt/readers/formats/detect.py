"""Which format a file has: by its first bytes, else by its name, else by its first lines."""

from rosenblatt.errors import DataError, option
from rosenblatt.options import FORMATS as FORMAT_NAMES
from rosenblatt.readers.formats.first_lines import looks_like_json, sample_lines
from rosenblatt.readers.formats.registry import FORMATS, feature_kind, formats_with
from rosenblatt.readers.inputs.compression import SUFFIXES
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.source import ReadOptions
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


def format_of(file: InputFile, labels_from: str | None = None) -> str:
    """The name of the format of a file; DataError where its name and content do not tell."""
    signed = _signed_format(file)
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


def _signed_format(file: InputFile) -> str | None:
    """The format that the first bytes name, of those that begin with a signature."""
    return next((f.name for f in FORMATS.values() if f.signature is not None and f.signature(file.head)), None)


def find_format(file: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> str:
    """The format as detected; but a model of texts reads lines with commas or tabs, too, as text."""
    if space is not None and file.live and _signed_format(file) is None and b"\x00" not in file.head:
        return _format_of_line(file, space)
    model_of_texts = space is not None and space.settings.get("format") == "text" and b"\x00" not in file.head
    try:
        detected = format_of(file.first, reading.labels_from)
    except DataError:
        if model_of_texts:
            return "text"
        raise
    return "text" if model_of_texts and detected in ("csv", "tsv") else detected


def _format_of_line(file: InputFile, space: FeatureSpace) -> str:
    """The format of a pipe from its first line alone: the model's own, or another with the same kind of features."""
    usual = space.settings.get("format")
    # An object on a line is never a row of CSV, whatever its commas look like.
    names = sorted(formats_with(feature_kind(space)), key=lambda name: (name != "jsonl", name != usual))
    text_formats = [name for name in names if FORMATS[name].signature is None]
    lines = sample_lines(file.head)
    checks = ((name, FORMATS[name].looks_like) for name in text_formats)
    matching = (name for name, looks_like in checks if looks_like is not None and looks_like(lines))
    return next(matching, usual if usual in text_formats else text_formats[-1])


def refuse_other_format(file: InputFile, first: str, format: str, labels_from: str | None) -> None:
    """DataError if a file does not look like the format of the first one. A short file may look like several."""
    looks_like, is_object = FORMATS[format].looks_like, FORMATS["jsonl"].looks_like
    lines = sample_lines(file.head)
    # A line of JSON may have as many commas as a row of a table.
    is_other = format != "jsonl" and is_object is not None and is_object(lines)
    if looks_like is not None and b"\x00" not in file.head and looks_like(lines) and not is_other:
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
