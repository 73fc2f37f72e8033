"""Ray: a real one on this machine, with two workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rosenblatt.cluster import fit
from rosenblatt.cluster.engines.ray import Ray
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.source import ReadOptions
from tests.cluster.examples import BLOCK, CASES, model_bytes
from tests.cluster.harm import Harmed, kill_once
from tests.cluster.tables import TABLES, rows

pytest.importorskip("ray", reason="the engine ray is not installed")
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # Ray's own, at its start


@pytest.fixture(scope="module")
def running() -> Iterator[Any]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 << 20)
    with Ray() as engine:
        yield engine
    ray.shutdown()


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)


@pytest.mark.parametrize("case", ["svmlight, three files", "text, packed", "vw"])
def test_two_workers_give_the_bits_of_one_machine(case: str, running: Any, tmp_path: Path) -> None:
    write, reading, learning = CASES[case]
    data, options = write(tmp_path), ReadOptions(**reading)
    engine = Harmed(running)
    together = fit(data, engine, reading=options, **learning)
    assert engine.answers > 2
    alone = fit_file(data, reading=options, **learning)
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_a_killed_worker_changes_no_bit(running: Any, tmp_path: Path) -> None:
    data, marker = CASES["text"][0](tmp_path), tmp_path / "killed"
    unharmed = Harmed(running)
    fit(data, unharmed, rule="arow")
    together = fit(data, Harmed(running, kill_once, marker, after=max(unharmed.readings)), rule="arow")
    assert marker.exists()
    (note,) = running.notes()
    assert note.endswith("of Ray lost the worker, and went to another one, to the same bits.")
    assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(data, rule="arow").model, tmp_path)


def test_a_dataset_gives_the_bits_of_one_machine(running: Any, tmp_path: Path) -> None:
    import ray

    table = pa.table(rows())
    dataset = ray.data.from_arrow([table.slice(k * 500, 500) for k in range(6)])
    together, alone = fit(dataset, running, rule="arow"), fit_file(table, rule="arow")
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_a_table_in_files_gives_the_bits_of_one_machine(running: Any, tmp_path: Path) -> None:
    write, reading, learning = TABLES["parquet"]
    data, options = write(tmp_path), ReadOptions(**reading)
    together = fit(data, Harmed(running), reading=options, **learning)
    assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(data, **learning).model, tmp_path)


def test_who_has_started_ray_ends_it(running: Any) -> None:
    import ray

    with Ray() as engine:
        assert list(engine.in_order(bytes.upper, iter([b"piece"]))) == [b"PIECE"]
    assert ray.is_initialized()


def test_answers_that_nobody_takes_start_no_other_ray(running: Any) -> None:
    """The last test: it ends Ray, as a fit that is interrupted does before its generators are closed."""
    import ray

    answers = running.in_order(bytes.upper, iter([b"piece"] * 10))
    assert next(answers) == b"PIECE"
    ray.shutdown()
    answers.close()
    assert not ray.is_initialized()
