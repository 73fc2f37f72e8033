"""Files of a web server, by URL (`https://`), streamed; reading continues after a broken connection."""

from __future__ import annotations

import http.client
import shutil
import tempfile
import time
import urllib.error
import urllib.request
import weakref
from typing import Any

from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.compression import compression_of
from rosenblatt.readers.inputs.input_file import HEAD, InputFile, ReadMore, Stream, counted_stream
from rosenblatt.readers.inputs.remote_file import without_secrets
from rosenblatt.version import __version__

_TIMEOUT = 60.0  # seconds without a byte
_ATTEMPTS = 4  # to make a request, or to continue at the same byte
_PAUSE = 0.25  # seconds before the second attempt, doubled before each later one
_BUSY = (429, 500, 502, 503, 504)  # answers after which it is worth trying again


class HttpFile(InputFile):
    """A file that is read from its beginning as often as needed, each time by a request of its own."""

    def __init__(self, url: str) -> None:
        self._url = self.inputs = url
        self.name = url = without_secrets(url)
        if "@" in url.split("/")[2]:
            raise DataError(f"{url}: a name and a password in a URL are not sent; download the file.", file=url)
        self.path, self._fd, self.rewindable = None, None, True
        self._copy: str | None = None
        self._version: tuple[str | None, str | None] | None = None  # of the first answer
        with self._request(0) as answer:
            self._version = _version_of(answer)
            self.size = answer.length  # None where the server does not say it
            self.compression = compression_of(answer.read(8))  # of the file, or by the server
        with self.stream() as stream:
            self.head = stream.read(HEAD)
        if not self.head:
            raise DataError(f"{url}: is empty: there are no examples in it.", file=url)

    @property
    def plain(self) -> bool:
        return False

    def stream(self) -> Stream:
        return counted_stream(self, self._reader())

    def random_access(self, format: str) -> Any:
        """The path of a temporary copy, which is deleted with this object."""
        if self.compression is not None:
            return super().random_access(format)
        if self._copy is None:
            copy = tempfile.NamedTemporaryFile()  # noqa: SIM115 (closed when this object goes)
            weakref.finalize(self, copy.close)
            with self.stream() as stream:
                shutil.copyfileobj(stream, copy, 1 << 20)
            copy.flush()
            self._copy = copy.name
        return self._copy

    def _reader(self) -> ReadMore:
        offset = failures = 0
        answer: http.client.HTTPResponse | None = None

        def read_more(size: int) -> bytes:
            nonlocal offset, failures, answer
            while True:
                try:
                    answer = self._request(offset) if answer is None else answer
                    data = answer.read(size)
                    if data or self.size is None or offset == self.size:
                        offset, failures = offset + len(data), 0
                        return data
                    why = "the connection was closed"
                except (OSError, http.client.HTTPException) as error:
                    why = f"the connection broke ({_why(error)})"
                if answer is not None:
                    answer.close()
                answer, failures = None, failures + 1
                if failures >= _ATTEMPTS:
                    of_all = "" if self.size is None else f" of {self.size:,}"
                    raise self._cannot_read(
                        f"{why} after {offset:,}{of_all} bytes, each of {_ATTEMPTS} times; try again"
                    )
                time.sleep(_PAUSE * 2 ** (failures - 1))

        return read_more

    def _request(self, offset: int) -> http.client.HTTPResponse:
        """The answer whose next byte is the one at `offset`; DataError where there is none."""
        headers = {"User-Agent": f"rosenblatt/{__version__}", "Accept-Encoding": "identity"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_PAUSE * 2 ** (attempt - 1))
            try:
                request = urllib.request.Request(self._url, headers=headers)
                answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=_TIMEOUT)
                break
            except urllib.error.HTTPError as error:
                if error.code not in _BUSY or attempt + 1 == _ATTEMPTS:
                    raise self._refused(error) from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                if attempt + 1 == _ATTEMPTS or not _may_pass(error):
                    raise self._cannot_read(_why(error)) from None
        if self._version not in (None, _version_of(answer)):
            answer.close()
            raise self._cannot_read("it was changed on the server while it was read; read it again")
        if offset and not answer.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
            # The server gives the whole: leave out what was read before.
            while offset and (data := answer.read(min(offset, 1 << 20))):
                offset -= len(data)
        return answer

    def _refused(self, error: urllib.error.HTTPError) -> DataError:
        if error.code in (404, 410):
            return DataError(f"{self.name}: no such file; check the URL.", file=self.name)
        if error.code in (401, 403, 407):
            answer = f"the server answers {error.code} {error.reason}"
            what = f"permission denied: {answer}; check the URL, or download the file"
            return DataError(f"{self.name}: {what}.", file=self.name)
        return self._cannot_read(f"the server answers {error.code} {error.reason}; try again later")

    def _cannot_read(self, why: str) -> DataError:
        return DataError(f"{self.name}: cannot be read: {why}.", file=self.name)


def _version_of(answer: http.client.HTTPResponse) -> tuple[str | None, str | None]:
    """The headers that change when the file does."""
    return answer.headers.get("ETag"), answer.headers.get("Last-Modified")


def _why(error: Exception) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return " ".join(str(reason).split())[:200].rstrip(".") or type(reason).__name__


def _may_pass(error: Exception) -> bool:
    """Whether it is worth trying again: not for a wrong certificate, an unknown host or no server."""
    import socket
    import ssl

    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return not isinstance(reason, ssl.SSLCertVerificationError | socket.gaierror | ConnectionRefusedError | ValueError)
