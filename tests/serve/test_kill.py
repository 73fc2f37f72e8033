"""kill -9 at random instants under load: nothing acknowledged is lost, nothing is learned twice, the bits are those of
a serial replay. `python -m bench faults` does this for hours."""

from __future__ import annotations

from pathlib import Path

from bench.faults.kill import Campaign


def test_kill_9_loses_nothing_and_learns_nothing_twice(tmp_path: Path) -> None:
    result = Campaign(tmp_path, seed=1, snapshot_every="1s").run(kills=4)
    assert result.kills == 4
    assert result.acknowledged > 100
    assert (result.lost, result.twice, result.other_bits) == (0, 0, 0)
