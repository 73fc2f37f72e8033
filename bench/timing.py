"""Alternating runs and their medians: ours, peer, ours, peer, so that a slow minute of the machine affects both."""

from __future__ import annotations

import gc
from statistics import median
from time import perf_counter

from bench.records import Race, Row, Side, Size


def seconds(side: Side) -> float:
    """The seconds of one run, with garbage collection switched off."""
    gc.collect()
    gc.disable()
    try:
        start = perf_counter()
        side.run()
        return perf_counter() - start
    finally:
        gc.enable()


def run(race: Race, size: Size, kind: str = "speed") -> Row:
    """Run both sides once to warm up, then alternately; the row has the medians."""
    sides = (race.ours, race.peer)
    for side in sides:
        side.run()
    runs: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(size.repeats):
        for times, side in zip(runs.values(), sides, strict=True):
            times.append(seconds(side))
    ours, peer = median(runs["ours"]), median(runs["peer"])
    return Row(
        name=race.name,
        work=race.work,
        ours_name=race.ours.name,
        peer_name=race.peer.name,
        ours=ours / race.units,
        peer=peer / race.units,
        unit=race.unit,
        value=ours / peer if kind == "keep" else peer / ours,
        target=race.target,
        limit=type(race.limit)(race.limit.seconds / race.units, race.limit.reason),
        kind=kind,
        runs=runs,
    )
