"""Certificates: separability decided and verified, with the widest margin, against a linear program solved by HiGHS.

The program is the one a user would write: minimise nothing subject to y (w.x + b) >= 1. It gives a yes or a no, without
a margin, and without a proof. Images of digits are read from the folder in ROSENBLATT_DATA (mnist/ in it); without it,
images are generated. A peer that would need minutes gets a time limit; its time is then at least that limit.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import dense_limit
from bench.records import Limit, Machine, Race, Row, Side, Size, Target
from bench.timing import run
from bench.workloads.generate import gaussian_rows

PATIENCE = 120.0  # seconds before a peer is stopped
PAIRS = ((0, 1, 50.0), (8, 9, 10.0), (3, 5, 20.0))


def digits(part: str = "train") -> tuple[Any, Any] | None:
    """MNIST's images and labels, if available; the part is 'train' or 't10k', its test images."""
    folder = Path(os.environ.get("ROSENBLATT_DATA", "")) / "mnist"
    if not (folder / f"{part}-images-idx3-ubyte.gz").exists():
        return None
    with (
        gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as images,
        gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as labels,
    ):
        X = np.frombuffer(images.read()[16:], np.uint8).reshape(-1, 784)
        return X, np.frombuffer(labels.read()[8:], np.uint8)


def linear_program(X: Any, y: Any, limit: float = PATIENCE) -> bool | None:
    """HiGHS on the program above: True, False, or None when the limit was reached."""
    from scipy.optimize import linprog

    signs = np.where(y == y.max(), 1.0, -1.0)
    rows = -signs[:, None] * np.hstack([X.astype(np.float64), np.ones((len(X), 1))])
    solution = linprog(
        np.zeros(rows.shape[1]), rows, -np.ones(len(X)), bounds=(None, None), method="highs",
        options={"time_limit": limit},
    )  # fmt: skip
    return {0: True, 2: False}.get(solution.status)


def certified(X: Any, y: Any) -> str:
    """Our answer, which must be exact."""
    from rosenblatt.certificates.certify import certify

    answer = certify(X, y)
    if answer.verified != "exact":
        raise RuntimeError(f"{answer} is not exact")
    return answer.kind


def race(name: str, X: Any, y: Any, target: Target | None, machine: Machine) -> Race:
    """One question for both sides. The limit is reading the rows once."""
    work = f"{name} {X.shape[0]:,} x {X.shape[1]}"
    limit: Limit = dense_limit(machine, X.nbytes, X.size, 1)
    ours, peer = Side("certify", partial(certified, X, y)), Side("HiGHS", partial(linear_program, X, y))
    return Race(name, work, ours, peer, limit, target, unit="answer")


def rows(size: Size, machine: Machine) -> Iterator[Row]:
    """Pairs of digits if they are available, generated rows otherwise, and a table of sixteen rows."""
    once = Size(size.quick, 1)
    images = digits()
    if images is not None:
        X, y = images
        for first, second, ratio in PAIRS:
            picked = np.flatnonzero((y == first) | (y == second))[:: 20 if size.quick else 1]
            name = f"digits {first} against {second}"
            yield run(race(name, X[picked], y[picked], None if size.quick else Target(ratio), machine), once)
    X, y = gaussian_rows(size.rows(20_000), 50)
    yield run(race("rows of numbers", X, y, None, machine), once)
    yield run(race("sixteen rows", *sixteen(), None, machine), size)


def sixteen() -> tuple[Any, Any]:
    """All four-bit patterns: at least three bits, or not."""
    X = np.array(list(np.ndindex(2, 2, 2, 2)), dtype=np.float64)
    return X, (X.sum(axis=1) >= 3).astype(int)
