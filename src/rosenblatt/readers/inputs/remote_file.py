"""Files in object stores, by URL (`s3://`, `gs://`), through the file systems of pyarrow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.compression import compression_of
from rosenblatt.readers.inputs.input_file import HEAD, InputFile, Stream, cannot_read, counted_stream

_BUFFER = 1 << 20
_SECONDS_OF_RETRIES = 20


def is_url(path: str) -> bool:
    """
    >>> is_url("s3://bucket/part.csv"), is_url("part.csv")
    (True, False)
    """
    return re.match(r"[a-z][a-z0-9+.-]+://", path) is not None


def is_http(path: str) -> bool:
    return path.startswith(("https://", "http://"))


def without_secrets(url: str) -> str:
    """A URL as messages and models show it: without keys, passwords and tokens.

    >>> without_secrets("s3://key:secret@bucket/a.csv?region=eu&token=x"), without_secrets("gs://anonymous@bucket/a")
    ('s3://…@bucket/a.csv?region=eu&token=…', 'gs://anonymous@bucket/a')
    """
    url = re.sub(r"^([a-z0-9+.-]+://)[^/@]*:[^/]*@", r"\1…@", url)
    plain, question, query = url.partition("?")
    return (
        plain
        + question
        + re.sub(r"([^&=]*(?:secret|token|sig|key|password|credential)[^&=]*=)[^&]*", r"\1…", query, flags=re.I)
    )


class RemoteFile(InputFile):
    """A file that is read over the network, from its beginning as often as needed; Parquet at any place."""

    def __init__(self, url: str) -> None:
        self.inputs, url = url, without_secrets(url)
        self.name = url
        self.path, self._fd = None, None
        with _errors_named(url):
            self._system, self._place = _file_system(self.inputs)
            info = self._system.get_file_info(self._place)
            if not info.is_file:
                raise DataError(f"{url}: no such file; check the URL.", file=url)
            self.size, self.rewindable = info.size, True
            with self._system.open_input_stream(self._place, compression=None) as stream:
                self.compression = compression_of(stream.read(8))
            with self.stream() as stream:
                self.head = stream.read(HEAD)
        if not self.head:
            raise DataError(f"{url}: is empty: there are no examples in it.", file=url)

    @property
    def plain(self) -> bool:
        return False

    def stream(self) -> Stream:
        with _errors_named(self.name):
            raw = self._system.open_input_stream(self._place, compression=None, buffer_size=_BUFFER)

        def read_more(size: int) -> bytes:
            with _errors_named(self.name):
                data: bytes = raw.read(size)
                return data

        return counted_stream(self, read_more)

    def random_access(self, format: str) -> Any:
        if self.compression is not None:
            return super().random_access(format)
        with _errors_named(self.name):
            return self._system.open_input_file(self._place)


def remote_files(url: str) -> list[str]:
    """The URLs of one file, of all files below a folder, or of those that match a pattern with * or [...]."""
    plain, question, query = url.partition("?")
    scheme, _, place = plain.partition("://")
    user = place[: place.partition("/")[0].rfind("@") + 1]  # `anonymous@`, or a key: the paths of the files lack it
    fixed = re.split(r"[*[]", plain)[0]
    is_pattern = fixed != plain
    shown = without_secrets(url)
    with _errors_named(shown):
        base = fixed.rpartition("/")[0] if is_pattern else plain
        system, place = _file_system(base + question + query)
        if not is_pattern and system.get_file_info(place).is_file:
            return [url]
        from pyarrow.fs import FileSelector

        files = system.get_file_info(FileSelector(place, recursive=True, allow_not_found=True))
    prefix = f"{scheme}://{user}"
    names = sorted(prefix + info.path for info in files if info.is_file and not info.base_name.startswith((".", "_")))
    if is_pattern:
        names = [name for name in names if re.fullmatch(_expression(plain), name)]
    if not names:
        what = "no file matches this pattern" if is_pattern else "no such file"
        raise DataError(f"{shown}: {what}; check the URL.", file=shown)
    return [name + question + query for name in names]


def _expression(pattern: str) -> str:
    """
    >>> bool(re.fullmatch(_expression("s3://b/*/p-*.csv"), "s3://b/x/p-1.csv"))
    True
    >>> bool(re.fullmatch(_expression("s3://b/*.csv"), "s3://b/x/p.csv"))
    False
    """
    parts = re.split(r"(\*\*/?|\*|\[[^]]*\])", pattern)
    return "".join({"**": ".*", "**/": ".*", "*": "[^/]*"}.get(p, p if p[:1] == "[" else re.escape(p)) for p in parts)


def _with_retry_limit(url: str) -> str:
    """Without a limit, Google's client silently tries again for a quarter of an hour when it has no access.

    >>> _with_retry_limit("gs://bucket/a.csv"), _with_retry_limit("s3://bucket/a.csv")
    ('gs://bucket/a.csv?retry_limit_seconds=20', 's3://bucket/a.csv')
    """
    if not url.startswith(("gs://", "gcs://")) or "retry_limit_seconds=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}retry_limit_seconds={_SECONDS_OF_RETRIES}"


def _file_system(url: str) -> tuple[Any, str]:
    from pyarrow import ArrowInvalid, fs

    try:
        system, place = fs.FileSystem.from_uri(_with_retry_limit(url))
        return system, place
    except ArrowInvalid as error:
        scheme, name = url.partition("://")[0], without_secrets(url)
        why = str(error).replace(url, name)
        raise DataError(f"{name}: {scheme} is not a file system that can be read: {why}.", file=name) from None


@contextmanager
def _errors_named(url: str) -> Iterator[None]:
    """Turns the errors of a file system into a DataError that names the URL."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{url}: no such file; check the URL.", file=url) from None
    except OSError as error:
        why = " ".join(str(error).split())[:300].rstrip(".")
        raise cannot_read(url, OSError(0, why)) from error
