"""Checks that something listens at an address: some engines try for minutes, then print a page of Java errors."""

from __future__ import annotations

import socket

from rosenblatt.errors import DataError

_PATIENCE, _AT_ONCE = 10.0, 1.0  # seconds


def refuse_unreachable(engine: str, address: str) -> None:
    """Raises DataError if nothing listens at `address`: host:port, or those of a master and its standbys, with commas
    between them."""
    for place in address.split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal():
            raise DataError(f"{engine}://{address}: is not an address: give host:port.")
        why = _refusal(host, port, _PATIENCE)
        if why is None:
            return
    raise DataError(f"{engine}://{address}: nothing answers at this address: {why}.")


def is_reachable(url: str) -> bool:
    """Whether something answers at protocol://host:port at once."""
    host, _, port = url.rpartition("/")[2].rpartition(":")
    return port.isdecimal() and _refusal(host, port, _AT_ONCE) is None


def _refusal(host: str, port: str, patience: float) -> Exception | None:
    try:
        socket.create_connection((host.strip("[]"), int(port)), patience).close()
    except (OSError, OverflowError) as error:
        return error
    return None
