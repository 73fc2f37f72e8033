"""Slow twin of the pages of a cache: their layout written with struct, one number at a time."""

import struct
from fractions import Fraction

import numpy as np

from rosenblatt.records import Block, Csr

_ODD = 0x9E3779B97F4A7C15
_WORD = 2**64


def checksum(content: bytes) -> int:
    sums = list(range(8))
    full = len(content) // 64 * 64
    for i in range(0, full, 8):
        word = int.from_bytes(content[i : i + 8], "little")
        sums[i // 8 % 8] = (sums[i // 8 % 8] ^ word) * _ODD % _WORD
    total = len(content)
    for part in sums:
        total = (total ^ part ^ part >> 29) * _ODD % _WORD
    for byte in content[full:]:
        total = (total ^ byte) * _ODD % _WORD
    return total ^ total >> 32


def scaled_integers(values: list[float], places: int) -> list[int] | None:
    """The numbers that, divided by 10^places as doubles, are the values to the bit; or None if some value has none."""
    scaled = [round(Fraction(value) * 10**places) for value in values]
    exact = all(struct.pack("d", m / 10**places) == struct.pack("d", v) for m, v in zip(scaled, values, strict=True))
    return scaled if exact and all(-(2**31) <= m < 2**31 for m in scaled) else None


def numbered(values: list[float]) -> tuple[list[bytes], list[int]] | None:
    """The different numbers in the order in which they first occur, and the position of each; None if they are many."""
    distinct: dict[bytes, int] = {}
    positions = [distinct.setdefault(struct.pack("d", value), len(distinct)) for value in values]
    return (list(distinct), positions) if len(distinct) <= min(4096, len(values) // 4) else None


def page(block: Block, places: int = 0) -> bytes:
    """A block as a page, given the number of decimal places that earlier blocks needed."""
    values, rows = block.values, len(block.labels)
    weights = struct.pack(f"{rows}d", *block.weights) if block.weights is not None else b""
    targets = struct.pack(f"{rows}d", *block.targets) if block.targets is not None else b""
    arrays = [(8, weights), (8, targets), (4, struct.pack(f"{rows}i", *block.labels))]
    if not isinstance(values, Csr):
        kind, letter = (2, "d") if values.dtype == np.float64 else (1, "f")
        arrays.insert(2, (values.itemsize, struct.pack(f"{values.size}{letter}", *values.ravel())))
        head = (rows, 0, values.shape[1], 0, kind, 0, bool(weights), 0, bool(targets), 0)
    else:
        numbers, entries = values.values.tolist(), len(values.indices)
        high, different = [], []
        if values.indices.dtype == np.int64:
            index, width, low = 1, "q", values.indices.tolist()
        elif values.features <= 2**24:
            index, width, low = 2, "H", [column % 2**16 for column in values.indices.tolist()]
            if values.features > 2**16:
                index, high = 3, [column >> 16 for column in values.indices.tolist()]
        else:
            index, width, low = 0, "i", values.indices.tolist()
        kind, letter, scaled = 2, "d", numbers
        if values.values.dtype == np.float32:
            kind, letter = 1, "f"
        elif entries and all(number == 1.0 for number in numbers):
            kind, letter, scaled = 0, "i", []
        else:
            candidates = (
                candidate
                for places in range(places, 10)
                if (candidate := (places, scaled_integers(numbers, places)))[1] is not None
            )
            places, exact = next(candidates, (0, None))
            if exact is not None:
                short = all(-(2**15) <= m < 2**15 for m in exact)
                kind, letter, scaled = (3, "h", exact) if short else (4, "i", exact)  # type: ignore[assignment]
            elif (few := numbered(numbers)) is not None:
                different, scaled = few  # type: ignore[assignment]
                kind, letter = (5, "B") if len(different) <= 256 else (6, "H")
        arrays.insert(0, (8, struct.pack(f"{rows + 1}q", *values.indptr)))
        arrays.insert(3, (8, b"".join(different)))
        arrays.insert(4, (struct.calcsize(width), struct.pack(f"{entries}{width}", *low)))
        arrays.insert(5, (1, bytes(high)))
        arrays.insert(6, (struct.calcsize(letter), struct.pack(f"{len(scaled)}{letter}", *scaled)))
        n_places = places if kind in (3, 4) else 0
        sides = bool(weights), index, bool(targets), len(different)
        head = (rows, entries, values.features, 1, kind, n_places, *sides)
    content = struct.pack("<QQQBBBBBBH", *head) + b"".join(
        part for _, part in sorted(arrays, key=lambda part: -part[0])
    )
    return checksum(content).to_bytes(8, "little") + content
