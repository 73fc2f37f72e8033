"""How much memory there is: what needs more is refused in a sentence, because the system would kill the process."""

from __future__ import annotations

import os
from contextlib import suppress

_CONTAINER_LIMIT = "/sys/fs/cgroup/memory.max"
_SMALL = 1 << 28  # bytes that are not worth asking for


def memory_size() -> int | None:
    """Bytes of memory that this process may use; None where the system does not say."""
    sizes = []
    with suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError), open("/proc/meminfo") as status:
        free = next(line for line in status if line.startswith("MemAvailable:"))
        sizes.append(int(free.split()[1]) << 10)
    with suppress(OSError, ValueError), open(_CONTAINER_LIMIT) as limit:
        sizes.append(int(limit.read()))
    with suppress(ImportError, OSError, ValueError):
        import resource

        sizes.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    return min((size for size in sizes if size > 0), default=None)


def why_too_large(needed: int) -> str | None:
    """Why so many bytes are too many, for a sentence; None where they are not."""
    if needed <= _SMALL:
        return None
    available = memory_size()
    if available is None or needed <= available:
        return None
    return f"{needed / 2**30:,.1f} GB, and there are {available / 2**30:,.1f} GB of memory"
