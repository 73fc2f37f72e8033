"""Whether anybody answers at an address: some engines try for minutes, and say it in a page of Java."""

from __future__ import annotations

import socket

from rosenblatt.errors import DataError

_PATIENCE, _AT_ONCE = 10.0, 1.0  # seconds


def refuse_unreachable(engine: str, address: str) -> None:
    """`address` is host:port, or several of a master and its stand-ins, separated by commas."""
    for place in address.split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal():
            raise DataError(f"{engine}://{address}: is not an address: give host:port.")
        why = _refusal(host, port, _PATIENCE)
        if why is None:
            return
    raise DataError(f"{engine}://{address}: nobody answers there: {why}.")


def is_reachable(url: str) -> bool:
    """Whether somebody answers at protocol://host:port, at once."""
    host, _, port = url.rpartition("/")[2].rpartition(":")
    return port.isdecimal() and _refusal(host, port, _AT_ONCE) is None


def _refusal(host: str, port: str, patience: float) -> Exception | None:
    try:
        socket.create_connection((host.strip("[]"), int(port)), patience).close()
    except (OSError, OverflowError) as error:
        return error
    return None
