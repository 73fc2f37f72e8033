"""Accuracy by number of epochs and `keep`, on real data sets: how the defaults were chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.accuracy.data_sets import DataSet
from bench.accuracy.read_sets import Examples
from bench.accuracy.table import accuracy, loaded, ours

EPOCHS = (1, 2, 3, 5, 10, 20, 50)


def affordable_keeps(data: Examples) -> tuple[str, ...]:
    """The values of `keep` that are affordable: pocket judges whole epochs, vote stores every hypothesis."""
    cells = (data.X.nnz if hasattr(data.X, "nnz") else data.X.size) * len(np.unique(data.y))
    few = data.X.shape[1] * len(data.y) < 2_000_000
    return ("average", "last", *(("pocket",) if cells < 6_000_000 else ()), *(("vote",) if few else ()))


def grid(folder: Path, sets: list[DataSet]) -> None:
    """Print the accuracy for every number of epochs and every `keep`; * marks one standard error or more below."""
    totals: dict[tuple[str, int], list[float]] = {}
    heads = " ".join(f"{epochs:>7}" for epochs in EPOCHS)
    print(f"{'set':24} {'keep':8} {'s.e.':>5} {'sklearn':>7} {heads}")
    for data, examples, base, error in loaded(folder, sets):
        p = float(np.mean(base))
        for keep in affordable_keeps(examples):
            cells = []
            for epochs in EPOCHS:
                column = ours(max_iter=epochs, keep=keep)
                if column is None:
                    raise SystemExit("The grid needs the package rosenblatt: build it first (make demo).")
                score = float(np.mean(accuracy(data, examples, column)))
                totals.setdefault((keep, epochs), []).append((score - p) / max(error, 1e-4))
                cells.append(f"{100 * score:6.2f}{'*' if score < p - error else ' '}")
            print(f"{data.name:24} {keep:8} {100 * error:5.2f} {100 * p:7.2f} {' '.join(cells)}", flush=True)
    print("\nkeep     epochs  sets  below by > 1 s.e.  better by > 1 s.e.  mean difference in s.e.")
    for (keep, epochs), gaps in sorted(totals.items()):
        below, above = sum(gap < -1 for gap in gaps), sum(gap > 1 for gap in gaps)
        print(f"{keep:8} {epochs:6} {len(gaps):5} {below:18} {above:19} {np.mean(np.clip(gaps, -10, 10)):24.2f}")
