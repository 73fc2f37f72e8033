"""From file to arrays: one svmlight file, read by us, by scikit-learn and by ``wc -l``, which only looks for newlines.

``python -m bench reading`` writes the file to a temporary folder; ``ROSENBLATT_BENCH_MB`` is its size (200).
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.records import Limit, Machine, Race, Row, Side, Size, Target
from bench.timing import run, seconds

FEATURES, PER_ROW = 50_000, 65


@contextmanager
def svmlight_file(size: Size, features: int = FEATURES, per_row: int = PER_ROW) -> Iterator[Path]:
    """A file of rows ``±1 index:0.dddddd ...`` labelled by a hidden separator with some noise; temporary."""
    megabytes = int(os.environ.get("ROSENBLATT_BENCH_MB", "200")) // (20 if size.quick else 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.svm"
        write(path, max(megabytes, 1) * 1_000_000, features, per_row)
        yield path


def write(path: Path, size: int, features: int, per_row: int, seed: int = 0) -> None:
    """Write rows, no two alike, until the file has `size` bytes."""
    random = np.random.default_rng(seed)
    hidden = random.standard_normal(features)
    line = "%+d " + " ".join(["%d:%.6f"] * per_row) + "\n"
    with path.open("w") as out:
        while out.tell() < size:
            lines = []
            for _ in range(500):
                columns = np.sort(random.choice(features, per_row, replace=False))
                values = random.random(per_row).round(6)
                score = values @ hidden[columns] + random.normal()
                pairs = np.column_stack([columns + 1, values]).ravel().tolist()
                lines.append(line % (1 if score > 0 else -1, *pairs))
            out.write("".join(lines))


def read_ours(path: Path, threads: int) -> int:
    """Parse the file block by block, keeping nothing; returns the number of examples."""
    from rosenblatt.readers.open import open_source
    from rosenblatt.readers.source import ReadOptions

    return sum(len(block.labels) for block in open_source(path, ReadOptions()).blocks(threads))


def rows(size: Size, machine: Machine) -> Iterator[Row]:
    """Reading alone, in MB/s, against the peers; the limit is ``wc -l`` on the same file, in the page cache."""
    from sklearn.datasets import load_svmlight_file

    with svmlight_file(size) as path:
        megabytes = path.stat().st_size / 1e6
        count = Side("wc -l", lambda: subprocess.run(["wc", "-l", str(path)], check=True, capture_output=True))
        limit = Limit(min(seconds(count) for _ in range(3)), "wc -l on the same file")
        ours = Side("read, 1 thread", lambda: read_ours(path, 1))
        both = Side(f"read, {machine.cores} threads", lambda: read_ours(path, machine.cores))
        load = Side("load_svmlight_file", lambda: load_svmlight_file(str(path)))
        work = f"svmlight, {megabytes:.0f} MB, {PER_ROW} a row"
        once = Size(size.quick, 1)  # the peer takes more than ten seconds
        yield run(Race("reading", work, ours, load, limit, Target(40.0), 1, "file"), once)
        yield run(Race("reading-threads", work, both, load, limit, None, 1, "file"), once)
        yield run(Race("reading-wc", work, ours, count, limit, None, 1, "file"), size)
