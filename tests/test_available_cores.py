"""How many threads a fit takes when it is left to decide: the cores it may use, one in a worker of joblib."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from joblib import Parallel, delayed

from rosenblatt import available_cores
from rosenblatt.input_checks import thread_count


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(available_cores, "_CONTAINER_LIMIT", str(tmp_path / "cpu.max"))


def test_cores_of_the_machine() -> None:
    assert available_cores.core_count() == 8


def test_cores_that_the_scheduler_grants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5, 6})
    assert available_cores.core_count() == 3


def test_a_system_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    assert available_cores.core_count() == 8


@pytest.mark.parametrize(
    ("limit", "cores"),
    [("150000 100000\n", 2), ("50000 100000\n", 1), ("900000 100000\n", 8), ("max 100000\n", 8), ("", 8)],
)
def test_cores_that_a_container_grants(tmp_path: Path, limit: str, cores: int) -> None:
    (tmp_path / "cpu.max").write_text(limit)
    assert available_cores.core_count() == cores


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 8), (-1, 8), (-2, 7), (-100, 1), (1, 1), (3, 3), (20, 20)])
def test_threads_of_n_jobs(n_jobs: int | None, threads: int) -> None:
    assert thread_count(n_jobs) == threads


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_worker_of_joblib_takes_one_thread(backend: str) -> None:
    counts = Parallel(2, backend=backend)(delayed(thread_count)(n_jobs) for n_jobs in (None, None, 3))
    assert counts == [1, 1, 3]
