"""The stored hashes: a JSON file, sorted, where names with the same beginning share it."""

from __future__ import annotations

import json
from pathlib import Path


def read_hashes(path: Path) -> dict[str, str]:
    """Every case by its whole name; none where there is no file."""
    if not path.exists():
        return {}
    shared = json.loads(path.read_text("utf-8"))
    return {f"{start}/{end}": value for start, hashes in shared.items() for end, value in hashes.items()}


def write_hashes(path: Path, hashes: dict[str, str]) -> None:
    """One line a case, below the beginning of its name."""
    shared: dict[str, dict[str, str]] = {}
    for name, value in hashes.items():
        start, end = name.rsplit("/", 1)
        shared.setdefault(start, {})[end] = value
    path.write_text(json.dumps(shared, indent=0, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
