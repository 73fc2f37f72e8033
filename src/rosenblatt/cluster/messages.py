"""The messages between the learner and the workers: a JSON header and buffers, in one string of bytes.

Nothing is pickled, so that the bytes do not depend on the engine that carries them, and Spark and Arrow can hold them
in a column of binary cells.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

_LENGTH = struct.Struct("<Q")


def pack(header: Mapping[str, Any], *buffers: Any) -> bytes:
    """
    >>> header, (page,) = unpack(pack({"lines": 2}, b"page"))
    >>> header, bytes(page)
    ({'lines': 2}, b'page')
    """
    parts = [json.dumps(header, separators=(",", ":")).encode(), *map(_as_bytes, buffers)]
    lengths = struct.pack(f"<{1 + len(parts)}Q", len(parts), *(len(part) for part in parts))
    return b"".join([lengths, *parts])


def unpack(message: bytes | bytearray | memoryview) -> tuple[dict[str, Any], list[memoryview]]:
    """The header, and the buffers as views of the message, without a copy."""
    view = memoryview(message)
    (count,) = _LENGTH.unpack_from(view)
    lengths = struct.unpack_from(f"<{count}Q", view, _LENGTH.size)
    start, parts = _LENGTH.size * (1 + count), []
    for length in lengths:
        parts.append(view[start : start + length])
        start += length
    header, *buffers = parts
    return json.loads(bytes(header)), buffers


def _as_bytes(buffer: Any) -> Any:
    return memoryview(buffer).cast("B") if not isinstance(buffer, bytes) else buffer


def as_text(token: bytes) -> str:
    """Any bytes as a string for JSON; `from_text` is the inverse."""
    return token.decode("latin-1")


def from_text(text: str) -> bytes:
    return text.encode("latin-1")
