"""What has been measured, as JSON: peers by set and split, kept until the files change; ours of the last saved run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).parent / "results" / "panel.json"
LEAST = 0.005  # half a point: a smaller difference is no difference
COVERED = 1 - 0.7**3  # the share of the rows that are in one of three test parts of 30%
Splits = list[dict[str, Any]]


def load(path: Path = PATH) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {"versions": {}, "sets": {}}


def save(results: dict[str, Any], path: Path = PATH) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def mean(parts: Iterable[dict[str, Any]], key: str) -> float:
    """The mean of a measure over the splits; NaN where one has none."""
    return float(np.mean([part.get(key, math.nan) for part in parts]))


@dataclass(frozen=True)
class Comparison:
    """One set: our splits and those of each peer."""

    name: str
    mark: str
    n_rows: int
    ours: Splits
    peers: dict[str, Splits]

    @property
    def failed(self) -> str:
        return next((part["failed"] for part in self.ours if "failed" in part), "")

    def mine(self, key: str) -> float:
        return mean(self.ours, key)

    def best(self, key: str) -> tuple[float, str]:
        """The largest mean among the peers, and whose it is."""
        return max(((mean(parts, key), name) for name, parts in self.peers.items()), default=(math.nan, "-"))

    def gap(self, key: str) -> float:
        """Ours minus the best peer's."""
        return self.mine(key) - self.best(key)[0]

    def error(self, key: str) -> float:
        """The standard error of the best peer's mean: the test parts of several splits share rows."""
        parts = self.peers.get(self.best(key)[1], [])
        if not parts:
            return math.nan
        one = math.sqrt(float(np.mean([part[f"{key}_error"] ** 2 for part in parts])))
        return one / math.sqrt(COVERED / 0.3) if len(parts) > 1 else one

    def behind(self, key: str) -> bool:
        """Whether ours is worse by more than half a point and one standard error."""
        return bool(self.failed) or self.gap(key) < -max(LEAST, self.error(key))

    def loss_ratio(self) -> float:
        """Our log loss over that of tuned logistic regression."""
        return self.mine("log_loss") / max(self.logistic("log_loss"), 1e-3)

    def logistic(self, key: str) -> float:
        """A measure of tuned logistic regression."""
        return mean(self.peers.get("LogisticRegression", [{}]), key)


def comparison(name: str, entry: dict[str, Any]) -> Comparison:
    """The saved results of one set: ours beside those of the peers that have learned from all of these files."""
    seen = [entry["peers"].get(digest, {}) for digest in entry["files"]]
    peers = {peer: [part[peer] for part in seen] for peer in seen[0] if all(peer in part for part in seen)}
    return Comparison(name, entry["mark"], entry["rows"], entry["ours"], peers)
