"""Which format a file has: by a signature in its first bytes, by its name, or by its first lines."""

from rosenblatt.errors import DataError, option
from rosenblatt.options import FORMATS as FORMAT_NAMES
from rosenblatt.readers.compression import SUFFIXES
from rosenblatt.readers.formats.registry import FORMATS
from rosenblatt.readers.input_file import HEAD, InputFile

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
_LINES = 50  # that are looked at


def format_of(file: InputFile, labels_from: str | None = None) -> str:
    """The name of the format of a file; DataError where its name and content do not tell."""
    signed = next((f for f in FORMATS.values() if f.signature is not None and f.signature(file.head)), None)
    if signed is not None:
        return signed.name
    _refuse_binary(file)
    base_name = file.name.lower()
    for suffix in SUFFIXES:
        base_name = base_name.removesuffix(suffix)
    named = next((f for f in FORMATS.values() if f.suffixes and base_name.endswith(f.suffixes)), None)
    if named is not None and named.signature is not None:
        raise DataError(
            f"{file.name}: is named like a {named.name} file and does not begin like one; "
            f"if its name is misleading, use {option('format')}.",
            file=file.name,
        )
    if named is not None:
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


def sample_lines(head: bytes) -> list[str]:
    """The first lines that are neither blank nor comments, without the last one, which may be cut."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()
    texts = (line[:4096].decode("utf-8", errors="replace") for line in lines)
    return [text for text in texts if text.strip() and not text.startswith("#")][:_LINES]


def _refuse_binary(file: InputFile) -> None:
    foreign = next((name for signature, name in _FOREIGN.items() if file.head.startswith(signature)), None)
    if foreign is None and b"\x00" in file.head:
        foreign = "a binary file"
    if foreign is not None:
        raise DataError(
            f"{file.name}: is {foreign}, a format that cannot be read; convert it to one of {', '.join(FORMAT_NAMES)}.",
            file=file.name,
        )
