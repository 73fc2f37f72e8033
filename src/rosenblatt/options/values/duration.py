"""A duration: a number of seconds, or one with a unit."""

from numbers import Real

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_LONGEST = 100 * 365 * 86400.0


def duration_of(value: object) -> float | None:
    """The seconds that a value gives; None if it is not a valid duration.

    >>> duration_of("30d"), duration_of("90 s"), duration_of("1.5h"), duration_of(60)
    (2592000.0, 90.0, 5400.0, 60.0)
    >>> duration_of("-1d"), duration_of("soon"), duration_of("1e9d"), duration_of(True)
    (None, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Real):
        seconds = float(value)
    elif isinstance(value, str) and value.isascii():
        number = value.strip().rstrip("abcdefghijklmnopqrstuvwxyz").rstrip()
        unit = value.strip()[len(number) :].strip()
        if unit not in _UNITS or not number.replace(".", "", 1).isdigit():
            return None
        seconds = float(number) * _UNITS[unit]
    else:
        return None
    return seconds if 0 <= seconds <= _LONGEST else None
