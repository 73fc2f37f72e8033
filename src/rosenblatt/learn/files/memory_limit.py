"""How much memory there is, so that weights beyond it are refused with a sentence and not by the system's killer."""

import os
from collections.abc import Iterable
from contextlib import suppress

from rosenblatt.errors import DataError
from rosenblatt.learn.files.portfolio import footprint
from rosenblatt.learn.settings import Settings

_LIMIT = "/sys/fs/cgroup/memory.max"  # of a container


def present() -> int | None:
    """Bytes of memory that this process may use at most; None where the system does not say."""
    known = []
    with suppress(OSError, ValueError, AttributeError):
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError), open(_LIMIT) as limit:
        known.append(int(limit.read()))
    return min(known, default=None)


def check_room(name: str, runs: Iterable[Settings], features: int, classes: int) -> None:
    """DataError where the weights of all runs together would not fit in memory."""
    needed, there = sum(footprint(settings, features, classes) for settings in runs), present()
    if there is not None and needed > there:
        raise DataError(
            f"{name}: has {features:,} features, whose weights need {needed / 2**30:,.1f} GB, and there are "
            f"{there / 2**30:,.1f} GB of memory; number the features without large gaps."
        )
