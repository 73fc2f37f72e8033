"""The options of ``python -m bench faults``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.faults.kill import Campaign, Result


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench faults", description=__doc__)
    parser.add_argument("faults", nargs="*", default=["kill", "calls"], choices=["kill", "calls"], help="which (all)")
    parser.add_argument("--kills", type=int, default=2000, help="how often the service is killed under load (2000)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    failed = False
    with tempfile.TemporaryDirectory(prefix="rosenblatt-faults-") as folder:
        if "kill" in options.faults:
            failed |= _kill(Path(folder), options.kills, options.seed)
        if "calls" in options.faults:
            from bench.faults.failing_calls import run

            failed |= run(Path(folder))
    return int(failed)


def _kill(folder: Path, kills: int, seed: int) -> bool:
    began = time.monotonic()

    def show(result: Result) -> None:
        seconds = time.monotonic() - began
        print(
            f"{result.kills:,} kills in {seconds:,.0f} s: {result.acknowledged:,} examples acknowledged, "
            f"{result.lost} lost, {result.twice} learned twice, {result.other_bits} replays to other bits, "
            f"{result.other_answers} answers without a reason, {result.alarms} false alarms",
            flush=True,
        )

    result = Campaign(folder, seed).run(kills, show)
    show(result)
    return bool(result.lost or result.twice or result.other_bits or result.alarms)


if __name__ == "__main__":
    sys.exit(main())
