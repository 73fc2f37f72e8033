"""How many processor cores this process may use; a scheduler or a container may grant fewer than the machine has."""

from __future__ import annotations

import os
from contextlib import suppress

_CONTAINER_LIMIT = "/sys/fs/cgroup/cpu.max"


def core_count() -> int:
    """How many cores this process may use, at least one."""
    counts = [os.cpu_count() or 1]
    with suppress(AttributeError, OSError):  # macOS does not say
        counts.append(len(os.sched_getaffinity(0)))
    with suppress(OSError, ValueError), open(_CONTAINER_LIMIT) as limit:
        granted, period = limit.read().split()
        counts.append(-(-int(granted) // int(period)))  # "max 100000" is not a number, and no limit
    return max(1, min(counts))
