"""Any result as bytes, written in one way only, and the short hash of these bytes."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np


def short_hash(value: Any) -> str:
    """16 hex digits that stand for the value."""
    hashed = hashlib.sha256()
    for part in _parts(value):
        hashed.update(struct.pack("<q", len(part)))
        hashed.update(part)
    return hashed.hexdigest()[:16]


def rounded(value: Any, digits: int = 9) -> Any:
    """The same with every float as text of so many digits: for what depends on the machine's mathematical library."""
    if isinstance(value, Mapping):
        return {key: rounded(entry, digits) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return rounded(value.tolist(), digits)
    if isinstance(value, list | tuple):
        return [rounded(entry, digits) for entry in value]
    if isinstance(value, float | np.floating):
        return f"{float(value) + 0.0:.{digits - 1}e}" if value else "0"
    return value


def _parts(value: Any) -> Iterator[bytes]:
    if hasattr(value, "tocsr"):  # a sparse matrix
        rows = value.tocsr()
        yield b"sparse"
        yield from _parts([tuple(rows.shape), rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)])
    elif isinstance(value, np.ndarray):
        yield from _array(value)
    elif isinstance(value, Mapping):
        yield b"map"
        for key in sorted(value, key=str):
            yield from _parts(str(key))
            yield from _parts(value[key])
        yield b"end"
    elif isinstance(value, list | tuple):
        yield b"list"
        for entry in value:
            yield from _parts(entry)
        yield b"end"
    else:
        yield from _plain(value.item() if isinstance(value, np.generic) else value)


def _array(value: np.ndarray) -> Iterator[bytes]:
    if value.dtype.kind in "OUS":
        yield from _parts(["texts", list(value.shape), [str(entry) for entry in value.ravel().tolist()]])
        return
    yield b"array"
    yield value.dtype.newbyteorder("<").str.encode()
    yield json.dumps(list(value.shape)).encode()
    yield np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False).tobytes()


def _plain(value: Any) -> Iterator[bytes]:
    if value is None or isinstance(value, bool | int | Fraction):
        yield f"{type(value).__name__} {value}".encode()
    elif isinstance(value, float):
        yield b"float nan" if math.isnan(value) else b"float " + struct.pack("<d", value)
    elif isinstance(value, str):
        yield b"text " + value.encode("utf-8", "surrogatepass")
    elif isinstance(value, bytes):
        yield b"bytes " + value
    else:
        raise TypeError(f"there is no one way to write a {type(value).__name__}")
