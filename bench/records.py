"""The records of the benchmark: a machine, a race to run, and the row of the table that it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Machine:
    """The limits of this machine, measured on one core."""

    cores: int
    clock: float  # cycles per second
    bandwidth: float  # bytes per second that one core reads from memory
    multiply_adds: float  # double-precision multiply-adds per second of one core, not fused
    call: float  # seconds of a bare call of a native function with two arguments

    def __str__(self) -> str:
        return (
            f"{self.cores} cores at {self.clock / 1e9:.2f} GHz; one core reads {self.bandwidth / 1e9:.1f} GB/s, "
            f"does {self.multiply_adds / 1e9:.1f} G unfused multiply-adds/s; a native call: {self.call * 1e9:.0f} ns"
        )


@dataclass(frozen=True)
class Size:
    """How large the workloads are and how often each side runs."""

    quick: bool = False
    repeats: int = 5

    def rows(self, full: int) -> int:
        """The number of examples: all of them, or a twentieth for a smoke test."""
        return full // 20 if self.quick else full


@dataclass(frozen=True)
class Limit:
    """The fastest this machine could do the work, and why."""

    seconds: float
    reason: str


@dataclass(frozen=True)
class Side:
    """One contender: its name, and the work it does when called."""

    name: str
    run: Callable[[], object]


@dataclass(frozen=True)
class Target:
    """The target of a row: ``at least`` a ratio, or ``at most`` a value."""

    value: float
    at_least: bool = True

    def met(self, value: float) -> bool:
        """Whether the target is met."""
        return value >= self.value if self.at_least else value <= self.value

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.value:g}"


@dataclass(frozen=True)
class Race:
    """Two sides, the same work. ``units`` is how many epochs or calls one run does; ``unit`` is the word for one."""

    name: str
    work: str
    ours: Side
    peer: Side
    limit: Limit
    target: Target | None = None
    units: int = 1
    unit: str = "epoch"


@dataclass(frozen=True)
class Row:
    """One line of the table. Values are seconds per unit, or for memory a fraction of the bytes of X."""

    name: str
    work: str
    ours_name: str
    peer_name: str
    ours: float
    peer: float
    unit: str
    value: float  # what the target is about: a ratio of times, or the share of memory
    target: Target | None
    limit: Limit
    kind: str = "speed"  # speed, keep or memory
    runs: dict[str, list[float]] = field(default_factory=dict)

    @property
    def closeness(self) -> float:
        """The fraction of the machine's limit that is reached; 1 is the limit itself."""
        return self.limit.seconds / self.ours if self.ours > 0 else 1.0

    @property
    def verdict(self) -> str:
        """PASS, below or above, or a dash for a row without a target."""
        if self.target is None:
            return "-"
        if self.target.met(self.value):
            return "PASS"
        return "below" if self.target.at_least else "above"
