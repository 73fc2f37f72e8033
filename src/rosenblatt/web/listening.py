"""A socket that a server listens on."""

import socket

LOOPBACK = "127.0.0.1"


def listen(port: int = 0, host: str = LOOPBACK) -> socket.socket:
    """A socket that listens, on this machine alone unless another host is named; port 0 is any free one."""
    # With the protocol named, asyncio turns Nagle's algorithm off; else every answer waits 40 ms for an acknowledgment.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener
