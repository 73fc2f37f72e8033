"""Computing cases in a process of its own, because the instruction set is chosen when the package is loaded."""

from __future__ import annotations

import importlib
import json
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.golden.case import Case, Parts
from tools.golden.normalise.digest import short_hash

SKIP = 10  # a quick look takes every tenth case


def chosen_cases(group: str, share: int, shares: int, quick: bool) -> list[Case]:
    """One share of the cases of a group, or of every tenth of them."""
    cases = list(importlib.import_module(f"tools.golden.groups.{group}").cases())
    doubled = [name for name, count in Counter(case.name for case in cases).items() if count > 1]
    if doubled:
        raise SystemExit(f"two cases have the same name: {doubled[:5]}")
    chosen = cases[SKIP // 2 :: SKIP] if quick else cases
    return chosen[share::shares]


def compute(case: Case) -> Iterator[tuple[str, str]]:
    """The names and hashes of a case; an error that the case does not expect is shown, and is no hash."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value: Any = case.compute()
        parts = {case.name: value}
        if isinstance(value, Parts):
            parts = {f"{case.name}/{name}": part for name, part in value.items()}
        yield from [(name, short_hash(part)) for name, part in parts.items()]
    except Exception as error:
        sys.stderr.write(f"{case.name}: {traceback.format_exc(limit=-6)}\n")
        yield case.name, f"error {type(error).__name__}"


def run_worker(group: str, share: int, shares: int, quick: bool, results: Path) -> None:
    """Compute the cases and write a line for each hash, as they come."""
    with results.open("w", encoding="utf-8") as out:
        for case in chosen_cases(group, share, shares, quick):
            for name, value in compute(case):
                out.write(json.dumps([name, value]) + "\n")
            out.flush()
