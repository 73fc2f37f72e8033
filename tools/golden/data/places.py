"""Where a worker finds the data and may write: its scratch folder is the current one."""

from __future__ import annotations

import os
from pathlib import Path


def data(name: str) -> str:
    """The path of a data file; it is part of no result."""
    return str(Path(os.environ["GOLDEN_FOLDER"]) / "data" / name)


def computes_all() -> bool:
    """Whether this worker also computes what no arithmetic decides; the other instruction sets need not."""
    return os.environ.get("GOLDEN_ALL") != "0"


def fresh(name: str) -> Path:
    """A place for a file in the scratch folder, without what an earlier case has left there."""
    path = Path.cwd() / name
    path.unlink(missing_ok=True)
    return path
