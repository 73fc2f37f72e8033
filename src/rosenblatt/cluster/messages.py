"""What passes between the learner and the workers: a header of JSON and buffers, in one string of bytes.

We pickle nothing, so that the bytes are the same whichever engine carries them, and a column of them is a column
of binary cells to Spark and Arrow.
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
    """The header, and the buffers where they lie in the message: the learner does not copy what it receives."""
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
    """Any bytes as a text for JSON; `from_text` gives them back."""
    return token.decode("latin-1")


def from_text(text: str) -> bytes:
    return text.encode("latin-1")
