"""Word-like CSR rows, two classes: an epoch in shuffled and in given order."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import peers
from bench.machine import sparse_limit
from bench.records import Machine, Race, Row, Side, Size, Target
from bench.timing import run
from bench.workloads.generate import zipf_rows

ROWS = 200_000
WABBIT_ROWS = 50_000


def bytes_of(X: Any) -> int:
    """The bytes of the three arrays of a CSR matrix."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def rows(size: Size, machine: Machine) -> Iterator[Row]:
    """Shuffled and given order against scikit-learn; the average against scikit-learn and against the last weights."""
    X, y = zipf_rows(size.rows(ROWS))
    work = f"sparse binary {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} a row"
    limit = sparse_limit(machine, bytes_of(X), X.nnz, peers.EPOCHS)

    def race(name: str, variant: str, ours: Side, peer: Side, target: Target | None) -> Race:
        return Race(name, f"{work}, {variant}", ours, peer, limit, target, peers.EPOCHS)

    last, average = peers.ours(X, y, keep="last"), peers.ours(X, y, keep="average")
    yield run(race("sparse-shuffled", "shuffled", last, peers.sklearn_perceptron(X, y), Target(4.0)), size)
    given_order = peers.ours(X, y, keep="last", order="given")
    yield run(
        race("sparse-given", "given order", given_order, peers.sklearn_perceptron(X, y, shuffle=False), Target(1.8)),
        size,
    )
    yield run(race("sparse-averaged", "averaged", average, peers.sklearn_average(X, y), None), size)
    yield run(race("sparse-keep", "average / last", average, last, Target(1.25, at_least=False)), size, kind="keep")


def wabbit(size: Size, machine: Machine) -> Iterator[Row]:
    """Given order against Vowpal Wabbit, which learns from its binary cache, read by a second thread."""
    workspace = peers.if_installed(wabbit_workspace)
    if workspace is None:
        return
    X, y = zipf_rows(size.rows(WABBIT_ROWS))
    work = f"sparse binary {X.shape[0]:,} x {X.shape[1]:,}, given order"
    limit = sparse_limit(machine, bytes_of(X), X.nnz, peers.EPOCHS)
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "rows.cache"
        write_wabbit(X, y, Path(folder) / "rows.vw")
        workspace(f"-d {folder}/rows.vw --cache_file {cache} -k --quiet").finish()
        options = f"--cache_file {cache} --passes {peers.EPOCHS} --holdout_off --quiet -b 18 "
        options += "--loss_function hinge --sgd --power_t 0 -l 0.5"
        peer = Side("Vowpal Wabbit, from its cache", lambda: workspace(options).finish())
        ours = peers.ours(X, y, keep="last", order="given")
        yield run(Race("sparse-cached", work, ours, peer, limit, None, peers.EPOCHS), size)


def wabbit_workspace() -> Any:
    """The class Workspace of Vowpal Wabbit."""
    from vowpalwabbit import Workspace

    return Workspace


def write_wabbit(X: Any, y: Any, path: Path) -> None:
    """Write the rows in Vowpal Wabbit's text format."""
    with path.open("w") as stream:
        for row, label in enumerate(y):
            part = slice(X.indptr[row], X.indptr[row + 1])
            pairs = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            stream.write(f"{2 * label - 1} | {' '.join(f'{index}:{value:.6g}' for index, value in pairs)}\n")
