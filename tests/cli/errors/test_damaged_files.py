"""Damaged files of every kind: each command does its work or refuses it in one sentence. `make fuzz` goes on longer."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from fuzz.files import Outcome, Seed, damaged
from tests import child

ROOT = Path(__file__).parents[3]


def test_a_short_campaign_finds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fuzz.files", "250", "--seed", "1", "--most", "600"]
    process = child.run(command, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stdout.endswith("600 files, no findings\n")


def test_what_is_accepted() -> None:
    assert Outcome(0, "").accepted
    assert Outcome(3, "rosenblatt: a.csv: is empty.\n").accepted
    assert not Outcome(3, "rosenblatt: a.csv: is\nempty.\n").accepted
    assert not Outcome(70, "rosenblatt: a bug.\n").accepted
    assert not Outcome("signal 11", "").accepted
    assert not Outcome(0, "x.py:1: UserWarning: odd\n").accepted


def test_the_same_seed_damages_a_file_in_the_same_way() -> None:
    seed = Seed("csv", "a.csv", b"a,b\n1,2\n", ())
    first, again = (damaged(seed, random.Random(5)) for _ in range(2))
    assert first == again != seed.content
