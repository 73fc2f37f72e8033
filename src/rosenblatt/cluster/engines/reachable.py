"""Whether anybody answers at an address: some engines try for minutes, and say it in a page of Java."""

from __future__ import annotations

import socket

from rosenblatt.errors import DataError

_PATIENCE = 10  # seconds


def refuse_unreachable(engine: str, address: str) -> None:
    """`address` is host:port, or several of a master and its stand-ins, separated by commas."""
    for place in address.split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal():
            raise DataError(f"{engine}://{address}: is not an address: give host:port.")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
            return
        except (OSError, OverflowError) as error:
            why = error
    raise DataError(f"{engine}://{address}: nobody answers there: {why}.")
