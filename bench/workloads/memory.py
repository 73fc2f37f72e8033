"""Memory while fitting: how much the process grows beyond X, as a fraction of X.

Each measurement runs in a separate process. It creates X, fits something tiny so that every library is loaded, resets
the operating system's high-water mark, fits, and reads the mark again.
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.records import Limit, Machine, Row, Size, Target
from bench.workloads.generate import full_rows, zipf_rows

LAYOUTS = {
    "float64": "dense float64",
    "float32": "dense float32",
    "fortran": "Fortran-order float64",
    "csr": "CSR float64",
}


def rows(size: Size, machine: Machine) -> Iterator[Row]:
    """Every layout, ours and scikit-learn's; both learn the classes of the rows for two epochs."""
    for layout, words in LAYOUTS.items():
        ours, peer = (growth(side, layout, size) for side in ("ours", "sklearn"))
        yield Row(
            name=f"memory-{layout}",
            work=f"memory beside X, {words}, {ours['X'] / 1e6:,.0f} MB",
            ours_name="Perceptron()",
            peer_name="scikit-learn Perceptron",
            ours=ours["growth"] / ours["X"],
            peer=peer["growth"] / peer["X"],
            unit="share",
            value=100 * ours["growth"] / ours["X"],
            target=Target(10.0, at_least=False),
            limit=Limit(ours["needed"] / ours["X"], f"order, labels, weights: {ours['needed'] / 1e6:.1f} MB"),
            kind="memory",
        )


def growth(side: str, layout: str, size: Size) -> dict[str, float]:
    """Measure in a new process, because a high-water mark never falls."""
    command = [sys.executable, "-m", "bench.memory", side, layout, "quick" if size.quick else "full"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[2:])} failed:\n{done.stderr}")
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def examples(layout: str, size: Size) -> tuple[Any, Any]:
    """The rows in one layout."""
    if layout == "csr":
        return zipf_rows(size.rows(200_000))
    X, y = full_rows(size.rows(60_000))
    if layout == "float32":
        return X.astype(np.float32), y
    return (np.asfortranarray(X) if layout == "fortran" else X), y


def high_water() -> tuple[int, int]:
    """The bytes in use, and the peak since the last reset."""
    status = Path("/proc/self/status")
    if not status.exists():
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most, most
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) * 1024, int(fields["VmHWM"].split()[0]) * 1024


def reset() -> None:
    """Return free memory and reset the mark, if the operating system can."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")


def measure(side: str, layout: str, size: Size) -> dict[str, float]:
    """Two epochs of one side in this process."""
    if side == "ours":
        from rosenblatt import Perceptron

        model: Any = Perceptron(max_iter=2)
    else:
        from sklearn.linear_model import Perceptron as Theirs

        model = Theirs(max_iter=2, tol=None)
    X, y = examples(layout, size)
    model.fit(X[:200], y[:200])
    reset()
    before = high_water()[0]
    model.fit(X, y)
    after = high_water()[1]
    bytes_of_x = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    needed = 5 * len(y) + 2 * model.coef_.nbytes  # an index and a label for each row; weights and their average
    return {"growth": max(0, after - before), "X": bytes_of_x, "needed": needed}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], Size(quick=sys.argv[3] == "quick"))))
