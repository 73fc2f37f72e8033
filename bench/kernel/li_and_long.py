"""Li and Long 1999 (The relaxed online maximum margin algorithm), Table 1, repeated.

MNIST, kernel (1 + x.z)^d, ten one-vs-rest perceptrons, pixels divided by 255, each epoch in a new random order, means
over ten permutations. Their mistakes are the sum over the ten units, as ours are; the last and the voted hypotheses of
the ten units decide by the highest score.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.kernel.kernel import images, learn

RESULTS = Path(__file__).parents[1] / "results"
WHOLE = ([1, 2, 3, 4, 5, 6], 4, 10)  # degrees, epochs, permutations
# (degree, epochs): mistakes, last error, voted error (percent)
PUBLISHED = {(4, 1): (7970, 2.84, 2.26), (4, 4): (12800, 1.85, 1.69)}
HEADS = ("degree", "epochs", "mistakes", "published", "support", "last %", "published", "voted %", "published")


@dataclass(frozen=True)
class Cell:
    """One degree after some epochs: of one permutation, or the means of several."""

    degree: int
    epochs: int
    mistakes: float
    support: float  # support examples of any unit
    last: float  # percent of the test rows
    voted: float
    seconds: float  # of learning, since the start of the run


def run(options: argparse.Namespace) -> None:
    """Print the table row by row, with the published numbers; the whole table is saved in bench/results."""
    settings = (options.degrees, options.epochs, options.permutations)
    folder = options.output or (RESULTS if settings == WHOLE else None)
    data = images(options.data, options.dtype)
    print(f"MNIST, (1 + x.z)^d, means of {options.permutations} permutations, {options.dtype}; published: Li and Long")
    print("  ".join(f"{head:>9}" for head in HEADS))
    table: list[Cell] = []
    for degree in options.degrees:
        runs = [cells(data, degree, options.epochs, seed) for seed in range(options.permutations)]
        for epoch in range(options.epochs):
            table.append(mean([cells[min(epoch, len(cells) - 1)] for cells in runs], epoch + 1))
            print("  ".join(f"{word:>9}" for word in words(table[-1])), flush=True)
        if folder is not None:  # after each degree, because each may take hours
            keep(folder, table, options)
    if folder is not None:
        print(f"Kept in {folder}: li-and-long.json, li-and-long.md")


def cells(data: tuple[Any, Any, Any, Any], degree: int, epochs: int, seed: int) -> list[Cell]:
    """The errors after each epoch of one run; a run that separated the rows ends earlier."""
    X, y, X_test, y_test = data
    cells: list[Cell] = []
    judging, start = 0.0, perf_counter()

    def judge(run: Any) -> None:
        nonlocal judging
        began = perf_counter()
        last = float(np.mean(run._last_scores(X_test).argmax(axis=0) != y_test))
        voted = float(np.mean(run.scores(X_test).argmax(axis=1) != y_test))
        learned = began - start - judging
        cells.append(
            Cell(degree, len(cells) + 1, sum(run.mistakes), len(run.support), 100 * last, 100 * voted, learned)
        )
        judging += perf_counter() - began

    learn(X, y, degree, epochs, seed, on_epoch=judge)
    return cells


def mean(row: list[Cell], epochs: int) -> Cell:
    """The mean over the permutations of one degree."""
    names = ("mistakes", "support", "last", "voted", "seconds")
    return Cell(row[0].degree, epochs, *(float(np.mean([getattr(cell, name) for cell in row])) for name in names))


def words(cell: Cell) -> tuple[str, ...]:
    """The cell as a row of the table, with the published values."""
    known = PUBLISHED.get((cell.degree, cell.epochs))
    mistakes, last, voted = (f"{number:,}" for number in known) if known else ("", "", "")
    return (
        str(cell.degree),
        str(cell.epochs),
        f"{cell.mistakes:,.0f}",
        mistakes,
        f"{cell.support:,.0f}",
        f"{cell.last:.2f}",
        last,
        f"{cell.voted:.2f}",
        voted,
    )


def keep(folder: Path, table: list[Cell], options: argparse.Namespace) -> None:
    """Save as JSON and as a Markdown table."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"permutations": options.permutations, "dtype": options.dtype, "cells": [asdict(cell) for cell in table]}
    (folder / "li-and-long.json").write_text(json.dumps(content, indent=1) + "\n")
    rows = [HEADS, ("---:",) * len(HEADS), *(words(cell) for cell in table)]
    (folder / "li-and-long.md").write_text("".join(f"| {' | '.join(row)} |\n" for row in rows))
