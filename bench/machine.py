"""The limits of the machine, measured: times in the table mean little without them."""

from __future__ import annotations

import math
import os
import timeit
from collections.abc import Callable
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from bench.records import Limit, Machine, Size

LOADS_PER_CYCLE = 2  # the least that every x86-64 core since 2011 and every large arm64 core can do


def best(function: Callable[[], object], repeats: int = 7) -> float:
    """The shortest of several runs: a limit is what the machine can do, not what it usually does."""
    return min(timeit.repeat(function, number=1, repeat=repeats))


def clock() -> float:
    """Cycles per second, from /proc/cpuinfo; 3 GHz if that does not exist."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text().splitlines() if table.exists() else []
    speeds = [float(line.split(":")[1]) for line in lines if line.startswith("cpu MHz")]
    return max(speeds, default=3000.0) * 1e6


def bandwidth(size: Size) -> float:
    """Bytes per second that one core reads: the best of three ways to visit every number of a long array once."""
    numbers = np.ones((16 if size.quick else 64) << 20)
    readers: tuple[Callable[[], object], ...] = (numbers.sum, numbers.max, lambda: numbers @ numbers)
    return numbers.nbytes / min(best(reader) for reader in readers)


def multiply_adds() -> float:
    """Unfused multiply-adds per second of one core.

    A matrix product runs at the core's peak of fused operations, one instruction for a product and a sum. The
    learners never contract (their answers have the same bits on every machine), so they need two instructions.
    """
    n = 1024
    a = np.ones((n, n))
    return n**3 / best(lambda: a @ a) / 2


def native_call() -> float:
    """Seconds that one call of a native function with two arguments takes in a Python loop."""
    calls = 200_000

    def loop() -> None:
        function = math.copysign
        for _ in range(calls):
            function(1.0, -1.0)

    return best(loop) / calls


def measure(size: Size) -> Machine:
    """Measure all limits, on one thread."""
    with threadpool_limits(1):
        return Machine(os.cpu_count() or 1, clock(), bandwidth(size), multiply_adds(), native_call())


def dense_limit(machine: Machine, nbytes: int, products: int, epochs: int) -> Limit:
    """An epoch over dense rows: X is read once, and every unit multiplies every number that is not zero."""
    return slower(nbytes / machine.bandwidth, products / machine.multiply_adds, nbytes, epochs)


def sparse_limit(machine: Machine, nbytes: int, nonzeros: int, epochs: int) -> Limit:
    """An epoch over CSR rows: value, index and weight are three loads for each stored number."""
    loads = 3 * nonzeros / (LOADS_PER_CYCLE * machine.clock)
    return slower(nbytes / machine.bandwidth, loads, nbytes, epochs)


def slower(memory: float, arithmetic: float, nbytes: int, epochs: int) -> Limit:
    """The larger of the two times is the limit. Data that fits the cache may beat the memory limit after one epoch."""
    reason = f"{nbytes / 1e6:,.0f} MB read, {memory * 1e3:.2f} ms; arithmetic {arithmetic * 1e3:.2f} ms"
    return Limit(max(memory, arithmetic) * epochs, reason)


def call_limit(machine: Machine, features: int, calls: int) -> Limit:
    """A call for one row: the bare call, then the features at the arithmetic rate."""
    one = machine.call + features / machine.multiply_adds
    return Limit(one * calls, f"bare native call and {features} multiply-adds {one * 1e9:.0f} ns")
