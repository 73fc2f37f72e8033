"""The size of a file: a number of bytes, or one with a unit."""

from numbers import Integral
from string import ascii_letters

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_UNITS |= {"k": 10**3, "m": 10**6, "g": 10**9}


def size_of(value: object) -> int | None:
    """The bytes that a value gives; None if it is not a valid size.

    >>> size_of("5MB"), size_of("1.5 kB"), size_of("2MiB"), size_of(4096)
    (5000000, 1500, 2097152, 4096)
    >>> size_of("0"), size_of("-5MB"), size_of("5 apples"), size_of(True), size_of("inf")
    (None, None, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value) if 0 < int(value) < 2**62 else None
    if not isinstance(value, str) or not value.isascii():
        return None
    number = value.strip().rstrip(ascii_letters).rstrip()
    unit = value.strip()[len(number) :].strip().lower()
    if unit not in _UNITS or not number.replace(".", "", 1).isdigit() or len(number) > 20:
        return None
    size = int(float(number) * _UNITS[unit])
    return size if 0 < size < 2**62 else None


def shown_size(n_bytes: float) -> str:
    """
    >>> shown_size(5_000_000), shown_size(84_123_456), shown_size(12_345), shown_size(7)
    ('5.0 MB', '84 MB', '12 kB', '7 bytes')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {name}" if n_bytes < 9.95 * unit else f"{n_bytes / unit:,.0f} {name}"
    return f"{n_bytes:.0f} bytes"
