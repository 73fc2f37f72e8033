"""Files for the workloads on files: word-like rows as svmlight and VW text, and lines of label, tab, words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.workloads.generate import zipf_rows

PART = 100_000  # rows generated at a time


def write_rows(folder: Path, rows: int, name: str = "rows", *, targets: bool = False) -> None:
    """`rows` rows of 65 of 47,236 features, four decimals, as name.svm and as name.vw; with numbers to predict in place
    of labels where `targets` are wanted."""
    columns = 47_236
    index = [b" %d:" % (i + 1) for i in range(columns)]
    value = [b"0.%04d" % i for i in range(10_000)]
    with (folder / f"{name}.svm").open("wb") as svmlight, (folder / f"{name}.vw").open("wb") as wabbit:
        for first in range(0, rows, PART):
            X, y = zipf_rows(min(PART, rows - first), columns, seed=first + 1)
            numbers = np.clip((X.data * 10_000).round().astype(np.int64), 1, 9_999).tolist()
            starts, features = X.indptr.tolist(), X.indices.tolist()
            distances = X @ plane(columns)  # from the same hidden plane for all parts
            random = np.random.default_rng(first)
            wrong = random.random(len(y)) < 0.05
            labels = [b"+1" if positive else b"-1" for positive in (distances > 0) != wrong]
            if targets:
                labels = [b"%.3f" % (50 + 10 * target) for target in distances + random.normal(size=len(y)) / 4]
            for row, label in enumerate(labels):
                part = slice(starts[row], starts[row + 1])
                text = b"".join([index[j] + value[v] for j, v in zip(features[part], numbers[part], strict=True)])
                svmlight.write(label + text + b"\n")
                wabbit.write(label + b" |" + text + b"\n")


def plane(columns: int) -> Any:
    """The plane that separates the rows, except for the wrong labels."""
    return np.random.default_rng(0).standard_normal(columns)


def write_text(path: Path, megabytes: int) -> None:
    """Lines of label, tab, about a hundred words; some words indicate a label."""
    rng = np.random.default_rng(0)
    words = np.array([f"{a}{b}{c}" for a in "aeiou" for b in "bcdfghklmnprst" for c in range(700)])
    leaning = rng.standard_normal(len(words))
    popularity = np.cumsum(1.0 / (np.arange(len(words)) + 10.0))
    written = 0
    with path.open("w") as file:
        while written < megabytes << 20:
            drawn = np.searchsorted(popularity, rng.random((2_000, 100)) * popularity[-1])
            spam = leaning[drawn].sum(axis=1) > 0
            for row, label in zip(words[drawn].tolist(), spam.tolist(), strict=True):
                written += file.write(f"{'spam' if label else 'ham'}\t{' '.join(row)}\n")


def write_json(folder: Path, rows: int, name: str) -> None:
    """A table of 10 fractions, 4 integers, 4 words and a flag, as name.jsonl, and in the form of `vw --json`."""
    keys = [*(f"x{j}" for j in range(10)), *(f"n{j}" for j in range(4)), *(f"c{j}" for j in range(4)), "flag"]
    cell = ["%.5f"] * 10 + ["%d"] * 4 + ['"city%d"'] * 4 + ["%s"]
    row = ", ".join(f'"{key}": {form}' for key, form in zip(keys, cell, strict=True))
    with (folder / f"{name}.jsonl").open("w") as ours, (folder / f"{name}.vwjson").open("w") as wabbit:
        for first in range(0, rows, PART):
            count, rng = min(PART, rows - first), np.random.default_rng(first + 1)
            fractions, integers = rng.standard_normal((count, 10)), rng.integers(0, 100_000, (count, 4))
            words = rng.integers(0, 200, (count, 4))
            positive = fractions[:, 0] + fractions[:, 1] / 2 + words[:, 0] % 3 - 1 + rng.standard_normal(count) / 2 > 0
            columns = [part.tolist() for part in (fractions, integers, words)]
            for x, n, c, label in zip(*columns, positive.tolist(), strict=True):
                text = row % (*x, *n, *c, "true" if c[0] % 2 else "false")
                ours.write(f'{{{text}, "label": "{"yes" if label else "no"}"}}\n')
                wabbit.write(f'{{"_label": {1 if label else -1}, "f": {{{text}}}}}\n')
