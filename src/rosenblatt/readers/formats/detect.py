"""Which format a file has: by the first bytes of its content where they are a signature, by its name, by its lines."""

import re
from collections.abc import Callable, Sequence

from rosenblatt.errors import DataError
from rosenblatt.options import FORMATS
from rosenblatt.readers.compression import SUFFIXES
from rosenblatt.readers.input_file import HEAD, InputFile

_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", b"\x93NUMPY": "npy"}
_NAMES = {
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "vw": (".vw",),
    "csv": (".csv",),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "npy": (".npy",),
    "npz": (".npz",),
}
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
_SAMPLE = 50  # lines that are looked at, and words of a line
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
# Compiled when first asked for: most files say by their name what they are.
_PAIR = rf"(?i:(?:\d+|qid):(?:{_NUMBER}|[+-]?(?:nan|inf\w*)))"
_BEFORE_BAR = rf"(?:{_NUMBER}\s+){{0,3}}(?:'[^\s|:]*\s*|[^\s|:]*)|{_NUMBER}\s+"


def format_of(opened: InputFile, labels_from: str | None = None) -> str:
    """The format of an opened file; DataError where its name and content do not say."""
    if magic := _signature(opened.head):
        return magic
    _refuse_binary(opened)
    if named := _format_of_name(opened.name):
        if named in ("parquet", "arrow", "npy", "npz"):
            raise DataError(
                f"{opened.name}: is named like a {named} file and does not begin like one; "
                "if its name misleads, say what it is with --format."
            )
        return named
    if labels_from is not None:
        return "text"
    lines = sample(opened.head)
    found = next((name for name, looks in _LOOKS.items() if looks(lines)), None)
    if found is None:
        begins = repr(lines[0][:40] if lines else "")
        raise DataError(
            f"{opened.name}: cannot tell its format from its name or from its first lines ({begins}); "
            f"say it with --format: {', '.join(FORMATS)}."
        )
    return found


def sample(head: bytes) -> list[str]:
    """The first lines that hold something, each whole unless it is the only one."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()
    texts = (line[:4096].decode("utf-8", errors="replace") for line in lines)
    return [text for text in texts if text.strip() and not text.startswith("#")][:_SAMPLE]


def _signature(head: bytes) -> str | None:
    if head.startswith(b"PK\x03\x04") and b".npy" in head[:512]:
        return "npz"
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def _refuse_binary(opened: InputFile) -> None:
    what = next((what for magic, what in _FOREIGN.items() if opened.head.startswith(magic)), None)
    if what is None and b"\x00" in opened.head:
        what = "a binary file"
    if what is not None:
        raise DataError(
            f"{opened.name}: is {what}, which is not among the formats that can be read; "
            f"convert it to one of {', '.join(FORMATS)}."
        )


def _format_of_name(name: str) -> str | None:
    name = name.lower()
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return next((form for form, suffixes in _NAMES.items() if name.endswith(suffixes)), None)


def _mostly(lines: Sequence[str], like: Callable[[str], bool]) -> bool:
    """Most lines, not all: a bad row among them is for the reader to refuse, with its line and column."""
    return sum(map(like, lines)) * 3 > len(lines) * 2


def _like_svmlight(line: str) -> bool:
    words = line.split("#", 1)[0].split(None, _SAMPLE)[:_SAMPLE]
    return bool(words) and ":" not in words[0] and all(re.fullmatch(_PAIR, word) for word in words[1:])


def _is_svmlight(lines: Sequence[str]) -> bool:
    return any(re.search(_PAIR, line) for line in lines) and _mostly(lines, _like_svmlight)


def _like_vw(line: str) -> bool:
    before, bar, _ = line.partition("|")
    spaced = not before or " |" in line or len(before.split()) > 1 or before[-1].isspace() or before[0] == "'"
    return bool(bar) and spaced and re.fullmatch(_BEFORE_BAR, before) is not None


def _is_text(lines: Sequence[str]) -> bool:
    """`label<TAB>text`: two fields, and the second is running text, not a number or a word."""
    pairs = [line.split("\t") for line in lines]
    if not _mostly(lines, lambda line: line.count("\t") == 1):
        return False
    words = [len(pair[1].split()) for pair in pairs if len(pair) == 2 and any(map(str.isalpha, pair[1]))]
    return 3 * len(words) > len(lines) and sum(words) >= 3 * len(words)


def _is_table(separator: str) -> Callable[[Sequence[str]], bool]:
    def looks(lines: Sequence[str]) -> bool:
        counts = [re.sub(r'"[^"]*"', "", line).count(separator) for line in lines]
        usual = max(set(counts), key=counts.count, default=0)
        return usual > 0 and _mostly(lines, lambda line: re.sub(r'"[^"]*"', "", line).count(separator) == usual)

    return looks


_LOOKS: dict[str, Callable[[Sequence[str]], bool]] = {
    "svmlight": _is_svmlight,
    "vw": lambda lines: bool(lines) and _mostly(lines, _like_vw),
    "text": _is_text,
    "tsv": _is_table("\t"),
    "csv": lambda lines: _is_table(",")(lines) or _is_table(";")(lines),
}
