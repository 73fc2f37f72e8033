"""Dask: a real scheduler with worker processes of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rosenblatt.cluster import evaluate, fit, predict_rows
from rosenblatt.cluster.engines import start
from rosenblatt.cluster.engines.dask import Dask
from rosenblatt.errors import DataError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.source import ReadOptions
from tests.cluster.examples import BLOCK, CASES, model_bytes
from tests.cluster.harm import Harmed, kill_once
from tests.cluster.tables import TABLES, rows

distributed = pytest.importorskip("distributed", reason="the engine dask is not installed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)


@pytest.mark.parametrize("case", ["svmlight, three files", "text", "text, packed", "vw"])
@pytest.mark.usefixtures("small_blocks")
def test_two_workers_give_the_bits_of_one_machine(case: str, client: Any, tmp_path: Path) -> None:
    write, reading, learning = CASES[case]
    data, options = write(tmp_path), ReadOptions(**reading)
    engine = Harmed(Dask(client=client))
    together = fit(data, engine, reading=options, **learning)
    assert engine.answers > 2
    alone = fit_file(data, reading=options, **learning)
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


@pytest.mark.usefixtures("small_blocks")
def test_an_address_and_a_client_are_engines(client: Any, tmp_path: Path) -> None:
    data = CASES["svmlight"][0](tmp_path)
    alone = model_bytes(fit_file(data, rule="arow").model, tmp_path)
    address = client.scheduler.address.removeprefix("tcp://")
    for engine in (client, f"dask://{address}"):
        assert model_bytes(fit(data, engine, rule="arow").model, tmp_path) == alone
    assert client.status == "running"  # who has made it ends it


@pytest.mark.usefixtures("small_blocks")
def test_a_killed_worker_changes_no_bit(client: Any, tmp_path: Path) -> None:
    data, marker = CASES["text"][0](tmp_path), tmp_path / "killed"
    engine = Dask(client=client)
    together = fit(data, Harmed(engine, kill_once, marker), rule="arow")
    assert marker.exists()
    assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(data, rule="arow").model, tmp_path)
    (note,) = engine.notes()
    assert note == "1 worker of Dask left: what it was reading was read again, to the same bits."


def test_a_scheduler_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_PATIENCE", 1)
    sentence = r"dask://127.0.0.1:1: no scheduler answers at this address"
    with pytest.raises(DataError, match=sentence), Dask("127.0.0.1:1"):
        pass


def test_a_data_frame_and_a_bag_give_the_bits_of_one_machine(client: Any, tmp_path: Path) -> None:
    dataframe, bag = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.bag")
    table = pa.table(rows())
    frame = table.to_pandas()
    for learning in ({}, {"holdout": 0.2, "passes": 2}):
        alone = model_bytes(fit_file(frame, **learning).model, tmp_path)
        for partitions in (1, 7):
            together = fit(dataframe.from_pandas(frame, npartitions=partitions), client, **learning)
            assert model_bytes(together.model, tmp_path) == alone
    of_bag = fit(bag.from_sequence(table.to_pylist(), npartitions=5), rule="arow")  # in the client that is there
    assert model_bytes(of_bag.model, tmp_path) == model_bytes(fit_file(frame, rule="arow").model, tmp_path)


def test_a_table_in_files_gives_the_bits_of_one_machine(client: Any, tmp_path: Path) -> None:
    write, reading, learning = TABLES["csv, folders"]
    data, options = write(tmp_path), ReadOptions(**reading)
    together, alone = fit(data, client, reading=options, **learning), fit_file(data, reading=options, **learning)
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_partitions_of_other_types_are_refused(client: Any) -> None:
    bag = pytest.importorskip("dask.bag")
    numbers = [*range(20), *(k / 3 for k in range(20))]
    mixed = bag.from_sequence([{"a": number, "label": k % 2} for k, number in enumerate(numbers)])
    with pytest.raises(DataError, match=r"a partition after row \d+ has the columns a \(double\)"):
        fit(mixed, client)


def test_a_saved_model_predicts_partitions_where_they_are(client: Any, tmp_path: Path) -> None:
    dataframe = pytest.importorskip("dask.dataframe")
    frame, path = pa.table(rows()).to_pandas(), tmp_path / "m.model"
    model = fit_file(frame, rule="arow").model
    save_model(model, path)
    lazy = dataframe.from_pandas(frame, npartitions=3)
    answers = lazy.map_partitions(predict_rows, str(path), meta=("label", "str")).compute()
    assert answers.tolist() == predict_rows(frame, path).tolist()
    assert evaluate(model, lazy).accuracy == evaluate(model, frame_to_csv(frame, tmp_path), client).accuracy


def frame_to_csv(frame: Any, folder: Path) -> str:
    path = folder / "frame.csv"
    frame.to_csv(path, index=False)
    return str(path)
