"""The files that a person names: one, several, a pattern, or a folder with everything in it."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.inputs.remote_file import is_http, is_url, remote_files, without_secrets

_KEY_AND_VALUE = re.compile(r"([^=]+)=(.*)")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class NamedFile:
    """A file, and the columns that the names of its folders give it: `year=2024/part.parquet` has a column year."""

    path: str
    keys: Mapping[str, str | None] = field(default_factory=dict)
    named: bool = True  # by the user, not as one of a folder


def paths_of(inputs: Paths) -> list[str]:
    if isinstance(inputs, str | os.PathLike):
        return [os.fspath(inputs)]
    paths = [os.fspath(path) for path in inputs]
    if not paths:
        raise ParameterError("There is no file to read: name at least one.")
    return paths


def name_of(inputs: Paths) -> str:
    """What sentences call the inputs.

    >>> name_of("logs"), name_of(["a.csv", "b.csv"]), name_of(["a.csv", "b.csv", "c.csv"])
    ('logs', 'a.csv and 1 more', 'a.csv and 2 more')
    """
    first, *others = paths_of(inputs)
    first = without_secrets(first) if is_url(first) else first
    return f"{first} and {len(others)} more" if others else first


def find_files(inputs: Paths) -> list[NamedFile]:
    """The files in the order in which they are named; those of a pattern or a folder sorted by their paths."""
    paths = paths_of(inputs)
    if len(paths) == 1:
        return _files_of(paths[0], "")
    if "-" in paths:
        raise ParameterError("'-' is standard input, which cannot be read together with files: give one or the other.")
    common = (
        os.path.commonpath([os.path.dirname(path) for path in paths]) if len({*map(os.path.isabs, paths)}) == 1 else ""
    )
    return [file for path in paths for file in _files_of(path, common)]


def _files_of(path: str, common: str) -> list[NamedFile]:
    """The files of one input; folders below the `common` one of all inputs may name columns."""
    if is_http(path):
        if "*" in path.partition("?")[0]:
            raise DataError(f"{path}: a web server does not list its files; name each of them.", file=path)
        return [NamedFile(path)]
    if is_url(path):
        urls = remote_files(path)
        base = re.split(r"[*[?]", path)[0]
        base = base if len(urls) == 1 or base == path.partition("?")[0] else base.rpartition("/")[0]
        return [NamedFile(url, keys_of(url.partition("?")[0].removeprefix(base)), named=False) for url in urls]
    if os.path.isdir(path):
        return _files_in(path, path)
    if glob.has_magic(path) and not os.path.exists(path):
        base = os.path.dirname(path[: re.search(r"[*?[]", path).start()])  # type: ignore[union-attr]
        matches = sorted(glob.glob(path, recursive=True))
        files = [
            file
            for match in matches
            for file in (_files_in(match, base) if os.path.isdir(match) else [_file_below(base, match)])
        ]
        if not files:
            raise DataError(f"{path}: no file matches this pattern; check the path.", file=path)
        return files
    return [NamedFile(path, keys_of(os.path.relpath(path, common)) if common else {})]


def _file_below(base: str, path: str) -> NamedFile:
    return NamedFile(path, keys_of(os.path.relpath(path, base or ".")), named=False)


def _files_in(folder: str, base: str) -> list[NamedFile]:
    files = [_file_below(base, path) for path in sorted(_walk(folder))]
    if not files:
        raise DataError(f"{folder}: is a directory without files; give the one that holds the examples.", file=folder)
    return files


def _walk(folder: str) -> Iterator[str]:
    """Files at any depth, without those that begin with a dot or an underscore: markers of the writing program."""
    for where, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        yield from (os.path.join(where, name) for name in names if not name.startswith((".", "_")))


def keys_of(path: str) -> dict[str, str | None]:
    """The columns that folders give: their names are `key=value`, as Hive, Spark and pyarrow write them.

    >>> keys_of("sales/year=2024/city=New%20York/part-0.parquet"), keys_of("a=b.csv")
    ({'year': '2024', 'city': 'New York'}, {})
    """
    matches = [match for folder in path.split("/")[:-1] if (match := _KEY_AND_VALUE.fullmatch(folder))]
    if not matches:
        return {}
    from urllib.parse import unquote

    keys: dict[str, str | None] = {}
    for match in matches:
        keys[unquote(match[1])] = None if match[2] == _NO_VALUE else unquote(match[2])
    return keys
