"""Dense rows: ten classes of images at once, and a narrow table with two classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench import peers
from bench.machine import dense_limit
from bench.records import Limit, Machine, Race, Row, Size, Target
from bench.timing import run
from bench.workloads.generate import full_rows, gaussian_rows, image_rows

CLASSES = 10
THREADS = 2


def shape_of(X: Any) -> str:
    """Rows and columns as text."""
    return f"{X.shape[0]:,} x {X.shape[1]}"


def epoch_limit(machine: Machine, X: Any, units: int, threads: int = 1) -> Limit:
    """X once through memory, one multiply-and-add for each unit and number that is not zero, shared by the threads."""
    limit = dense_limit(machine, X.nbytes, units * int(np.count_nonzero(X)), peers.EPOCHS)
    return Limit(limit.seconds / threads, limit.reason + (f"; {threads} threads" if threads > 1 else ""))


def ten_classes(
    make: Callable[[int], tuple[Any, Any]], name: str, word: str
) -> Callable[[Size, Machine], Iterator[Row]]:
    """Ten classes one-vs-rest on one kind of rows: one thread each, the average, two threads each, and float32."""

    def rows(size: Size, machine: Machine) -> Iterator[Row]:
        X, y = make(size.rows(60_000))
        work = f"{word} {shape_of(X)}, 10 classes"
        yield ten(X, y, name, work, size, machine, Target(25.0), keep="last")
        yield ten(X, y, f"{name}-averaged", f"{work}, averaged", size, machine, keep="average")
        yield ten(X, y, f"{name}-threads", f"{work}, {THREADS} threads", size, machine, keep="last", n_jobs=THREADS)
        yield keep_row(X, y, name, work, size, machine)
        X = X.astype(np.float32)
        yield ten(X, y, f"{name}-float32", f"{work}, float32", size, machine, keep="last")

    return rows


def ten(
    X: Any, y: Any, name: str, work: str, size: Size, machine: Machine, target: Target | None = None, **options: Any
) -> Row:
    """One race over ten classes with the same number of threads on both sides."""
    threads = options.get("n_jobs", 1)
    ours, peer = peers.ours(X, y, **options), peers.sklearn_perceptron(X, y, n_jobs=threads)
    limit = epoch_limit(machine, X, CLASSES, threads)
    return run(Race(name, work, ours, peer, limit, target, peers.EPOCHS), size)


def keep_row(X: Any, y: Any, name: str, work: str, size: Size, machine: Machine) -> Row:
    """The cost of the average relative to the last weights."""
    last, average = peers.ours(X, y, keep="last"), peers.ours(X, y, keep="average")
    limit = epoch_limit(machine, X, CLASSES if y.max() > 1 else 1)
    target = Target(1.25, at_least=False)
    race = Race(f"{name}-keep", f"{work}, average / last", average, last, limit, target, peers.EPOCHS)
    return run(race, size, kind="keep")


def narrow(size: Size, machine: Machine) -> Iterator[Row]:
    """Two classes, 50 columns, shuffled; mlxtend on a tenth of the rows, because it is a Python loop."""
    X, y = gaussian_rows(size.rows(200_000), 50)
    work, limit = f"dense binary {shape_of(X)}", epoch_limit(machine, X, 1)
    last, average = peers.ours(X, y, keep="last"), peers.ours(X, y, keep="average")
    peer, peer_average = peers.sklearn_perceptron(X, y), peers.sklearn_average(X, y)
    yield run(Race("narrow", f"{work}, shuffled", last, peer, limit, Target(3.0), peers.EPOCHS), size)
    yield run(Race("narrow-averaged", f"{work}, averaged", average, peer_average, limit, None, peers.EPOCHS), size)
    yield keep_row(X, y, "narrow", work, size, machine)
    X, y = X[: X.shape[0] // 10], y[: X.shape[0] // 10]
    mlxtend = peers.if_installed(lambda: peers.mlxtend_perceptron(X, y, epochs=peers.EPOCHS))
    if mlxtend:
        ours, limit = peers.ours(X, y, keep="last"), epoch_limit(machine, X, 1)
        work = f"dense binary {shape_of(X)}, shuffled"
        yield run(Race("short", work, ours, mlxtend, limit, None, peers.EPOCHS), size)


images = ten_classes(image_rows, "images", "image-like")
full = ten_classes(full_rows, "full", "without zeros")
