"""Errors on a worker, sent as its answer; the learner raises them when it comes to this answer."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

from rosenblatt.cluster.messages import pack
from rosenblatt.errors import DataError, ModelError, ParameterError, RosenblattError
from rosenblatt.version import __version__

_ERRORS: Mapping[str, type[RosenblattError]] = {
    error.__name__: error for error in (DataError, ModelError, ParameterError)
}


def error_answer(error: RosenblattError | OSError) -> bytes:
    return pack(error_header(error), b"")


def error_header(error: RosenblattError | OSError) -> dict[str, Any]:
    host = socket.gethostname()
    if isinstance(error, OSError):
        sentence = f"the worker {host} cannot read the file: {error.strerror or error}."
        return {"error": "DataError", "sentence": sentence, "file": None}
    sentence = f"{error.args[0].rstrip('.')} (on the worker {host}, which must see the same files)."
    return {"error": type(error).__name__, "sentence": sentence, "file": error.file}


def raise_error(header: Mapping[str, Any]) -> None:
    """Raises the error in the header of an answer, if it has one."""
    if "error" in header:
        raise _ERRORS.get(header["error"], DataError)(header["sentence"], file=header["file"])


def check_version(version: str) -> None:
    if version != __version__:
        raise DataError(
            f"A worker has rosenblatt {__version__}, and the learner {version}: install one version on all."
        )
